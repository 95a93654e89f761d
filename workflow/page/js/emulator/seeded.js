/**
 * Seeded inputs with the bits of workflow/fusedfacts/numerics/rng.py.
 *
 * A counter-based generator has no state: value `i` of a stream is a pure function of
 * (seed, stream, i), in 32-bit integer arithmetic and one exact division.
 */

const WORDS_PER_NORMAL = 12; // the sum of twelve uniform words has the variance of a unit normal
const MEAN_OF_WORDS = (WORDS_PER_NORMAL * 65535) / 2;

// Odd multipliers of the 32-bit finalizer of MurmurHash3 (A. Appleby, public domain), and the
// golden ratio's fraction in 32 bits, which separates neighbouring seeds and streams.
const MIX_1 = 0x85ebca6b;
const MIX_2 = 0xc2b2ae35;
const GOLDEN = 0x9e3779b9;

/**
 * Scramble a 32-bit word: every input bit changes about half of the output bits.
 *
 * @param {number} x
 * @returns {number} signed 32 bits
 */
function mix32(x) {
  x = Math.imul(x ^ (x >>> 16), MIX_1);
  x = Math.imul(x ^ (x >>> 13), MIX_2);
  return x ^ (x >>> 16);
}

/**
 * What makes one stream of one seed differ from every other.
 *
 * @param {number} seed
 * @param {number} stream
 */
function keyOf(seed, stream) {
  return mix32(mix32(seed + GOLDEN) ^ stream);
}

/**
 * Values that look standard normal and are exact in float32, each within 6 of zero.
 *
 * @param {number} seed any whole number; taken modulo 2^32
 * @param {number} stream
 * @param {number} count
 * @returns {Float32Array}
 */
export function normal(seed, stream, count) {
  const key = keyOf(seed, stream);
  const values = new Float32Array(count);
  let counter = 0;
  for (let i = 0; i < count; i++) {
    let total = 0;
    for (let word = 0; word < WORDS_PER_NORMAL / 2; word++) {
      const packed = mix32(mix32(Math.imul(counter, GOLDEN) + key) ^ key);
      total += (packed & 0xffff) + (packed >>> 16);
      counter++;
    }
    values[i] = (total - MEAN_OF_WORDS) / 65536;
  }
  return values;
}
