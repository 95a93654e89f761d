/**
 * Captions as real text, read out politely; each number in them says which claim it is.
 */

import { begun } from "./timeline.js";

/**
 * The parts of a cue's lines, with the quoted numbers apart from the words.
 *
 * @param {{lines: string[], quotes: {claim: string, text: string}[]}} cue
 * @returns {(string | {claim: string, text: string})[][]} for each line
 */
export function parts(cue) {
  const quotes = [...cue.quotes];
  return cue.lines.map((line) => {
    const found = [];
    let rest = line;
    while (quotes.length) {
      // A number word such as "one" may also be a part of a longer word.
      const text = quotes[0].text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      const match = new RegExp(`(?<![\\w.,])${text}(?!\\w|[.,]\\d)`).exec(rest);
      if (!match) break;
      found.push(rest.slice(0, match.index), quotes.shift());
      rest = rest.slice(match.index + match[0].length);
    }
    return [...found, rest].filter((part) => part !== "");
  });
}

/**
 * @param {HTMLElement} parent
 * @param {object[]} cues of film.json, in order
 * @returns {{draw: (time: number) => void, on: boolean}}
 */
export function createCaptions(parent, cues) {
  const region = document.createElement("div");
  region.className = "film-captions";
  region.setAttribute("aria-live", "polite");
  region.setAttribute("aria-atomic", "true");
  region.setAttribute("role", "region");
  region.setAttribute("aria-label", "Captions");
  parent.append(region);
  let shown = null;
  let on = true;

  function write(cue) {
    const lines = cue ? parts(cue) : [];
    region.replaceChildren(
      ...lines.flatMap((line, index) => {
        const span = document.createElement("span");
        span.className = "film-line";
        for (const part of line) {
          if (typeof part === "string") {
            span.append(part);
            continue;
          }
          const number = document.createElement("data");
          number.value = part.claim;
          number.textContent = part.text;
          span.append(number);
        }
        // The space keeps two lines from being read as one word.
        return index ? [" ", span] : [span];
      }),
    );
    if (cue) region.dataset.cue = cue.id;
    else delete region.dataset.cue;
  }

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
