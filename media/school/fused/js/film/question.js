/**
 * The questions at which the film waits: a form for each, what was said, and what is so.
 */

import { html } from "../dom.js";
import { fieldOf } from "./asked.js";
import { textOf } from "./context.js";

/** @import { Claim, Pause, Quote } from "./context.js" */

/**
 * What the viewer says, while saying it and once it is given.
 *
 * @typedef {{guess: number | string | null, given: boolean}} Reply
 */

let made = 0;

/**
 * One question.
 *
 * @param {HTMLElement} parent
 * @param {object} options
 * @param {Pause} options.pause
 * @param {(id: string, form?: string) => Quote} options.quote
 * @param {(id: string) => Claim} options.claim
 * @param {import("./context.js").FilmText} options.film
 * @param {import("./context.js").Facts} options.facts
 * @param {(guess: number | string) => void} options.moved called while the viewer chooses
 * @param {(guess: number | string | null) => void} options.answered null where the viewer would
 *   rather see
 */
export function createQuestion(parent, { pause, quote, claim, film, facts, moved, answered }) {
  const id = `film-question-${(made += 1)}`;
  const trouble = html("p", { id: `${id}-trouble`, class: "film-trouble", role: "alert" });
  const field = fieldOf(pause, { id, film, facts, quote, claim, moved, trouble: trouble.id });
  const skip = html("button", { class: "film-skip", type: "button" }, "Just show me");
  const give = html("button", { class: "film-give" }, "Answer");
  const form = html(
    "form",
    { class: `film-question film-asks-${pause.asks}`, novalidate: "", hidden: "" },
    field.named(textOf(pause.question)),
    html("div", { class: "film-fields" }, ...field.nodes, give, skip),
    trouble,
  );
  // What the viewer said and what is so, side by side; it blocks nothing.
  const result = html("p", { class: "film-result", role: "status", hidden: "" });
  parent.append(form, result);

  const finish = (/** @type {number | string | null} */ guess) => {
    form.hidden = true;
    result.replaceChildren(...field.told(guess));
    result.hidden = false;
    answered(guess);
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const reply = field.read();
    trouble.textContent = "trouble" in reply ? reply.trouble : "";
    field.doubtful("trouble" in reply);
    if ("trouble" in reply) field.focus();
    else finish(reply.guess);
  });
  skip.addEventListener("click", () => finish(null));

  return {
    focus: () => field.focus(),
    /** Take a guess from elsewhere, as from the picture. */
    set: (/** @type {number} */ guess) => field.set(guess),
    ask(/** @type {boolean} */ focus) {
      result.hidden = true;
      field.clear();
      trouble.textContent = "";
      field.doubtful(false);
      form.hidden = false;
      if (focus) field.focus();
    },
    hide() {
      form.hidden = true;
      result.hidden = true;
    },
  };
}
