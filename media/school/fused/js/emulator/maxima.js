/**
 * Maxima that the bound asks for: how often a row's may rise, and how large values get.
 */

/**
 * For each key tile, how often a row's maximum may still rise after it. Computed scores differ
 * from the exact ones by up to `slack`, so a near tie counts as a rise.
 *
 * @param {Float64Array} scores
 * @param {number} slack
 * @param {number} keyRows
 */
export function possibleRises(scores, slack, keyRows) {
  const after = new Int32Array(Math.ceil(scores.length / keyRows));
  let running = scores[0];
  for (let tile = 0; tile < after.length; tile++) {
    const first = tile * keyRows;
    const last = Math.min(first + keyRows, scores.length);
    let largest = scores[first];
    for (let i = first + 1; i < last; i++) if (scores[i] > largest) largest = scores[i];
    // Kept with the tile before for now: that tile's keys meet this rise.
    if (tile > 0 && largest + slack > running - slack) after[tile - 1] = 1;
    if (largest > running) running = largest;
  }
  for (let tile = after.length - 2; tile >= 0; tile--) after[tile] += after[tile + 1];
  return after;
}

/**
 * For each key tile, whether a tile before it may have a larger maximum, so that its own is brought
 * to that by a factor.
 *
 * @param {Float64Array} scores
 * @param {number} slack
 * @param {number} keyRows
 */
export function ownMaxima(scores, slack, keyRows) {
  const factors = new Int32Array(Math.ceil(scores.length / keyRows));
  let running = -Infinity;
  for (let tile = 0; tile < factors.length; tile++) {
    const largest = Math.max(...scores.subarray(tile * keyRows, (tile + 1) * keyRows));
    if (largest - slack < running + slack) factors[tile] = 1;
    running = Math.max(running, largest);
  }
  return factors;
}

/** The largest size of a number. @param {Float64Array} values */
export function largestOf(values) {
  let largest = 0;
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, Math.abs(values[i]));
  return largest;
}

/**
 * For each key and column, the largest |v| up to that key.
 *
 * @param {Float64Array} v
 * @param {number} n
 * @param {number} d
 */
export function largestSoFar(v, n, d) {
  const largest = new Float32Array(n * d);
  for (let i = 0; i < n * d; i++) {
    largest[i] = Math.max(Math.abs(v[i]), i < d ? 0 : largest[i - d]);
  }
  return largest;
}
