/**
 * The real kernels on the visitor's chip: counted, checked, timed; and what was found, told.
 */

import { open, promised } from "../device/index.js";
import { html } from "../dom.js";
import { asNumbers, bytesOf, sameElements } from "../elements.js";
import { count, inputs, judge } from "../emulator/index.js";
import { elements as formula } from "../emulator/formula.js";
import { bytes, duration, grouped, small } from "../numbers.js";
import { PlainError } from "../plain.js";
import { link } from "./choice.js";
import { table, title, verdict } from "./counted.js";
import { strip } from "./drawings.js";
import { share } from "./share.js";

/**
 * @typedef {import("./choice.js").Choice} Choice
 * @typedef {import("../device/index.js").Chip} Chip
 * @typedef {Omit<import("../device/report.js").Findings, "judged">
 *   & {judged: Record<string, import("../emulator/index.js").Verdict>}} Findings
 */

// Where counts and checks alone took so long, a visitor should not wait for many repeats.
const SLOW_MS = 10_000;
const FEW = 3;

/** @type {Chip | null} */
let chip = null;

/** The chip, opened anew where the last was lost. */
async function opened() {
  if (chip) return chip;
  const found = await open();
  chip = found;
  found.lost.then(() => {
    if (chip === found) chip = null;
  });
  return found;
}

/**
 * Count, check and time every way that serves the size.
 *
 * @param {Choice} choice
 * @param {{part: (from: number, to: number, words: string) => (fraction: number) => void,
 *   signal: AbortSignal}} options
 * @returns {Promise<HTMLElement>}
 */
export async function timed(choice, { part, signal }) {
  const { n, d, causal, seed, broken } = choice;
  const device = await opened();
  const { q, k, v } = await inputs({ n, d, seed }, { signal });
  const input = { n, d, causal, q, k, v };
  const begun = performance.now();
  const ways = broken ? [choice.way] : device.kernels.served(n);
  /** @type {Findings} */
  const found = { n, d, causal, counted: {}, emulated: {}, formula: {}, judged: {} };
  const each = 0.6 / ways.length; // of the bar, for counts and checks
  for (const [i, way] of ways.entries()) {
    const [from, middle, to] = [i * each, (i + 0.5) * each, (i + 1) * each];
    let watch = part(from, middle, `Counting on your chip: ${way}`);
    const progress = (/** @type {{done: number}} */ { done }) => watch(done);
    const rescale = !broken;
    const counted = await device.count({ ...input, way, rescale }, { progress, signal });
    watch = part(middle, to, `Checking the chip's answer: ${way}`);
    // fused_fast is the same computation as fused in other tiles, and moves the same.
    const emulated = /** @type {import("../emulator/execute.js").Way} */ (way === "fused_fast" ? "fused" : way);
    const named = (/** @type {import("../elements.js").Elements} */ elements) =>
      emulated === way ? elements : { [way]: elements[emulated] };
    const here = found.emulated[emulated]
      ?? (await count(
        { way: emulated, n, d, causal, seed, rescale },
        { progress: (fraction) => watch(fraction / 2), signal },
      )).elements;
    found.counted[way] = counted;
    found.emulated[way] = named(here);
    found.formula[way] = named(asNumbers(formula(emulated, n, d, causal)));
    const keyRows = way === "fused_fast" ? device.kernels.constants(way, d).BC : undefined;
    found.judged[way] = await judge(
      { ...input, way: emulated, keyRows, output: counted.output, arithmetic: promised },
      { progress: (fraction) => watch(0.5 + fraction / 2), signal },
    );
  }
  if (broken) return brokenArticle(choice, device, found);
  const watch = part(0.6, 1, "Timing on your chip");
  const slow = performance.now() - begun > SLOW_MS;
  const timings = await device.time(input, {
    progress: ({ done }) => watch(done),
    signal,
    ...(slow && { repeats: FEW }),
  });
  return article(choice, device, { ...found, timed: timings }, timings);
}

/** @param {Findings} found */
function counts({ counted, emulated }) {
  const rows = Object.keys(counted).map((way) => [
    way,
    { number: grouped(bytesOf(counted[way].elements)) },
    { number: grouped(bytesOf(emulated[way])) },
    sameElements(counted[way].elements, emulated[way]) ? "equal in every buffer" : "they differ",
  ]);
  return table("Bytes, as the kernel on your chip counted them", ["method", "your chip", "emulator", ""], rows);
}

/**
 * @param {Choice} choice
 * @param {Chip} device
 * @param {Findings} found
 * @param {import("../device/timing.js").Timings} timings
 */
function article(choice, device, found, { ways: times, clock, stepSeconds, ratios }) {
  const { counted, judged } = found;
  const moved = (/** @type {string} */ way) => bytesOf(counted[way].elements);
  const rows = Object.entries(times).map(([way, { median, quartiles }]) => [
    way,
    { number: duration(median) },
    { number: quartiles.map(duration).join(" to ") },
    { number: bytes(moved(way)) },
  ]);
  const wrong = Object.keys(judged).find((way) => !(judged[way].passed && judged[way].certified));
  const worst = Math.max(...Object.values(judged).map(({ largestRatio }) => largestRatio));
  const twoPlaces = (/** @type {number} */ x) => grouped(Math.round(100 * x) / 100);
  const against = Object.entries(ratios).map(
    ([way, ratio]) =>
      `unfused took ${twoPlaces(ratio)} times as long as ${way} and moved ` +
      `${twoPlaces(moved("unfused") / moved(way))} times the bytes`,
  );
  return html(
    "article",
    { class: "result" },
    html("h3", {}, `Timed: ${title({ ...choice, way: "all methods" })}`),
    html("p", {}, `On ${device.name}. The clock is ${clock}; its step is ${duration(stepSeconds)}.`),
    ...(wrong
      ? [html("p", {}, `The method ${wrong}:`), verdict(judged[wrong], choice)]
      : [html("p", { class: "verdict good" }, "Every number of every method lies within its bound.")]),
    html(
      "p",
      {},
      `The chip's largest error over its bound is ${small(worst)}; the bound rests on what WGSL promises of arithmetic.`,
    ),
    counts(found),
    table("Median times, with quartiles, beside the bytes", ["method", "median", "quartiles", "bytes"], rows),
    html(
      "p",
      {},
      against.length
        ? `Here ${against.join("; ")}.`
        : "Unfused is not timed at this length: its table does not fit a buffer.",
      " Bytes are not times: caches, occupancy and arithmetic play their parts.",
    ),
    taken(choice, device, found),
  );
}

/**
 * Buttons that take the report away; a chip on which something does not hold has none, and why.
 *
 * @param {Choice} choice
 * @param {Chip} device
 * @param {Findings} found
 */
function taken(choice, device, found) {
  try {
    return share(device.report(found), link(choice));
  } catch (error) {
    if (!(error instanceof PlainError)) throw error;
    return html("p", {}, `There is no report to copy: ${error.message}`);
  }
}

/** @param {Choice} choice @param {Chip} device @param {Findings} found */
function brokenArticle(choice, device, found) {
  const check = found.judged[choice.way];
  return html(
    "article",
    { class: "result" },
    html("h3", {}, `On your chip: ${title(choice)}`),
    html("p", {}, `On ${device.name}, with the kernel's rescale switched off.`),
    verdict(check, choice),
    ...(check.wrongRows.length ? [strip(choice.n, check.wrongRows)] : []),
    counts(found),
  );
}
