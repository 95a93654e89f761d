/**
 * The scenes in the film's order. Each builds its drawing once and then draws any moment of it.
 *
 * @typedef {object} Scene
 * @property {(t: number) => void} draw at a time from the scene's start, in milliseconds
 * @property {number} horizon where the sea begins, as a part of the height
 * @property {number} [light] how brightly the sky shows, from 0 to 1
 * @property {string} label what is to be seen, for those who cannot see it
 * @property {(x: number, y: number) => number | null} [grab] the guess that a point stands for,
 *   where the viewer drags something in the picture
 *
 * @typedef {(layer: Element, context: import("../context.js").Context) => Scene} Build
 */

import { build as meeting } from "./meeting.js";
import { build as title } from "./title.js";

/** What half a minute of film needs; so a slow phone has a picture while the rest is on its way. */
const FIRST = [title, meeting];

/**
 * The drawings, of which the first are there at once.
 *
 * @param {{scenes: unknown[]}} film
 * @returns {{now: Build[], all: Promise<Build[]>}}
 */
export function drawings(film) {
  const all = import("./others.js").then(({ OTHERS }) => {
    const found = [...FIRST, ...OTHERS];
    if (film.scenes.length === found.length) return found;
    throw new Error(
      `film.json: found ${film.scenes.length} scenes, expected ${found.length}, one for each` +
        " drawing; list the drawings in js/film/scenes/others.js",
    );
  });
  return { now: FIRST, all };
}
