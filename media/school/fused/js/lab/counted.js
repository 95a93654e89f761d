/**
 * What a count found, told: the verdict, the bytes by buffer, the error beside its bound.
 */

import { html } from "../dom.js";
import { BYTES_PER_FLOAT } from "../elements.js";
import { bytes, grouped, small } from "../numbers.js";
import { bars, strip } from "./drawings.js";

/**
 * @typedef {import("./choice.js").Choice} Choice
 * @typedef {import("../elements.js").Elements} Elements
 * @typedef {import("../emulator/index.js").Verdict} Verdict
 */

/** What was run, in a few words. @param {Omit<Choice, "way" | "seed"> & {way: string}} choice */
export function title({ way, n, d, causal, broken }) {
  const more = [causal ? "looking only backwards" : "", broken ? "the total left unshrunk" : ""];
  return [`${way}, ${grouped(n)} words, ${grouped(d)} numbers a head`, ...more.filter(Boolean)].join(", ");
}

/** The verdict of a check, as an element. @param {Verdict} check @param {Choice} choice */
export function verdict(check, { n, d }) {
  if (!check.certified) {
    return html("p", { class: "verdict bad" }, "Not certified: scores are too large for float32 to tell shares apart.");
  }
  if (check.passed) {
    return html("p", { class: "verdict good" }, `All ${grouped(n * d)} numbers of the answer lie within their bounds.`);
  }
  const wrong = grouped(check.wrongRows.length);
  return html("p", { class: "verdict bad" }, `${wrong} of ${grouped(n)} answers are wrong, and the checker saw it.`);
}

/**
 * A table with a caption; cells that are numbers stand right.
 *
 * @param {string} caption
 * @param {string[]} head
 * @param {(string | {number: string})[][]} rows
 * @returns {HTMLElement} scrolls where the screen is narrow
 */
export function table(caption, head, rows) {
  const cell = (/** @type {"th" | "td"} */ name, /** @type {string | {number: string}} */ content, scope = {}) =>
    typeof content === "string"
      ? html(name, scope, content)
      : html(name, { ...scope, class: "number" }, content.number);
  const top = head.map((words, i) =>
    cell("th", typeof rows[0][i] === "string" ? words : { number: words }, { scope: "col" }),
  );
  const body = rows.map(([first, ...rest]) =>
    html("tr", {}, cell("th", first, { scope: "row" }), ...rest.map((content) => cell("td", content))),
  );
  const parts = [html("thead", {}, html("tr", {}, ...top)), html("tbody", {}, ...body)];
  const made = html("table", {}, html("caption", {}, caption), ...parts);
  return html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, made);
}

/** Bytes by kernel and buffer, loads and stores apart. @param {Elements} elements */
function traffic(elements) {
  const rows = Object.entries(elements).flatMap(([kernel, buffers]) =>
    Object.entries(buffers).map(([buffer, { loads, stores }]) => [
      kernel,
      buffer.toUpperCase(),
      { number: grouped(BYTES_PER_FLOAT * loads) },
      { number: grouped(BYTES_PER_FLOAT * stores) },
    ]),
  );
  return table("Bytes by buffer", ["kernel", "buffer", "loaded", "stored"], rows);
}

/**
 * The whole result of a count.
 *
 * @param {Choice} choice
 * @param {Omit<Awaited<ReturnType<typeof import("../emulator/index.js").count>>, "output">} found
 * @param {{name: string, elements: Elements}[]} ways for the bars, this way first
 * @returns {HTMLElement}
 */
export function counted(choice, found, ways) {
  const { n, d } = choice;
  const { check } = found;
  const compulsory = 4 * BYTES_PER_FLOAT * n * d;
  const agreement = found.formulaAgrees
    ? "The closed formula says the same for every buffer."
    : "The closed formula says otherwise: this is a fault of the page.";
  const which = [html("p", {}, "Which answers, in the order of the words:"), strip(n, check.wrongRows)];
  return html(
    "article",
    { class: "result" },
    html("h3", {}, `Counted: ${title(choice)}`),
    verdict(check, choice),
    ...(check.wrongRows.length ? which : []),
    html(
      "p",
      {},
      `It asked memory for ${grouped(found.bytes)} bytes (${bytes(found.bytes)}). ${agreement}` +
        ` Compulsory are ${grouped(compulsory)}: each of Q, K, V and O moved once.`,
    ),
    bars(ways, compulsory),
    html(
      "p",
      {},
      `The largest error is ${small(check.largestError)}; the bound on that number is ${small(check.boundThere)}.` +
        ` The largest error of any number over its own bound is ${small(check.largestRatio)}.`,
    ),
    traffic(found.elements),
  );
}
