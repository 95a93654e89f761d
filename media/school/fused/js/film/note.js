/**
 * Who comes back is told where the film goes on, and may start anew.
 */

import { html } from "../dom.js";
import { clockText } from "./timeline.js";

/** How long it stands once the film goes on. */
const STANDS_MS = 8000;

/** @param {HTMLElement} parent @param {() => void} anew */
export function createNote(parent, anew) {
  const words = html("span");
  const button = html("button", { type: "button", class: "film-anew" }, "From the start");
  const note = html("p", { class: "film-note", role: "status", hidden: "" }, words, button);
  parent.append(note);
  let told = 0;
  button.addEventListener("click", anew);
  return {
    tell(/** @type {number} */ time) {
      told = time;
      words.textContent = `You were here: ${clockText(time)}. `;
      note.hidden = false;
    },
    /** It goes as the film goes on, or goes elsewhere. */
    draw(/** @type {number} */ time) {
      if (time < told || time > told + STANDS_MS) note.hidden = true;
    },
  };
}
