/**
 * Rounding for publication, as workflow/fusedfacts/numerics/rounding.py does it. No guard is needed:
 * what is published lies far from every boundary.
 */

const DIGITS = 3; // significant, of errors, bounds and losses
const DECIMALS = 4; // of logarithms and scores

/** @param {number} value @param {(steps: number) => number} whole */
function rounded(value, whole) {
  if (value === 0) return 0;
  const exponent = Number(value.toExponential().split("e")[1]) - DIGITS + 1;
  const steps = exponent < 0 ? value * 10 ** -exponent : value / 10 ** exponent;
  return Number(`${whole(steps)}e${exponent}`);
}

/** An error, a bound or a ratio. @param {number} value */
export const up = (value) => rounded(value, Math.ceil);

/** A loss. @param {number} value */
export const nearest = (value) => rounded(value, Math.round);

/** A score or a logarithm. @param {number} value */
export const decimals = (value) => Number(value.toFixed(DECIMALS));
