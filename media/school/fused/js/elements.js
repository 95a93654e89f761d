/**
 * Elements that kernels move, as device, emulator and closed formula all tell them.
 *
 * @typedef {{loads: number, stores: number}} Access
 * @typedef {Record<string, Record<string, Access>>} Elements by kernel and buffer
 * @typedef {Record<string, Record<string, {loads: bigint, stores: bigint}>>} ExactElements
 */

export const BYTES_PER_FLOAT = 4;

/** Bytes of all accesses of all kernels. @param {Elements | ExactElements} moved */
export function totalBytes(moved) {
  const accesses = Object.values(moved).flatMap((buffers) => Object.values(buffers));
  const elements = accesses.reduce((sum, { loads, stores }) => sum + BigInt(loads) + BigInt(stores), 0n);
  return BigInt(BYTES_PER_FLOAT) * elements;
}

/** The same where doubles hold it. @param {Elements} moved */
export const bytesOf = (moved) => Number(totalBytes(moved));

/** @param {ExactElements} moved @returns {Elements} */
export function asNumbers(moved) {
  return JSON.parse(JSON.stringify(moved, (_, x) => (typeof x === "bigint" ? Number(x) : x)));
}

/** Whether counts are the same in every buffer of every kernel. @param {Elements} a @param {Elements} b */
export function sameElements(a, b) {
  const flat = (/** @type {Elements} */ moved) =>
    Object.entries(moved)
      .flatMap(([kernel, buffers]) =>
        Object.entries(buffers).map(([name, x]) => `${kernel} ${name} ${x.loads} ${x.stores}`),
      )
      .sort()
      .join();
  return flat(a) === flat(b);
}
