/**
 * One row of a head walked tile by tile: what the fused kernel holds after each move.
 *
 * The numbers are the emulator's: its kernel shows the row after each key tile.
 */

import { bytesOf } from "../elements.js";
import { unwritten } from "../emulator/execute.js";
import { fused } from "../emulator/fused.js";
import { Judge } from "../emulator/judge.js";
import { Memory, Operations } from "../emulator/memory.js";
import { queryRows } from "../emulator/tiling.js";
import { unfused } from "../model/attention.js";

/** @typedef {import("../model/network.js").Head} Head */
/** @typedef {{total: boolean, answer: boolean}} Forget which running number is left unshrunk */

/**
 * What lies on the bench after a move.
 *
 * @typedef {object} Move
 * @property {"look" | "shrink" | "add" | "divide"} kind
 * @property {number} tile from 0
 * @property {[first: number, last: number]} keys of the tile that the row sees
 * @property {number} old the largest score before the tile
 * @property {number} largest
 * @property {number} factor e^(old - largest), 1 where no larger score came
 * @property {boolean} rises whether a larger score came
 * @property {number} total
 * @property {Float64Array} answer so far; what is mixed, not yet divided
 * @property {number} bytes through the door so far, for all rows of the trip
 * @property {boolean} right whether total and answer so far have the bits of a walk that forgets nothing
 */

/**
 * @typedef {object} Walk
 * @property {Move[]} moves
 * @property {Float32Array} scores of the row, as far as it looks
 * @property {Float64Array} exact the plain answer
 * @property {number} error the largest difference of an answer's number from it
 * @property {number} bound what rounding allows that number
 * @property {boolean} passed whether every number lies within its own bound
 * @property {number} plainBytes that the unfused kernels move for the same rows
 * @property {number} tableBytes those of them that are score and share table
 */

export const NOTHING = { total: false, answer: false };

/**
 * Walk a row, which looks backwards.
 *
 * @param {Head} head
 * @param {number} d
 * @param {{row: number, tile: number, forget?: Forget}} options rows of a key tile among them
 * @returns {Walk}
 */
export function walk(head, d, { row, tile, forget = NOTHING }) {
  const { steps, output, bytes } = executed(head, d, row, tile, forget);
  const right = executed(head, d, row, tile, NOTHING);
  const moves = steps.flatMap((step, i) => movesOf(step, i, steps[i - 1], right.steps, forget));
  const answer = Float64Array.from(rowOf(output, row, d));
  const unspoiled = same(answer, rowOf(right.output, row, d));
  moves.push({ ...moves[moves.length - 1], kind: "divide", answer, bytes, right: unspoiled });

  const plain = unfused(head, d);
  const { scores: table, softmax, mix } = plain.elements;
  const n = head.q.length / d;
  return {
    ...{ moves, scores: plain.scores.slice(row * n, row * n + row + 1) },
    ...judged(head, d, row, tile, output),
    plainBytes: bytesOf(plain.elements),
    tableBytes: bytesOf({ scores: { s: table.s }, softmax, mix: { p: mix.p } }),
  };
}

/** @typedef {Parameters<import("../emulator/fused.js").Look>[1] & {bytes: number}} Step */

/**
 * Execute the fused kernel on all rows and look at one.
 *
 * @param {Head} head
 * @param {number} d
 * @param {number} row
 * @param {number} keyRows
 * @param {Forget} forget
 */
function executed({ q, k, v }, d, row, keyRows, forget) {
  const n = q.length / d;
  const o = unwritten(n * d);
  const memory = new Memory({ q, k, v, o });
  const moved = () => bytesOf({ fused: memory.counts });
  /** @type {Step[]} */
  const steps = [];
  const options = {
    ...{ n, d, causal: true, keyRows, rescale: !forget.total, rescaleOutput: !forget.answer },
    look: (/** @type {number} */ r, /** @type {any} */ after) => {
      if (r === row) steps.push({ ...after, bytes: moved() });
    },
  };
  for (let first = 0; first < n; first += queryRows(d)) {
    fused(memory, new Operations(), options, first);
  }
  return { steps, output: o, bytes: moved() };
}

/**
 * The moves of a tile: its scores are looked at, what lies on the bench shrinks, the tile is added.
 *
 * @param {Step} step
 * @param {number} tile
 * @param {Step | undefined} last the tile before, if there is one
 * @param {Step[]} right steps of a walk that forgets nothing
 * @param {Forget} forget
 * @returns {Move[]}
 */
function movesOf(step, tile, last, right, forget) {
  const { firstKey, old, largest, factor, weights, bytes } = step;
  const rises = last !== undefined && largest > old;
  const keys = /** @type {[number, number]} */ ([firstKey, firstKey + weights.length]);
  const common = { tile, keys, old, largest, factor, rises, bytes };
  const added = { total: step.total, answer: step.output, right: equal(step, right[tile]) };
  if (!last) {
    const empty = { total: 0, answer: new Float64Array(step.output.length), right: true };
    return [{ ...common, kind: "look", ...empty }, { ...common, kind: "add", ...added }];
  }
  const before = { total: last.total, answer: last.output, right: equal(last, right[tile - 1]) };
  const shrunk = {
    total: Math.fround(last.total * (forget.total ? 1 : factor)),
    answer: last.output.map((x) => Math.fround(x * (forget.answer ? 1 : factor))),
    right: before.right && !(rises && (forget.total || forget.answer)),
  };
  return [
    { ...common, kind: "look", ...before },
    { ...common, kind: "shrink", ...shrunk },
    { ...common, kind: "add", ...added },
  ];
}

/**
 * An answer held to the exact one.
 *
 * @param {Head} head
 * @param {number} d
 * @param {number} row
 * @param {number} keyRows
 * @param {Float32Array} output
 */
function judged({ q, k, v }, d, row, keyRows, output) {
  const judge = new Judge("fused", k, v, { n: q.length / d, d, causal: true, keyRows });
  let exact = new Float64Array(d);
  const seen = judge.rows(rowOf(q, row, d), rowOf(output, row, d), row, (found) => {
    exact = found.slice(0, d);
  });
  const { largestError: error, boundThere: bound, wrongElements } = seen;
  return { exact, error, bound, passed: wrongElements === 0 };
}

/** @param {Float32Array} values @param {number} row @param {number} d */
const rowOf = (values, row, d) => values.subarray(row * d, (row + 1) * d);

/** Whether numbers are the same. @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
const same = (a, b) => Array.from(a).every((x, i) => Object.is(x, b[i]));

/** @param {Step} a @param {Step} b */
const equal = (a, b) => a.total === b.total && same(a.output, b.output);
