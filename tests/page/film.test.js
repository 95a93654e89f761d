/**
 * The parts of the film that need no page: its clock, its motion, guesses as people type them.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { createClock } from "../../workflow/page/js/film/clock.js";
import { contexts } from "../../workflow/page/js/film/context.js";
import { ramp } from "../../workflow/page/js/film/motion.js";
import { read } from "../../workflow/page/js/film/asked.js";
import { online, shares } from "../../workflow/page/js/film/online.js";
import { drawings } from "../../workflow/page/js/film/scenes/index.js";

/** A clock whose frames come when the test says so, so many milliseconds after the last. */
function clockwork({ limit = Infinity, still = false } = {}) {
  let now = 0;
  let next = null;
  performance.now = () => now;
  globalThis.requestAnimationFrame = (run) => ((next = run), 1);
  globalThis.cancelAnimationFrame = () => (next = null);
  let halted = false;
  const clock = createClock({
    tick: () => {},
    arrive: () => (clock.halt(), (halted = true)),
    next: () => Infinity,
    still: () => still,
  });
  clock.limit = limit;
  return {
    clock,
    halted: () => halted,
    asks: () => next !== null,
    frame(passed) {
      now += passed;
      const run = next;
      next = null;
      run(now);
    },
  };
}

test("the clock goes at the speed that was chosen, between three quarters and double", () => {
  for (const [speed, gone] of [[0.75, 75], [1, 100], [2, 200], [9, 200], [0, 75]]) {
    const { clock, frame } = clockwork();
    clock.speed = speed;
    clock.start();
    for (let i = 0; i < 10; i++) frame(10);
    assert.equal(clock.time, gone);
  }
});

test("after a stall it goes on from where it was, and halts at its limit", () => {
  const { clock, frame, halted, asks } = clockwork({ limit: 1000 });
  clock.start();
  frame(60_000);
  assert.equal(clock.time, 400);
  frame(400);
  frame(400);
  assert.deepEqual([clock.time, halted(), asks()], [1000, true, false]);
});

test("no frame is asked for while it stands", () => {
  const { clock, asks } = clockwork();
  clock.start();
  assert(asks());
  clock.halt();
  assert(!asks());
  clock.set(500);
  assert.deepEqual([clock.time, asks()], [500, false]);
});

test("guesses are read as people type them", () => {
  const typed = { 16: 16, 16.5: 16.5, "16,5": 16.5, "1,000": 1000, "~ 4x": 4, ".5": 0.5, "about 8 times": 8 };
  for (const [text, guess] of Object.entries(typed)) assert.deepEqual(read(text, 4096), { guess });
  for (const text of ["", "  ", "many", "-3", "0", "1e99", "99999999999999999999", "NaN"]) {
    assert("trouble" in read(text, 4096), text);
  }
});

test("a row taken tile by tile ends where two passes do, whatever the tile", () => {
  const scores = [0.2, -1, 3.5, 3.4, 5, -2, 1];
  const values = scores.map((x, i) => [x - i, 1, i]);
  const parts = shares(scores);
  assert(Math.abs(parts.reduce((sum, x) => sum + x, 0) - 1) < 1e-12);
  const wanted = [0, 1, 2].map((d) => parts.reduce((sum, x, i) => sum + x * values[i][d], 0));
  for (const tile of [1, 2, 3, 7, 9]) {
    const { total, answer } = online(scores, values, tile).at(-1);
    wanted.forEach((x, d) => assert(Math.abs(answer[d] / total - x) < 1e-12, `tile ${tile}`));
  }
});

test("a forgotten shrinking makes a row wrong where a larger score comes later, and only there", () => {
  const values = [[1], [2], [3], [4]];
  for (const [scores, wrong] of [[[1, 2, 9, 3], true], [[1, 9, 2, 3], false]]) {
    const [right, forgot] = [false, true].map((forget) => online(scores, values, 2, forget).at(-1));
    assert.deepEqual(forgot.answer, right.answer);
    assert.equal(forgot.total > right.total, wrong);
  }
});

test("motion goes evenly, and is a step where two cues fall together", () => {
  const cases = [[5, 0, 10], [1, 2, 2], [2, 2, 2], [-1, 0, 1], [9, 0, 1]];
  assert.deepEqual(cases.map((at) => ramp(...at)), [0.5, 0, 1, 0, 1]);
});

test("a claim that is missing is named", () => {
  const film = { scenes: [{ start_ms: 0, cues: [] }], duration_ms: 1 };
  const room = { width: 1600, height: 900, portrait: false };
  const { claim } = contexts({ film, facts: { claims: [] } }, room, { guess: null })(0);
  const message = "drawn.json: found no claim model.heads, which the film draws";
  assert.throws(() => claim("model.heads"), { message });
});

test("a film of another number of scenes than there are drawings is refused, and none drawn twice", async () => {
  const film = { scenes: Array.from({ length: 11 }, () => ({})) };
  await assert.rejects(drawings(film).all, /found 11 scenes, expected 10/);
});
