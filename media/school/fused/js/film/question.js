/**
 * The question at which the film waits: a small form, kind to what cannot be a guess.
 */

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

/**
 * @param {string} name
 * @param {string} kind
 * @param {string} [text]
 * @returns {HTMLElement}
 */
function element(name, kind, text = "") {
  const node = document.createElement(name);
  node.className = kind;
  node.textContent = text;
  return node;
}

let made = 0;

/**
 * @param {HTMLElement} parent
 * @param {object} options
 * @param {string} options.words the question
 * @param {{claim: string, text: string}} options.truth the published answer
 * @param {number} options.most
 * @param {(guess: number | null) => void} options.answered null where the viewer would rather see
 * @returns {{ask: (focus: boolean) => void, hide: () => void, focus: () => void, open: boolean}}
 */
export function createQuestion(parent, { words, truth, most, answered }) {
  const id = `film-question-${(made += 1)}`;
  const form = element("form", "film-question");
  form.noValidate = true;
  form.hidden = true;
  const label = element("label", "film-ask", words);
  label.htmlFor = id;
  const input = element("input", "film-guess");
  Object.assign(input, {
    id,
    type: "text",
    inputMode: "decimal",
    autocomplete: "off",
    maxLength: 20,
  });
  const trouble = element("p", "film-trouble");
  trouble.id = `${id}-trouble`;
  trouble.setAttribute("role", "alert");
  input.setAttribute("aria-describedby", trouble.id);
  const times = element("span", "film-times", "times as much");
  const give = element("button", "film-give", "Answer");
  const skip = element("button", "film-skip", "Just show me");
  skip.type = "button";
  const row = element("div", "film-fields");
  row.append(input, times, give, skip);
  form.append(label, row, trouble);

  // What the viewer said and what is so, side by side; it blocks nothing.
  const result = element("p", "film-result");
  result.setAttribute("role", "status");
  result.hidden = true;
  parent.append(form, result);

  function finish(guess) {
    form.hidden = true;
    const so = element("data", "film-truth", truth.text);
    so.value = truth.claim;
    const said = guess === null
      ? []
      : ["Your guess: ", element("b", "", guess.toLocaleString("en-US")), ". "];
    result.replaceChildren(...said, "The answer: about ", so, " times.");
    result.hidden = false;
    answered(guess);
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const reply = read(input.value, most);
    trouble.textContent = reply.trouble ?? "";
    input.setAttribute("aria-invalid", String("trouble" in reply));
    if ("trouble" in reply) input.focus();
    else finish(reply.guess);
  });
  skip.addEventListener("click", () => finish(null));

  return {
    get open() {
      return !form.hidden;
    },
    focus: () => input.focus(),
    ask(focus) {
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
