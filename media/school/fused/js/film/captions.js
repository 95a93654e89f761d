/**
 * Captions as real text, read out politely; each number in them says which claim it is.
 */

import { html } from "../dom.js";
import { begun } from "./timeline.js";

/** @import { Cue, Quote } from "./context.js" */

/**
 * The parts of a cue's lines, with the quoted numbers apart from the words.
 *
 * @param {Cue} cue
 * @returns {(string | Quote)[][]} for each line
 */
function parts(cue) {
  const quotes = [...cue.quotes];
  return cue.lines.map((line) => {
    const found = [];
    let rest = line;
    for (let quote = quotes[0]; quote; quote = quotes[0]) {
      // A number word such as "one" may also be a part of a longer word.
      const text = quote.text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      const match = new RegExp(`(?<![\\w.,])${text}(?!\\w|[.,]\\d)`).exec(rest);
      if (!match) break;
      found.push(rest.slice(0, match.index), quote);
      quotes.shift();
      rest = rest.slice(match.index + match[0].length);
    }
    return [...found, rest].filter((part) => part !== "");
  });
}

/**
 * @param {HTMLElement} parent
 * @param {Cue[]} cues of film.json, in order
 * @returns {{draw: (time: number) => void, on: boolean}}
 */
export function createCaptions(parent, cues) {
  const region = html("div", {
    class: "film-captions",
    "aria-live": "polite",
    "aria-atomic": "true",
    role: "region",
    "aria-label": "Captions",
  });
  parent.append(region);
  /** @type {Cue | null} */
  let shown = null;
  let on = true;

  const write = (/** @type {Cue | null} */ cue) => {
    const lines = (cue ? parts(cue) : []).map((line) =>
      html(
        "span",
        { class: "film-line" },
        ...line.map((part) =>
          typeof part === "string" ? part : html("data", { value: part.claim }, part.text),
        ),
      ),
    );
    // The space keeps two lines from being read as one word.
    region.replaceChildren(...lines.flatMap((line, index) => (index ? [" ", line] : [line])));
    if (cue) region.dataset.cue = cue.id;
    else delete region.dataset.cue;
  };

  return {
    get on() {
      return on;
    },
    set on(value) {
      on = value;
      region.hidden = !on;
    },
    draw(time) {
      const cue = cues[begun(cues, time)];
      const now = cue && time < cue.end_ms ? cue : null;
      if (now === shown) return;
      shown = now;
      write(now);
    },
  };
}
