/**
 * Answers held to the exact ones and to their bounds, some rows at a time.
 */

import { Bound } from "./bound.js";
import { checkRows, nothingSeen } from "./check.js";
import { IEEE, orderOf } from "./order.js";
import { BLOCK_ROWS, Reference } from "./reference.js";

export class Judge {
  /**
   * @param {import("./execute.js").Way} way
   * @param {Float32Array} k
   * @param {Float32Array} v
   * @param {{n: number, d: number, causal: boolean, keyRows?: number,
   *   arithmetic?: Partial<import("./order.js").Arithmetic>}} options
   */
  constructor(way, k, v, options) {
    const { d, keyRows, arithmetic } = options;
    this.d = d;
    this.reference = new Reference(k, v, options);
    this.bound = new Bound(this.reference, orderOf(way, d, keyRows), { ...IEEE, ...arithmetic });
  }

  /**
   * Check the answers of some query rows.
   *
   * @param {Float32Array} q
   * @param {Float32Array} output
   * @param {number} first
   * @param {(exact: Float64Array, bounds: Float64Array, row: number) => void} [look] is shown
   *   each block
   * @returns {import("./check.js").Check & {certified: boolean}}
   */
  rows(q, output, first, look) {
    const { d, reference, bound } = this;
    const seen = nothingSeen();
    bound.certified = true;
    for (let from = 0; from < q.length; from += BLOCK_ROWS * d) {
      const to = Math.min(from + BLOCK_ROWS * d, q.length);
      const row = first + from / d;
      reference.block(q.subarray(from, to), row);
      bound.block();
      checkRows(seen, output.subarray(from, to), reference.output, bound.bounds, row, d);
      look?.(reference.output, bound.bounds, row);
    }
    return { ...seen, certified: bound.certified };
  }
}
