/**
 * What a scene may know: the claims, the film's sizes, its own cues, and the room it has.
 */

/**
 * @typedef {object} Context
 * @property {object} film
 * @property {object} facts
 * @property {number} width of the stage, in its own units
 * @property {number} height
 * @property {boolean} portrait
 * @property {object} scene of film.json
 * @property {number} duration of the scene in milliseconds
 * @property {(k: number) => number} beat when the scene's k-th cue begins, from the scene's start
 * @property {(id: string) => {display: string, value: number}} claim
 * @property {(id: string, form?: string) => {text: string, claim: string}} quote
 * @property {{guess: number | null}} answer what the viewer said, if anything yet
 */

/**
 * The text of a claim in the form in which film.json quotes it.
 *
 * @param {{display: string, value: number}} claim
 * @param {string} form "" or "places=1"
 * @returns {string}
 */
export function quoted(claim, form) {
  const places = /^places=(\d)$/.exec(form);
  return places ? claim.value.toFixed(Number(places[1])) : claim.display;
}

/**
 * @param {{film: object, facts: object}} sources
 * @param {{width: number, height: number, portrait: boolean}} room
 * @param {{guess: number | null}} answer
 * @returns {(index: number) => Context} the context of each scene
 */
export function contexts({ film, facts }, room, answer) {
  const claims = new Map(facts.claims.map((claim) => [claim.id, claim]));
  const claim = (id) => {
    const found = claims.get(id);
    if (!found) throw new Error(`facts.json: found no claim ${id}, which the film draws`);
    return found;
  };
  const quote = (id, form = "") => ({ text: quoted(claim(id), form), claim: id });
  return (index) => {
    const scene = film.scenes[index];
    const end = film.scenes[index + 1]?.start_ms ?? film.duration_ms;
    const duration = end - scene.start_ms;
    // Past the last cue every beat is the scene's end, so that other words break no drawing.
    const beat = (k) => (scene.cues[k]?.start_ms ?? end) - scene.start_ms;
    return { film, facts, ...room, scene, duration, beat, claim, quote, answer };
  };
}

/**
 * The words of a title or paragraph, as parts of a line.
 *
 * @param {{runs: {text: string, claim?: string}[]}} words
 * @returns {import("./svg.js").Run[]}
 */
export const runsOf = (words) =>
  words.runs.map((run) => (run.claim ? { text: run.text, claim: run.claim } : run.text));

/**
 * @param {{runs: {text: string}[]}} words
 * @returns {string}
 */
export const textOf = (words) => words.runs.map((run) => run.text).join("");
