/**
 * The attention model: its weights, and Q, K and V of a sentence with the pipeline's bits.
 *
 * The arithmetic of workflow/fusedfacts/model/weights.py: float32, terms in order of the inner index.
 */

import { PlainError } from "../plain.js";
import { parse } from "./safetensors.js";

const round = Math.fround;
/** @type {[name: "q" | "k" | "v", tensor: string][]} */
const PROJECTIONS = [["q", "query"], ["k", "key"], ["v", "value"]];

/**
 * @typedef {object} Model
 * @property {Record<string, Float32Array>} tensors flat, by name
 * @property {string[]} vocabulary
 * @property {number} words the most that a sentence has: there is a position for each
 * @property {number} heads
 * @property {number} d numbers of a head
 * @property {number} width heads times d
 */

/** @typedef {{q: Float32Array, k: Float32Array, v: Float32Array}} Head n rows of d numbers each */

/**
 * The model of a published file.
 *
 * @param {ArrayBuffer} content of weights.safetensors
 * @param {string[]} vocabulary
 * @returns {Model}
 * @throws {PlainError} if it is no such model
 */
export function modelOf(content, vocabulary) {
  const name = "model/weights.safetensors";
  const { metadata, tensors } = parse(content, name);
  const [heads, d] = [Number(metadata.heads), Number(metadata.head_dim)];
  const width = heads * d;
  const words = tensors.position?.shape[0];
  /** @type {Record<string, number[]>} */
  const shapes = {
    embedding: [vocabulary.length, width],
    position: [words, width],
    ...Object.fromEntries(["query", "key", "value", "output"].map((key) => [key, [width, width]])),
    unembedding: [width, vocabulary.length],
  };
  for (const [key, shape] of Object.entries(shapes)) {
    if (String(tensors[key]?.shape) !== String(shape)) {
      throw new PlainError(
        `${name}: the tensor ${key} has shape ${String(tensors[key]?.shape ?? "of nothing")}, but its heads and the vocabulary ask for ${shape}; both files must come from the same run.`,
      );
    }
  }
  const values = Object.fromEntries(Object.keys(shapes).map((key) => [key, tensors[key].values]));
  return { tensors: values, vocabulary, words, heads, d, width };
}

/**
 * Embedding and position of each word, added.
 *
 * @param {Model} model
 * @param {number[]} tokens ids of at most `model.words` words
 */
export function embed({ tensors: { embedding, position }, width }, tokens) {
  const x = new Float32Array(tokens.length * width);
  tokens.forEach((token, row) => {
    for (let c = 0; c < width; c++) {
      x[row * width + c] = embedding[token * width + c] + position[row * width + c];
    }
  });
  return x;
}

/**
 * x times a square matrix, each sum in order of the inner index.
 *
 * @param {Float32Array} x
 * @param {Float32Array} matrix
 * @param {number} width
 */
function project(x, matrix, width) {
  const result = new Float32Array(x.length); // each store rounds to float32
  for (let from = 0; from < x.length; from += width) {
    for (let j = 0; j < width; j++) result[from + j] = x[from] * matrix[j];
    for (let c = 1; c < width; c++) {
      const at = c * width;
      const xc = x[from + c];
      for (let j = 0; j < width; j++) result[from + j] += round(xc * matrix[at + j]);
    }
  }
  return result;
}

/**
 * Queries, keys and values of each head.
 *
 * @param {Model} model
 * @param {Float32Array} x what `embed` gives
 * @returns {Head[]}
 */
export function headsOf({ tensors, heads, d, width }, x) {
  const n = x.length / width;
  const found = Array.from({ length: heads }, () => /** @type {any} */ ({}));
  for (const [name, tensor] of PROJECTIONS) {
    const all = project(x, tensors[tensor], width);
    found.forEach((head, h) => {
      head[name] = new Float32Array(n * d);
      for (let row = 0; row < n; row++) {
        const from = row * width + h * d;
        head[name].set(all.subarray(from, from + d), row * d);
      }
    });
  }
  return found;
}
