/**
 * The model's published files, fetched once, when somebody asks for the model.
 */

import { fetched } from "../data.js";
import { PlainError } from "../plain.js";
import { modelOf } from "./network.js";

/**
 * @typedef {object} Files
 * @property {ArrayBuffer} weights
 * @property {string[]} vocabulary
 * @property {import("./network.js").Model} model
 * @property {(name: "probe" | "held_out") => Promise<number[][]>} sentences token ids
 */

/** @type {Promise<Files> | undefined} */
let kept;

/** The files; a failure is tried anew the next time. @returns {Promise<Files>} */
export function files() {
  kept ??= load();
  kept.catch(() => (kept = undefined));
  return kept;
}

/** @returns {Promise<Files>} */
async function load() {
  const [weights, text] = await Promise.all([
    fetched("model/weights.safetensors").then((response) => response.arrayBuffer()),
    fetched("model/vocabulary.json").then((response) => response.text()),
  ]);
  const vocabulary = listOf(text);
  return {
    ...{ weights, vocabulary, model: modelOf(weights, vocabulary) },
    sentences: async (name) => {
      const file = `model/${name}.txt`;
      const lines = (await (await fetched(file)).text()).trim().split("\n");
      return lines.map((line) => line.split(" ").map((word) => known(vocabulary, word, file)));
    },
  };
}

/** @param {string} text @returns {string[]} */
function listOf(text) {
  try {
    const found = JSON.parse(text);
    if (Array.isArray(found) && found.every((word) => typeof word === "string")) return found;
  } catch {
    // Said below.
  }
  throw new PlainError("model/vocabulary.json is damaged: it is no list of words; restore it in the page's folder.");
}

/** @param {string[]} vocabulary @param {string} word @param {string} file */
function known(vocabulary, word, file) {
  const token = vocabulary.indexOf(word);
  if (token === -1) {
    throw new PlainError(`${file} holds “${word.slice(0, 20)}”, which is no word of the model; the files must come from the same run.`);
  }
  return token;
}
