/**
 * Motion as pure functions of time, so that any moment can be drawn without the moments before it.
 */

/** @param {number} value @returns {number} the value held between 0 and 1 */
export const unit = (value) => Math.min(1, Math.max(0, value));

/**
 * How far a time has come from `from` to `to`, evenly.
 *
 * @param {number} time
 * @param {number} from
 * @param {number} to
 * @returns {number} from 0 to 1
 */
export function ramp(time, from, to) {
  // Two cues may fall together when the words change: then it is a step.
  if (to <= from) return time < from ? 0 : 1;
  return unit((time - from) / (to - from));
}

/**
 * The same, starting and stopping softly.
 *
 * @param {number} time
 * @param {number} from
 * @param {number} to
 * @returns {number} from 0 to 1
 */
export function ease(time, from, to) {
  const k = ramp(time, from, to);
  return k * k * (3 - 2 * k);
}

/**
 * @param {number} from
 * @param {number} to
 * @param {number} k from 0 to 1
 * @returns {number}
 */
export const mix = (from, to, k) => from + (to - from) * k;

/**
 * There from `from` to `to`, coming and going softly.
 *
 * @param {number} time
 * @param {number} from
 * @param {number} to
 * @param {number} [soft] milliseconds of coming and of going
 * @returns {number} from 0 to 1
 */
export const during = (time, from, to, soft = 500) =>
  Math.min(ease(time, from, from + soft), 1 - ease(time, to - soft, to));

/**
 * A value between 0 and 1 that comes back after `period` milliseconds.
 *
 * @param {number} time
 * @param {number} period
 * @param {number} [shift] as a part of the period
 * @returns {number}
 */
export const wave = (time, period, shift = 0) =>
  (1 + Math.sin(2 * Math.PI * (time / period + shift))) / 2;

/**
 * Places scattered evenly but not in rows: the k-th of a sequence between 0 and 1.
 *
 * @param {number} k
 * @param {number} [step] an irrational step
 * @returns {number}
 */
export const scattered = (k, step = 0.6180339887) => (k * step) % 1;
