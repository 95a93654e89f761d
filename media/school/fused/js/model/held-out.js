/**
 * The claims that rest on all held-out sentences, some sentences at a time.
 */

import { exp } from "../emulator/exponential.js";
import { unfused } from "./attention.js";
import { halfExp, SCORE_INFINITE, SCORE_TOO_LARGE, TO_INFINITY } from "./halves.js";
import { embed, headsOf } from "./network.js";
import { nextWords } from "./next.js";
import { decimals, nearest } from "./rounding.js";

/** @typedef {import("./network.js").Model} Model */

const none = () => ({
  ...{ sentences: 0, predicted: 0, loss: 0, lossWithout: 0 },
  ...{ scores: 0, rows: 0, largestScore: -Infinity, infinite: 0, aboveButFinite: 0 },
  ...{ rowsWithInfinite: 0, rowsInTotalOnly: 0, largestTerm: 0, aboveOne: 0 },
});
/** @typedef {ReturnType<typeof none>} Seen */
const LARGEST_OF = ["largestScore", "largestTerm"];

/**
 * What some sentences add.
 *
 * @param {Model} model
 * @param {number[][]} sentences token ids
 * @returns {Seen}
 */
export function seenIn(model, sentences) {
  const seen = none();
  for (const tokens of sentences) {
    const x = embed(model, tokens);
    const heads = headsOf(model, x);
    seen.sentences++;
    seen.predicted += tokens.length - 1;
    seen.loss += surprise(model, tokens, nextWords(model, x, heads));
    seen.lossWithout += surprise(model, tokens, nextWords(model, x, []));
    for (const head of heads) {
      const { scores } = unfused(head, model.d);
      for (let row = 0; row < tokens.length; row++) {
        const from = row * tokens.length;
        addRow(seen, scores.subarray(from, from + row + 1));
      }
    }
  }
  return seen;
}

/** The sum of -ln of each right next word's share. @param {Model} model @param {number[]} tokens @param {Float64Array} shares */
function surprise({ vocabulary }, tokens, shares) {
  return tokens.slice(1).reduce((sum, token, row) => sum - Math.log(shares[row * vocabulary.length + token]), 0);
}

/** @param {Seen} seen @param {Float32Array} row scores */
function addRow(seen, row) {
  const largest = row.reduce((a, b) => Math.max(a, b));
  const terms = Array.from(row, halfExp);
  const infinite = row.filter((score) => score >= SCORE_INFINITE).length;
  const subtracted = row.map((score) => exp(Math.fround(score - largest)));
  seen.rows++;
  seen.scores += row.length;
  seen.largestScore = Math.max(seen.largestScore, largest);
  seen.infinite += infinite;
  seen.aboveButFinite += row.filter((score) => score >= SCORE_TOO_LARGE).length - infinite;
  seen.rowsWithInfinite += Number(infinite > 0);
  seen.rowsInTotalOnly += Number(!infinite && terms.reduce((a, b) => a + b) >= TO_INFINITY);
  seen.largestTerm = Math.max(seen.largestTerm, ...subtracted);
  seen.aboveOne += subtracted.filter((term) => term > 1).length;
}

/**
 * The claims' values, by id.
 *
 * @param {Seen[]} parts
 * @returns {Record<string, number>}
 */
export function heldOutClaims(parts) {
  const all = none();
  for (const key of /** @type {(keyof Seen)[]} */ (Object.keys(all))) {
    const values = parts.map((part) => part[key]);
    all[key] = LARGEST_OF.includes(key) ? Math.max(...values) : values.reduce((a, b) => a + b, 0);
  }
  return {
    "model.held_out_sentences": all.sentences,
    "model.held_out_loss": nearest(all.loss / all.predicted),
    "model.held_out_loss_without_attention": nearest(all.lossWithout / all.predicted),
    "overflow.held_out.scores": all.scores,
    "overflow.held_out.rows": all.rows,
    "overflow.held_out.largest_score": decimals(all.largestScore),
    "overflow.held_out.infinite_terms": all.infinite,
    "overflow.held_out.above_largest_but_finite": all.aboveButFinite,
    "overflow.held_out.rows_with_infinite_term": all.rowsWithInfinite,
    "overflow.held_out.rows_overflowing_in_total_only": all.rowsInTotalOnly,
    "overflow.after_subtraction.largest_term": all.largestTerm,
    "overflow.after_subtraction.terms_above_one": all.aboveOne,
  };
}
