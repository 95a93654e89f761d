/**
 * The checker: an answer passes where its error does not exceed its bound, element by element.
 */

/**
 * What the checker saw of some rows, or of all of them.
 *
 * @typedef {object} Check
 * @property {number} largestError infinity where an element is not finite
 * @property {number} boundThere that element's bound
 * @property {number} largestRatio the largest error / bound
 * @property {number} wrongElements
 * @property {number[]} wrongRows in order
 */

/** @returns {Check} that of no rows */
export function nothingSeen() {
  return { largestError: -1, boundThere: 0, largestRatio: -1, wrongElements: 0, wrongRows: [] };
}

/** A NaN is the largest there is: it must not hide. @param {number} a @param {number} b */
const exceeds = (a, b) => b === b && !(a <= b);

/**
 * Compare rows with the exact ones and add what is seen.
 *
 * @param {Check} seen
 * @param {Float32Array} output
 * @param {Float64Array} exact
 * @param {Float64Array} bounds
 * @param {number} first the row of the first element
 * @param {number} d
 */
export function checkRows(seen, output, exact, bounds, first, d) {
  for (let r = 0; r * d < output.length; r++) {
    let wrong = 0;
    for (let i = r * d; i < (r + 1) * d; i++) {
      const finite = Number.isFinite(output[i]);
      const error = finite ? Math.abs(output[i] - exact[i]) : Infinity;
      // `not (error <= bound)`: a NaN on either side is a failure, never a pass.
      if (!finite || !(error <= bounds[i])) wrong++;
      if (exceeds(error, seen.largestError)) {
        seen.largestError = error;
        seen.boundThere = bounds[i];
      }
      const ratio = error === 0 ? 0 : error / bounds[i];
      if (exceeds(ratio, seen.largestRatio)) seen.largestRatio = ratio;
    }
    seen.wrongElements += wrong;
    if (wrong) seen.wrongRows.push(first + r);
  }
}

/**
 * The checks of all parts, in the order of their rows, as one.
 *
 * @param {Check[]} parts
 * @returns {Check}
 */
export function together(parts) {
  const all = nothingSeen();
  for (const part of parts) {
    if (exceeds(part.largestError, all.largestError)) {
      all.largestError = part.largestError;
      all.boundThere = part.boundThere;
    }
    if (exceeds(part.largestRatio, all.largestRatio)) all.largestRatio = part.largestRatio;
    all.wrongElements += part.wrongElements;
    for (const row of part.wrongRows) all.wrongRows.push(row);
  }
  return all;
}
