/**
 * Largest and total of a row in one pass, on a small row made up for the drawing. The numbers shown
 * are those that this code computes; they are no published ones.
 */

/** Scores of an example: later ones are larger twice, so that the total has to shrink. */
export const EXAMPLE = [2, 1, 3, 2, 0, 5, 4, 3];

/**
 * @typedef {object} Step
 * @property {number} score
 * @property {number} largest so far
 * @property {number} shrink what the total before was multiplied by
 * @property {number} before the total before it
 * @property {number} total so far
 */

/**
 * @param {number[]} scores
 * @param {boolean} [forget] leave out the shrinking
 * @returns {Step[]}
 */
export function online(scores, forget = false) {
  let largest = scores[0];
  let total = 0;
  return scores.map((score) => {
    const before = total;
    const next = Math.max(largest, score);
    const shrink = forget ? 1 : Math.exp(largest - next);
    total = total * shrink + Math.exp(score - next);
    largest = next;
    return { score, largest, shrink, before, total };
  });
}

/**
 * A number of the example, marked as one.
 *
 * @param {number} value
 * @param {number} [places]
 * @returns {{text: string, why: string}}
 */
export const example = (value, places = 2) => ({ text: value.toFixed(places), why: "example" });
