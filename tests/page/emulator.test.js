/**
 * The emulator under node, held to Python's golden vectors: bits, counts, bounds and verdicts.
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";

import { promised } from "../../workflow/page/js/device/arithmetic.js";
import { totalBytes } from "../../workflow/page/js/elements.js";
import { exp, expAll } from "../../workflow/page/js/emulator/exponential.js";
import * as formula from "../../workflow/page/js/emulator/formula.js";
import { Judge } from "../../workflow/page/js/emulator/judge.js";
import { cut, workgroup, written } from "../../workflow/page/js/emulator/execute.js";
import { Memory } from "../../workflow/page/js/emulator/memory.js";
import { normal } from "../../workflow/page/js/emulator/seeded.js";
import * as tiling from "../../workflow/page/js/emulator/tiling.js";

const golden = JSON.parse(readFileSync(process.env.GOLDEN, "utf-8"));
const SEED = 5;

const digest = ({ buffer, byteOffset, byteLength }) =>
  createHash("sha256").update(new Uint8Array(buffer, byteOffset, byteLength)).digest("hex").slice(0, 32);

/** Whole numbers as text, all the way down. */
const texts = (value) =>
  typeof value === "object"
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, texts(inner)]))
    : String(value);

function near(found, wanted, relative, absolute, what) {
  const apart = Math.abs(found - wanted);
  assert(found === wanted || apart <= relative * Math.abs(wanted) + absolute, `${what}: ${found}, not ${wanted}`);
}

/** Inputs as support/golden.py makes them. */
function inputs({ n, d, change = {}, bits }) {
  if (bits) return bits.map((words) => new Float32Array(Uint32Array.from(words).buffer));
  const [q, k, v] = [0, 1, 2].map((stream) => normal(SEED, stream, n * d));
  for (const [name, tensor] of Object.entries({ q, k, v })) {
    const times = change[name] ?? 1;
    tensor.forEach((x, i) => (tensor[i] = x * times));
  }
  for (let i = (n - 1) * d; i < n * d; i++) k[i] *= change.last_key ?? 1;
  if (change.equal_keys) k.forEach((_, i) => (k[i] = k[i % d]));
  if (change.columns) v.forEach((x, i) => (v[i] = x * 2 ** ((i % d) - 8)));
  return [q, k, v];
}

/** All workgroups of one launch, with counts and operations summed. */
function emulate({ method, n, d, causal, options = {}, ...more }) {
  const [q, k, v] = inputs({ n, d, ...more });
  const own = written(n, d);
  const sum = { elements: {}, operations: {} };
  const add = (to, from) => {
    for (const [name, value] of Object.entries(from)) {
      if (typeof value === "object") add((to[name] ??= {}), value);
      else to[name] = (to[name] ?? 0) + value;
    }
  };
  const { key_rows: keyRows, query_rows: queryRows, rescale } = options;
  for (let first = 0; first < n; first += cut(method, { d, queryRows, keyRows }).rows) {
    add(sum, workgroup(method, { q, k, v, ...own }, { n, d, causal, queryRows, keyRows, rescale }, first));
  }
  return { ...sum, output: own.o, q, k, v };
}

/** The exact answer, its bounds and the check of an output. */
function judge({ method, n, d, causal, key_rows: keyRows, promised: onDevice }, { q, k, v, output }) {
  const exact = new Float64Array(n * d);
  const bounds = new Float64Array(n * d);
  const options = { n, d, causal, keyRows, arithmetic: onDevice ? promised : undefined };
  const look = (blockExact, blockBounds, row) => {
    const size = Math.min(blockExact.length, (n - row) * d);
    exact.set(blockExact.subarray(0, size), row * d);
    bounds.set(blockBounds.subarray(0, size), row * d);
  };
  const check = new Judge(method, k, v, options).rows(q, output, 0, look);
  return { exact, bounds, check };
}

test("tile sizes are the manifest's", () => {
  const { fused, scores, mix, softmax } = golden.tiles;
  assert.deepEqual(tiling.HEAD_DIMS.map(String), Object.keys(fused));
  for (const d of tiling.HEAD_DIMS) {
    assert.equal(tiling.queryRows(d), fused[d].BR);
    assert.equal(tiling.fusedKeyRows(d), fused[d].BC);
    assert.equal(tiling.scoresKeyRows(d), scores[d].BC);
    assert.equal(tiling.mixKeyRows(d), mix[d].BC);
    assert.equal(tiling.SOFTMAX_LANES, softmax[d].LANES);
  }
});

test("the exponential has Python's bits", () => {
  const sizes = golden.exp.patterns.map(([start, stop, step]) => Math.ceil((stop - start) / step));
  const words = new Uint32Array(sizes.reduce((a, b) => a + b));
  let at = 0;
  for (const [start, stop, step] of golden.exp.patterns) {
    for (let word = start; word < stop; word += step) words[at++] = word;
  }
  const values = new Float32Array(words.buffer);
  expAll(values);
  values.forEach((x, i) => x === x || (words[i] = 0x7fc00000));
  assert.equal(digest(values), golden.exp.digest);
  assert.deepEqual([exp(0), exp(-Infinity), exp(Infinity)], [1, 0, Infinity]);
});

test("seeded inputs have Python's bits", () => {
  for (const [seed, streams] of Object.entries(golden.seeded)) {
    streams.forEach((wanted, stream) => assert.equal(digest(normal(Number(seed), stream, 2400)), wanted, seed));
  }
});

test("closed forms are Python's, exact for a trillion words", () => {
  for (const { method, n, d, causal, ...wanted } of golden.formulas) {
    const elements = formula.elements(method, BigInt(n), d, causal);
    const bytes = totalBytes(elements);
    const operations = formula.arithmetic(method, BigInt(n), d, causal);
    assert.deepEqual(texts({ elements, bytes, operations }), wanted, `${method} ${n} ${d} ${causal}`);
  }
});

test("answers have Python's bits, and counts equal the closed forms", () => {
  for (const { output, operations, ...launch } of golden.launches) {
    const found = emulate(launch);
    const { method, n, d, causal, options } = launch;
    const what = JSON.stringify(launch);
    assert.equal(digest(found.output), output, what);
    const elements = formula.elements(method, n, d, causal, undefined, options.key_rows);
    assert.deepEqual(texts(found.elements), texts(elements), what);
    const wanted = operations ?? formula.arithmetic(method, n, d, causal);
    assert.deepEqual(texts(found.operations), texts(wanted), what);
  }
});

test("query tiles of any width give the same answers, and the form's own counts", () => {
  for (const [method, n, d, causal] of [["fused", 45, 16, true], ["unfused", 45, 32, false], ["kv_outer", 45, 16, true], ["fused", 7, 64, false]]) {
    const usual = emulate({ method, n, d, causal });
    for (const queryRows of [1, 5, 40, 64]) {
      const found = emulate({ method, n, d, causal, options: { query_rows: queryRows } });
      const what = `${method} ${queryRows}`;
      assert.deepEqual(found.output, usual.output, what);
      assert.deepEqual(texts(found.elements), texts(formula.elements(method, n, d, causal, queryRows)), what);
    }
  }
});

test("the last tile in which a row's maximum rose is told", () => {
  const [n, d] = [12, 16];
  const q = new Float32Array(n * d).fill(1);
  const k = new Float32Array(n * d).fill(0);
  k.fill(2, 7 * d, 8 * d); // the largest score of every row is its eighth
  const { lastRise } = workgroup("fused", { q, k, v: k, o: new Float32Array(n * d) }, { n, d, causal: true, keyRows: 3 }, 0);
  assert.deepEqual([...lastRise], [0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2]);
});

test("exact answers, bounds and verdicts are Python's", () => {
  for (const wanted of golden.bounds) {
    // The answer is that of the default key tile; an order of other tiles has another bound.
    const launch = { ...wanted, options: {} };
    const { exact, bounds, check } = judge(wanted, emulate(launch));
    const what = `${wanted.method} ${wanted.n} ${wanted.d} ${wanted.causal} ${JSON.stringify(wanted.change)}`;
    wanted.exact.forEach((value, i) => {
      near(exact[i * wanted.stride], value, 1e-9, 1e-12 * wanted.largest_value, `exact, ${what}`);
      near(bounds[i * wanted.stride], wanted.bounds[i], 1e-9, 0, `bound, ${what}`);
    });
    assert.equal(check.certified, wanted.certified, what);
    assert.equal(check.wrongElements, wanted.check.wrongElements, what);
    assert.deepEqual(check.wrongRows, wanted.check.wrongRows, what);
    const apart = wanted.check.boundsThere.map((bound) => Math.abs(check.boundThere / bound - 1));
    assert(Math.min(...apart) <= 1e-6, `boundThere, ${what}: ${check.boundThere}`);
    for (const name of ["largestError", "largestRatio"]) {
      near(check[name], wanted.check[name], 1e-6, 1e-15 * wanted.largest_value, `${name}, ${what}`);
    }
  }
});

test("an element beyond its bound is wrong, and so is what is not finite", () => {
  const launch = { method: "fused", n: 200, d: 64, causal: false, promised: true };
  const found = emulate(launch);
  const { exact, bounds, check } = judge(launch, found);
  assert.deepEqual([check.wrongElements, check.certified], [0, true]);
  const output = found.output.slice();
  output[17 * 64 + 5] = exact[17 * 64 + 5] + 1.01 * bounds[17 * 64 + 5];
  output[150 * 64 + 60] = NaN;
  output[151 * 64] = Infinity;
  const wrong = judge(launch, { ...found, output }).check;
  assert.deepEqual([wrong.wrongElements, wrong.wrongRows], [3, [17, 150, 151]]);
  assert.equal(wrong.largestError, Infinity);
});

test("an exact answer that is not finite passes nothing", () => {
  for (const value of [Infinity, NaN]) {
    const launch = { method: "fused", n: 20, d: 16, causal: false };
    const found = emulate(launch);
    found.v[3 * 16 + 2] = value;
    const { check } = judge(launch, found);
    assert.deepEqual([check.wrongElements, check.wrongRows.length], [20, 20]);
    assert(Number.isNaN(check.largestRatio)); // no later number hides it
  }
});

test("an access beyond a buffer's end is not counted", () => {
  const memory = new Memory({ q: new Float32Array(10) });
  memory.load("q", 4, 20);
  memory.store("q", 8, new Float32Array(2));
  assert.deepEqual(memory.counts, { q: { loads: 6, stores: 2 } });
});
