/**
 * The exact answer, as nearly as doubles give it: two passes, no tiling, by blocks of rows.
 *
 * Nothing here is shared with the emulator. Keys are walked a few at a time past all rows of the
 * block, which keeps them in the processor's nearest cache; that moves no result.
 */

/** Rows of a block: more share what is fetched of K and V, fewer need less memory. */
export const BLOCK_ROWS = 8;
const NEAR_KEYS = 32;

export class Reference {
  /**
   * @param {Float32Array} k
   * @param {Float32Array} v
   * @param {{n: number, d: number, causal: boolean}} shape
   */
  constructor(k, v, { n, d, causal }) {
    this.n = n;
    this.d = d;
    this.causal = causal;
    this.k = Float64Array.from(k);
    this.v = Float64Array.from(v);
    this.q = new Float64Array(BLOCK_ROWS * d);
    /** Of the block's rows, n numbers each: exact scores, sums of |q_c k_ic| / sqrt(d), shares. */
    this.scores = new Float64Array(BLOCK_ROWS * n);
    this.magnitudes = new Float64Array(BLOCK_ROWS * n);
    this.shares = new Float64Array(BLOCK_ROWS * n);
    this.output = new Float64Array(BLOCK_ROWS * d);
    this.first = 0;
    this.rows = 0;
  }

  /** Keys that row `r` of the block looks at. @param {number} r */
  width(r) {
    return this.causal ? this.first + r + 1 : this.n;
  }

  /**
   * Compute a block; what belongs to masked pairs is left as it was.
   *
   * @param {Float32Array} q the block's queries
   * @param {number} first the row of the first
   */
  block(q, first) {
    this.first = first;
    this.rows = q.length / this.d;
    this.q.set(q);
    const end = this.width(this.rows - 1);
    for (let key = 0; key < end; key += NEAR_KEYS) {
      for (let r = 0; r < this.rows; r++) {
        this.#score(r, key, Math.min(key + NEAR_KEYS, this.width(r)));
      }
    }
    for (let r = 0; r < this.rows; r++) this.#softmax(r);
    this.output.fill(0);
    for (let key = 0; key < end; key += NEAR_KEYS) {
      for (let r = 0; r < this.rows; r++) {
        this.#mix(r, key, Math.min(key + NEAR_KEYS, this.width(r)));
      }
    }
  }

  /** @param {number} r @param {number} first @param {number} last */
  #score(r, first, last) {
    const { n, d, q, k, scores, magnitudes } = this;
    const root = Math.sqrt(d);
    const from = r * d;
    let key = first;
    // Two keys side by side, so that their sums do not wait for each other.
    for (; key + 2 <= last; key += 2) {
      const k0 = key * d;
      const k1 = k0 + d;
      let s0 = 0;
      let s1 = 0;
      let m0 = 0;
      let m1 = 0;
      for (let c = 0; c < d; c++) {
        const x = q[from + c];
        const p0 = x * k[k0 + c];
        const p1 = x * k[k1 + c];
        s0 += p0;
        s1 += p1;
        m0 += Math.abs(p0);
        m1 += Math.abs(p1);
      }
      scores[r * n + key] = s0 / root;
      scores[r * n + key + 1] = s1 / root;
      magnitudes[r * n + key] = m0 / root;
      magnitudes[r * n + key + 1] = m1 / root;
    }
    if (key < last) {
      let s = 0;
      let m = 0;
      for (let c = 0; c < d; c++) {
        const p = q[from + c] * k[key * d + c];
        s += p;
        m += Math.abs(p);
      }
      scores[r * n + key] = s / root;
      magnitudes[r * n + key] = m / root;
    }
  }

  /** @param {number} r */
  #softmax(r) {
    const { scores, shares } = this;
    const first = r * this.n;
    const last = first + this.width(r);
    let maximum = scores[first];
    for (let i = first; i < last; i++) if (scores[i] > maximum) maximum = scores[i];
    let total = 0;
    for (let i = first; i < last; i++) total += shares[i] = Math.exp(scores[i] - maximum);
    for (let i = first; i < last; i++) shares[i] /= total;
  }

  /** @param {number} r @param {number} first @param {number} last */
  #mix(r, first, last) {
    const { n, d, v, shares, output } = this;
    for (let c = 0; c < d; c += 4) {
      const to = r * d + c;
      let o0 = output[to];
      let o1 = output[to + 1];
      let o2 = output[to + 2];
      let o3 = output[to + 3];
      for (let key = first, at = first * d + c; key < last; key++, at += d) {
        const share = shares[r * n + key];
        o0 += share * v[at];
        o1 += share * v[at + 1];
        o2 += share * v[at + 2];
        o3 += share * v[at + 3];
      }
      output[to] = o0;
      output[to + 1] = o1;
      output[to + 2] = o2;
      output[to + 3] = o3;
    }
  }
}
