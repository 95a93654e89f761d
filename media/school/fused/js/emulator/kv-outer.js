/**
 * FlashAttention's Algorithm 1 (arXiv:2205.14135), one key tile at a time, past all query tiles.
 *
 * Read it beside kernels/kv_start.wgsl and kv_outer.wgsl. What a row has so far, its maximum m,
 * its total l and its answer o, lies in global memory, and the answer is a whole one each time.
 */

import { exp, expAll } from "./exponential.js";
import { largestOf, sumOf } from "./fused.js";
import { keysSeen, tileRows } from "./tiling.js";
import { loadQueryTile, mixRow, scoreRow } from "./workgroup.js";

const round = Math.fround;
// In place of minus infinity. No sum depends on it: the first tile seeds the maximum.
const LOWEST = -(2 ** 128 - 2 ** 104);

/**
 * Store the values to begin with: no answer, no maximum, no total.
 *
 * @param {import("./memory.js").Memory} memory buffers o, m, l
 */
export function kvStart(memory) {
  const { o, m, l } = memory.buffers;
  memory.store("o", 0, new Float32Array(o.length));
  memory.store("m", 0, new Float32Array(m.length).fill(LOWEST));
  memory.store("l", 0, new Float32Array(l.length));
}

/**
 * Take up the key tile that starts at `firstKey` in every row's total and answer.
 *
 * @param {import("./memory.js").Memory} memory buffers q, k, v, o, m, l
 * @param {import("./memory.js").Operations} operations
 * @param {{n: number, d: number, causal: boolean, queryRows?: number, keyRows: number,
 *   rescale: boolean}} options `rescale` false leaves out the factor on the running total alone
 * @param {number} firstKey
 */
export function kvOuter(memory, operations, options, firstKey) {
  const { n, d, causal, keyRows, rescale } = options;
  const keys = Math.min(keyRows, n - firstKey);
  const k = Float64Array.from(memory.load("k", firstKey * d, (firstKey + keys) * d));
  const v = Float64Array.from(memory.load("v", firstKey * d, (firstKey + keys) * d));
  const weight = new Float32Array(keys); // scores first, then e^(score - the tile's own maximum)
  const tileMixed = new Float64Array(d);

  // Causal: rows before the first key see nothing of the tile, and the query tiles begin there.
  for (let first = causal ? firstKey : 0; first < n; first += tileRows(options)) {
    const rows = Math.min(tileRows(options), n - first);
    const q = loadQueryTile(memory, operations, first, rows, d);
    const maxima = memory.load("m", first, first + rows).slice();
    const totals = memory.load("l", first, first + rows).slice();
    const answers = memory.load("o", first * d, (first + rows) * d).slice();

    let pairs = 0;
    for (let r = 0; r < rows; r++) {
      const seen = keysSeen(causal, first + r, firstKey, keys);
      pairs += seen;
      scoreRow(q, r, k, seen, d, weight);
      const tileMaximum = largestOf(weight[0], weight, seen);
      for (let j = 0; j < seen; j++) weight[j] -= tileMaximum;
      expAll(weight, seen);

      const old = firstKey === 0 ? tileMaximum : maxima[r];
      const maximum = Math.max(old, tileMaximum);
      const factor = exp(round(old - maximum));
      const tileFactor = exp(round(tileMaximum - maximum));
      const shrunk = round(totals[r] * factor);
      const total = round((rescale ? shrunk : totals[r]) + round(sumOf(weight, seen) * tileFactor));
      mixRow(weight, seen, v, d, tileMixed);
      for (let i = r * d, c = 0; c < d; i++, c++) {
        const mixed = round(round(shrunk * answers[i]) + round(tileFactor * tileMixed[c]));
        answers[i] = mixed / total;
      }
      maxima[r] = maximum;
      totals[r] = total;
    }
    memory.store("o", first * d, answers);
    memory.store("m", first, maxima);
    memory.store("l", first, totals);
    count(operations, d, pairs, rows);
  }
}

/**
 * What the two tiles took: `pairs` were looked at, by `rows` rows.
 *
 * @param {import("./memory.js").Operations} operations
 * @param {number} d
 * @param {number} pairs
 * @param {number} rows
 */
function count(operations, d, pairs, rows) {
  operations.multiplications += pairs * d; // scores
  operations.additions += pairs * d;
  operations.comparisons += pairs - rows + rows; // within the tile, with the running maximum
  operations.additions += pairs + 2 * rows; // exponents of weights and of both factors
  operations.exps += pairs + 2 * rows;
  operations.multiplications += 2 * rows; // totals
  operations.additions += pairs - rows + rows;
  operations.multiplications += d * (pairs + 2 * rows); // answers
  operations.additions += d * (pairs - rows + rows);
  operations.divisions += d * rows;
}
