/**
 * The emulator as the page uses it: everything runs in workers, and can be watched and cancelled.
 */

import { together } from "./check.js";
import { elements as formula, totalBytes } from "./formula.js";
import { run } from "./pool.js";
import { checkSize, queryRows } from "./tiling.js";

/** @typedef {import("./pool.js").Watch} Watch */
/** @typedef {Record<string, Record<string, {loads: number, stores: number}>>} Elements */

/**
 * The checker's verdict.
 *
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
  checkSize(n, d);
  const tasks = [0, 1, 2].map((stream) => ({ work: 1, make: () => ({ task: stream }) }));
  const [q, k, v] = await run({ kind: "inputs", n, d, seed }, tasks, watch);
  return { q, k, v };
}

/**
 * Execute one way of computing attention on seeded inputs: count every access, check every answer.
 *
 * @param {object} options
 * @param {"fused" | "unfused"} options.way
 * @param {number} options.n
 * @param {number} options.d
 * @param {boolean} [options.causal]
 * @param {number} options.seed
 * @param {boolean} [options.rescale] false is the broken control; unfused has nothing to rescale
 * @param {number} [options.keyRows] rows of the fused kernel's key tile, 1024 / d by default
 * @param {Watch} [watch]
 * @returns {Promise<{way: string, n: number, d: number, causal: boolean, seed: number,
 *   elements: Elements, bytes: number, formulaElements: Elements, formulaAgrees: boolean,
 *   operations: Record<string, number>, output: Float32Array, check: Verdict}>}
 */
export async function count(options, watch) {
  const { way, n, d, causal = false, seed, rescale = true, keyRows } = options;
  checkOptions(options);
  const job = { kind: "count", way, n, d, causal, seed, rescale, keyRows };
  const tasks = tiles(n, d, causal, (first) => ({ task: first }));
  const parts = await run(job, tasks, watch);

  const output = new Float32Array(n * d);
  for (const part of parts) output.set(part.output, part.first * d);
  const elements = summed(parts.map((part) => part.elements));
  const formulaElements = numbers(formula(way, n, d, causal));
  return {
    ...{ way, n, d, causal, seed, elements, formulaElements, output },
    bytes: Number(totalBytes(elements)),
    formulaAgrees: sameElements(elements, formulaElements),
    operations: summed(parts.map((part) => part.operations)),
    check: verdict(parts.map((part) => part.check)),
  };
}

/**
 * The same check of an output that somebody else computed.
 *
 * @param {object} options
 * @param {"fused" | "unfused"} options.way whose order of arithmetic the output was made in
 * @param {number} options.n
 * @param {number} options.d
 * @param {boolean} [options.causal]
 * @param {Float32Array} options.q
 * @param {Float32Array} options.k
 * @param {Float32Array} options.v
 * @param {Float32Array} options.output
 * @param {number} [options.keyRows]
 * @param {Partial<import("./order.js").Arithmetic>} [options.arithmetic] the device's own; what is
 *   left out is IEEE float32's
 * @param {Watch} [watch]
 * @returns {Promise<Verdict>}
 */
export async function judge(options, watch) {
  const { way, n, d, causal = false, q, k, v, output, keyRows, arithmetic } = options;
  checkOptions(options);
  for (const [name, { length }] of Object.entries({ q, k, v, output })) {
    if (length !== n * d) throw new RangeError(`${name}: found ${length} numbers, expected n d`);
  }
  const job = { kind: "judge", way, n, d, causal, k, v, keyRows, arithmetic };
  const tasks = tiles(n, d, causal, (first, last) => {
    const task = {
      first,
      q: q.slice(first * d, last * d),
      output: output.slice(first * d, last * d),
    };
    return { task, transfer: [task.q.buffer, task.output.buffer] };
  });
  return verdict(await run(job, tasks, watch));
}

/** @param {{way: string, n: number, d: number, keyRows?: number}} options */
function checkOptions({ way, n, d, keyRows = 1 }) {
  if (way !== "fused" && way !== "unfused") {
    throw new RangeError(`way: found ${way}, expected fused or unfused`);
  }
  checkSize(n, d);
  if (!Number.isSafeInteger(keyRows) || keyRows < 1) {
    throw new RangeError(`keyRows: found ${keyRows}, expected a whole number of at least 1`);
  }
}

/**
 * One task for each query tile, its work the pairs that it looks at.
 *
 * @param {number} n
 * @param {number} d
 * @param {boolean} causal
 * @param {(first: number, last: number) => {task: any, transfer?: Transferable[]}} make
 */
function tiles(n, d, causal, make) {
  const rows = queryRows(d);
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

/**
 * Records of numbers added up, field by field.
 *
 * @param {any[]} parts
 * @returns {any}
 */
function summed(parts) {
  if (typeof parts[0] === "number") return parts.reduce((a, b) => a + b);
  const names = Object.keys(parts[0]);
  return Object.fromEntries(names.map((name) => [name, summed(parts.map((part) => part[name]))]));
}

/** @param {import("./formula.js").Elements} moved @returns {Elements} */
function numbers(moved) {
  return JSON.parse(JSON.stringify(moved, (_, x) => (typeof x === "bigint" ? Number(x) : x)));
}

/** @param {Elements} a @param {Elements} b */
function sameElements(a, b) {
  const flat = (/** @type {Elements} */ moved) =>
    Object.entries(moved)
      .flatMap(([kernel, buffers]) =>
        Object.entries(buffers).map(([name, x]) => `${kernel} ${name} ${x.loads} ${x.stores}`),
      )
      .sort()
      .join();
  return flat(a) === flat(b);
}
