/**
 * The stage: one picture in which the scenes are drawn, wide or tall as there is room.
 */

import { contexts, textOf } from "./context.js";
import { createHarbour } from "./harbour.js";
import { ease, mix } from "./motion.js";
import { add, group, line, set, show } from "./svg.js";
import { drawings } from "./scenes/index.js";
import { begun } from "./timeline.js";

/** Two shapes, so that type stays readable on a phone. */
const WIDE = { width: 1600, height: 900, portrait: false };
const TALL = { width: 900, height: 1200, portrait: true };

/** Below this many pixels the tall shape is drawn, on a screen that is taller than wide. */
const NARROW_PX = 620;

const FADE_MS = 600;
const TILT_MS = 1600;

/** @import { Answer, Context, Facts, FilmText, Room } from "./context.js" */
/** @import { Scene } from "./scenes/index.js" */

/**
 * @param {HTMLElement} parent
 * @param {{film: FilmText, facts: Facts}} sources
 * @param {Answer} answer
 */
export function createStage(parent, sources, answer) {
  const { film } = sources;
  const { now, all } = drawings(film);
  let builds = now;
  const svg = add(parent, "svg", { class: "film-stage", role: "img", focusable: "false" });
  /** @type {Room | null} */
  let room = null;
  /** @type {{context: Context, node: SVGElement, scene: Scene}[]} */
  let layers = [];
  /** @type {ReturnType<typeof contexts>} */
  let contextOf;
  /** @type {ReturnType<typeof createHarbour>} */
  let harbour;
  /** @type {SVGElement} */
  let loading;
  let drawn = 0;

  function fit() {
    const upright = innerHeight >= innerWidth;
    const wanted = upright && parent.clientWidth && parent.clientWidth < NARROW_PX ? TALL : WIDE;
    if (wanted === room) return;
    room = wanted;
    const { width, height, portrait } = room;
    svg.replaceChildren();
    set(svg, { viewBox: `0 0 ${width} ${height}`, "data-shape": portrait ? "tall" : "wide" });
    harbour = createHarbour(svg, room);
    loading = line(svg, width / 2, height / 2, ["This scene is loading."], 44, "soft", "middle");
    contextOf = contexts(sources, room, answer);
    layers = [];
    draw(drawn);
  }

  /** A scene is built when it is first seen, or a while before. */
  function built(/** @type {number} */ index) {
    if (!layers[index]) {
      const context = contextOf(index);
      const node = group(svg, `scene scene-${index + 1}`);
      const scene = builds[index](node, context);
      show(node, 0);
      layers[index] = { context, node, scene };
    }
    return layers[index];
  }

  function draw(/** @type {number} */ time) {
    drawn = time;
    const index = begun(film.scenes, time);
    const here = index < builds.length;
    show(loading, here ? 0 : 1);
    if (!here) {
      harbour.draw(time, 0.8, 0.3);
      return set(svg, { "aria-label": "This scene is loading.", "data-scene": String(index + 1) });
    }
    const { scene, node, context } = built(index);
    const t = time - film.scenes[index].start_ms;
    layers.forEach((other, k) => k !== index && show(other.node, 0));
    const last = index === film.scenes.length - 1;
    const leaving = last ? 1 : 1 - ease(t, context.duration - FADE_MS, context.duration);
    show(node, Math.max(0.01, Math.min(index ? ease(t, 0, FADE_MS) : 1, leaving)));
    const before = index ? built(index - 1).scene : scene;
    const tilt = ease(t, 0, TILT_MS);
    const light = mix(before.light ?? 1, scene.light ?? 1, tilt);
    harbour.draw(time, mix(before.horizon, scene.horizon, tilt), light);
    scene.draw(t);
    set(svg, {
      "aria-label": `${textOf(film.scenes[index].title)}. ${scene.label}`,
      "data-scene": String(index + 1),
    });
    // Half way through there is time to build what comes next.
    if (t > context.duration / 2 && index + 1 < builds.length) built(index + 1);
  }

  /** Where a point of the screen lies in the picture's own units; null where it is not drawn. */
  function within(/** @type {{clientX: number, clientY: number}} */ { clientX, clientY }) {
    const onto = svg.getScreenCTM()?.inverse();
    return onto ? new DOMPoint(clientX, clientY).matrixTransform(onto) : null;
  }

  /** The guess that a point of the picture stands for, where its scene has something to drag. */
  function grab(/** @type {PointerEvent} */ event) {
    const point = within(event);
    const scene = layers[begun(film.scenes, drawn)]?.scene;
    return point && scene?.grab ? scene.grab(point.x, point.y) : null;
  }

  fit();
  const ready = all.then((found) => {
    builds = found;
    draw(drawn);
  });
  return { draw, fit, grab, ready, redraw: () => draw(drawn) };
}
