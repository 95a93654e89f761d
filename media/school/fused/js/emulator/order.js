/**
 * Orders of summation and kinds of arithmetic: what the bound has to know of an answer's making.
 */

import { SOFTMAX_LANES, fusedKeyRows, mixKeyRows } from "./tiling.js";

const UNIT = 2 ** -24; // float32, round to nearest
const TINY = 2 ** -149; // the least float32 above 0: twice the error of an underflow

/**
 * Relative errors of one machine's float32 operations.
 *
 * @typedef {object} Arithmetic
 * @property {number} unit of +, - and x
 * @property {number} exp an exponential of x errs by at most exp + expSlope |x|
 * @property {number} expSlope
 * @property {number} division of a division
 * @property {number} underflow twice the largest absolute error of a result below 2^-126
 */

/** @type {Arithmetic} that of IEEE float32 and our own exp */
export const IEEE = {
  unit: UNIT,
  exp: UNIT * (1 + 2 ** -20),
  expSlope: 0,
  division: UNIT,
  underflow: TINY,
};

/** k u / (1 - k u): the relative error of k roundings in a row. @param {number} depth @param {number} unit */
export const gamma = (depth, unit) => (depth * unit) / (1 - depth * unit);

/**
 * An order of summation. Online: running maximum and rescale, tiles of `mixRows` for the total as
 * well, one division at the end, or, of what is stored, one after each tile, whose weights are of
 * its own maximum. Otherwise softmax by lanes, shares divided.
 */
export class Order {
  /**
   * @param {number} mixRows keys in a tile over which p.v is summed
   * @param {boolean} online
   * @param {boolean} [stored]
   */
  constructor(mixRows, online, stored = false) {
    this.mixRows = mixRows;
    this.online = online;
    this.stored = stored;
  }

  /** Key tiles that a row meets which sees `width` keys. @param {number} width */
  tiles(width) {
    return Math.ceil(width / this.mixRows);
  }

  /** Roundings of one term of p.v but for rescales, and for later tiles of what is stored. @param {number} width */
  numeratorDepth(width) {
    if (this.stored) return Math.min(this.mixRows, width) + Math.min(1, this.tiles(width) - 1);
    return Math.min(this.mixRows, width) + this.tiles(width) - 1;
  }

  /** Roundings of one term of the total but for rescales. @param {number} width */
  denominatorDepth(width) {
    if (this.online) return this.numeratorDepth(width) - 1;
    const tree = 32 - Math.clz32(Math.min(width, SOFTMAX_LANES) - 1);
    return Math.ceil(width / SOFTMAX_LANES) - 1 + tree;
  }
}

/**
 * The order of one way.
 *
 * @param {import("./execute.js").Way} way
 * @param {number} d
 * @param {number} [keyRows] of an online softmax
 */
export function orderOf(way, d, keyRows = fusedKeyRows(d)) {
  return way === "unfused" ? new Order(mixKeyRows(d), false) : new Order(keyRows, true, way === "kv_outer");
}
