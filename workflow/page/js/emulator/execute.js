/**
 * One workgroup of a method of computing attention, on counted memory.
 */

import { fused } from "./fused.js";
import { Memory, Operations } from "./memory.js";
import { fusedKeyRows, tileRows } from "./tiling.js";
import { mix, scores, softmax } from "./unfused.js";

/**
 * @typedef {"fused" | "unfused"} Way
 * @typedef {{way: Way, n: number, d: number, causal: boolean, queryRows?: number,
 *   keyRows?: number, rescale?: boolean, rescaleOutput?: boolean,
 *   look?: import("./fused.js").Look}} Options rows of a query tile and of the fused kernel's key
 *   tile, 2048 / d and 1024 / d by default; `rescale` false is the broken control; the rest is
 *   told in fused.js
 * @typedef {Record<"q" | "k" | "v" | "o", Float32Array>} Tensors row after row
 */

/**
 * Execute the query tile that starts at row `first`.
 *
 * @param {Way} way
 * @param {Tensors} tensors `o` is written
 * @param {Omit<Options, "way">} options
 * @param {number} first
 * @returns {{output: Float32Array, elements: Record<string, Memory["counts"]>, operations: Operations,
 *   lastRise: Int32Array}} the tile's answers, what each kernel asked of each buffer, and the fused
 *   kernel's last key tile in which a row's maximum rose, 0 for the first
 */
export function workgroup(way, { q, k, v, o }, options, first) {
  const { n, d } = options;
  const rows = Math.min(tileRows(options), n - first);
  const operations = new Operations();
  /** @type {Record<string, Memory>} */
  const memories = {};
  /** @type {Int32Array} */
  let lastRise = new Int32Array(0);
  if (way === "fused") {
    memories.fused = new Memory({ q, k, v, o });
    const { keyRows = fusedKeyRows(d), rescale = true } = options;
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
