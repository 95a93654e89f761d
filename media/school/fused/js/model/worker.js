/**
 * The model's worker, and its jobs; each knows the weights and the vocabulary.
 */

import { serve } from "../emulator/serve.js";
import { unfused } from "./attention.js";
import { seenIn } from "./held-out.js";
import { embed, headsOf, modelOf } from "./network.js";
import { nextWords } from "./next.js";
import { probeClaims } from "./probe.js";

/**
 * Everything about one sentence.
 *
 * @typedef {object} Read
 * @property {(import("./network.js").Head & import("./attention.js").Tables)[]} heads
 * @property {Float64Array} next shares of each next word, after each word
 * @property {Float64Array} without the same, with attention left out
 */

/** @type {import("../emulator/serve.js").Jobs} */
const JOBS = {
  /** A sentence read by every head. The task is its token ids. */
  sentence: ({ weights, vocabulary }) => {
    const model = modelOf(weights, vocabulary);
    return (tokens) => {
      const x = embed(model, tokens);
      const heads = headsOf(model, x);
      const result = {
        heads: heads.map((head) => ({ ...head, ...unfused(head, model.d) })),
        next: nextWords(model, x, heads),
        without: nextWords(model, x, []),
      };
      return { result, transfer: [] };
    };
  },

  /** The claims of the model's own sentence. The task is its token ids. */
  probe: ({ weights, vocabulary, settings }) => {
    const model = modelOf(weights, vocabulary);
    return (tokens) => ({ result: probeClaims(model, tokens, settings), transfer: [] });
  },

  /** What held-out sentences add. The task is some of them. */
  heldOut: ({ weights, vocabulary }) => {
    const model = modelOf(weights, vocabulary);
    return (sentences) => ({ result: seenIn(model, sentences), transfer: [] });
  },
};

serve(JOBS);
