/**
 * What the crew keeps for a row: a glass for the total, and a bar for each number of the answer.
 */

import { add, box, group, set } from "./svg.js";

/**
 * A glass whose water stands as high as the total.
 *
 * @param {Element} parent
 * @param {{x: number, y: number, w: number, h: number}} frame
 * @param {number} most what fills it
 * @param {string} [kind]
 */
export function glass(parent, { x, y, w, h }, most, kind = "water") {
  const node = group(parent);
  box(node, x, y, w, h, "tray", 14);
  const water = box(node, x + 6, y, w - 12, 0.1, kind, 8);
  return {
    node,
    level(/** @type {number} */ amount) {
      const high = Math.max(0.1, (h - 12) * Math.min(1, Math.max(0, amount / most)));
      set(water, { y: y + h - 6 - high, height: high });
    },
  };
}

/**
 * A bar for each number of an answer, up or down from the middle.
 *
 * @param {Element} parent
 * @param {{x: number, y: number, w: number, h: number}} frame
 * @param {number} count
 * @param {number} most what reaches the frame's edge
 * @param {string} [kind]
 */
export function numbers(parent, { x, y, w, h }, count, most, kind = "fused") {
  const node = group(parent);
  box(node, x, y, w, h, "tray", 14);
  const [middle, step] = [y + h / 2, (w - 20) / count];
  add(node, "path", { d: `M${x + 10} ${middle}h${w - 20}`, class: "grid" });
  const bars = Array.from({ length: count }, (_, k) =>
    box(node, x + 10 + (k + 0.15) * step, middle, 0.7 * step, 0.1, kind, Math.min(4, 0.3 * step)),
  );
  return {
    node,
    draw(/** @type {number[]} */ values) {
      values.forEach((value, k) => {
        const high = Math.min(1, Math.abs(value) / most) * (h / 2 - 8);
        set(bars[k], { y: value > 0 ? middle - high : middle, height: Math.max(0.1, high) });
      });
    },
  };
}

/** The largest size of any number of several answers. @param {number[][]} answers */
export const largestOf = (answers) => Math.max(1e-9, ...answers.flat().map(Math.abs));
