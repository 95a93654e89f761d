/**
 * One workgroup of a method of computing attention, on counted memory.
 */

import { fused } from "./fused.js";
import { kvStart, kvOuter } from "./kv-outer.js";
import { Memory, Operations } from "./memory.js";
import { fusedKeyRows, tileRows } from "./tiling.js";
import { mix, scores, softmax } from "./unfused.js";

/**
 * @typedef {"fused" | "kv_outer" | "unfused"} Way
 * @typedef {{way: Way, n: number, d: number, causal: boolean, queryRows?: number,
 *   keyRows?: number, rescale?: boolean, rescaleOutput?: boolean,
 *   look?: import("./fused.js").Look}} Options rows of a query tile and of the fused kernel's key
 *   tile, 2048 / d and 1024 / d by default; `rescale` false is the broken control; the rest is
 *   told in fused.js
 * @typedef {Record<"q" | "k" | "v" | "o", Float32Array> & {m?: Float32Array, l?: Float32Array}}
 *   Tensors row after row; kv_outer asks for all of them
 */

/** @type {Way[]} in the order of the alphabet */
export const WAYS = ["fused", "kv_outer", "unfused"];

/**
 * How a way is cut into workgroups: tiles of so many query rows, or of so many keys, which must be
 * executed in turn, as each goes on from what those before it have stored.
 *
 * @param {Pick<Options, "d" | "queryRows" | "keyRows">} options
 * @param {Way} way
 */
export function cut(way, options) {
  const inTurn = way === "kv_outer";
  return { inTurn, rows: inTurn ? options.keyRows ?? fusedKeyRows(options.d) : tileRows(options) };
}

/**
 * Execute the tile that starts at row `first`.
 *
 * @param {Way} way
 * @param {Tensors} tensors o, m and l are written
 * @param {Omit<Options, "way">} options
 * @param {number} first
 * @returns {{output: Float32Array, elements: Record<string, Memory["counts"]>, operations: Operations,
 *   lastRise: Int32Array}} the tile's answers so far, what each kernel asked of each buffer, and the fused
 *   kernel's last key tile in which a row's maximum rose, 0 for the first
 */
export function workgroup(way, { q, k, v, o, m, l }, options, first) {
  const { n, d } = options;
  const rows = Math.min(cut(way, options).rows, n - first);
  const operations = new Operations();
  /** @type {Record<string, Memory>} */
  const memories = {};
  /** @type {Int32Array} */
  let lastRise = new Int32Array(0);
  const { keyRows = fusedKeyRows(d), rescale = true } = options;
  if (way === "kv_outer") {
    const rowsSoFar = /** @type {Record<string, Float32Array>} */ ({ o, m, l });
    memories.kv_start = new Memory(rowsSoFar);
    memories.kv_outer = new Memory({ q, k, v, ...rowsSoFar });
    if (first === 0) kvStart(memories.kv_start);
    kvOuter(memories.kv_outer, operations, { ...options, keyRows, rescale }, first);
  } else if (way === "fused") {
    memories.fused = new Memory({ q, k, v, o });
    lastRise = fused(memories.fused, operations, { ...options, keyRows, rescale }, first);
  } else {
    const s = unwritten(rows * n);
    const p = unwritten(rows * n);
    memories.scores = new Memory({ q, k, s });
    memories.softmax = new Memory({ s, p });
    memories.mix = new Memory({ p, v, o });
    scores(memories.scores, operations, options, first);
    softmax(memories.softmax, operations, options, first);
    mix(memories.mix, operations, options, first);
  }
  const elements = Object.fromEntries(
    Object.entries(memories).map(([kernel, { counts }]) => [kernel, counts]),
  );
  return { output: o.slice(first * d, (first + rows) * d), elements, operations, lastRise };
}

/** Memory in which a missing store shows. @param {number} size */
export const unwritten = (size) => new Float32Array(size).fill(NaN);

/** What kv_outer writes, and the others a part of. @param {number} n @param {number} d */
export const written = (n, d) => ({ o: unwritten(n * d), m: unwritten(n), l: unwritten(n) });
