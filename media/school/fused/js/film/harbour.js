/**
 * The night behind every scene: sky, stars, moon and a moving sea. The horizon sinks where a scene
 * needs a quiet sky to draw on.
 */

import { mix, scattered, wave } from "./motion.js";
import { add, box, gradient, group, move, set, show } from "./svg.js";

/** @import { Room } from "./context.js" */

const STARS = 90;
const RIPPLES = 26;

/** @param {Element} parent @param {Room} room */
function stars(parent, { width, height }) {
  // Points drawn as the round caps of lines without length, three sizes, three elements.
  const paths = ["", "", ""];
  for (let k = 1; k <= STARS; k += 1) {
    const x = scattered(k) * width;
    const y = scattered(k, 0.7548776662) * height * 0.86;
    paths[k % 7 === 0 ? 2 : k % 3 === 0 ? 1 : 0] += `M${x.toFixed(0)} ${y.toFixed(0)}h0`;
  }
  return paths.map(
    (d, k) => add(parent, "path", { d, class: "stars", "stroke-width": 1.8 + 1.4 * k }),
  );
}

/** @param {Element} parent @param {Room} room */
function sea(parent, { width, height }) {
  const node = group(parent);
  box(node, -width, 0, 3 * width, height, "fill").setAttribute(
    "fill",
    gradient(parent, [[0, "stop-shore", 1], [0.12, "stop-sea", 1], [0.6, "stop-deep", 1]], true),
  );
  // Far hills with a few lights, so that the horizon is a coast and not an edge.
  let hills = `M${-width} 2`;
  // As far beyond the picture as a low, wide window may show.
  for (let k = -24; k <= 48; k += 1) {
    const high = 8 + 26 * wave(k, 9.7) + 14 * wave(k, 3.1);
    hills += `L${((k * width) / 24).toFixed(0)} ${-high.toFixed(0)}`;
  }
  add(node, "path", { d: `${hills}L${2 * width} 2Z`, class: "hill" });
  let lights = "";
  for (let k = 1; k <= 17; k += 1) {
    lights += `M${(scattered(k) * width).toFixed(0)} -${4 + (k % 3) * 3}h0`;
  }
  add(node, "path", { d: lights, class: "far-lights" });
  const sets = [0, 1, 2].map(() => group(node));
  for (let k = 1; k <= RIPPLES; k += 1) {
    const depth = scattered(k, 0.7548776662);
    const length = mix(24, 130, depth);
    const x = scattered(k) * width;
    add(sets[k % 3], "path", {
      d: `M${x.toFixed(0)} ${(16 + depth * depth * 330).toFixed(0)}h${length.toFixed(0)}`,
      class: "ripple",
      "stroke-width": mix(1.2, 3, depth),
    });
  }
  return { node, sets };
}

/** @param {Element} parent @param {number} x */
function moonlight(parent, x) {
  const node = group(parent);
  for (let k = 0; k < 9; k += 1) {
    const half = mix(34, 10, k / 9) * (0.7 + 0.6 * scattered(k + 1));
    add(node, "path", {
      d: `M${x - half + 20 * (scattered(k + 3) - 0.5)} ${10 + k * 15}h${2 * half}`,
      class: "glitter",
    });
  }
  return node;
}

/**
 * @param {SVGElement} svg
 * @param {Room} room
 * @returns {{draw: (time: number, horizon: number, light: number) => void}} horizon as a part of
 *   the height; light is how brightly the sky shows
 */
export function createHarbour(svg, room) {
  const { width, height } = room;
  const layer = group(svg, "harbour");
  box(layer, -width, 0, 3 * width, height, "fill").setAttribute(
    "fill",
    gradient(layer, [[0, "stop-night", 1], [0.62, "stop-sky", 1], [1, "stop-glow", 1]], true),
  );
  const sky = group(layer);
  const points = stars(sky, room);
  const moonX = width * 0.3;
  const moon = group(sky);
  add(moon, "circle", { cx: 0, cy: 0, r: 120, class: "halo" });
  add(moon, "circle", { cx: 0, cy: 0, r: 66, class: "halo" });
  add(moon, "circle", { cx: 0, cy: 0, r: 34, class: "moon" });
  const water = sea(layer, room);
  const glitter = moonlight(water.node, moonX);

  return {
    draw(time, horizon, light) {
      const y = horizon * height;
      move(water.node, 0, y);
      // The moon goes down with the horizon and out of the drawings' way.
      move(moon, moonX, mix(height * 0.17, -150, 1 - light));
      show(sky, mix(0.35, 1, light));
      show(glitter, light);
      points.forEach((path, k) => {
        const opacity = 0.55 + 0.45 * wave(time, 4100 + 900 * k, k / 3);
        set(path, { opacity: opacity.toFixed(2) });
      });
      water.sets.forEach((node, k) => {
        move(node, 46 * (wave(time, 9000 + 1900 * k, k / 3) - 0.5), 0);
      });
    },
  };
}
