/**
 * Traffic as bars to scale: what both ways move, and the table that only unfused moves.
 */

import { bytes } from "../numbers.js";
import { svg } from "./dom.js";

const WIDTH = 960;
const LEFT = 110;
const RIGHT = 170;
const BAR = 34;
const GAP = 22;
const FLOATS = 4;

/**
 * Bytes of the score and share tables, and of everything else.
 *
 * @param {Record<string, Record<string, {loads: number, stores: number}>>} elements by kernel and buffer
 * @returns {{rest: number, table: number}}
 */
export function parted(elements) {
  const sums = { rest: 0, table: 0 };
  for (const buffers of Object.values(elements)) {
    for (const [name, { loads, stores }] of Object.entries(buffers)) {
      sums[name === "s" || name === "p" ? "table" : "rest"] += FLOATS * (Number(loads) + Number(stores));
    }
  }
  return sums;
}

/**
 * A bar for each way, and one for the bytes that no way can avoid.
 *
 * @param {{name: string, elements: object}[]} ways
 * @param {number} compulsory bytes
 * @returns {SVGElement}
 */
export function bars(ways, compulsory) {
  const rows = [
    ...ways.map(({ name, elements }) => ({ name, ...parted(elements) })),
    { name: "compulsory", rest: 0, table: 0, compulsory },
  ];
  const whole = (row) => row.rest + row.table + (row.compulsory ?? 0);
  const most = Math.max(...rows.map(whole));
  const width = (value) => ((WIDTH - LEFT - RIGHT) * value) / most;
  const height = rows.length * (BAR + GAP);
  const words = rows.map((row) => `${row.name} ${bytes(whole(row))}`).join(", ");
  const parts = rows.flatMap((row, i) => {
    const y = i * (BAR + GAP);
    const box = (from, value, kind) =>
      svg("rect", { class: kind, x: LEFT + width(from), y, width: width(value), height: BAR });
    return [
      svg("text", { x: LEFT - 10, y: y + 22, "text-anchor": "end" }, row.name),
      box(0, row.rest, "k"),
      box(row.rest, row.table, "t"),
      box(0, row.compulsory ?? 0, "c"),
      svg(
        "text",
        { x: LEFT + width(whole(row)) + 8, y: y + 22 },
        row.table ? `${bytes(whole(row))}, table ${bytes(row.table)}` : bytes(whole(row)),
      ),
    ];
  });
  return svg(
    "svg",
    { class: "bars", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": `Bytes moved, to scale: ${words}` },
    ...parts,
  );
}
