/**
 * Work that takes a while: its progress, its cancel button, one piece at a time.
 */

const element = (id) => document.getElementById(id);
const BUTTONS = ["lab-count", "lab-time"];

/**
 * Run something with the progress bar shown and the cancel button live.
 *
 * @param {string} doing what the bar is labelled with
 * @param {(options: {progress: (fraction: number, words?: string) => void, signal: AbortSignal}) => Promise<void>} act
 * @returns {Promise<void>} resolves also where the visitor cancelled
 */
export async function work(doing, act) {
  const stop = new AbortController();
  const cancel = () => stop.abort();
  const bar = element("lab-bar");
  const say = (fraction, words) => {
    bar.value = fraction;
    if (words) element("lab-doing").textContent = words;
  };
  say(0, doing);
  element("lab-progress").hidden = false;
  element("lab-cancel").hidden = false;
  element("lab-cancel").addEventListener("click", cancel);
  for (const id of BUTTONS) element(id).disabled = true;
  try {
    await act({ progress: say, signal: stop.signal });
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    element("lab-message").textContent = "Cancelled; nothing was kept.";
  } finally {
    element("lab-cancel").removeEventListener("click", cancel);
    element("lab-progress").hidden = true;
    element("lab-cancel").hidden = true;
    for (const id of BUTTONS) element(id).disabled = false;
  }
}

/**
 * A part of a bar for one of several pieces of work.
 *
 * @param {(fraction: number, words?: string) => void} progress
 * @param {number} from
 * @param {number} to
 * @param {string} words
 * @returns {(fraction: number) => void}
 */
export function part(progress, from, to, words) {
  progress(from, words);
  return (fraction) => progress(from + (to - from) * fraction, words);
}
