/**
 * "Recompute here": a published number of the model computed once more, and held to its card.
 */

import { run } from "../emulator/pool.js";
import { grouped } from "../numbers.js";
import { files } from "./files.js";
import { heldOutClaims } from "./held-out.js";

const SENTENCES_A_TASK = 16;
const WORKER = new URL("./worker.js", import.meta.url);
/** What was chosen is no result. */
const CHOSEN = ["control.key_rows"];
const OF_THE_MODEL = /^(attention|control|model|overflow)\./;
const OF_ALL_SENTENCES = /^(overflow\.(held_out|after_subtraction)\.|model\.held_out_)/;

/** Whether a claim's number can be computed from the model's files. @param {string} id */
export const isOfTheModel = (id) => OF_THE_MODEL.test(id) && !CHOSEN.includes(id);

/** A value as its card shows it: `show` of workflow/fusedfacts/claims/claim.py. @param {number | boolean | string} value */
export function shown(value) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  const [digits, exponent] = String(value < 1e-4 ? value.toExponential() : value).split("e-");
  return exponent ? `${digits}e-${exponent.padStart(2, "0")}` : grouped(value);
}

/** @typedef {import("../emulator/pool.js").Watch} Watch */
/** @type {Record<"probe" | "heldOut", Promise<Record<string, number | boolean | string>> | undefined>} */
const kept = { probe: undefined, heldOut: undefined };

/**
 * Compute a claim's value once more.
 *
 * @param {string} id of a claim of the model
 * @param {import("./probe.js").Settings} settings
 * @param {Watch} [watch]
 * @returns {Promise<number | boolean | string | undefined>}
 */
export async function recomputed(id, settings, watch) {
  const kind = OF_ALL_SENTENCES.test(id) ? "heldOut" : "probe";
  const started = (kept[kind] ??= kind === "probe" ? probe(settings, watch) : heldOut(watch));
  started.catch(() => (kept[kind] = undefined)); // the next press tries again
  return (await started)[id];
}

/** @param {import("./probe.js").Settings} settings @param {Watch} [watch] */
async function probe(settings, watch) {
  const { weights, vocabulary, sentences } = await files();
  const [tokens] = await sentences("probe");
  const tasks = [{ work: 1, make: () => ({ task: tokens }) }];
  const [values] = await run({ kind: "probe", weights, vocabulary, settings }, tasks, watch, WORKER);
  return values;
}

/** @param {Watch} [watch] */
async function heldOut(watch) {
  const { weights, vocabulary, sentences } = await files();
  const all = await sentences("held_out");
  const tasks = [];
  for (let first = 0; first < all.length; first += SENTENCES_A_TASK) {
    const task = all.slice(first, first + SENTENCES_A_TASK);
    tasks.push({ work: task.length, make: () => ({ task }) });
  }
  return heldOutClaims(await run({ kind: "heldOut", weights, vocabulary }, tasks, watch, WORKER));
}
