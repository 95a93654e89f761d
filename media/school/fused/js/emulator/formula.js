/**
 * Closed formulas: elements that each kernel moves, per buffer, and the arithmetic it does.
 *
 * Nothing here looks at the emulator: it is another way to the same count. All forms are O(1) and
 * in BigInt, so n = 2^40 is exact. docs/counts.md derives them.
 */

/** @param {bigint} a @param {bigint} b */
const ceilDiv = (a, b) => (a + b - 1n) / b;

/** (query, key) pairs that are looked at. @param {bigint} n @param {boolean} causal */
const pairs = (n, causal) => (causal ? (n * (n + 1n)) / 2n : n * n);

/**
 * Elements of K, and as many of V, that all query tiles together fetch.
 *
 * @param {bigint} n
 * @param {bigint} d
 * @param {boolean} causal
 * @param {bigint} br
 */
function keyElements(n, d, causal, br) {
  if (!causal) return n * d * ceilDiv(n, br);
  const whole = n / br;
  return d * ((br * whole * (whole + 1n)) / 2n + (n % br > 0n ? n : 0n));
}

/**
 * Elements moved by one way of computing attention.
 *
 * @param {import("./execute.js").Way} way
 * @param {number | bigint} length n
 * @param {number | bigint} dim d
 * @param {boolean} [causal]
 * @param {number | bigint} [queryRows] rows of a query tile
 * @param {number | bigint} [keyRows] rows of a key tile
 * @returns {import("../elements.js").ExactElements}
 */
export function elements(
  way,
  length,
  dim,
  causal = false,
  queryRows = 2048n / BigInt(dim),
  keyRows = 1024n / BigInt(dim),
) {
  const n = BigInt(length);
  const d = BigInt(dim);
  const loads = (/** @type {bigint} */ count) => ({ loads: count, stores: 0n });
  const stores = (/** @type {bigint} */ count) => ({ loads: 0n, stores: count });
  if (way === "kv_outer") {
    const met = rowTiles(n, BigInt(keyRows), causal);
    const both = (/** @type {bigint} */ count) => ({ loads: count, stores: count });
    return {
      kv_start: { o: stores(n * d), m: stores(n), l: stores(n) },
      kv_outer: { q: loads(met * d), k: loads(n * d), v: loads(n * d), o: both(met * d), m: both(met), l: both(met) },
    };
  }
  const fetched = keyElements(n, d, causal, BigInt(queryRows));
  if (way === "fused") {
    return { fused: { q: loads(n * d), k: loads(fetched), v: loads(fetched), o: stores(n * d) } };
  }
  const table = pairs(n, causal);
  return {
    scores: { q: loads(n * d), k: loads(fetched), s: stores(table) },
    softmax: { s: loads(table), p: stores(table) },
    mix: { p: loads(table), v: loads(fetched), o: stores(n * d) },
  };
}

/**
 * Key tiles that all rows together meet: one for each tile with a key that the row sees.
 *
 * @param {bigint} n
 * @param {bigint} width
 * @param {boolean} causal
 */
function rowTiles(n, width, causal) {
  if (!causal) return n * ceilDiv(n, width);
  const whole = n / width;
  return (width * whole * (whole + 1n)) / 2n + (n % width) * (whole + 1n);
}

/**
 * Operations of one way, by kind; a subtraction is an addition.
 *
 * @param {import("./execute.js").Way} way
 * @param {number | bigint} length n
 * @param {number | bigint} dim d
 * @param {boolean} [causal]
 * @param {number | bigint} [keyRows] rows of the key tile of an online softmax
 * @returns {Record<string, bigint>}
 */
export function arithmetic(way, length, dim, causal = false, keyRows = 1024n / BigInt(dim)) {
  const n = BigInt(length);
  const d = BigInt(dim);
  const seen = pairs(n, causal);
  const products = 2n * seen * d;
  const tiles = rowTiles(n, BigInt(keyRows), causal);
  const [multiplications, additions, exps, divisions, comparisons] = {
    fused: [n * d + products + tiles * (1n + d), products + 2n * seen + tiles, seen + tiles, n * d, seen - n],
    kv_outer: [products + tiles * (2n + 3n * d), products + 2n * (seen + tiles), seen + 2n * tiles, tiles * d, seen],
    unfused: [n * d + products, products + 2n * seen - n, seen, seen, seen - n],
  }[way];
  return { multiplications, additions, exps, divisions, comparisons };
}
