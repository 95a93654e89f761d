/**
 * Which answers are wrong: a strip of cells, each a row or a few, in the order of the words.
 */

import { grouped } from "../numbers.js";
import { svg } from "./dom.js";

const WIDTH = 960;
const CELLS_MOST = 256;
const ACROSS = 64;
const SIZE = WIDTH / ACROSS;

/**
 * @param {number} n rows in all
 * @param {number[]} wrong rows that are wrong
 * @returns {SVGElement}
 */
export function strip(n, wrong) {
  const each = Math.ceil(n / CELLS_MOST); // rows of a cell
  const cells = Math.ceil(n / each);
  const spoiled = new Set(wrong.map((row) => Math.floor(row / each)));
  const lines = Math.ceil(cells / ACROSS);
  const boxes = Array.from({ length: cells }, (_, cell) => {
    const x = (cell % ACROSS) * SIZE;
    const y = Math.floor(cell / ACROSS) * SIZE;
    const bad = spoiled.has(cell);
    const box = svg("rect", {
      class: bad ? "wrong" : "right",
      x: x + 1,
      y: y + 1,
      width: SIZE - 2,
      height: SIZE - 2,
      rx: 2,
    });
    // A cross beside the colour, for those who do not see it.
    const cross = svg("path", {
      d: `M${x + 4} ${y + 4}l${SIZE - 8} ${SIZE - 8}m0-${SIZE - 8}l-${SIZE - 8} ${SIZE - 8}`,
      stroke: "var(--paper)",
      "stroke-width": 2,
    });
    return bad ? svg("g", {}, box, cross) : box;
  });
  const words = `${grouped(wrong.length)} of ${grouped(n)} answers are wrong`;
  return svg(
    "svg",
    { class: "rows", viewBox: `0 0 ${WIDTH} ${lines * SIZE}`, role: "img", "aria-label": words },
    ...boxes,
  );
}
