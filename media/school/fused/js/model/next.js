/**
 * What the model says comes next, in doubles: with attention, and with its output left out.
 */

import { exact } from "./attention.js";

/** @typedef {import("./network.js").Model} Model */

/**
 * Shares of each word of the vocabulary, after each word of a sentence.
 *
 * @param {Model} model
 * @param {Float32Array} x what `embed` gives
 * @param {import("./network.js").Head[]} heads an empty list leaves attention out
 * @returns {Float64Array} n rows of as many numbers as the vocabulary has words
 */
export function nextWords({ tensors, vocabulary, d, width }, x, heads) {
  const n = x.length / width;
  const size = vocabulary.length;
  const answers = heads.map((head) => exact(head, d));
  const found = new Float64Array(n * size);
  for (let row = 0; row < n; row++) {
    const h = Float64Array.from(x.subarray(row * width, (row + 1) * width));
    answers.forEach((output, head) => {
      for (let c = 0; c < d; c++) add(h, tensors.output, head * d + c, output[row * d + c]);
    });
    const logits = found.subarray(row * size, (row + 1) * size);
    for (let c = 0; c < width; c++) add(logits, tensors.unembedding, c, h[c]);
    softmax(logits);
  }
  return found;
}

/** Add a matrix's row, times a number. @param {Float64Array} to @param {Float32Array} matrix @param {number} row @param {number} times */
function add(to, matrix, row, times) {
  const at = row * to.length;
  for (let j = 0; j < to.length; j++) to[j] += times * matrix[at + j];
}

/** @param {Float64Array} values logits, which become shares */
function softmax(values) {
  const largest = values.reduce((a, b) => Math.max(a, b), -Infinity);
  let total = 0;
  for (let j = 0; j < values.length; j++) total += values[j] = Math.exp(values[j] - largest);
  for (let j = 0; j < values.length; j++) values[j] /= total;
}

/**
 * The words that come next, the likeliest first.
 *
 * @param {Float64Array} shares of one row
 * @param {number} most
 * @returns {{token: number, share: number}[]}
 */
export function likeliest(shares, most) {
  const all = Array.from(shares, (share, token) => ({ token, share }));
  return all.sort((a, b) => b.share - a.share || a.token - b.token).slice(0, most);
}
