/**
 * The bench by the warehouse door, as both ways of turning the loops use it: tiles that are carried
 * in and out, what is kept of a row, and a counter of the bytes that have gone through the door.
 */

import { ease, mix, unit } from "./motion.js";
import { follows, online } from "./online.js";
import { add, box, group, line, move, say, show } from "./svg.js";
import { glass, largestOf, numbers } from "./vessels.js";

const BYTES = 4; // of a float32
/** Tiles into which the sentence's questions are cut where they go past: so many can be followed. */
const PARTIES = 3;

/**
 * A tray with a few rows on it.
 *
 * @param {Element} parent
 * @param {number} width
 * @param {number} height
 * @param {number} rows
 * @param {string} kind
 */
function tray(parent, width, height, rows, kind) {
  const node = group(parent);
  box(node, 0, 0, width, height, "tray", 12);
  for (let k = 0; k < rows; k += 1) {
    box(node, 12, 12 + (k * (height - 20)) / rows, width - 24, (height - 20) / rows - 8, kind, 4);
  }
  return node;
}

/** A whole number of bytes that follows from the tiles, marked as one. @param {number} value */
const counted = (value) => ({ text: Math.round(value).toLocaleString("en-US"), why: "model" });

/**
 * What is kept of the sentence's last row, with its own numbers.
 *
 * @param {Element} parent
 * @param {import("./online.js").Step[]} steps
 * @param {boolean} portrait
 */
function kept(parent, steps, portrait) {
  const node = group(parent);
  move(node, portrait ? 60 : 90, portrait ? 130 : 150);
  line(node, 0, 0, ["largest"], 36, "soft");
  const largest = line(node, 0, 74, [""], 64, "lamp serif");
  line(node, 190, 0, ["total"], 36, "soft");
  const water = glass(node, { x: 190, y: 20, w: 110, h: 130 },
    1.2 * Math.max(...steps.map(({ total }) => total)));
  const at = portrait ? [370, 0] : [0, 210];
  line(node, at[0], at[1], ["answer so far"], 36, "fused");
  const count = steps[0].answer.length;
  const frame = { x: at[0], y: at[1] + 20, w: portrait ? 410 : 330, h: 130 };
  const bars = numbers(node, frame, count, 1.05 * largestOf(steps.map(({ answer }) => answer)));
  return {
    node,
    draw(/** @type {number} */ seen) {
      const done = Math.min(steps.length, Math.floor(seen));
      const part = ease(seen - done, 0.3, 0.8);
      const [from, to] = [steps[done - 1], steps[done] ?? steps[steps.length - 1]];
      say(largest, seen > 0.05 ? [follows((part > 0.2 || !from ? to : from).largest)] : ["–"]);
      water.level(mix(from?.total ?? 0, to.total, part));
      bars.draw(to.answer.map((x, i) => mix(from?.answer[i] ?? 0, x, part)));
    },
  };
}

/**
 * @param {Element} layer
 * @param {import("./context.js").Context} context
 */
export function crew(layer, { portrait, facts }) {
  const node = group(layer);
  const { last_row: row, key_rows: tile } = facts.sentence;
  const steps = online(row.scores, row.values, tile);
  const [words, numbersEach] = [row.scores.length, row.values[0].length];
  const bytes = (/** @type {number} */ rows, each = numbersEach) => BYTES * rows * each;
  const bench = portrait ? { x: 210, y: 700, w: 400 } : { x: 600, y: 500, w: 420 };
  const door = portrait ? 830 : 1400;
  const top = portrait ? 410 : 170;
  const gone = portrait ? 40 : 470;
  box(node, door, top, 16, bench.y + 40 - top, "wall-line", 8);
  box(node, door - 5, top + 70, 26, bench.y - 60 - top, "lamp", 6);
  line(node, door + 16, top - 22, [portrait ? "the door" : "the warehouse door"], 36, "soft",
    "end");
  const counter = line(node, door + 16, bench.y + 96, [""], 38, "lamp", "end");

  const [wide, high] = portrait ? [180, 120] : [200, 124];
  const [wide2, high2] = portrait ? [112, 92] : [130, 100];
  const onBench = bench.x + (bench.w - wide) / 2;
  const path = bench.y - high - (portrait ? 130 : 150);
  const light = add(node, "path", {
    d:
      `M${onBench + 14} ${bench.y - high}L${onBench + (wide - wide2) / 2} ${path + high2}` +
      `h${wide2}L${onBench + wide - 14} ${bench.y - high}Z`,
    class: "shaft",
  });
  box(node, bench.x - 30, bench.y, bench.w + 60, 20, "wood", 6);
  box(node, bench.x - 4, bench.y + 20, 18, 84, "wood");
  box(node, bench.x + bench.w - 14, bench.y + 20, 18, 84, "wood");
  line(node, bench.x + bench.w / 2, bench.y + 74, ["the bench"], 36, "soft", "middle");

  // Ours: questions stay, and a pair of trays for each tile goes past.
  const ours = group(node);
  const walkers = steps.flatMap(() => [
    tray(ours, wide2, high2, 3, "key"),
    tray(ours, wide2, high2, 3, "value"),
  ]);
  const questions = tray(ours, wide, high, 4, "lamp");
  const answers = tray(ours, wide, high, 4, "fused");
  const name = line(ours, onBench - 24, bench.y - 46, ["questions"], 36, "lamp", "end");
  const kinds = group(ours);
  line(kinds, onBench + wide / 2 - 20, path - 30, ["keys"], 36, "key", "end");
  line(kinds, onBench + wide / 2 + 20, path - 30, ["values"], 36, "value");
  const done = line(node, bench.x + bench.w / 2, bench.y + 156,
    ["finished answers leave, nothing else"], 38, "fused", "middle");
  const told = line(node, bench.x + bench.w / 2, bench.y + 156,
    ["count what goes through the door"], 38, "lamp", "middle");
  const bag = kept(node, steps, portrait);
  const apart = wide2 + (portrait ? 34 : 44);
  const way = door - gone + apart * (walkers.length - 1);

  // Dao's: keys and values stay; each party of questions comes with what it keeps, and goes again.
  const dao = group(node);
  const stays = [tray(dao, wide2, high2, 3, "key"), tray(dao, wide2, high2, 3, "value")];
  stays.forEach((part, k) => move(part, onBench + wide / 2 + (k ? 6 : -6 - wide2), bench.y - high2));
  line(dao, portrait ? bench.x + 340 : bench.x - 6, bench.y - 40, ["keys, values"], 36, "key",
    portrait ? "start" : "end");
  const party = group(dao);
  tray(party, wide, high2, 2, "lamp");
  add(party, "circle", { cx: 24, cy: -32, r: 16, class: "lamp" });
  const small = glass(party, { x: 56, y: -62, w: 42, h: 56 }, 1);
  const half = numbers(party, { x: 110, y: -62, w: wide - 110, h: 56 }, 4, 1);
  const carried = line(dao, onBench + wide / 2, path + high2 + 46,
    ["with its largest, total and answer so far"], 36, "fused", "middle");
  const each = bytes(words / PARTIES, 2 * numbersEach + 2);
  const back = bytes(words / PARTIES, numbersEach + 2);

  return {
    node,
    /** Ours, from the coming of the questions to the leaving of the answers. */
    draw(/** @type {number} */ come, /** @type {number} */ walk, /** @type {number} */ leave) {
      const walked = unit(walk);
      move(questions, mix(door - wide / 2, onBench, come), bench.y - high);
      show(questions, Math.min(ease(come, 0, 0.2), 1 - ease(leave, 0, 0.2)));
      show(name, Math.min(ease(come, 0.85, 1), 1 - ease(leave, 0, 0.15)));
      move(answers, mix(onBench, door - wide / 2, ease(leave, 0.3, 1)), bench.y - high);
      show(answers, Math.min(ease(leave, 0, 0.2), 1 - ease(leave, 0.92, 1)));
      let [over, seen, through] = [0, 0, come > 0.1 ? bytes(words) : 0];
      walkers.forEach((one, k) => {
        const x = door - wide2 / 2 - (walked * way - k * apart);
        // A tile is there from the door on, and fades once it has gone by.
        const lit = walk <= 0 || walk >= 1
          ? 0
          : Math.min(ease(door - wide2 / 2 - x, 0, 40), ease(x, gone - wide2 / 2, gone + 50));
        move(one, x, path);
        show(one, lit);
        const middle = onBench + wide / 2 - wide2 / 2;
        over = Math.max(over, lit * (1 - unit(Math.abs(x - middle) / (apart * 0.5))));
        // A tile is in the row's numbers once its values have gone past.
        if (k % 2) seen += unit((middle + apart - x) / (2 * apart));
        if (walk > 0 && x < door - wide2 / 2) {
          const { first, end } = steps[Math.floor(k / 2)];
          through += bytes(end - first);
        }
      });
      show(light, 0.9 * over * (1 - ease(leave, 0, 0.1)));
      bag.draw(walk >= 1 ? steps.length : seen);
      say(counter, [counted(through + (leave > 0.9 ? bytes(words) : 0)), " bytes"]);
    },
    /** Dao's: the first tile of keys and values stays while every party comes and goes. */
    turned(/** @type {number} */ part) {
      show(light, 0);
      const now = Math.min(PARTIES - 1, Math.floor(part * PARTIES));
      const k = part * PARTIES - now;
      const away = mix(door - wide / 2, onBench, ease(k, 0.05, 0.35) - ease(k, 0.65, 0.95));
      move(party, away, path);
      show(party, Math.min(ease(k, 0, 0.08), 1 - ease(k, 0.94, 1)));
      const worked = ease(k, 0.38, 0.6);
      small.level(mix(0.3, 0.8, worked));
      half.draw([0.5, -0.3, 0.8, 0.4].map((x) => x * mix(0.4, 1, worked)));
      show(carried, ease(part, 0.4, 0.5));
      const arrived = now + (k > 0.1 ? 1 : 0);
      const left = now + (k > 0.9 ? 1 : 0);
      say(counter, [counted(2 * bytes(tile) + arrived * each + left * back), " bytes"]);
    },
    tell(
      /** @type {Record<"ours" | "dao" | "moving" | "kept" | "answers" | "count", number>} */ shown,
    ) {
      show(ours, shown.ours);
      show(dao, shown.dao);
      show(kinds, shown.moving);
      show(bag.node, shown.kept);
      show(done, shown.answers);
      show(told, shown.count);
    },
  };
}
