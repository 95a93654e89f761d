/**
 * Numbers as the page shows them.
 */

/**
 * A whole number or a short decimal, with separators: 17301504 is "17,301,504".
 *
 * @param {number | bigint} value
 * @returns {string}
 */
export function grouped(value) {
  return value.toLocaleString("en-US", { maximumFractionDigits: 4 });
}

/**
 * Bytes in the unit that suits them: "16.5 MiB".
 *
 * @param {number} value
 * @returns {string}
 */
export function bytes(value) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toLocaleString("en-US", { maximumFractionDigits: unit ? 1 : 0 })} ${units[unit]}`;
}

/**
 * An error or a bound, with three digits: "1.24e-7".
 *
 * @param {number} value
 * @returns {string}
 */
export function small(value) {
  return value === 0 ? "0" : value.toExponential(2);
}
