/**
 * What a scene may know: the claims, the film's sizes, its own cues, and the room it has.
 */

/**
 * @typedef {{id: string, display: string, value: number}} Claim
 * @typedef {{claims: Claim[], [section: string]: any}} Facts drawn.json: what films need of facts.json
 * @typedef {{text: string, claim?: string}[]} Runs
 * @typedef {{claim: string, text: string}} Quote
 * @typedef {{id: string, start_ms: number, end_ms: number, lines: string[], quotes: Quote[]}} Cue
 * @typedef {{start_ms: number, title: {runs: Runs}, cues: Cue[]}} SceneText
 * @typedef {"times" | "rows" | "score"} Asks
 * @typedef {{asks: Asks, at_ms: number, cue: string, question: {runs: Runs},
 *   answer: {claim: string, form: string, text: string}}} Pause where the film waits
 * @typedef {object} FilmText film.json
 * @property {number} duration_ms
 * @property {SceneText[]} scenes
 * @property {Pause[]} pauses
 * @property {{words: number, wide: number, narrow: number}} sizes
 *
 * @typedef {{width: number, height: number, portrait: boolean}} Room of the stage, in its own units
 * @typedef {Record<Asks, import("./question.js").Reply>} Answer what the viewer said, if anything yet
 *
 * @typedef {object} SceneContext
 * @property {FilmText} film
 * @property {Facts} facts
 * @property {SceneText} scene
 * @property {number} duration of the scene in milliseconds
 * @property {(k: number) => number} beat when the scene's k-th cue begins, from the scene's start
 * @property {(id: string) => Claim} claim
 * @property {(id: string) => boolean} knows whether there is such a claim
 * @property {(id: string, form?: string) => Quote} quote
 * @property {Answer} answer
 *
 * @typedef {SceneContext & Room} Context
 */

/**
 * The text of a claim in the form in which film.json quotes it.
 *
 * @param {Claim} claim
 * @param {string} form "" or "places=1"
 * @returns {string}
 */
export function quoted(claim, form) {
  const places = /^places=(\d)$/.exec(form);
  return places ? claim.value.toFixed(Number(places[1])) : claim.display;
}

/**
 * The claims by their ids, and what quotes them.
 *
 * @param {Facts} facts
 */
export function claimsOf(facts) {
  const claims = new Map(facts.claims.map((claim) => [claim.id, claim]));
  const claim = (/** @type {string} */ id) => {
    const found = claims.get(id);
    if (!found) throw new Error(`drawn.json: found no claim ${id}, which the film draws`);
    return found;
  };
  const knows = (/** @type {string} */ id) => claims.has(id);
  const quote = (/** @type {string} */ id, form = "") => ({ text: quoted(claim(id), form), claim: id });
  return { claim, knows, quote };
}

/**
 * @param {{film: FilmText, facts: Facts}} sources
 * @param {Room} room
 * @param {Answer} answer
 * @returns {(index: number) => Context} the context of each scene
 */
export function contexts({ film, facts }, room, answer) {
  const { claim, knows, quote } = claimsOf(facts);
  return (index) => {
    const scene = film.scenes[index];
    const end = film.scenes[index + 1]?.start_ms ?? film.duration_ms;
    const duration = end - scene.start_ms;
    // Past the last cue every beat is the scene's end, so that other words break no drawing.
    const beat = (/** @type {number} */ k) => (scene.cues[k]?.start_ms ?? end) - scene.start_ms;
    return { film, facts, ...room, scene, duration, beat, claim, knows, quote, answer };
  };
}

/**
 * The words of a title or paragraph, as parts of a line.
 *
 * @param {{runs: Runs}} words
 * @returns {import("./svg.js").Run[]}
 */
export const runsOf = (words) =>
  words.runs.map((run) => (run.claim ? { text: run.text, claim: run.claim } : run.text));

/** @param {{runs: Runs}} words */
export const textOf = (words) => words.runs.map((run) => run.text).join("");
