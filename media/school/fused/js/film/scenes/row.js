/**
 * One row of the model's own scores, as they go by: the largest so far, the total, and the answer so
 * far, both shrunk when a larger score comes, and divided at the end. Then the model's heads: how
 * much of what rounding allows each way's worst error takes.
 */

import { during, ease, mix, ramp } from "../motion.js";
import { follows, online } from "../online.js";
import { rounding } from "../rounding.js";
import { add, box, group, line, move, say, show } from "../svg.js";
import { glass, largestOf, numbers } from "../vessels.js";

/** The lowest score hangs a little above the rope. */
const LIFT = 46;

/**
 * The row of lanterns, each as high as its score, on a rope that goes past a post.
 *
 * @param {Element} parent
 * @param {string[]} words
 * @param {number[]} scores
 * @param {number} step
 * @param {(score: number) => number} height
 */
function lanterns(parent, words, scores, step, height) {
  return scores.map((score, k) => {
    const node = group(parent);
    const y = -height(score);
    add(node, "path", { d: `M0 0V${y}`, class: "string" });
    const halo = add(node, "circle", { cx: 0, cy: y, r: 46, class: "lamp-halo" });
    add(node, "circle", { cx: 0, cy: y, r: 26, class: "pane" });
    const lamp = add(node, "circle", { cx: 0, cy: y, r: 26, class: "lamp" });
    line(node, 0, k % 2 ? 96 : 50, [words[k]], 34, "soft", "middle");
    const number = line(node, 0, y - 42, [follows(score)], 36, "lamp", "middle");
    move(node, k * step, 0);
    return { node, halo, lamp, number };
  });
}

/**
 * Largest, total and the answer so far, of a row.
 *
 * @param {Element} parent
 * @param {import("../online.js").Step[]} steps
 * @param {boolean} portrait
 */
function kept(parent, steps, portrait) {
  const node = group(parent);
  const at = portrait
    ? { largest: [60, 680], total: [270, 680], factor: [650, 680], answer: [60, 930] }
    : { largest: [1090, 110], total: [1290, 110], factor: [1290, 300], answer: [1090, 520] };
  const frame = portrait ? { x: 470, y: 650, w: 140, h: 220 } : { x: 1090, y: 240, w: 160, h: 220 };
  line(node, at.largest[0], at.largest[1], ["largest"], 38, "soft");
  const largest = line(node, at.largest[0], at.largest[1] + 84, [""], 80, "lamp serif");
  line(node, at.total[0], at.total[1], ["total"], 38, "soft");
  const total = line(node, at.total[0], at.total[1] + 84, [""], 80, "sea-text serif");
  const water = glass(node, frame, 1.1 * Math.max(...steps.map((step) => step.total)));
  const shrink = group(node);
  line(shrink, at.factor[0], at.factor[1], ["shrink both:"], 36, "fused");
  const factor = line(shrink, at.factor[0], at.factor[1] + 70, [""], 60, "fused serif");
  const label = line(node, at.answer[0], at.answer[1], [""], 38, "fused");
  const last = steps[steps.length - 1];
  const all = [...steps.map((step) => step.answer), last.answer.map((x) => x / last.total)];
  const wide = { x: at.answer[0], y: at.answer[1] + 24, w: portrait ? 780 : 450, h: 200 };
  const bars = numbers(node, wide, last.answer.length, 1.05 * largestOf(all));
  return {
    node,
    /** A row before its first score. */
    none() {
      say(largest, ["–"]);
      say(total, ["–"]);
      say(label, ["the answer so far"]);
      water.level(0);
      bars.draw(last.answer.map(() => 0));
      show(shrink, 0);
    },
    /** A part of a step: the largest rises, both shrink, then the new word is mixed in. */
    step(/** @type {number} */ now, /** @type {number} */ part, /** @type {number} */ divided) {
      const { before, total: sum, factor: by, earlier, answer } = steps[now];
      const shrunk = mix(1, by, ease(part, 0.3, 0.55));
      const pour = ease(part, 0.6, 0.9);
      const kept = ease(part, 0.3, 0.55) < 1 ? shrunk : by;
      const amount = before * kept + (sum - before * by) * pour;
      say(largest, [follows(part < 0.2 && now ? steps[now - 1].largest : steps[now].largest)]);
      say(total, [follows(amount, 2)]);
      water.level(amount * (1 - divided));
      const share = mix(1, 1 / sum, divided);
      bars.draw(answer.map((x, i) => (earlier[i] * kept + (x - earlier[i] * by) * pour) * share));
      say(label, [divided > 0.5 ? "divided by the total" : "the answer so far"]);
      show(shrink, now && by < 1 && divided === 0 ? during(part, 0.2, 0.95, 0.08) : 0);
      say(factor, ["× ", follows(by, 2)]);
    },
  };
}

/** @type {import("./index.js").Build} */
export function build(layer, context) {
  const { portrait, beat, facts } = context;
  const tile = facts.sentence.first_tile;
  /** @type {number[]} */
  const scores = tile.scores[tile.scores.length - 1];
  const words = facts.model.probe.sentence.split(" ").slice(0, scores.length);
  const steps = online(scores, tile.values, 1);
  const step = (portrait ? 768 : 896) / scores.length;
  const tall = portrait ? 330 : 380;
  const [least, most] = [Math.min(...scores), Math.max(...scores)];
  const height = (/** @type {number} */ score) =>
    LIFT + ((tall - LIFT) * (score - least)) / Math.max(1e-9, most - least);
  const left = portrait ? 110 : 130;
  const floor = portrait ? 490 : 600;
  const right = left + step * (scores.length - 1);
  const plain = group(layer);
  const strip = group(plain);
  const high = tall + 90;
  const beam = box(strip, -step / 2 + 4, floor - high, step - 8, high + 10, "shaft", 14);
  add(strip, "path", { d: `M${left - 60} ${floor}H${right + 60}`, class: "rope" });
  const row = group(strip);
  move(row, left, floor);
  const lights = lanterns(row, words, scores, step, height);
  const crest = add(strip, "path", { d: `M${left - 60} 0H${right + 60}`, class: "crest" });
  const vessels = kept(plain, steps, portrait);
  const all = line(strip, left - 60, floor + 160, ["the whole row, before the first share?"], 38,
    "soft");
  const named = line(strip, left - 60, portrait ? 44 : 90,
    ["scores of “", words[words.length - 1], "”, by our model"], 38, "soft");
  const errors = rounding(layer, context);

  return {
    horizon: portrait ? 1.06 : 0.97,
    light: 0.1,
    label:
      "A beam goes along a row of lanterns, as high as the model's own scores. A line keeps the " +
      "largest so far, a glass the total, and small bars the answer so far; when a higher " +
      "lantern comes, glass and bars shrink by the same factor. At the end the bars are divided " +
      "by the total. Then, for each head, bars of the worst errors beside what rounding allows.",
    draw(t) {
      const start = beat(2) + 1200;
      const end = beat(7) - 200;
      const each = (end - start) / scores.length;
      const now = Math.max(0, Math.min(scores.length - 1, Math.floor((t - start) / each)));
      const part = ramp(t - start - now * each, 0, each);
      const running = t >= start;
      const previous = now > 0 ? steps[now - 1].largest : least;
      const up = ease(part, 0.05, 0.2);
      lights.forEach(({ node, halo, lamp, number }, k) => {
        const whole = ease(t, 500 + 350 * k, 1100 + 350 * k) * (1 - ease(t, beat(2), start));
        const glow = running ? (k <= now ? 1 : 0.1) : whole;
        show(halo, k === now && running ? 1 : 0.35 * glow);
        show(lamp, glow * (running && k < now ? 0.55 : 1));
        show(number, running && k <= now ? (k < now ? 0.7 : ease(part, 0, 0.1)) : 0);
        show(node, ease(t, 200 + 120 * k, 700 + 120 * k));
      });
      show(beam, ease(t, start - 500, start) * (1 - ease(t, end, end + 600)));
      move(beam, left + step * (now - (now > 0 ? 1 - ease(part, 0, 0.1) : 0)), 0);
      move(strip, portrait ? 0 : 260 * (1 - ease(t, beat(2) - 200, beat(2) + 900)), 0);
      show(crest, running ? 1 : 0);
      move(crest, 0, floor - height(mix(previous, steps[now].largest, up)));
      show(vessels.node, ease(t, beat(2), beat(2) + 800));
      if (running) vessels.step(now, part, ease(t, beat(7) + 300, beat(7) + 1500));
      else vessels.none();
      show(all, ease(t, beat(1), beat(1) + 700) * (1 - ease(t, beat(2), beat(2) + 600)));
      show(named, ease(t, 300, 900));
      show(plain, 1 - ease(t, beat(8), beat(8) + 900));
      errors.draw(t, beat(8) + 500, beat(9), beat(10) + 900);
    },
  };
}
