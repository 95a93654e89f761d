/**
 * What film.json says of a time: which scene, which cue, and when the next one comes.
 */

/** How long before its end a cue's drawing has come to rest. */
const REST_MS = 60;

/** How many cues after the pause an answer stays. */
const ANSWER_CUES = 2;

/**
 * The last of the items, ordered by start_ms, that has begun; -1 before the first.
 *
 * @param {{start_ms: number}[]} items
 * @param {number} time
 * @returns {number}
 */
export function begun(items, time) {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle].start_ms <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * @typedef {object} Timeline
 * @property {import("./context.js").Cue[]} cues of all scenes, in order
 * @property {(asked: number) => number} over when the cues that answer the question are over
 * @property {(time: number) => number} next when the next cue begins
 * @property {(time: number) => number} rested when the cue of this time has come to rest
 */

/** @param {import("./context.js").FilmText} film @returns {Timeline} */
export function createTimeline(film) {
  const cues = film.scenes.flatMap((scene) => scene.cues);
  return {
    cues,
    // A result stands while the two cues after the pause are read.
    over(asked) {
      const waits = begun(cues, film.pauses[asked].at_ms - 1);
      return cues[waits + ANSWER_CUES]?.end_ms ?? film.duration_ms;
    },
    next: (time) => cues[begun(cues, time) + 1]?.start_ms ?? film.duration_ms,
    rested(time) {
      const cue = cues[Math.max(0, begun(cues, time))];
      return Math.max(cue.start_ms, cue.end_ms - REST_MS);
    },
  };
}

/** Minutes and seconds, "1:05". @param {number} ms */
export function clockText(ms) {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
