/**
 * How the work is cut: tile sizes, and which keys a query tile may see.
 *
 * The sizes follow from 16 KiB of workgroup memory, WebGPU's default limit: 8 KiB for the query
 * tile, 4 KiB each for a key tile and a value tile, in float32.
 */

export const HEAD_DIMS = [16, 32, 64, 128];
export const SOFTMAX_LANES = 256;

const QUERY_TILE_FLOATS = 2048;
const KEY_TILE_FLOATS = 1024;
const SCORES_KEY_ROWS_MOST = 32;
/** @type {Record<number, number>} */
const MIX_KEY_ROWS = { 16: 16, 32: 32, 64: 32, 128: 16 };

/** Rows of a query tile. @param {number} d */
export const queryRows = (d) => QUERY_TILE_FLOATS / d;

/** Rows of a query tile as somebody wants them. @param {{d: number, queryRows?: number}} options */
export const tileRows = (options) => options.queryRows ?? queryRows(options.d);

/** Rows of the fused kernel's key and value tiles. @param {number} d */
export const fusedKeyRows = (d) => KEY_TILE_FLOATS / d;

/** Rows of a key tile in the scores kernel. @param {number} d */
export const scoresKeyRows = (d) => Math.min(SCORES_KEY_ROWS_MOST, QUERY_TILE_FLOATS / d);

/** Rows of a value tile in the mix kernel. @param {number} d */
export const mixKeyRows = (d) => MIX_KEY_ROWS[d];

/**
 * End of the keys that a query tile ending at row `last` fetches.
 *
 * @param {boolean} causal
 * @param {number} n
 * @param {number} last
 */
export const lastKey = (causal, n, last) => (causal ? last : n);

/**
 * How many of a tile's keys a row looks at: those up to its own, when causal.
 *
 * @param {boolean} causal
 * @param {number} row
 * @param {number} firstKey
 * @param {number} keys
 */
export function keysSeen(causal, row, firstKey, keys) {
  return causal ? Math.min(keys, Math.max(0, row + 1 - firstKey)) : keys;
}
