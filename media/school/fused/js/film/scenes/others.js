/**
 * The scenes after the first ones, in the film's order.
 */

import { build as answer } from "./question.js";
import { build as forgotten } from "./forgotten.js";
import { build as goodnight } from "./goodnight.js";
import { build as leftOut } from "./left-out.js";
import { build as limit } from "./limit.js";
import { build as row } from "./row.js";
import { build as table } from "./table.js";
import { build as trip } from "./trip.js";

/** @type {import("./index.js").Build[]} */
export const OTHERS = [table, row, trip, answer, forgotten, limit, leftOut, goodnight];
