/**
 * A safetensors file: eight bytes that say how long its header is, the header, the numbers.
 */

import { PlainError } from "../plain.js";

const LENGTH_BYTES = 8;
const HEADER_MOST = 1 << 20; // a header of a megabyte belongs to another kind of model

/**
 * @typedef {{shape: number[], values: Float32Array}} Tensor values row after row
 * @typedef {{metadata: Record<string, string>, tensors: Record<string, Tensor>}} Parsed
 */

/**
 * Parse a file of float32 tensors.
 *
 * @param {ArrayBuffer} content
 * @param {string} name of the file, for messages
 * @returns {Parsed}
 * @throws {PlainError} if it is no such file
 */
export function parse(content, name) {
  const refuse = (/** @type {string} */ found) =>
    new PlainError(`${name} is damaged: ${found}; restore it in the page's folder.`);
  if (content.byteLength < LENGTH_BYTES) throw refuse("it is too short to be safetensors");
  const length = Number(new DataView(content).getBigUint64(0, true));
  const start = LENGTH_BYTES + length;
  if (length > HEADER_MOST || start > content.byteLength) throw refuse("its header does not fit into it");
  /** @type {any} */
  let header;
  try {
    header = JSON.parse(new TextDecoder().decode(new Uint8Array(content, LENGTH_BYTES, length)));
  } catch {
    throw refuse("its header is no JSON");
  }
  const { __metadata__: metadata = {}, ...described } = header;
  /** @type {Record<string, Tensor>} */
  const tensors = {};
  for (const [key, { dtype, shape, data_offsets: [first, last] = [] }] of Object.entries(described)) {
    const numbers = Array.isArray(shape) ? shape.reduce((a, b) => a * b, 1) : NaN;
    const bytes = numbers * Float32Array.BYTES_PER_ELEMENT;
    if (dtype !== "F32" || last - first !== bytes || first < 0 || start + last > content.byteLength) {
      throw refuse(`its tensor ${key.slice(0, 20)} is not float32 of its own length`);
    }
    // A copy, since the file's numbers need not begin where an array of floats may.
    tensors[key] = { shape, values: new Float32Array(content.slice(start + first, start + last)) };
  }
  return { metadata, tensors };
}
