/**
 * What WGSL promises of float32 arithmetic (WGSL specification, section 15.7.4).
 *
 * The page does not measure a device's arithmetic, so its bound rests on these. The bound also
 * rests on exp(0) being exactly 1, which WGSL does not promise; every device measured so far has it.
 */

/** One unit in the last place of float32 numbers from 1 to 2. */
const ULP = 2 ** -23;

/**
 * Relative errors; exp of x errs by exp + expSlope |x|. Sums and products may be rounded either
 * way, and a result below 2^-126 may be 0: `underflow` is twice that error.
 *
 * @typedef {{unit: number, exp: number, expSlope: number, division: number, underflow: number}}
 *   Arithmetic
 * @type {Readonly<Arithmetic>}
 */
export const promised = Object.freeze({
  unit: ULP,
  exp: 3 * ULP,
  expSlope: 2 * ULP,
  division: 2.5 * ULP,
  underflow: 2 ** -125,
});
