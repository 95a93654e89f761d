/**
 * What attention makes of a head's Q, K and V, looking backwards: by the unfused kernels, and exactly.
 */

import { unwritten } from "../emulator/execute.js";
import { Memory, Operations } from "../emulator/memory.js";
import { BLOCK_ROWS, Reference } from "../emulator/reference.js";
import { queryRows } from "../emulator/tiling.js";
import { mix, scores, softmax } from "../emulator/unfused.js";

/** @typedef {import("./network.js").Head} Head */

/**
 * The tables that the unfused kernels write, and their answer.
 *
 * @typedef {object} Tables
 * @property {Float32Array} scores n rows of n; NaN where a word does not look
 * @property {Float32Array} shares
 * @property {Float32Array} output n rows of d
 * @property {import("../elements.js").Elements} elements moved
 */

/**
 * Execute the three unfused kernels on one head.
 *
 * @param {Head} head
 * @param {number} d
 * @returns {Tables}
 */
export function unfused({ q, k, v }, d) {
  const n = q.length / d;
  const o = unwritten(n * d);
  const problem = { n, d, causal: true };
  const tables = { scores: unwritten(n * n), shares: unwritten(n * n), output: o };
  /** @type {import("../elements.js").Elements} */
  const elements = {};
  const operations = new Operations();
  for (let first = 0; first < n; first += queryRows(d)) {
    const part = [first * n, Math.min(first + queryRows(d), n) * n];
    const [s, p] = [tables.scores.subarray(...part), tables.shares.subarray(...part)];
    const memories = { scores: new Memory({ q, k, s }), softmax: new Memory({ s, p }), mix: new Memory({ p, v, o }) };
    scores(memories.scores, operations, problem, first);
    softmax(memories.softmax, operations, problem, first);
    mix(memories.mix, operations, problem, first);
    for (const [kernel, { counts }] of Object.entries(memories)) {
      elements[kernel] ??= {};
      for (const [buffer, { loads, stores }] of Object.entries(counts)) {
        const sum = (elements[kernel][buffer] ??= { loads: 0, stores: 0 });
        sum.loads += loads;
        sum.stores += stores;
      }
    }
  }
  return { ...tables, elements };
}

/**
 * The exact answer, in doubles.
 *
 * @param {Head} head
 * @param {number} d
 */
export function exact({ q, k, v }, d) {
  const n = q.length / d;
  const reference = new Reference(k, v, { n, d, causal: true });
  const output = new Float64Array(n * d);
  for (let row = 0; row < n; row += BLOCK_ROWS) {
    const last = Math.min(row + BLOCK_ROWS, n);
    reference.block(q.subarray(row * d, last * d), row);
    output.set(reference.output.subarray(0, (last - row) * d), row * d);
  }
  return output;
}
