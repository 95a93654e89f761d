/**
 * What would overflow in fp16: workflow/fusedfacts/numerics/fp16.py on doubles.
 *
 * There decimals settle what lies within a billionth of a boundary; here a double's own last digit
 * does, so that "Recompute here" is held to the published counts.
 */

/** fp16's largest number. */
export const LARGEST = (2 - 2 ** -10) * 2 ** 15;
/** Halfway to the next power of two; the tie goes to infinity. */
export const TO_INFINITY = (2 - 2 ** -11) * 2 ** 15;
const LEAST = 2 ** -24;
const DIGITS = 11; // binary digits of a number that is not subnormal

/** The least float32 not below a value. @param {number} value */
export function leastFloatFrom(value) {
  const near = Math.fround(value);
  if (near >= value) return near;
  const bits = new Uint32Array(new Float32Array([near]).buffer);
  bits[0] += 1; // the next one, of a positive number
  return new Float32Array(bits.buffer)[0];
}

/** Scores from these on exceed fp16's largest number, and are infinite there. */
export const SCORE_TOO_LARGE = leastFloatFrom(Math.log(LARGEST));
export const SCORE_INFINITE = leastFloatFrom(Math.log(TO_INFINITY));

/** A positive double as fp16 holds it, ties to even. @param {number} value */
export function toHalf(value) {
  if (value >= TO_INFINITY) return Infinity;
  const step = Math.max(LEAST, 2 ** (Math.floor(Math.log2(value)) - DIGITS + 1));
  const steps = value / step; // exact: a power of two divides
  const low = Math.floor(steps);
  const up = steps - low > 0.5 || (steps - low === 0.5 && low % 2 === 1);
  return (low + Number(up)) * step;
}

/** e to a score, as fp16 holds it. @param {number} score */
export const halfExp = (score) => (score >= SCORE_INFINITE ? Infinity : toHalf(Math.exp(score)));
