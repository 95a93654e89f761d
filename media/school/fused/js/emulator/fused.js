/**
 * The fused kernel, one workgroup at a time: scores, shares and mixing in one trip.
 *
 * Read it beside kernels/fused.wgsl. A row is an invocation: it keeps a running maximum, a running
 * total and a running output; when a larger score comes, total and output shrink to match.
 */

import { exp, expAll } from "./exponential.js";
import { keysSeen, lastKey, tileRows } from "./tiling.js";
import { loadQueryTile, mixRow, scoreRow } from "./workgroup.js";

const round = Math.fround;

/**
 * A row after a key tile, copied.
 *
 * @typedef {(row: number, after: {firstKey: number, old: number, largest: number, factor: number,
 *   weights: Float32Array, total: number, output: Float64Array}) => void} Look
 */

/**
 * The answers of the query tile that starts at row `first`.
 *
 * @param {import("./memory.js").Memory} memory buffers q, k, v, o
 * @param {import("./memory.js").Operations} operations
 * @param {{n: number, d: number, causal: boolean, queryRows?: number, keyRows: number,
 *   rescale: boolean, rescaleOutput?: boolean, look?: Look}} options `rescale` false leaves out
 *   the factor on the running total alone: the broken control; `rescaleOutput` false, that on the
 *   running output; `look` is shown each row after each tile that it sees
 * @param {number} first
 * @returns {Int32Array} the last key tile in which each row's maximum rose, 0 for the first
 */
export function fused(memory, operations, options, first) {
  const { n, d, causal, keyRows, rescale, rescaleOutput = true, look } = options;
  const rows = Math.min(tileRows(options), n - first);
  const width = Math.min(keyRows, n);
  const q = loadQueryTile(memory, operations, first, rows, d);
  const k = new Float64Array(width * d);
  const v = new Float64Array(width * d);
  const weight = new Float32Array(width); // of one tile: scores first, then e^(score - maximum)
  const tileMixed = new Float64Array(d);
  const maximum = new Float64Array(rows);
  const total = new Float64Array(rows);
  const mixed = new Float64Array(rows * d);
  const lastRise = new Int32Array(rows);

  // Causal: key tiles beyond the query tile's last row are never fetched.
  const end = lastKey(causal, n, first + rows);
  for (let firstKey = 0; firstKey < end; firstKey += keyRows) {
    const keys = Math.min(keyRows, end - firstKey);
    k.set(memory.load("k", firstKey * d, (firstKey + keys) * d));
    v.set(memory.load("v", firstKey * d, (firstKey + keys) * d));

    let pairs = 0;
    let active = 0;
    for (let r = 0; r < rows; r++) {
      const seen = keysSeen(causal, first + r, firstKey, keys);
      if (seen === 0) continue;
      pairs += seen;
      active++;
      scoreRow(q, r, k, seen, d, weight);

      // The first tile seeds the maximum: no sentinel stands in for minus infinity.
      const old = firstKey === 0 ? weight[0] : maximum[r];
      const largest = largestOf(old, weight, seen);
      if (largest > old) lastRise[r] = firstKey / keyRows;
      maximum[r] = largest;
      const factor = exp(firstKey === 0 ? 0 : round(old - largest));
      for (let j = 0; j < seen; j++) weight[j] -= largest;
      expAll(weight, seen);

      const kept = rescale ? round(total[r] * factor) : total[r];
      total[r] = round(kept + sumOf(weight, seen));
      mixRow(weight, seen, v, d, tileMixed);
      const from = r * d;
      const shrink = rescaleOutput ? factor : 1; // a product with one is exact
      for (let c = 0; c < d; c++) {
        mixed[from + c] = round(round(mixed[from + c] * shrink) + tileMixed[c]);
      }
      look?.(first + r, {
        ...{ firstKey, old, largest, factor, weights: weight.slice(0, seen), total: total[r] },
        output: mixed.slice(from, from + d),
      });
    }
    count(operations, d, pairs, active, firstKey === 0, rescale, rescaleOutput);
  }

  const answers = new Float32Array(rows * d);
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < d; c++) answers[r * d + c] = mixed[r * d + c] / total[r];
  }
  operations.divisions += rows * d;
  memory.store("o", first * d, answers);
  return lastRise;
}

/** @param {number} largest @param {Float32Array} scores @param {number} count */
export function largestOf(largest, scores, count) {
  for (let j = 0; j < count; j++) if (scores[j] > largest) largest = scores[j];
  return largest;
}

/** In key order, from the first term. @param {Float32Array} weights @param {number} count */
export function sumOf(weights, count) {
  let sum = weights[0];
  for (let j = 1; j < count; j++) sum = round(sum + weights[j]);
  return sum;
}

/**
 * What one key tile took: `pairs` were looked at, by `active` rows.
 *
 * @param {import("./memory.js").Operations} operations
 * @param {number} d
 * @param {number} pairs
 * @param {number} active
 * @param {boolean} seeds whether the tile seeds the maximum, so that its first scores meet none
 * @param {boolean} rescale
 * @param {boolean} rescaleOutput
 */
function count(operations, d, pairs, active, seeds, rescale, rescaleOutput) {
  operations.multiplications += pairs * d; // scores
  operations.additions += pairs * d;
  operations.comparisons += seeds ? pairs - active : pairs;
  operations.additions += pairs + active; // exponents of weights and factors
  operations.exps += pairs + active;
  operations.additions += pairs - active + active; // total: within the tile, to the running one
  operations.multiplications += rescale ? active : 0;
  operations.multiplications += d * (pairs + (rescaleOutput ? active : 0)); // output
  operations.additions += d * (pairs - active + active);
}
