/**
 * What the visitor chose: read from the form, from a link, and written into a link.
 */

const LIMITS = { n: [1, 16384], seed: [0, 4294967295] };
/** @type {("n" | "seed")[]} */
const KEYS = ["n", "seed"];
const NAMES = { n: "the number of words", seed: "the seed" };
const PREFIX = "#lab?";

/**
 * @typedef {object} Choice
 * @property {import("../emulator/execute.js").Way} way
 * @property {number} n
 * @property {number} d
 * @property {number} seed
 * @property {boolean} causal
 * @property {boolean} broken whether the total is left unshrunk
 */

/**
 * A whole number that somebody typed, or why it is none.
 *
 * @param {string} text
 * @param {"n" | "seed"} key
 * @returns {{value?: number, sentence: string}} the sentence is empty where there is a value
 */
function whole(text, key) {
  const [least, most] = LIMITS[key];
  const bare = text.trim().replaceAll(/[,\s_]/g, "");
  const value = /^[0-9]{1,15}$/.test(bare) ? Number(bare) : NaN;
  if (value >= least && value <= most) {
    return { value, sentence: "" };
  }
  const range = `${least.toLocaleString("en-US")} to ${most.toLocaleString("en-US")}`;
  const shown = text.trim() === "" ? "nothing" : `“${text.trim().slice(0, 20)}”`;
  return { sentence: `Found ${shown}, but ${NAMES[key]} is a whole number from ${range}.` };
}

/**
 * The form's choice; fields that are wrong are marked and say why.
 *
 * @param {HTMLFormElement} form
 * @returns {Choice | null}
 */
export function read(form) {
  const fields = /** @type {any} */ (form.elements);
  const [n, seed] = KEYS.map((key) => {
    const { value, sentence } = whole(fields[key].value, key);
    fields[key].setAttribute("aria-invalid", String(sentence !== ""));
    /** @type {any} */ (document.getElementById(`lab-${key}-says`)).textContent = sentence;
    return value;
  });
  if (n === undefined || seed === undefined) {
    (n === undefined ? fields.n : fields.seed).focus();
    return null;
  }
  return {
    ...{ n, seed, way: fields.way.value, d: Number(fields.d.value) },
    causal: fields.causal.checked,
    broken: fields.broken.checked,
  };
}

/** A link that reproduces a choice. @param {Choice} choice @returns {string} */
export function link(choice) {
  const { way, n, d, seed, causal, broken } = choice;
  const query = new URLSearchParams({ way, n: String(n), d: String(d), seed: String(seed) });
  if (causal) query.set("causal", "yes");
  if (broken) query.set("broken", "yes");
  return `${location.href.split("#")[0]}${PREFIX}${query}`;
}

/**
 * Fill the form from a link; what makes no sense is left as it was.
 *
 * @param {HTMLFormElement} form
 * @param {string} hash
 * @returns {string[]} a sentence for each part that was not understood
 */
export function fill(form, hash) {
  if (!hash.startsWith(PREFIX)) {
    return [];
  }
  const query = new URLSearchParams(hash.slice(PREFIX.length));
  const fields = /** @type {any} */ (form.elements);
  /** What each key does with a value: whether it made sense. @type {Record<string, (value: string) => boolean>} */
  const takes = {
    n: (value) => typed("n", value),
    seed: (value) => typed("seed", value),
    d: (value) => chosen("d", [...fields.d.options], value),
    way: (value) => chosen("way", [...fields.way], value),
    causal: (value) => ticked("causal", value),
    broken: (value) => ticked("broken", value),
  };
  const typed = (/** @type {"n" | "seed"} */ key, /** @type {string} */ text) => {
    const { value } = whole(text, key);
    if (value !== undefined) fields[key].value = String(value);
    return value !== undefined;
  };
  const chosen = (/** @type {string} */ key, /** @type {any[]} */ options, /** @type {string} */ value) => {
    const known = options.some((option) => option.value === value);
    if (known) fields[key].value = value;
    return known;
  };
  const ticked = (/** @type {string} */ key, /** @type {string} */ value) => {
    fields[key].checked ||= value === "yes";
    return value === "yes";
  };
  return [...query]
    .filter(([key, value]) => !(Object.hasOwn(takes, key) && takes[key](value)))
    .map(
      ([key, value]) =>
        `The link's ${key.slice(0, 20)}, “${value.slice(0, 20)}”, was not understood; the form keeps its own.`,
    );
}
