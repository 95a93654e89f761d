/**
 * Numbers as the page shows them.
 */

/**
 * A whole number or a short decimal, with separators: 1234567 is "1,234,567".
 *
 * @param {number | bigint} value
 * @returns {string}
 */
export function grouped(value) {
  return value.toLocaleString("en-US", { maximumFractionDigits: 4 });
}

/** Bytes in the unit that suits them: "1.5 MiB". @param {number} value @returns {string} */
export function bytes(value) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toLocaleString("en-US", { maximumFractionDigits: unit ? 1 : 0 })} ${units[unit]}`;
}

/** An error or a bound, with three digits: "1.23e-7". @param {number} value @returns {string} */
export function small(value) {
  return value === 0 ? "0" : value.toExponential(2);
}

/** Seconds in the unit that suits them: "1.25 ms". @param {number} seconds @returns {string} */
export function duration(seconds) {
  const units = Object.entries({ s: 1, ms: 1e-3, "µs": 1e-6, ns: 1e-9 });
  const [unit, size] = units.find(([, least]) => seconds >= least) ?? units[3];
  return `${Number((seconds / size).toPrecision(3))} ${unit}`;
}
