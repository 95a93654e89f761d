/**
 * The emulator as the page uses it: everything runs in workers, and can be watched and cancelled.
 */

import { asNumbers, bytesOf, sameElements } from "../elements.js";
import { together } from "./check.js";
import { cut } from "./execute.js";
import { elements as formula } from "./formula.js";
import { run } from "./pool.js";
import { tileRows } from "./tiling.js";

/**
 * @typedef {import("./pool.js").Watch} Watch
 * @typedef {import("./execute.js").Options} Options
 * @typedef {import("./check.js").Check & {certified: boolean, passed: boolean}} Verdict
 *   `certified` is false where scores are so large that the bound says little; `passed`, whether
 *   no element is wrong
 */

/**
 * Seeded inputs, those of the published sweep for its seed.
 *
 * @param {{n: number, d: number, seed: number}} size
 * @param {Watch} [watch]
 * @returns {Promise<{q: Float32Array, k: Float32Array, v: Float32Array}>}
 */
export async function inputs({ n, d, seed }, watch) {
  const tasks = [0, 1, 2].map((stream) => ({ work: 1, make: () => ({ task: stream }) }));
  const [q, k, v] = await run({ kind: "inputs", n, d, seed }, tasks, watch);
  return { q, k, v };
}

/**
 * Execute one method of computing attention: count every access, check every answer.
 *
 * @param {Options & {seed: number, tensors?: Float32Array[]}} options `tensors` are Q, K and V
 *   in place of seeded ones
 * @param {Watch} [watch]
 */
export async function count(options, watch) {
  const { way, n, d, causal, seed, rescale, queryRows, keyRows, tensors } = options;
  const job = { kind: "count", way, n, d, causal, seed, rescale, queryRows, keyRows, tensors };
  const tasks = tiles(options, cut(way, options).rows, (first) => ({ task: first }));
  const { inTurn } = cut(way, options);
  const parts = await run(job, tasks, inTurn ? half(watch, 0) : watch, undefined, inTurn ? 1 : undefined);

  const output = inTurn ? parts[parts.length - 1].output : new Float32Array(n * d);
  if (!inTurn) for (const part of parts) output.set(part.output, part.first * d);
  /** @type {import("../elements.js").Elements} */
  const elements = summed(parts.map((part) => part.elements));
  const formulaElements = asNumbers(formula(way, n, d, causal, queryRows, keyRows));
  return {
    ...{ way, n, d, causal, seed, elements, formulaElements, output },
    bytes: bytesOf(elements),
    formulaAgrees: sameElements(elements, formulaElements),
    operations: summed(parts.map((part) => part.operations)),
    check: inTurn ? await judgeSeeded({ ...options, output }, half(watch, 1)) : verdict(parts.map((part) => part.check)),
    lastRise: inTurn ? [] : parts.flatMap((part) => [...part.lastRise]),
  };
}

/** One half of what is watched, the first or the second. @param {Watch | undefined} watch @param {0 | 1} which @returns {Watch} */
const half = (watch, which) => ({ ...watch, progress: (fraction) => watch?.progress?.((which + fraction) / 2) });

/** @param {Parameters<typeof count>[0] & {output: Float32Array}} options @param {Watch} watch */
async function judgeSeeded(options, { signal, progress }) {
  const { n, d, seed, tensors } = options;
  const [q, k, v] = tensors ?? Object.values(await inputs({ n, d, seed }, { signal }));
  return judge({ ...options, q, k, v }, { signal, progress });
}

/**
 * The same check of an output that somebody else computed.
 *
 * @param {Options & {q: Float32Array, k: Float32Array, v: Float32Array, output: Float32Array,
 *   arithmetic?: Partial<import("./order.js").Arithmetic>}} options whose order of arithmetic the
 *   output was made in; what is left out of `arithmetic` is IEEE float32's
 * @param {Watch} [watch]
 * @returns {Promise<Verdict>}
 */
export async function judge(options, watch) {
  const { way, n, d, causal, q, k, v, output, keyRows, arithmetic } = options;
  const job = { kind: "judge", way, n, d, causal, k, v, keyRows, arithmetic };
  const tasks = tiles(options, tileRows(options), (first, last) => {
    const [from, to] = [first * d, last * d];
    const task = { first, q: q.slice(from, to), output: output.slice(from, to) };
    return { task, transfer: [task.q.buffer, task.output.buffer] };
  });
  return verdict(await run(job, tasks, watch));
}

/**
 * One task for each tile of so many rows, its work the pairs that it looks at, or as many.
 *
 * @param {Omit<Options, "way">} options
 * @param {number} rows
 * @param {(first: number, last: number) => import("./pool.js").Made} make
 */
function tiles({ n, causal }, rows, make) {
  return Array.from({ length: Math.ceil(n / rows) }, (_, tile) => {
    const first = tile * rows;
    const last = Math.min(first + rows, n);
    return { work: (last - first) * (causal ? last : n), make: () => make(first, last) };
  });
}

/** @param {(import("./check.js").Check & {certified: boolean})[]} parts @returns {Verdict} */
function verdict(parts) {
  const all = together(parts);
  const certified = parts.every((part) => part.certified);
  return { ...all, certified, passed: all.wrongElements === 0 };
}

/** Records of numbers added up, field by field. @param {any[]} parts @returns {any} */
function summed(parts) {
  if (typeof parts[0] === "number") return parts.reduce((a, b) => a + b);
  const names = Object.keys(parts[0]);
  return Object.fromEntries(names.map((name) => [name, summed(parts.map((part) => part[name]))]));
}
