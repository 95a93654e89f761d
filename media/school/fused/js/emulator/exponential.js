/**
 * The exponential of the arithmetic contract: the bits of workflow/fusedfacts/numerics/exponential.py.
 *
 * Range reduction and a polynomial in doubles, from addition, multiplication and an exact power
 * of two alone, then one rounding to float32. `Math.exp` may differ between browsers; this may not.
 */

const LOG2_E = 1.4426950408889634;
// ln 2 in two parts; the first has 33 significant bits, so k times it is exact for |k| < 2^20.
const LN2_HIGH = 0x162e42fee / 2 ** 33;
const LN2_LOW = 0x1a39ef35793c76 / 2 ** 85;
// 1.5 * 2^52: adding and subtracting it rounds to a whole number.
const ROUNDER = 6755399441055744;

// Outside these, the float32 result is 0 or infinity whatever the digits are.
const LOWEST = -160;
const HIGHEST = 100;
const K_LOWEST = -240;
const K_HIGHEST = 160;

/** 2^k from K_LOWEST on, by halving and doubling, which are exact. */
const POWERS = new Float64Array(K_HIGHEST - K_LOWEST + 1);
POWERS[-K_LOWEST] = 1;
for (let k = 1; k <= K_HIGHEST; k++) POWERS[k - K_LOWEST] = POWERS[k - 1 - K_LOWEST] * 2;
for (let k = -1; k >= K_LOWEST; k--) POWERS[k - K_LOWEST] = POWERS[k + 1 - K_LOWEST] / 2;

/**
 * e to a float32 number, in float32.
 *
 * @param {number} x
 * @returns {number} 0 below about -103.97, infinity above about 88.72, 1 at 0, NaN for NaN
 */
export function exp(x) {
  if (x !== x) return x;
  const near = x < LOWEST ? LOWEST : x > HIGHEST ? HIGHEST : x;
  const k = near * LOG2_E + ROUNDER - ROUNDER;
  const r = near - k * LN2_HIGH - k * LN2_LOW;
  let p = 1 / 39916800;
  p = p * r + 1 / 3628800;
  p = p * r + 1 / 362880;
  p = p * r + 1 / 40320;
  p = p * r + 1 / 5040;
  p = p * r + 1 / 720;
  p = p * r + 1 / 120;
  p = p * r + 1 / 24;
  p = p * r + 1 / 6;
  p = p * r + 0.5;
  p = p * r + 1;
  p = p * r + 1;
  return Math.fround(p * POWERS[k - K_LOWEST]);
}

/**
 * Replace the first `count` numbers by their exponentials.
 *
 * @param {Float32Array} values
 * @param {number} [count]
 */
export function expAll(values, count = values.length) {
  for (let i = 0; i < count; i++) values[i] = exp(values[i]);
}
