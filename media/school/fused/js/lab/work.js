/**
 * Work that takes a while: its progress, its cancel button, one piece at a time.
 */

import { element } from "../dom.js";

const BUTTONS = ["lab-count", "lab-time"];

/** @typedef {(fraction: number, words?: string) => void} Progress */

/**
 * Run something with the progress bar shown and the cancel button live.
 *
 * @param {string} doing what the bar is labelled with
 * @param {(options: {progress: Progress, signal: AbortSignal}) => Promise<void>} act
 * @returns {Promise<void>} resolves also where the visitor cancelled
 */
export async function work(doing, act) {
  const stop = new AbortController();
  const cancel = () => stop.abort();
  /** @type {Progress} */
  const progress = (fraction, words) => {
    element("lab-bar").value = fraction;
    if (words) element("lab-doing").textContent = words;
  };
  const busy = (/** @type {boolean} */ now) => {
    element("lab-progress").hidden = !now;
    element("lab-cancel").hidden = !now;
    for (const id of BUTTONS) element(id).disabled = now;
  };
  progress(0, doing);
  busy(true);
  element("lab-cancel").addEventListener("click", cancel);
  try {
    await act({ progress, signal: stop.signal });
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    element("lab-message").textContent = "Cancelled; nothing was kept.";
  } finally {
    element("lab-cancel").removeEventListener("click", cancel);
    busy(false);
  }
}

/**
 * A part of a bar for one of several pieces of work.
 *
 * @param {Progress} progress
 * @param {number} from
 * @param {number} to
 * @param {string} words
 * @returns {(fraction: number) => void}
 */
export function part(progress, from, to, words) {
  progress(from, words);
  return (fraction) => progress(from + (to - from) * fraction, words);
}
