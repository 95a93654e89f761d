/**
 * The real kernels on the visitor's chip: counted, checked, timed; and what was found, told.
 */

import { count, inputs, judge } from "../emulator/index.js";
import { elements as formula } from "../emulator/formula.js";
import { open, promised } from "../device/index.js";
import { PlainError } from "../plain.js";
import { bytes, duration, grouped, small } from "../numbers.js";
import { link } from "./choice.js";
import { title, verdict } from "./counted.js";
import { html, table } from "./dom.js";
import { strip } from "./rows.js";
import { share } from "./share.js";

const FLOATS = 4;
// Where counts and checks alone took so long, a visitor should not wait for many repeats.
const SLOW_MS = 10_000;
const FEW = 3;
const FUSED = ["fused", "fused_fast"]; // the same computation; the second is cut for a GPU

let chip = null;

/** The chip, opened anew where the last was lost. */
async function opened() {
  if (!chip) {
    const found = await open();
    chip = found;
    found.lost.then(() => {
      if (chip === found) chip = null;
    });
  }
  return chip;
}

/** The emulator counts fused; fused_fast moves the same under its own name. */
function asKernel(way, elements) {
  return FUSED.includes(way) ? { [way]: Object.values(elements)[0] } : elements;
}

const asNumbers = (elements) =>
  JSON.parse(JSON.stringify(elements, (_, value) => (typeof value === "bigint" ? Number(value) : value)));

/** The rows of a way's key tile, where the emulator's own is another. */
function keyRows(way, d) {
  return way === "fused_fast" ? chip.kernels.constants(way, d).BC : undefined;
}

/**
 * Count, check and time every way that serves the size.
 *
 * @param {import("./choice.js").Choice} choice
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
  const ways = broken ? ["fused"] : device.kernels.served(n);
  const found = { counted: {}, emulated: {}, formula: {}, judged: {} };
  const each = 0.6 / ways.length; // of the bar, for counts and checks
  for (const [i, way] of ways.entries()) {
    const [from, to] = [i * each, (i + 1) * each];
    const middle = (from + to) / 2;
    const emulated = FUSED.includes(way) ? "fused" : way;
    let watch = part(from, middle, `Counting on your chip: ${way}`);
    found.counted[way] = await device.count(
      { ...input, way, rescale: !broken },
      { progress: ({ done }) => watch(done), signal },
    );
    watch = part(middle, to, `Checking the chip's answer: ${way}`);
    if (!found.emulated[emulated]) {
      const here = await count(
        { way: emulated, n, d, causal, seed, rescale: !broken },
        { progress: (fraction) => watch(fraction / 2), signal },
      );
      found.emulated[emulated] = here.elements;
    }
    found.emulated[way] = asKernel(way, found.emulated[emulated]);
    found.formula[way] = asKernel(way, asNumbers(formula(emulated, n, d, causal)));
    found.judged[way] = await judge(
      {
        ...{ way: emulated, n, d, causal, q, k, v, arithmetic: promised },
        output: found.counted[way].output,
        keyRows: keyRows(way, d),
      },
      { progress: (fraction) => watch(0.5 + fraction / 2), signal },
    );
  }
  if (broken) {
    return toldBroken(choice, device, found);
  }
  const watch = part(0.6, 1, "Timing on your chip");
  const slow = performance.now() - begun > SLOW_MS;
  found.timed = await device.time(input, {
    progress: ({ done }) => watch(done),
    signal,
    ...(slow && { repeats: FEW }),
  });
  return told(choice, device, found, ways);
}

/** Bytes of a way's counts. */
function total(elements) {
  return Object.values(elements)
    .flatMap((buffers) => Object.values(buffers))
    .reduce((sum, { loads, stores }) => sum + FLOATS * (Number(loads) + Number(stores)), 0);
}

const same = (a, b) => total(a) === total(b) && JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
const sorted = (value) =>
  value && typeof value === "object"
    ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]))
    : Number(value);

function counts(found, ways) {
  const rows = ways.map((way) => [
    way,
    { number: grouped(total(found.counted[way].elements)) },
    { number: grouped(total(found.emulated[way])) },
    same(found.counted[way].elements, found.emulated[way]) ? "equal in every buffer" : "they differ",
  ]);
  return table("Bytes, as the kernel on your chip counted them", ["way", "your chip", "emulator", ""], rows);
}

function told(choice, device, found, ways) {
  const { n, d } = choice;
  const { ways: times, clock, stepSeconds, ratios } = found.timed;
  const rows = ways.map((way) => [
    way,
    { number: duration(times[way].median) },
    { number: times[way].quartiles.map(duration).join(" to ") },
    { number: bytes(total(found.counted[way].elements)) },
  ]);
  const wrong = ways.find((way) => !(found.judged[way].passed && found.judged[way].certified));
  const worst = Math.max(...ways.map((way) => found.judged[way].largestRatio));
  const against = Object.entries(ratios).map(
    ([way, ratio]) =>
      `unfused took ${grouped(Math.round(ratio * 100) / 100)} times as long as ${way} and moved ` +
      `${grouped(Math.round((100 * total(found.counted.unfused.elements)) / total(found.counted[way].elements)) / 100)} times the bytes`,
  );
  const article = html(
    "article",
    { class: "result" },
    html("h3", {}, `Timed: ${title({ ...choice, way: "all ways" })}`),
    html("p", {}, `On ${device.name}. The clock is ${clock}; its step is ${duration(stepSeconds)}.`),
    ...(wrong
      ? [html("p", {}, `The way ${wrong}:`), verdict(found.judged[wrong], n, d)]
      : [html("p", { class: "verdict good" }, "Every number of every way lies within its bound.")]),
    html(
      "p",
      {},
      `The chip's largest error over its bound is ${small(worst)}; the bound rests on what WGSL promises of arithmetic.`,
    ),
    counts(found, ways),
    table("Median times, with quartiles, beside the bytes", ["way", "median", "quartiles", "bytes"], rows),
    html(
      "p",
      {},
      against.length
        ? `Here ${against.join("; ")}.`
        : "Unfused is not timed at this length: its table does not fit a buffer.",
      " Bytes are not times: caches, occupancy and arithmetic play their parts.",
    ),
  );
  article.append(taken(choice, device, found));
  return article;
}

/** Buttons that take the report away; a chip on which something does not hold has none, and why. */
function taken(choice, device, found) {
  try {
    return share(device.report({ ...choice, ...found }), link(choice));
  } catch (error) {
    if (!error.plain) throw error;
    return html("p", {}, `There is no report to copy: ${error.message}`);
  }
}

function toldBroken(choice, device, found) {
  const check = found.judged.fused;
  if (!check) throw new PlainError("The chip gave no answer to check.");
  return html(
    "article",
    { class: "result" },
    html("h3", {}, `On your chip: ${title(choice)}`),
    html("p", {}, `On ${device.name}, with the kernel's rescale switched off.`),
    verdict(check, choice.n, choice.d),
    ...(check.wrongRows.length ? [strip(choice.n, check.wrongRows)] : []),
    counts(found, ["fused"]),
  );
}
