/**
 * What the page's device code computes without a device: digits, quartiles, pace, sentences.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";

import { promised } from "../../workflow/page/js/device/arithmetic.js";
import { DISPATCH_SECONDS, GROUPS_MOST, Pace } from "../../workflow/page/js/device/pace.js";
import { doesNotProve } from "../../workflow/page/js/device/report.js";
import { about, spread, upwards } from "../../workflow/page/js/device/statistics.js";

const golden = JSON.parse(readFileSync(process.env.GOLDEN, "utf-8"));

const near = (found, wanted) => assert(Math.abs(found - wanted) <= 1e-12 * wanted, `${found}, not ${wanted}`);

test("digits and quartiles are Python's", () => {
  const { values, about: nearest, upwards: above, quartiles } = golden.digits;
  assert.deepEqual(values.map(about), nearest);
  values.forEach((value, i) => {
    // A double that is the nearest to four digits stays as it is here; Python may go one up.
    assert(value <= upwards(value) && upwards(value) <= above[i], String(value));
  });
  for (const [count, [low, middle, high]] of Object.entries(quartiles)) {
    const found = spread(values.slice(0, Number(count)));
    near(found.median, middle);
    near(found.quartiles[0], low);
    near(found.quartiles[1], high);
  }
});

test("the promised arithmetic is WGSL's", () => {
  assert.deepEqual({ ...promised }, golden.promised);
});

test("what times do not prove is said as Python says it", () => {
  for (const [kind, sentence] of Object.entries(golden.does_not_prove)) {
    assert.equal(doesNotProve(kind), sentence);
  }
});

test("the pace keeps dispatches short and grows by small steps", () => {
  const widths = (secondsEach) => {
    const pace = new Pace();
    return Array.from({ length: 12 }, () => {
      const width = pace.width("k", 2 ** 16);
      pace.learn("k", width * 2 ** 16, width * secondsEach);
      return width;
    });
  };
  const quick = widths(1e-9);
  assert.equal(quick.at(-1), GROUPS_MOST);
  assert.equal(GROUPS_MOST, 65_535);
  assert(quick.every((width, i) => i === 0 || width <= 4 * quick[i - 1]));
  assert(Math.abs(widths(1e-4).at(-1) - DISPATCH_SECONDS / 1e-4) <= 1);
  assert.deepEqual(widths(1).slice(1), new Array(11).fill(1));
});
