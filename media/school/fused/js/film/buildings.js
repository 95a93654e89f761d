/**
 * What stands on the quay: the lighthouse with its beam, the cannery, the warehouse with its door.
 */

import { add, box, gradient, group, move, set, show } from "./svg.js";

/**
 * A lighthouse whose foot is at its origin, 330 high.
 *
 * @param {Element} parent
 * @param {number} x
 * @param {number} y
 * @param {number} [scale]
 * @param {number} [reach] of the beam
 * @returns {{node: Element, lamp: [number, number],
 *   beam: (degrees: number, opacity: number) => void}}
 */
export function lighthouse(parent, x, y, scale = 1, reach = 1500) {
  const node = group(parent);
  move(node, x, y, scale);
  const shade = gradient(
    node,
    [[0, "stop-lamp", 0.75], [0.35, "stop-lamp", 0.28], [1, "stop-lamp", 0]],
  );
  const ray = add(node, "path", { d: `M0 -4L${reach} -150V150L0 4Z`, fill: shade });
  add(node, "path", { d: "M-120 6Q-90 -20 -40 -22H46Q92 -18 124 6Z", class: "rock" });
  add(node, "path", { d: "M-40 -20L-26 -262H26L40 -20Z", class: "wall" });
  add(node, "path", {
    d: "M-36.5 -76L-33 -132H33L36.5 -76ZM-29.6 -188L-26.4 -240H26.4L29.6 -188Z",
    class: "band",
  });
  box(node, -36, -270, 72, 10, "roof", 3);
  box(node, -22, -314, 44, 44, "glass", 3);
  add(node, "path", { d: "M-30 -314Q0 -356 30 -314Z", class: "roof" });
  const glow = add(node, "circle", { cx: 0, cy: -292, r: 54, class: "lamp-halo" });
  const lamp = add(node, "circle", { cx: 0, cy: -292, r: 13, class: "lamp" });
  box(node, -7, -60, 14, 40, "dark", 7);
  return {
    node,
    lamp: [x, y - 292 * scale],
    beam(degrees, opacity) {
      set(ray, { transform: `translate(0 -292) rotate(${degrees.toFixed(2)})` });
      show(ray, opacity);
      show(glow, 0.3 + 0.7 * opacity);
      show(lamp, 0.35 + 0.65 * opacity);
    },
  };
}

/**
 * A long shed with a sawtooth roof, its foot at its origin, 360 wide.
 *
 * @param {Element} parent
 * @param {number} x
 * @param {number} y
 * @param {number} [scale]
 * @returns {{node: Element, lit: (k: (index: number) => number) => void, count: number}}
 */
export function cannery(parent, x, y, scale = 1) {
  const node = group(parent);
  move(node, x, y, scale);
  box(node, 268, -226, 26, 90, "wall-dark");
  add(node, "path", {
    d: "M0 0V-118L90 -160V-118L180 -160V-118L270 -160V-118L360 -160V0Z",
    class: "wall-dark",
  });
  add(node, "path", {
    d: [0, 90, 180, 270].map((at) => `M${at} -118l90 -42v8l-90 42Z`).join(""),
    class: "roof",
  });
  const windows = [0, 1, 2, 3, 4, 5].map((k) => {
    box(node, 24 + 54 * k, -92, 38, 42, "pane", 3);
    return box(node, 24 + 54 * k, -92, 38, 42, "lamp", 3);
  });
  return {
    node,
    count: windows.length,
    lit: (k) => windows.forEach((window, index) => show(window, k(index))),
  };
}

/**
 * A tall store with one wide door, its foot at its origin, 250 wide.
 *
 * @param {Element} parent
 * @param {number} x
 * @param {number} y
 * @param {number} [scale]
 * @returns {{node: Element, open: (k: number) => void}}
 */
export function warehouse(parent, x, y, scale = 1) {
  const node = group(parent);
  move(node, x, y, scale);
  add(node, "path", { d: "M0 0V-150L125 -214L250 -150V0Z", class: "wall-dark" });
  add(node, "path", { d: "M-10 -146L125 -214L260 -146V-158L125 -228L-10 -158Z", class: "roof" });
  box(node, 70, -106, 110, 106, "dark");
  const light = box(node, 70, -106, 110, 106, "lamp");
  const leaf = box(node, 70, -106, 110, 106, "door");
  return {
    node,
    open(k) {
      show(light, 0.85 * k);
      set(leaf, { height: 106 * (1 - 0.9 * k) });
    },
  };
}

/** A small boat with one lantern, its keel at its origin. @param {Element} parent */
function boat(parent) {
  const node = group(parent);
  add(node, "path", { d: "M-52 -16H52L38 8H-40Z", class: "hull" });
  add(node, "path", { d: "M-6 -16V-66", class: "mast" });
  add(node, "circle", { cx: -6, cy: -70, r: 24, class: "lamp-halo" });
  add(node, "circle", { cx: -6, cy: -70, r: 8, class: "lamp" });
  return node;
}

/**
 * The wall of scores as it is not built: an outline of a window for each score.
 *
 * @param {Element} parent
 * @param {number} rows
 * @param {number} pitch from window to window
 * @returns {Element}
 */
export function outline(parent, rows, pitch) {
  const node = group(parent);
  const pane = Math.round(pitch * 0.73);
  let d = "";
  for (let i = 0; i < rows; i += 1) {
    for (let j = 0; j <= i; j += 1) d += `M${j * pitch} ${i * pitch}h${pane}v${pane}h-${pane}Z`;
  }
  add(node, "path", { d, class: "ghost" });
  return node;
}

/**
 * The whole quay, as the film begins and ends: cannery, warehouse, lighthouse and a boat.
 *
 * @param {Element} layer
 * @param {{width: number, height: number, portrait: boolean}} room
 */
export function quay(layer, { width, height, portrait }) {
  const horizon = portrait ? 0.7 : 0.72;
  const foot = height * horizon + 8;
  const light = lighthouse(layer, width * (portrait ? 0.8 : 0.84), foot, portrait ? 1.25 : 1.15);
  const shed = cannery(layer, width * (portrait ? 0.03 : 0.05), foot, portrait ? 0.95 : 1.05);
  const store = warehouse(layer, width * (portrait ? 0.44 : 0.32), foot, portrait ? 0.7 : 0.85);
  const small = boat(layer);
  return {
    horizon,
    foot,
    light,
    shed,
    store,
    /** Where the boat is, as a part of the width, and how high it rides. */
    sail(/** @type {number} */ part, /** @type {number} */ ride) {
      move(small, width * part, foot + height * 0.14 + 5 * ride, portrait ? 1.1 : 1.2);
    },
  };
}
