/**
 * The model in the page and a row walked tile by tile, under node, held to Python's golden vectors.
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";

import { workgroup } from "../../workflow/page/js/emulator/execute.js";
import { unfused } from "../../workflow/page/js/model/attention.js";
import { halfExp, LARGEST, SCORE_INFINITE, TO_INFINITY } from "../../workflow/page/js/model/halves.js";
import { heldOutClaims, seenIn } from "../../workflow/page/js/model/held-out.js";
import { embed, headsOf, modelOf } from "../../workflow/page/js/model/network.js";
import { likeliest, nextWords } from "../../workflow/page/js/model/next.js";
import { probeClaims } from "../../workflow/page/js/model/probe.js";
import { isOfTheModel, shown } from "../../workflow/page/js/model/recompute.js";
import { decimals, nearest, up } from "../../workflow/page/js/model/rounding.js";
import { walk } from "../../workflow/page/js/step/walk.js";

const golden = JSON.parse(readFileSync(process.env.GOLDEN, "utf-8"));
const facts = JSON.parse(readFileSync("media/school/fused/facts.json", "utf-8"));
const vocabulary = JSON.parse(readFileSync("model/vocabulary.json", "utf-8"));
const file = readFileSync("model/weights.safetensors");
const weights = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
const model = modelOf(weights, vocabulary);

const digest = ({ buffer, byteOffset, byteLength }) =>
  createHash("sha256").update(new Uint8Array(buffer, byteOffset, byteLength)).digest("hex").slice(0, 32);

function near(found, wanted, what) {
  assert.equal(found.length, wanted.length, what);
  found.forEach((x, i) => assert(Math.abs(x - wanted[i]) <= 1e-12, `${what} ${i}: ${x}, not ${wanted[i]}`));
}

/** Q, K and V of a sentence's heads. */
function read(words) {
  const x = embed(model, words.map((word) => vocabulary.indexOf(word)));
  return { x, heads: headsOf(model, x) };
}
const [probe] = golden.model.sentences;

test("Q, K, V, scores, shares and answers have Python's bits, on every head of each sentence", () => {
  for (const { words, heads } of golden.model.sentences) {
    read(words).heads.forEach((head, h) => {
      const { elements: _, ...tables } = unfused(head, model.d);
      for (const [name, values] of Object.entries({ ...head, ...tables })) {
        assert.equal(digest(values), heads[h][name], `${name} of head ${h}: ${words}`);
      }
    });
  }
});

test("what comes next is Python's, with attention and without", () => {
  for (const { words, ...wanted } of golden.model.sentences) {
    const { x, heads } = read(words);
    near(nextWords(model, x, heads), wanted.with, `with: ${words}`);
    near(nextWords(model, x, []), wanted.without, `without: ${words}`);
  }
});

test("a sentence that ends early has the rows of the whole one, since words look backwards alone", () => {
  const [whole, short] = [read(probe.words), read(probe.words.slice(0, 7))];
  short.heads.forEach((head, h) => {
    for (const [name, values] of Object.entries(head)) {
      assert.deepEqual(values, whole.heads[h][name].slice(0, values.length), name);
    }
    const { output } = unfused(head, model.d);
    assert.deepEqual(output, unfused(whole.heads[h], model.d).output.slice(0, output.length));
  });
});

test("the likeliest words come first, and of equal ones the one that stands first", () => {
  const found = likeliest(Float64Array.of(0.1, 0.4, 0.1, 0.4), 3);
  assert.deepEqual(found.map(({ token }) => token), [1, 3, 0]);
});

test("exponentials in fp16 are Python's, which come of decimals", () => {
  const { scores, exps } = golden.model.halves;
  scores.forEach((score, i) => {
    assert.equal(halfExp(score), exps[i] === "inf" ? Infinity : Number(exps[i]), `e^${score}`);
  });
  const { largest, rounds_to_infinity_from: toInfinity, ...limits } = facts.overflow.fp16;
  assert.deepEqual([LARGEST, TO_INFINITY], [largest, toInfinity]);
  assert.equal(decimals(SCORE_INFINITE), limits.ln_rounds_to_infinity_from);
});

test("figures are rounded as those that are published", () => {
  const { values, ...wanted } = golden.model.rounded;
  assert.deepEqual({ up: values.map(up), nearest: values.map(nearest), decimals: values.map(decimals) }, wanted);
});

/** Files that are none of the model, and what is said of them. */
const DAMAGED = [
  [new ArrayBuffer(3), /too short/],
  [weights.slice(0, 100), /header does not fit/],
  [weights.slice(0, weights.byteLength - 4), /is not float32 of its own length/],
  [Uint8Array.from([2, 0, 0, 0, 0, 0, 0, 0, 91, 91]).buffer, /header is no JSON/],
  [Uint8Array.from([2, 0, 0, 0, 0, 0, 0, 0, 123, 125]).buffer, /the tensor embedding has shape/],
];

test("a file that is damaged, or not of this model, is refused in a sentence", () => {
  for (const [content, said] of DAMAGED) {
    assert.throws(() => modelOf(content, vocabulary), (error) => error.plain && said.test(error.message));
  }
  assert.throws(() => modelOf(weights, vocabulary.slice(1)), /both files must come from the same run/);
});

const FORGOTTEN = {
  "": { total: false, answer: false },
  total: { total: true, answer: false },
  answer: { total: false, answer: true },
  "total answer": { total: true, answer: true },
};

test("each row, walked at each tile width and with each step forgotten, ends at Python's bits", () => {
  const { heads } = read(probe.words);
  for (const { head, forget, tile, output } of golden.model.walks) {
    const found = heads[head].q.map(() => NaN);
    probe.words.forEach((_, row) => {
      const { moves } = walk(heads[head], model.d, { row, tile, forget: FORGOTTEN[forget] });
      found.set(moves.at(-1).answer, row * model.d);
    });
    assert.equal(digest(found), output, `${forget} at ${tile}, head ${head}`);
  }
});

test("a forgotten step spoils the row at the first tile where a larger score comes, or changes no bit", () => {
  const { heads } = read(probe.words);
  let spoiled = 0;
  for (const forget of [FORGOTTEN.total, FORGOTTEN.answer]) {
    heads.forEach((head) => {
      probe.words.forEach((_, row) => {
        const { moves, passed } = walk(head, model.d, { row, tile: 8, forget });
        const rise = moves.findIndex(({ rises, kind }) => rises && kind === "shrink");
        assert.deepEqual(
          moves.map(({ right }) => right),
          moves.map((_, i) => rise === -1 || i < rise),
        );
        if (rise === -1) assert(passed);
        spoiled += Number(!passed && forget.total);
      });
    });
  }
  assert.equal(spoiled, facts.control.heads.reduce((sum, head) => sum + head.rows_wrong, 0));
});

test("the case worked by hand comes out", () => {
  const { worked } = facts;
  const [n, d] = [worked.n, worked.d];
  const tensor = (values) => Float32Array.from({ length: n * d }, (_, i) => (i % d ? 0 : values[i / d]));
  const head = {
    q: tensor(Array(n).fill(worked.query)),
    k: tensor([0, Math.log(2), 0]),
    v: tensor(worked.values),
  };
  const found = walk(head, d, { row: n - 1, tile: worked.key_rows });
  const added = found.moves.filter(({ kind }) => kind === "add");
  assert.deepEqual(added.map(({ tile }) => tile), worked.steps.map((_, i) => i));
  worked.steps.forEach(({ scores, maximum, factor, total, output }, i) => {
    const { keys, largest, ...move } = added[i];
    assert.deepEqual(Array.from(found.scores.slice(...keys), decimals), scores);
    assert.deepEqual([largest, move.factor, move.total, move.answer[0]].map(decimals), [maximum, factor, total, output]);
  });
  const last = found.moves.at(-1);
  assert.equal(last.answer[0], worked.answer);
  assert.equal(last.bytes, worked.fused_bytes);
  assert(found.passed);
});

test("bytes are those that the kernels ask for, and the plain way's table is the part that fusing saves", () => {
  const [head] = read(probe.words).heads;
  const n = probe.words.length;
  const { moves, plainBytes, tableBytes } = walk(head, model.d, { row: n - 1, tile: 5 });
  const tensors = { ...head, o: new Float32Array(n * model.d) };
  const whole = workgroup("fused", tensors, { n, d: model.d, causal: true }, 0).elements.fused;
  const sum = Object.values(whole).reduce((all, { loads, stores }) => all + loads + stores, 0);
  assert.equal(moves.at(-1).bytes, 4 * sum);
  assert.equal(plainBytes - tableBytes, 4 * sum);
  assert.equal(tableBytes, 4 * 4 * ((n * (n + 1)) / 2));
  assert.deepEqual(moves.map(({ bytes }) => bytes), moves.map(({ bytes }) => bytes).toSorted((a, b) => a - b));
});

test("every number of the model is recomputed in the page, to the last digit", () => {
  const ids = (text) => text.trim().split("\n").map((line) => line.split(" ").map((word) => vocabulary.indexOf(word)));
  const { control_key_rows: controlKeyRows, model_key_rows: modelKeyRows } = facts.settings;
  const heldOut = ids(readFileSync("model/held_out.txt", "utf-8"));
  const parts = [seenIn(model, heldOut.slice(0, 100)), seenIn(model, heldOut.slice(100))];
  const found = {
    ...probeClaims(model, ids(readFileSync("model/probe.txt", "utf-8"))[0], { controlKeyRows, modelKeyRows }),
    ...heldOutClaims(parts),
  };
  const wanted = facts.claims.filter(({ id }) => isOfTheModel(id));
  assert.deepEqual(found, Object.fromEntries(wanted.map(({ id, value }) => [id, value])));
  for (const { id, display } of wanted) assert.equal(shown(found[id]), display, id);
});
