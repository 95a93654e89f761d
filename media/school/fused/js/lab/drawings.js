/**
 * Two drawings: traffic as bars to scale, and a strip that says which answers are wrong.
 */

import { svg } from "../dom.js";
import { bytesOf } from "../elements.js";
import { bytes, grouped } from "../numbers.js";

const WIDTH = 960;
const LEFT = 110;
const RIGHT = 170;
const BAR = 34;
const GAP = 22;

/** Bytes of the score and share tables. @param {import("../elements.js").Elements} elements */
const tableBytes = ({ scores, softmax, mix }) =>
  scores ? bytesOf({ scores: { s: scores.s }, softmax, mix: { p: mix.p } }) : 0;

/**
 * A bar for each way, and one for the bytes that no way can avoid.
 *
 * @param {{name: string, elements: import("../elements.js").Elements}[]} ways
 * @param {number} compulsory bytes
 * @returns {SVGElement}
 */
export function bars(ways, compulsory) {
  const rows = [
    ...ways.map(({ name, elements }) => ({
      name,
      whole: bytesOf(elements),
      table: tableBytes(elements),
      kind: "k",
    })),
    { name: "compulsory", whole: compulsory, table: 0, kind: "c" },
  ];
  const most = Math.max(...rows.map(({ whole }) => whole));
  const width = (/** @type {number} */ value) => ((WIDTH - LEFT - RIGHT) * value) / most;
  const parts = rows.flatMap(({ name, whole, table, kind }, i) => {
    const y = i * (BAR + GAP);
    const box = (/** @type {number} */ from, /** @type {number} */ value, /** @type {string} */ kind) =>
      svg("rect", { class: kind, x: LEFT + width(from), y, width: width(value), height: BAR });
    const words = table ? `${bytes(whole)}, table ${bytes(table)}` : bytes(whole);
    return [
      svg("text", { x: LEFT - 10, y: y + 22, "text-anchor": "end" }, name),
      box(0, whole - table, kind),
      box(whole - table, table, "t"),
      svg("text", { x: LEFT + width(whole) + 8, y: y + 22 }, words),
    ];
  });
  const words = rows.map(({ name, whole }) => `${name} ${bytes(whole)}`).join(", ");
  return drawing("bars", rows.length * (BAR + GAP), `Bytes moved, to scale: ${words}`, parts);
}

const CELLS_MOST = 256;
const ACROSS = 64;
const SIZE = WIDTH / ACROSS;

/**
 * A cell for each row or a few, in the order of the words.
 *
 * @param {number} n rows in all
 * @param {number[]} wrong rows that are wrong
 * @returns {SVGElement}
 */
export function strip(n, wrong) {
  const each = Math.ceil(n / CELLS_MOST); // rows of a cell
  const cells = Math.ceil(n / each);
  const spoiled = new Set(wrong.map((row) => Math.floor(row / each)));
  const boxes = Array.from({ length: cells }, (_, cell) => {
    const [x, y] = [(cell % ACROSS) * SIZE, Math.floor(cell / ACROSS) * SIZE];
    const [kind, side] = [spoiled.has(cell) ? "wrong" : "right", SIZE - 2];
    const box = svg("rect", { class: kind, x: x + 1, y: y + 1, width: side, height: side, rx: 2 });
    // A cross beside the colour, for those who do not see it.
    const d = `M${x + 4} ${y + 4}l${SIZE - 8} ${SIZE - 8}m0-${SIZE - 8}l-${SIZE - 8} ${SIZE - 8}`;
    const cross = svg("path", { d, stroke: "var(--paper)", "stroke-width": 2 });
    return kind === "wrong" ? svg("g", {}, box, cross) : box;
  });
  const words = `${grouped(wrong.length)} of ${grouped(n)} answers are wrong`;
  return drawing("rows", Math.ceil(cells / ACROSS) * SIZE, words, boxes);
}

/** @param {string} kind @param {number} height @param {string} label @param {SVGElement[]} parts */
function drawing(kind, height, label, parts) {
  const viewBox = `0 0 ${WIDTH} ${height}`;
  return svg("svg", { class: kind, viewBox, role: "img", "aria-label": label }, ...parts);
}
