/**
 * The three unfused kernels, one query tile at a time, with the table in global memory.
 *
 * Read them beside kernels/scores.wgsl, softmax.wgsl and mix.wgsl. The buffers s and p are the
 * parts of score table and share table that belong to the query tile: its rows, n columns each.
 */

import { expAll } from "./exponential.js";
import { SOFTMAX_LANES, keysSeen, lastKey, mixKeyRows, scoresKeyRows, tileRows } from "./tiling.js";
import { loadQueryTile, mixRow, scoreRow } from "./workgroup.js";

/** @typedef {{n: number, d: number, causal: boolean, queryRows?: number}} Problem */

const round = Math.fround;

/**
 * Write the scores of one query tile to the score table.
 *
 * @param {import("./memory.js").Memory} memory buffers q, k, s
 * @param {import("./memory.js").Operations} operations
 * @param {Problem} problem
 * @param {number} first
 */
export function scores(memory, operations, problem, first) {
  const { n, d, causal } = problem;
  const rows = Math.min(tileRows(problem), n - first);
  const keyRows = scoresKeyRows(d);
  const q = loadQueryTile(memory, operations, first, rows, d);
  const k = new Float64Array(keyRows * d);
  const s = new Float32Array(keyRows);
  const end = lastKey(causal, n, first + rows);
  for (let firstKey = 0; firstKey < end; firstKey += keyRows) {
    const keys = Math.min(keyRows, end - firstKey);
    k.set(memory.load("k", firstKey * d, (firstKey + keys) * d));
    for (let r = 0; r < rows; r++) {
      const seen = keysSeen(causal, first + r, firstKey, keys);
      if (seen === 0) continue;
      scoreRow(q, r, k, seen, d, s);
      memory.store("s", r * n + firstKey, s.subarray(0, seen));
      operations.multiplications += seen * d;
      operations.additions += seen * d;
    }
  }
}

/**
 * Read each row of scores once, write its shares.
 *
 * @param {import("./memory.js").Memory} memory buffers s, p
 * @param {import("./memory.js").Operations} operations
 * @param {Problem} problem
 * @param {number} first
 */
export function softmax(memory, operations, problem, first) {
  const { n, causal } = problem;
  const rows = Math.min(tileRows(problem), n - first);
  const lanes = new Float32Array(SOFTMAX_LANES);
  const weights = new Float32Array(n);
  for (let r = 0; r < rows; r++) {
    const width = causal ? first + r + 1 : n;
    const row = memory.load("s", r * n, r * n + width);
    const maximum = largestOf(row, lanes, operations);
    for (let column = 0; column < width; column++) weights[column] = row[column] - maximum;
    expAll(weights, width);
    operations.additions += width;
    operations.exps += width;

    const seen = weights.subarray(0, width);
    const total = totalOf(seen, lanes, operations);
    for (let column = 0; column < width; column++) weights[column] /= total;
    operations.divisions += width;
    memory.store("p", r * n, seen);
  }
}

/**
 * The largest of a row, as its lanes find it: each in its own columns, then a tree.
 *
 * @param {Float32Array} row
 * @param {Float32Array} lanes scratch
 * @param {import("./memory.js").Operations} operations
 */
function largestOf(row, lanes, operations) {
  const held = Math.min(row.length, SOFTMAX_LANES);
  for (let lane = 0; lane < held; lane++) {
    let largest = row[lane];
    for (let column = lane + SOFTMAX_LANES; column < row.length; column += SOFTMAX_LANES) {
      if (row[column] > largest) largest = row[column];
      operations.comparisons++;
    }
    lanes[lane] = largest;
  }
  for (let stride = SOFTMAX_LANES / 2; stride > 0; stride >>= 1) {
    for (let lane = 0; lane < Math.min(stride, row.length - stride); lane++) {
      if (lanes[lane + stride] > lanes[lane]) lanes[lane] = lanes[lane + stride];
      operations.comparisons++;
    }
  }
  return lanes[0];
}

/**
 * The total of a row, as its lanes find it: each in its own columns in order, then a tree.
 *
 * @param {Float32Array} row
 * @param {Float32Array} lanes scratch
 * @param {import("./memory.js").Operations} operations
 */
function totalOf(row, lanes, operations) {
  const held = Math.min(row.length, SOFTMAX_LANES);
  for (let lane = 0; lane < held; lane++) {
    let total = row[lane];
    for (let column = lane + SOFTMAX_LANES; column < row.length; column += SOFTMAX_LANES) {
      total = round(total + row[column]);
      operations.additions++;
    }
    lanes[lane] = total;
  }
  for (let stride = SOFTMAX_LANES / 2; stride > 0; stride >>= 1) {
    for (let lane = 0; lane < Math.min(stride, row.length - stride); lane++) {
      lanes[lane] += lanes[lane + stride];
      operations.additions++;
    }
  }
  return lanes[0];
}

/**
 * Mix the values by the shares of one query tile and store the answers.
 *
 * @param {import("./memory.js").Memory} memory buffers p, v, o
 * @param {import("./memory.js").Operations} operations
 * @param {Problem} problem
 * @param {number} first
 */
export function mix(memory, operations, problem, first) {
  const { n, d, causal } = problem;
  const rows = Math.min(tileRows(problem), n - first);
  const keyRows = mixKeyRows(d);
  const v = new Float64Array(keyRows * d);
  const tileMixed = new Float64Array(d);
  const mixed = new Float32Array(rows * d);
  const end = lastKey(causal, n, first + rows);
  for (let firstKey = 0; firstKey < end; firstKey += keyRows) {
    const keys = Math.min(keyRows, end - firstKey);
    v.set(memory.load("v", firstKey * d, (firstKey + keys) * d));
    for (let r = 0; r < rows; r++) {
      const seen = keysSeen(causal, first + r, firstKey, keys);
      if (seen === 0) continue;
      const start = r * n + firstKey;
      mixRow(memory.load("p", start, start + seen), seen, v, d, tileMixed);
      for (let c = 0; c < d; c++) mixed[r * d + c] += tileMixed[c];
      operations.multiplications += d * seen;
      operations.additions += d * (seen - 1) + d; // within the tile, to the running sum
    }
  }
  memory.store("o", first * d, mixed);
}
