/**
 * What film.json says of a time: which scene, which cue, and when the next one comes.
 */

/** How long before its end a cue's drawing has come to rest. */
const REST_MS = 60;

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
 * @property {string[]} question the lines of the cues that ask
 * @property {number} answered when the answer's scene is over
 * @property {(time: number) => number} next when the next cue begins
 * @property {(time: number) => number} rested when the cue of this time has come to rest
 */

/** @param {import("./context.js").FilmText} film @returns {Timeline} */
export function createTimeline(film) {
  const cues = film.scenes.flatMap((scene) => scene.cues);
  const { cue: asking, at_ms: at } = film.pause;
  const scene = begun(film.scenes, at);
  const asked = film.scenes[scene].cues;
  // The question is what is asked up to the pause, without the sentence that leads to it.
  const last = asked.findIndex((cue) => cue.id === asking);
  return {
    cues,
    question: asked.slice(Math.max(0, last - 1), last + 1).flatMap((cue) => cue.lines),
    answered: film.scenes[scene + 1]?.start_ms ?? film.duration_ms,
    next: (time) => cues[begun(cues, time) + 1]?.start_ms ?? film.duration_ms,
    rested(time) {
      const cue = cues[Math.max(0, begun(cues, time))];
      return Math.max(cue.start_ms, cue.end_ms - REST_MS);
    },
  };
}
