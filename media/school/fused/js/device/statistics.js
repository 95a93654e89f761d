/**
 * Median and quartiles, and how many digits of an observed figure are shown.
 */

/** @typedef {{median: number, quartiles: [number, number]}} Spread */

const SHOWN_DIGITS = 4;

/**
 * @param {number[]} values at least one
 * @returns {Spread}
 */
export function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (/** @type {number} */ part) => {
    const place = (sorted.length - 1) * part;
    const low = Math.floor(place);
    const high = Math.ceil(place);
    return sorted[low] + (sorted[high] - sorted[low]) * (place - low);
  };
  return { median: at(0.5), quartiles: [at(0.25), at(0.75)] };
}

/**
 * A positive figure that bounds nothing, to four digits; a tie goes to the even digit, as in Python.
 *
 * @param {number} value
 * @returns {number}
 */
export function about(value) {
  // A double's own digits: a tie of five digits has no more than these.
  const [mantissa, exponent] = value.toExponential(100).split("e");
  const kept = mantissa.slice(0, SHOWN_DIGITS + 1);
  const rest = mantissa.slice(SHOWN_DIGITS + 1);
  const tieToEven = /^50*$/.test(rest) && Number(kept.at(-1)) % 2 === 0;
  return tieToEven ? Number(`${kept}e${exponent}`) : Number(value.toPrecision(SHOWN_DIGITS));
}

/** An observed figure to four digits, never below it. @param {number} value @returns {number} */
export function upwards(value) {
  const nearest = Number(value.toPrecision(SHOWN_DIGITS));
  if (!(nearest < value)) return nearest;
  const [mantissa, exponent] = value.toExponential(SHOWN_DIGITS - 1).split("e");
  const digits = Number(mantissa.replace(".", "")) + 1;
  return Number(`${digits}e${Number(exponent) - (SHOWN_DIGITS - 1)}`);
}
