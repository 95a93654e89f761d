/**
 * What the kernels counted: a few sums for each workgroup, added up here.
 */

/**
 * Elements moved, by buffer.
 *
 * @typedef {Record<string, {loads: number, stores: number}>} Counts
 */

/**
 * Sums over workgroups; a double holds them exactly up to 2^53.
 *
 * @param {Uint32Array} words the counters of all workgroups, `slots` each
 * @param {number} slots
 * @param {string[]} names of the slots in use, such as "q.loads"
 * @returns {Counts}
 */
export function summed(words, slots, names) {
  /** @type {Counts} */
  const counts = {};
  names.forEach((name, slot) => {
    let elements = 0;
    for (let at = slot; at < words.length; at += slots) elements += words[at];
    const [buffer, access] = name.split(".");
    counts[buffer] ??= { loads: 0, stores: 0 };
    counts[buffer][/** @type {"loads" | "stores"} */ (access)] = elements;
  });
  return counts;
}

/**
 * Bytes of all buffers of all kernels.
 *
 * @param {Record<string, Counts>} elements
 * @returns {number}
 */
export function bytesOf(elements) {
  const each = Object.values(elements).flatMap((counts) => Object.values(counts));
  return 4 * each.reduce((sum, { loads, stores }) => sum + loads + stores, 0);
}
