/**
 * What the visitor chose: read from the form, from a link, and written into a link.
 */

export const LIMITS = { n: [1, 16384], seed: [0, 4294967295] };
const NAMES = { n: "the number of words", seed: "the seed" };
const WAYS = ["fused", "unfused"];
const PREFIX = "#lab?";

/**
 * @typedef {object} Choice
 * @property {"fused" | "unfused"} way
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
 * @returns {{value: number} | {sentence: string}}
 */
export function whole(text, key) {
  const [least, most] = LIMITS[key];
  const bare = text.trim().replaceAll(/[,\s_]/g, "");
  const value = /^[0-9]{1,15}$/.test(bare) ? Number(bare) : NaN;
  if (value >= least && value <= most) {
    return { value };
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
  const found = {};
  let first = null;
  for (const key of ["n", "seed"]) {
    const field = form.elements[key];
    const said = whole(field.value, key);
    field.setAttribute("aria-invalid", String("sentence" in said));
    document.getElementById(`lab-${key}-says`).textContent = said.sentence ?? "";
    if ("sentence" in said) {
      first ??= field;
    } else {
      found[key] = said.value;
    }
  }
  if (first) {
    first.focus();
    return null;
  }
  return {
    ...found,
    way: form.elements.way.value,
    d: Number(form.elements.d.value),
    causal: form.elements.causal.checked,
    broken: form.elements.broken.checked,
  };
}

/**
 * A link that reproduces a choice.
 *
 * @param {Choice} choice
 * @returns {string}
 */
export function link(choice) {
  const { way, n, d, seed, causal, broken } = choice;
  const query = new URLSearchParams({ way, n, d, seed });
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
  const unread = [];
  const refuse = (key, value) =>
    unread.push(`The link's ${key}, “${value.slice(0, 20)}”, was not understood; the form keeps its own.`);
  for (const [key, value] of query) {
    if (key === "n" || key === "seed") {
      const said = whole(value, key);
      if ("value" in said) form.elements[key].value = String(said.value);
      else refuse(key, value);
    } else if (key === "d") {
      const known = [...form.elements.d.options].some((option) => option.value === value);
      if (known) form.elements.d.value = value;
      else refuse(key, value);
    } else if (key === "way") {
      if (WAYS.includes(value)) form.elements.way.value = value;
      else refuse(key, value);
    } else if (key === "causal" || key === "broken") {
      if (value === "yes") form.elements[key].checked = true;
      else refuse(key, value);
    } else {
      refuse(key.slice(0, 20), value);
    }
  }
  return unread;
}
