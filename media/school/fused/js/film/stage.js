/**
 * The stage: one picture in which the scenes are drawn, wide or tall as there is room.
 */

import { contexts, textOf } from "./context.js";
import { createHarbour } from "./harbour.js";
import { ease, mix } from "./motion.js";
import { add, group, set, show } from "./svg.js";
import { SCENES } from "./scenes/index.js";
import { begun } from "./timeline.js";

/** Two shapes, so that type stays readable on a phone. */
const WIDE = { width: 1600, height: 900, portrait: false };
const TALL = { width: 900, height: 1200, portrait: true };

/** Below this many pixels the tall shape is drawn. */
const NARROW_PX = 620;

const FADE_MS = 600;
const TILT_MS = 1600;

/**
 * @param {HTMLElement} parent
 * @param {{film: object, facts: object}} sources
 * @param {{guess: number | null}} answer
 * @returns {{draw: (time: number) => void, fit: () => void, node: SVGSVGElement}}
 */
export function createStage(parent, sources, answer) {
  const { film } = sources;
  const svg = add(parent, "svg", { class: "film-stage", role: "img", focusable: "false" });
  let room = null;
  let layers = [];
  let harbour = null;
  let last = 0;

  function fit() {
    const wanted = parent.clientWidth && parent.clientWidth < NARROW_PX ? TALL : WIDE;
    if (wanted === room) return;
    room = wanted;
    svg.replaceChildren();
    set(svg, {
      viewBox: `0 0 ${room.width} ${room.height}`,
      "data-shape": room.portrait ? "tall" : "wide",
    });
    harbour = createHarbour(svg, room);
    const contextOf = contexts(sources, room, answer);
    layers = film.scenes.map(
      (_, index) => ({ context: contextOf(index), scene: null, node: null }),
    );
    draw(last);
  }

  /** A scene is built when it is first seen, or a while before. */
  function built(index) {
    const layer = layers[index];
    if (layer && !layer.scene) {
      layer.node = group(svg, `scene scene-${index + 1}`);
      layer.scene = SCENES[Math.min(index, SCENES.length - 1)](layer.node, layer.context);
      show(layer.node, 0);
    }
    return layer;
  }

  function draw(time) {
    last = time;
    const index = begun(film.scenes, time);
    const { scene, node, context } = built(index);
    const t = time - film.scenes[index].start_ms;
    layers.forEach((other, k) => k !== index && other.node && show(other.node, 0));
    const leaving = index === layers.length - 1
      ? 1
      : 1 - ease(t, context.duration - FADE_MS, context.duration);
    show(node, Math.max(0.01, Math.min(index ? ease(t, 0, FADE_MS) : 1, leaving)));
    const before = index ? built(index - 1).scene : scene;
    const tilt = ease(t, 0, TILT_MS);
    harbour.draw(
      time,
      mix(before.horizon, scene.horizon, tilt),
      mix(before.light ?? 1, scene.light ?? 1, tilt),
    );
    scene.draw(t);
    set(svg, {
      "aria-label": `${textOf(film.scenes[index].title)}. ${scene.label}`,
      "data-scene": String(index + 1),
    });
    // Half way through there is time to build what comes next.
    if (t > context.duration / 2) built(index + 1);
  }

  fit();
  return { draw, fit, node: svg };
}
