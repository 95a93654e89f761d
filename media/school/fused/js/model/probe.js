/**
 * The claims that rest on the model's own sentence: errors and bounds, the control, fp16.
 */

import { unwritten, workgroup } from "../emulator/execute.js";
import { Judge } from "../emulator/judge.js";
import { fusedKeyRows, queryRows } from "../emulator/tiling.js";
import { unfused } from "./attention.js";
import { halfExp, LARGEST, TO_INFINITY } from "./halves.js";
import { embed, headsOf } from "./network.js";
import { decimals, up } from "./rounding.js";

/** @typedef {import("./network.js").Head} Head */
/** @typedef {Record<string, number | boolean | string>} Values by claim */
/** @typedef {{controlKeyRows: number, modelKeyRows: number[]}} Settings */

const PLANTED_MOST = 23; // 2^-23 is the spacing of float32 numbers above 1

/** Ask of one head, looking backwards. */
class Asked {
  /** @param {Head} head @param {number} d */
  constructor(head, d) {
    this.head = head;
    this.d = d;
    this.n = head.q.length / d;
    this.tables = unfused(head, d);
  }

  /** The fused kernel's answer. @param {number} keyRows @param {boolean} [rescale] */
  fused(keyRows, rescale = true) {
    const { head, n, d } = this;
    const o = unwritten(n * d);
    const options = { n, d, causal: true, keyRows, rescale };
    /** @type {number[]} */
    const lastRise = [];
    for (let first = 0; first < n; first += queryRows(d)) {
      lastRise.push(...workgroup("fused", { ...head, o }, options, first).lastRise);
    }
    return { output: o, lastRise };
  }

  /** Hold an answer to the exact one. @param {Float32Array} output @param {number} [keyRows] none: unfused */
  check(output, keyRows) {
    const { head, n, d } = this;
    const way = keyRows === undefined ? "unfused" : "fused";
    return new Judge(way, head.k, head.v, { n, d, causal: true, keyRows }).rows(head.q, output, 0);
  }

  /** How small an error of every row's total is still seen. @param {Float32Array} output @param {number} [keyRows] */
  smallestFaults(output, keyRows) {
    let some;
    for (let exponent = PLANTED_MOST; exponent > 0; exponent--) {
      const factor = Math.fround(1 / (1 - 2 ** -exponent));
      const { wrongRows } = this.check(output.map((x) => x * factor), keyRows);
      if (wrongRows.length) some ??= exponent;
      if (wrongRows.length === this.n) return { some, every: exponent };
    }
    return { some, every: undefined };
  }
}

/**
 * The claims' values, by id.
 *
 * @param {import("./network.js").Model} model
 * @param {number[]} tokens
 * @param {Settings} settings
 * @returns {Values}
 */
export function probeClaims(model, tokens, settings) {
  const asked = headsOf(model, embed(model, tokens)).map((head) => new Asked(head, model.d));
  return {
    "model.heads": model.heads,
    "model.head_dim": model.d,
    "model.vocabulary_words": model.vocabulary.length,
    "model.sentence_words": model.words,
    ...attention(asked, [...settings.modelKeyRows, fusedKeyRows(model.d)]),
    ...control(asked, settings.controlKeyRows),
    ...fp16(asked),
  };
}

/** @param {Asked[]} asked @param {number[]} widths @returns {Values} */
function attention(asked, widths) {
  /** @type {Values} */
  const found = {};
  const worst = { error: 0, ratio: 0 };
  asked.forEach((head, h) => {
    for (const keyRows of [undefined, ...widths]) {
      const output = keyRows ? head.fused(keyRows).output : head.tables.output;
      const check = head.check(output, keyRows);
      const faults = head.smallestFaults(output, keyRows);
      const at = `attention.head${h}.${keyRows ? `tiled_${keyRows}` : "plain"}`;
      const [error, ratio] = [up(check.largestError), up(check.largestRatio)];
      found[`${at}.error`] = error;
      found[`${at}.bound`] = up(check.boundThere);
      found[`${at}.ratio`] = ratio;
      found[`${at}.within_bound`] = check.wrongElements === 0;
      if (faults.some) found[`${at}.fault_in_some_row`] = faults.some;
      if (faults.every) found[`${at}.fault_in_every_row`] = faults.every;
      worst.error = Math.max(worst.error, error);
      worst.ratio = Math.max(worst.ratio, ratio);
    }
  });
  return { ...found, "attention.largest_error": worst.error, "attention.largest_ratio": worst.ratio };
}

/** With the total not rescaled. @param {Asked[]} asked @param {number} keyRows @returns {Values} */
function control(asked, keyRows) {
  /** @type {Values} */
  const found = {};
  const summed = { rows: 0, rows_right: 0, rows_wrong: 0, elements_wrong: 0, rows_late_maximum_but_passing: 0 };
  let caught = 0;
  asked.forEach((head, h) => {
    const { output, lastRise } = head.fused(keyRows, false);
    const { wrongRows, wrongElements, largestRatio } = head.check(output, keyRows);
    const late = lastRise.map((tile, row) => ({ tile, row })).filter(({ tile }) => tile > 0);
    const counts = {
      rows: head.n,
      rows_right: head.n - wrongRows.length,
      rows_wrong: wrongRows.length,
      elements_wrong: wrongElements,
      rows_late_maximum_but_passing: late.filter(({ row }) => !wrongRows.includes(row)).length,
    };
    for (const key of /** @type {(keyof typeof counts)[]} */ (Object.keys(counts))) {
      found[`control.head${h}.${key}`] = counts[key];
      summed[key] += counts[key];
    }
    found[`control.head${h}.rows_maximum_in_first_tile`] = head.n - late.length;
    found[`control.head${h}.worst_ratio`] = up(largestRatio);
    caught += Number(wrongRows.length > 0);
  });
  for (const [key, count] of Object.entries(summed)) found[`control.${key}`] = count;
  return { ...found, "control.heads_caught": caught };
}

/** @param {Asked[]} asked @returns {Values} */
function fp16(asked) {
  const lastRows = asked.map(({ tables, n }) => Array.from(tables.scores.subarray((n - 1) * n)));
  const largest = Math.max(...lastRows.flat());
  const half = halfExp(largest);
  return {
    "overflow.fp16.largest": LARGEST,
    "overflow.fp16.rounds_to_infinity_from": TO_INFINITY,
    "overflow.fp16.ln_largest": decimals(Math.log(LARGEST)),
    "overflow.fp16.ln_rounds_to_infinity_from": decimals(Math.log(TO_INFINITY)),
    "overflow.probe_last_row.largest_score": decimals(largest),
    "overflow.probe_last_row.exp_in_fp16": half === Infinity ? "infinity" : half,
    "overflow.probe_last_row.fits": half !== Infinity,
  };
}
