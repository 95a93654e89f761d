/**
 * How each question is answered: by dragging a bar or a score, or by choosing; and what a miss is
 * told.
 */

import { html } from "../dom.js";

/** @import { Claim, Facts, FilmText, Pause, Quote } from "./context.js" */

/**
 * @typedef {object} Given
 * @property {string} id
 * @property {string} trouble the id of what says what is wrong with a reply
 * @property {FilmText} film
 * @property {Facts} facts
 * @property {(id: string, form?: string) => Quote} quote
 * @property {(id: string) => Claim} claim
 * @property {(guess: number | string) => void} moved
 *
 * @typedef {{guess: number | string} | {trouble: string}} Read
 *
 * @typedef {object} Field
 * @property {HTMLElement[]} nodes
 * @property {(words: string) => HTMLElement} named the question, as the field's label
 * @property {() => Read} read
 * @property {(guess: number | string | null) => (Node | string)[]} told what is said afterwards
 * @property {(wrong: boolean) => void} doubtful
 * @property {(guess: number) => void} set
 * @property {() => void} clear
 * @property {() => void} focus
 */

/** The plain way's bar may be dragged to so many loads of the fused way: far beyond any answer. */
export const TIMES_MOST = 64;
const TIMES_STEP = 0.5;
/** A guess so near, as a part of the answer or in scores, is no miss; a score is dragged in such steps. */
const NEAR = 0.1;

/**
 * Read a number as people type it: "7", "7.5", "7,5", "~7", "about 7 times", or with
 * separators.
 *
 * @param {string} typed
 * @param {number} most what no answer can exceed
 * @returns {{guess: number} | {trouble: string}}
 */
export function read(typed, most) {
  const text = typed
    .trim()
    .toLowerCase()
    .replace(/^(about|around|~)\s*/, "")
    .replace(/\s*(times|x|×|-fold)\.?$/, "");
  if (!text) return { trouble: "Type a number first. Any guess will do." };
  const plain = /^[-−+]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(text)
    ? text.replaceAll(",", "")
    : text.replace(/^([-−+]?\d+),(\d+)$/, "$1.$2");
  if (!/^[-−+]?(\d+\.?\d*|\.\d+)(e\d+)?$/.test(plain)) {
    return { trouble: "That is not a number yet. Digits are enough." };
  }
  const guess = Number(plain.replace("−", "-"));
  if (guess <= 0) return { trouble: "Guess a number above zero." };
  if (guess > most) {
    return {
      trouble: `That is a very large number. Guess no more than ${most.toLocaleString("en-US")}.`,
    };
  }
  return { guess };
}

/** @param {Quote} quote */
const told = (quote) => html("data", { class: "film-truth", value: quote.claim }, quote.text);

/**
 * A number, dragged or typed.
 *
 * @param {Given} given
 * @param {{drag: string, unit: string, most: number, step: number, typed: number,
 *   start: number}} scale typed: the most that may be typed
 * @param {Field["told"]} after
 * @returns {Field}
 */
function numeric({ id, moved, trouble }, { drag, unit, most, step, typed, start }, after) {
  const input = html("input", {
    ...{ id, class: "film-guess", type: "text", inputmode: "decimal", autocomplete: "off" },
    ...{ maxlength: 20, "aria-describedby": trouble },
  });
  const range = html("input", {
    ...{ class: "film-drag", type: "range", "aria-label": drag, min: step, max: most, step },
  });
  range.addEventListener("input", () => {
    input.value = range.value;
    moved(Number(range.value));
  });
  input.addEventListener("input", () => {
    const found = read(input.value, typed);
    if ("guess" in found) moved(show(found.guess));
  });
  const show = (/** @type {number} */ guess) => {
    range.value = String(guess);
    return guess;
  };
  return {
    nodes: [range, input, ...(unit ? [html("span", { class: "film-times" }, unit)] : [])],
    named: (words) => html("label", { class: "film-ask", for: id }, words),
    read: () => read(input.value, typed),
    told: after,
    doubtful: (wrong) => input.setAttribute("aria-invalid", String(wrong)),
    set(guess) {
      const held = Math.min(most, Math.max(step, Math.round(guess / step) * step));
      input.value = String(Number(held.toFixed(1)));
      moved(show(held));
    },
    clear() {
      input.value = "";
      show(start);
    },
    // The bar takes the keys at once; who would rather type goes on to the number.
    focus: () => range.focus({ preventScroll: true }),
  };
}

/** @param {Pause} pause @param {Given} given */
function times(pause, given) {
  const { claim, quote, film } = given;
  const { claim: id, form } = pause.answer;
  const ratio = claim(id).value;
  const scale = { most: TIMES_MOST, step: TIMES_STEP, start: TIMES_STEP };
  const words = claim(`sizes.n${film.sizes.words}`).value;
  const labels = { drag: "How long the plain way's bar is", unit: "times as much" };
  return numeric(given, { ...labels, ...scale, typed: words }, (guess) => {
    const so = ["The answer: about ", told(quote(id, form)), " times."];
    if (guess === null) return so;
    const said = ["Your guess: ", html("b", {}, guess.toLocaleString("en-US")), ". ", ...so];
    const off = Number(guess) / ratio - 1;
    if (Math.abs(off) <= NEAR) return [...said, " Well guessed."];
    return off < 0
      ? [...said, " The plain way carries all that the fused way does, and the whole table on top:" +
        " the fewer numbers a word has, the more of it all is table."]
      : [...said, " The fused way is not free: it fetches keys and values anew for each tile of" +
        " questions."];
  });
}

/** @param {Pause} pause @param {Given} given */
function score(pause, given) {
  const { claim, quote, facts } = given;
  const { claim: id, form } = pause.answer;
  const limit = claim(id).value;
  const labels = { drag: "The score along the axis", unit: "" };
  const scale = { most: facts.overflow.histogram.edges.at(-1), step: NEAR, start: NEAR };
  return numeric(given, { ...labels, ...scale, typed: claim("overflow.fp16.largest").value }, (guess) => {
    const so = ["The limit is a score of about ", told(quote(id, form)), "."];
    if (guess === null) return so;
    const said = ["Your guess: ", html("b", {}, guess.toLocaleString("en-US")), ". ", ...so];
    const off = Number(guess) - limit;
    const power = Math.exp(Number(guess));
    const reached = power < 1e9
      ? Math.round(power).toLocaleString("en-US")
      : "more than a thousand million";
    if (Math.abs(off) <= 5 * NEAR) return [...said, " Well guessed."];
    return off < 0
      ? [...said, ` e to your guess is about ${reached}, and still fits.`]
      : [...said, ` e to your guess is ${reached}: e to a score grows far faster than the score.`];
  });
}

const ROWS = [
  {
    key: "words",
    words: "those of the sentence's first words",
    miss: "Theirs do, for their whole rows lie in the first tile. But a later word's does, too, " +
      "where nothing larger comes after that tile.",
  },
  { key: "first", words: "those whose largest score comes in the first tile", miss: "" },
  {
    key: "small",
    words: "those whose scores are small",
    miss: "How large the scores are does not matter, only when the largest comes: a total that " +
      "is shrunk by nothing is not missed.",
  },
  {
    key: "none",
    words: "none",
    miss: "Where the largest score comes in the first tile there is nothing to shrink: the " +
      "factor is then e to nothing, and the forgotten step changes no bit.",
  },
];

/** @param {Pause} pause @param {Given} given @returns {Field} */
function rows(pause, { id, quote, moved, trouble }) {
  const options = ROWS.map(({ key, words }) => {
    const look = { type: "radio", name: id, value: key, "aria-describedby": trouble };
    const radio = html("input", look);
    radio.addEventListener("change", () => moved(key));
    return { radio, node: html("label", { class: "film-option" }, radio, " ", words) };
  });
  const chosen = () => options.find(({ radio }) => radio.checked)?.radio;
  const group = html(
    "div",
    { class: "film-options", role: "radiogroup", "aria-labelledby": `${id}-words` },
    ...options.map(({ node }) => node),
  );
  return {
    nodes: [group],
    named: (words) => html("p", { class: "film-ask", id: `${id}-words` }, words),
    read: () => {
      const found = chosen();
      return found ? { guess: found.value } : { trouble: "Choose one first. Any guess will do." };
    },
    told(guess) {
      const so = [told(quote(pause.answer.claim, pause.answer.form)),
        " answers stay right: wherever the largest score comes in the first tile."];
      const miss = ROWS.find(({ key }) => key === guess)?.miss;
      if (guess === null) return so;
      return miss ? ["Not quite. ", ...so, ` ${miss}`] : ["Yes. ", ...so];
    },
    doubtful: (wrong) => group.setAttribute("aria-invalid", String(wrong)),
    set() {},
    clear: () => options.forEach(({ radio }) => (radio.checked = false)),
    focus: () => (chosen() ?? options[0].radio).focus({ preventScroll: true }),
  };
}

const FIELDS = { times, rows, score };

/** @param {Pause} pause @param {Given} given @returns {Field} */
export const fieldOf = (pause, given) => FIELDS[pause.asks](pause, given);
