/**
 * How far a float32 attention may lie from the exact answer, for each element apart.
 *
 * docs/error-bound.md derives every term; `theta`, E, S are its names. Evaluated in doubles from
 * the actual data.
 */

import { largestOf, largestSoFar, ownMaxima, possibleRises } from "./maxima.js";
import { gamma } from "./order.js";
import { BLOCK_ROWS } from "./reference.js";

// e^-104 is less than half of the least float32: a weight this far below the maximum is 0.
const VANISHED = 104;
// Beyond this exponent error a weight's error is no longer small, and any weight may be wrong.
const CERTIFIED_THETA = 0.7;
// The reference and this evaluation err by less than this; docs/error-bound.md, last section.
const EVALUATION = 1 + 2 ** -20;
const NEAR_KEYS = 32;

export class Bound {
  /**
   * @param {import("./reference.js").Reference} reference
   * @param {import("./order.js").Order} order
   * @param {import("./order.js").Arithmetic} arithmetic
   */
  constructor(reference, order, arithmetic) {
    const { n, d, k, v } = reference;
    this.reference = reference;
    this.order = order;
    this.arithmetic = arithmetic;
    /** Of the block's rows, d numbers each. */
    this.bounds = new Float64Array(BLOCK_ROWS * d);
    /** Whether the bound of every row so far says something. */
    this.certified = true;

    const scaleIsExact = d === 16 || d === 64;
    this.scoreRelative = gamma(scaleIsExact ? d : d + 2, arithmetic.unit);
    this.scoreUnderflow = d * arithmetic.underflow * (1 + largestOf(k));
    this.largest = largestSoFar(v, n, d);
    // For each pair of the block: what |v - O| and what |v| is multiplied by.
    this.movers = new Float64Array(BLOCK_ROWS * n);
    this.spreads = new Float64Array(BLOCK_ROWS * n);
    this.moved = new Float64Array(BLOCK_ROWS * d);
    this.summed = new Float64Array(BLOCK_ROWS * d);
  }

  /** Bound the reference's present block. */
  block() {
    const { reference, moved, summed } = this;
    const { rows } = reference;
    const facts = Array.from({ length: rows }, (_, r) => this.#weigh(r));
    moved.fill(0);
    summed.fill(0);
    const end = reference.width(rows - 1);
    for (let key = 0; key < end; key += NEAR_KEYS) {
      for (let r = 0; r < rows; r++) {
        this.#sum(r, key, Math.min(key + NEAR_KEYS, reference.width(r)));
      }
    }
    facts.forEach((row, r) => this.#finish(r, row));
  }

  /**
   * What one row's pairs contribute to E and S, into `movers` and `spreads`; 0 for a key whose
   * weight is 0 in float32, which the underflow term covers.
   *
   * @param {number} r
   */
  #weigh(r) {
    const { reference, order, arithmetic, movers, spreads, scoreRelative, scoreUnderflow } = this;
    const { n, scores, shares, magnitudes } = reference;
    const { unit, exp, expSlope } = arithmetic;
    const width = reference.width(r);
    const at = r * n;
    let highest = at;
    let most = 0;
    for (let i = at; i < at + width; i++) {
      if (scores[i] > scores[highest]) highest = i;
      if (magnitudes[i] > most) most = magnitudes[i];
    }
    const slack = most * scoreRelative + scoreUnderflow;
    const maximum = scores[highest];
    const errorThere = magnitudes[highest] * scoreRelative + scoreUnderflow;
    const none = new Int32Array(order.tiles(width));
    const row = scores.subarray(at, at + width);
    const rises = order.online ? possibleRises(row, slack, order.mixRows) : none;
    const own = order.stored ? ownMaxima(row, slack, order.mixRows) : none;
    const divided = arithmetic.division / unit; // a division, in roundings
    const shareError = order.online ? 0 : arithmetic.division;
    const overDepth = order.numeratorDepth(width);
    const underDepth = order.denominatorDepth(width);
    let least = 0;
    let under = 0;
    let underMost = 0;
    let worst = 0;
    for (let tile = 0; tile < rises.length; tile++) {
      const rescales = rises[tile] + own[tile];
      const exps = ((1 + rescales) * exp) / (1 - exp);
      // What is stored passes a product, a sum and a division in each later tile.
      const later = order.stored ? rises.length - 1 - tile : 0;
      const whole = order.stored ? 2 * later + (later + 1) * divided : 0;
      const rounded = gamma(overDepth + rescales + whole, unit);
      const over = rounded + shareError + rounded * shareError;
      const term = gamma(underDepth + rescales + later, unit);
      const last = at + Math.min((tile + 1) * order.mixRows, width);
      for (let i = at + tile * order.mixRows; i < last; i++) {
        const error = magnitudes[i] * scoreRelative + scoreUnderflow;
        // Step two: the error of the exponent.
        const gap = maximum - scores[i];
        const theta = error + (unit + expSlope) * (gap + 2 * slack) + exps;
        movers[i] = 0;
        spreads[i] = 0;
        if (gap - theta - errorThere > VANISHED) continue;
        if (theta > worst) worst = theta;
        if (term > underMost) underMost = term;
        // No more than e^-theta, and no less than expm1(theta), while theta < 1.
        least += shares[i] * (1 - theta + theta * theta * (0.5 - theta / 6));
        under += shares[i] * term;
        movers[i] = shares[i] * theta * (1 + theta * (0.5 + theta / (6 - 1.5 * theta)));
        spreads[i] = shares[i] * over;
      }
    }
    const grown = (1 + worst + worst * worst) / ((1 - underMost) * least);
    return { width, worst, least, under, grown, depth: overDepth + underDepth };
  }

  /** @param {number} r @param {number} first @param {number} last */
  #sum(r, first, last) {
    const { movers, spreads, moved, summed } = this;
    const { n, d, v, output } = this.reference;
    for (let c = 0; c < d; c += 2) {
      const to = r * d + c;
      const exact0 = output[to];
      const exact1 = output[to + 1];
      let moved0 = moved[to];
      let moved1 = moved[to + 1];
      let summed0 = summed[to];
      let summed1 = summed[to + 1];
      for (let i = r * n + first, at = first * d + c; i < r * n + last; i++, at += d) {
        const mover = movers[i];
        const spread = spreads[i];
        const v0 = v[at];
        const v1 = v[at + 1];
        moved0 += mover * Math.abs(v0 - exact0);
        moved1 += mover * Math.abs(v1 - exact1);
        summed0 += spread * Math.abs(v0);
        summed1 += spread * Math.abs(v1);
      }
      moved[to] = moved0;
      moved[to + 1] = moved1;
      summed[to] = summed0;
      summed[to + 1] = summed1;
    }
  }

  /**
   * @param {number} r
   * @param {{width: number, worst: number, least: number, under: number, grown: number,
   *   depth: number}} row
   */
  #finish(r, { width, worst, least, under, grown, depth }) {
    const { order, arithmetic, bounds, moved, summed, largest } = this;
    const { d, output } = this.reference;
    const tiles = order.tiles(width);
    const sizesAt = (width - 1) * d;
    const sure = !(worst > CERTIFIED_THETA);
    const divided = arithmetic.division / arithmetic.unit;
    const stored = order.stored ? 3 * (tiles - 1) + tiles * divided : 0;
    const twice = 2 * gamma(depth + 2 * tiles + stored, arithmetic.unit);
    const small = 2 * width + tiles * (order.stored ? 2 : 1); // how often something may underflow
    const rounded = order.online ? twice : twice + arithmetic.division * (1 + twice);
    for (let c = 0; c < d; c++) {
      const exact = Math.abs(output[r * d + c]);
      const size = largest[sizesAt + c];
      const errors = moved[r * d + c] / least; // E
      let bound = errors + grown * (summed[r * d + c] + (exact + errors) * under);
      if (!sure) {
        // Some weight may be wrong by any factor, but an answer is still a mean of values.
        const reach = this.#range(c, width);
        if (!(reach <= size * rounded)) this.certified = false;
        bound = reach + size * rounded;
      }
      if (order.online && !order.stored) bound += arithmetic.division * (exact + bound);
      bound += arithmetic.underflow * (small * (1 + size + exact) + 1);
      bounds[r * d + c] = bound * EVALUATION;
    }
  }

  /** How far apart a column's values lie. @param {number} c @param {number} width */
  #range(c, width) {
    const { d, v } = this.reference;
    let least = Infinity;
    let most = -Infinity;
    for (let key = 0; key < width; key++) {
      least = Math.min(least, v[key * d + c]);
      most = Math.max(most, v[key * d + c]);
    }
    return most - least;
  }
}
