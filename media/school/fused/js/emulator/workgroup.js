/**
 * What a workgroup does with tiles that lie in its own memory; nothing here is counted traffic.
 *
 * Tiles hold float32 numbers in doubles, so that the innermost loops convert nothing. Each
 * operation is rounded by Math.fround: a float32 sum, product or quotient taken in double and
 * then rounded is the float32 result, since 53 bits are more than twice 24 and two.
 */

const round = Math.fround;

/**
 * The query tile, row after row, scaled as it is loaded.
 *
 * @param {import("./memory.js").Memory} memory
 * @param {import("./memory.js").Operations} operations
 * @param {number} first
 * @param {number} rows
 * @param {number} d
 * @returns {Float64Array}
 */
export function loadQueryTile(memory, operations, first, rows, d) {
  const scale = round(1 / Math.sqrt(d));
  const taken = memory.load("q", first * d, (first + rows) * d);
  const q = new Float64Array(rows * d);
  for (let i = 0; i < q.length; i++) q[i] = round(taken[i] * scale);
  operations.multiplications += rows * d;
  return q;
}

/**
 * Four products summed left to right.
 *
 * @param {number} a
 * @param {number} b
 * @param {number} e
 * @param {number} f
 * @param {Float64Array} k
 * @param {number} at
 */
function chunk(a, b, e, f, k, at) {
  const two = round(round(a * k[at]) + round(b * k[at + 1]));
  return round(round(two + round(e * k[at + 2])) + round(f * k[at + 3]));
}

/**
 * Scores of one query row against the first `keys` keys of a tile.
 *
 * Chunk by chunk, starting from 0. Four keys go
 * side by side: their sums do not wait for each other, and a query's chunk is read once for all.
 *
 * @param {Float64Array} q
 * @param {number} row
 * @param {Float64Array} k
 * @param {number} keys
 * @param {number} d
 * @param {Float32Array} scores
 */
export function scoreRow(q, row, k, keys, d, scores) {
  const from = row * d;
  let j = 0;
  for (; j + 4 <= keys; j += 4) {
    const k0 = j * d;
    const k1 = k0 + d;
    const k2 = k1 + d;
    const k3 = k2 + d;
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let c = 0; c < d; c += 4) {
      const a = q[from + c];
      const b = q[from + c + 1];
      const e = q[from + c + 2];
      const f = q[from + c + 3];
      s0 = round(s0 + chunk(a, b, e, f, k, k0 + c));
      s1 = round(s1 + chunk(a, b, e, f, k, k1 + c));
      s2 = round(s2 + chunk(a, b, e, f, k, k2 + c));
      s3 = round(s3 + chunk(a, b, e, f, k, k3 + c));
    }
    scores[j] = s0;
    scores[j + 1] = s1;
    scores[j + 2] = s2;
    scores[j + 3] = s3;
  }
  for (; j < keys; j++) {
    let s = 0;
    for (let c = 0; c < d; c += 4) {
      const at = from + c;
      s = round(s + chunk(q[at], q[at + 1], q[at + 2], q[at + 3], k, j * d + c));
    }
    scores[j] = s;
  }
}

/**
 * One row of p.v over a tile, each column in key order from the first term; four columns side
 * by side.
 *
 * @param {Float32Array} p weights of the keys seen
 * @param {number} keys at least 1
 * @param {Float64Array} v
 * @param {number} d
 * @param {Float64Array} sums filled in, d numbers
 */
export function mixRow(p, keys, v, d, sums) {
  const first = p[0];
  for (let c = 0; c < d; c += 4) {
    let s0 = round(first * v[c]);
    let s1 = round(first * v[c + 1]);
    let s2 = round(first * v[c + 2]);
    let s3 = round(first * v[c + 3]);
    for (let j = 1, at = d + c; j < keys; j++, at += d) {
      const weight = p[j];
      s0 = round(s0 + round(weight * v[at]));
      s1 = round(s1 + round(weight * v[at + 1]));
      s2 = round(s2 + round(weight * v[at + 2]));
      s3 = round(s3 + round(weight * v[at + 3]));
    }
    sums[c] = s0;
    sums[c + 1] = s1;
    sums[c + 2] = s2;
    sums[c + 3] = s3;
  }
}
