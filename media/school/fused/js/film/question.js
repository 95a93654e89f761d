/**
 * The question at which the film waits: a small form, kind to what cannot be a guess.
 */

import { html } from "../dom.js";

/**
 * Read a guess as people type it: "7", "7.5", "7,5", "~7", "about 7 times", or with
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
  if (guess <= 0) return { trouble: "It carries something each way, so the number is above zero." };
  if (guess > most) {
    return {
      trouble: `That is a very large number. Guess no more than ${most.toLocaleString("en-US")}.`,
    };
  }
  return { guess };
}

let made = 0;

/**
 * @param {HTMLElement} parent
 * @param {object} options
 * @param {string} options.words the question
 * @param {import("./context.js").Quote} options.truth the published answer
 * @param {number} options.most
 * @param {(guess: number | null) => void} options.answered null where the viewer would rather see
 */
export function createQuestion(parent, { words, truth, most, answered }) {
  const id = `film-question-${(made += 1)}`;
  const input = html("input", {
    ...{ id, class: "film-guess", type: "text", inputmode: "decimal", autocomplete: "off" },
    ...{ maxlength: 20, "aria-describedby": `${id}-trouble` },
  });
  const trouble = html("p", { id: `${id}-trouble`, class: "film-trouble", role: "alert" });
  const skip = html("button", { class: "film-skip", type: "button" }, "Just show me");
  const form = html(
    "form",
    { class: "film-question", novalidate: "", hidden: "" },
    html("label", { class: "film-ask", for: id }, words),
    html(
      "div",
      { class: "film-fields" },
      input,
      html("span", { class: "film-times" }, "times as much"),
      html("button", { class: "film-give" }, "Answer"),
      skip,
    ),
    trouble,
  );
  // What the viewer said and what is so, side by side; it blocks nothing.
  const result = html("p", { class: "film-result", role: "status", hidden: "" });
  parent.append(form, result);

  const finish = (/** @type {number | null} */ guess) => {
    form.hidden = true;
    const said = guess === null
      ? []
      : ["Your guess: ", html("b", {}, guess.toLocaleString("en-US")), ". "];
    const so = html("data", { class: "film-truth", value: truth.claim }, truth.text);
    result.replaceChildren(...said, "The answer: about ", so, " times.");
    result.hidden = false;
    answered(guess);
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const reply = read(input.value, most);
    const fault = "trouble" in reply;
    trouble.textContent = fault ? reply.trouble : "";
    input.setAttribute("aria-invalid", String(fault));
    if (fault) input.focus();
    else finish(reply.guess);
  });
  skip.addEventListener("click", () => finish(null));

  return {
    focus: () => input.focus(),
    ask(/** @type {boolean} */ focus) {
      result.hidden = true;
      input.value = "";
      trouble.textContent = "";
      input.removeAttribute("aria-invalid");
      form.hidden = false;
      if (focus) input.focus({ preventScroll: true });
    },
    hide() {
      form.hidden = true;
      result.hidden = true;
    },
  };
}
