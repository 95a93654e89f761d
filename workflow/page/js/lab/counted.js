/**
 * What a count found, told: the verdict, the bytes by buffer, the error beside its bound.
 */

import { bytes, grouped, small } from "../numbers.js";
import { bars } from "./bars.js";
import { html, table } from "./dom.js";
import { strip } from "./rows.js";

const FLOATS = 4;

/** What was run, in a few words. */
export function title({ way, n, d, causal, broken }) {
  const more = [causal ? "looking only backwards" : "", broken ? "the total left unshrunk" : ""];
  return [`${way}, ${grouped(n)} words, ${grouped(d)} numbers a head`, ...more.filter(Boolean)].join(", ");
}

/**
 * The verdict of a check, as an element.
 *
 * @param {{passed: boolean, certified: boolean, wrongElements: number, wrongRows: number[]}} check
 * @param {number} n
 * @param {number} d
 */
export function verdict(check, n, d) {
  if (!check.certified) {
    return html("p", { class: "verdict bad" }, "Not certified: scores are too large for float32 to tell shares apart.");
  }
  if (check.passed) {
    return html(
      "p",
      { class: "verdict good" },
      `All ${grouped(n * d)} numbers of the answer lie within their bounds.`,
    );
  }
  return html(
    "p",
    { class: "verdict bad" },
    `${grouped(check.wrongRows.length)} of ${grouped(n)} answers are wrong, and the checker saw it.`,
  );
}

/** The largest error beside its bound, in a sentence. */
export function errors(check) {
  return html(
    "p",
    {},
    `The largest error is ${small(check.largestError)}; the bound on that number is ${small(check.boundThere)}.` +
      ` The largest error of any number over its own bound is ${small(check.largestRatio)}.`,
  );
}

/** Bytes by kernel and buffer, loads and stores apart. */
export function traffic(elements) {
  const rows = Object.entries(elements).flatMap(([kernel, buffers]) =>
    Object.entries(buffers).map(([buffer, { loads, stores }]) => [
      kernel,
      buffer.toUpperCase(),
      { number: grouped(FLOATS * Number(loads)) },
      { number: grouped(FLOATS * Number(stores)) },
    ]),
  );
  return table("Bytes by buffer", ["kernel", "buffer", "loaded", "stored"], rows);
}

/**
 * The whole result of a count.
 *
 * @param {import("./choice.js").Choice} choice
 * @param {object} counted what the emulator's `count` gave
 * @param {{name: string, elements: object}[]} ways for the bars, this way first
 * @returns {HTMLElement}
 */
export function counted(choice, found, ways) {
  const { n, d } = choice;
  const compulsory = 4 * FLOATS * n * d;
  const agreement = found.formulaAgrees
    ? "The closed formula says the same for every buffer."
    : "The closed formula says otherwise: this is a fault of the page.";
  const wrong = found.check.wrongRows;
  return html(
    "article",
    { class: "result" },
    html("h3", {}, `Counted: ${title(choice)}`),
    verdict(found.check, n, d),
    ...(wrong.length ? [html("p", {}, "Which answers, in the order of the words:"), strip(n, wrong)] : []),
    html(
      "p",
      {},
      `It asked memory for ${grouped(found.bytes)} bytes (${bytes(found.bytes)}). ${agreement}` +
        ` Compulsory are ${grouped(compulsory)}: each of Q, K, V and O moved once.`,
    ),
    bars(ways, compulsory),
    errors(found.check),
    traffic(found.elements),
  );
}
