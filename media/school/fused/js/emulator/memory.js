/**
 * Counted global memory, and counted arithmetic.
 *
 * Every access of an emulated kernel goes through `load` or `store`. The count comes from the
 * slice that was really taken, which a typed array cuts at the buffer's end, never from a formula.
 */

export class Memory {
  /** @param {Record<string, Float32Array>} buffers flat, by name */
  constructor(buffers) {
    this.buffers = buffers;
    /** @type {Record<string, import("../elements.js").Access>} */
    this.counts = {};
    for (const name of Object.keys(buffers)) this.counts[name] = { loads: 0, stores: 0 };
  }

  /**
   * Elements `first` to `last` of a buffer, counted.
   *
   * @param {string} name
   * @param {number} first
   * @param {number} last
   * @returns {Float32Array} a view, not a copy
   */
  load(name, first, last) {
    const taken = this.buffers[name].subarray(first, last);
    this.counts[name].loads += taken.length;
    return taken;
  }

  /**
   * Write values from `first` on, counted.
   *
   * @param {string} name
   * @param {number} first
   * @param {Float32Array} values
   */
  store(name, first, values) {
    const taken = this.buffers[name].subarray(first, first + values.length);
    this.counts[name].stores += taken.length;
    taken.set(values);
  }
}

/**
 * Arithmetic counted as it happens, by kind: a subtraction is an addition, a maximum of two is
 * one comparison, index arithmetic does not count.
 */
export class Operations {
  multiplications = 0;
  additions = 0;
  exps = 0;
  divisions = 0;
  comparisons = 0;
}
