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

import { build as answer } from "./question.js";
import { build as forgotten } from "./forgotten.js";
import { build as goodnight } from "./goodnight.js";
import { build as leftOut } from "./left-out.js";
import { build as limit } from "./limit.js";
import { build as meeting } from "./meeting.js";
import { build as row } from "./row.js";
import { build as table } from "./table.js";
import { build as title } from "./title.js";
import { build as trip } from "./trip.js";

/** @type {Build[]} */
export const SCENES = [
  ...[title, meeting, table, row, trip],
  ...[answer, forgotten, limit, leftOut, goodnight],
];
