/**
 * A row of the model's own scores taken tile by tile: the largest so far, the total, and the answer
 * so far. What is shown of it follows from the published scores and values alone.
 */

/**
 * @typedef {object} Step
 * @property {number} first the tile's first key
 * @property {number} end the key after its last
 * @property {number} largest so far
 * @property {number} factor by which total and answer are shrunk for it
 * @property {number} before the total before the tile
 * @property {number} total so far
 * @property {number[]} earlier the answer before the tile
 * @property {number[]} answer so far: what is mixed, not yet divided
 */

/**
 * @param {number[]} scores
 * @param {number[][]} values by key
 * @param {number} tile keys in it
 * @param {boolean} [forget] leave the total unshrunk
 * @returns {Step[]}
 */
export function online(scores, values, tile, forget = false) {
  let largest = -Infinity;
  let total = 0;
  let answer = values[0].map(() => 0);
  const steps = [];
  for (let first = 0; first < scores.length; first += tile) {
    const seen = scores.slice(first, first + tile);
    const [before, earlier, old] = [total, answer, largest];
    largest = Math.max(largest, ...seen);
    // Nothing was kept before the first tile, so nothing is shrunk for it.
    const factor = first ? Math.exp(old - largest) : 1;
    const terms = seen.map((score) => Math.exp(score - largest));
    total = before * (forget ? 1 : factor) + terms.reduce((sum, term) => sum + term, 0);
    answer = earlier.map((number, i) =>
      terms.reduce((sum, term, k) => sum + term * values[first + k][i], number * factor),
    );
    steps.push({ first, end: first + seen.length, largest, factor, before, total, earlier, answer });
  }
  return steps;
}

/** The row's shares: parts of a whole. @param {number[]} scores */
export function shares(scores) {
  const largest = Math.max(...scores);
  const terms = scores.map((score) => Math.exp(score - largest));
  const total = terms.reduce((sum, term) => sum + term, 0);
  return terms.map((term) => term / total);
}

/**
 * A number that follows from the model's own scores and values, marked as one.
 *
 * @param {number} value
 * @param {number} [places]
 * @returns {{text: string, why: string}}
 */
export function follows(value, places = 1) {
  const text = value.toFixed(places);
  // Nothing is written below zero that is rounded to it.
  return { text: Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−"), why: "model" };
}
