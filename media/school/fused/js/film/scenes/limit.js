/**
 * Which score breaks fp16: asked on an axis of scores, then seen as a tide that rises as e to the
 * score to the quay at fp16's largest number. Then all held-out scores against the same limit, and
 * a row whose largest is subtracted.
 */

import { during, ease, mix } from "../motion.js";
import { add, group, line, move, say, set, show } from "../svg.js";
import { histogram } from "../histogram.js";

/** @import { Context } from "../context.js" */

/** What stands higher than the frame is drawn a little above it. */
const SPILL = 1.12;

/**
 * e to a score, drawn as water between two scores.
 *
 * @param {Element} parent
 * @param {{x: number, y: number, w: number, h: number}} frame
 * @param {number} from
 * @param {number} to
 * @param {number} most what fills the frame's height
 */
function tide(parent, { x, y, w, h }, from, to, most) {
  const points = [];
  for (let k = 0; k <= 200; k += 1) {
    const score = mix(from, to, k / 200);
    const high = (h * Math.min(SPILL, Math.exp(score) / most));
    points.push(`${(x + (w * k) / 200).toFixed(1)} ${(y - high).toFixed(1)}`);
  }
  return add(parent, "path", { d: `M${x} ${y}L${points.join("L")}L${x + w} ${y}Z`, class: "tide" });
}

/**
 * The curve up to the limit, the viewer's guess on its axis, the probe's score, and where it
 * overflows.
 *
 * @param {Element} layer
 * @param {Context} context
 */
function rising(layer, { portrait, facts, quote, claim }) {
  const node = group(layer);
  const frame = portrait ? { x: 90, y: 900, w: 720, h: 560 } : { x: 150, y: 720, w: 1000, h: 500 };
  const largest = claim("overflow.fp16.largest").value;
  const end = facts.overflow.fp16.ln_largest;
  // The axis goes on to the largest held-out scores: its length gives no answer away.
  const far = facts.overflow.histogram.edges.at(-1);
  const at = (/** @type {number} */ score) => frame.x + (frame.w * score) / far;
  const up = (/** @type {number} */ value) => frame.y - (frame.h * value) / largest;
  const clip = add(node, "svg", { x: 0, y: 0, width: frame.x, height: frame.y + 4 });
  tide(clip, frame, 0, far, largest);
  add(node, "path", { d: `M${frame.x} ${frame.y}H${frame.x + frame.w + 60}`, class: "rope" });
  for (const edge of [0, far]) {
    line(node, at(edge), frame.y + 106, [{ text: String(edge), why: "axis" }], 34, "soft", "middle");
  }
  const quay = group(node);
  add(quay, "path", { d: `M${frame.x} ${up(largest)}H${frame.x + frame.w + 60}`, class: "limit" });
  line(quay, frame.x, up(largest) - 24,
    ["fp", { text: "16", why: "name" }, " ends at ", quote("overflow.fp16.largest")], 42,
    "wrong strong");
  line(node, frame.x + 6, frame.y + 50, ["a score"], 36, "soft");
  const power = line(node, frame.x + 6, frame.y - 24, ["e to it"], 36, "sea-text");

  const probe = facts.overflow.probe_last_row;
  const own = group(node);
  const [px, py] = [at(probe.largest_score), up(Math.min(largest, probe.exp_in_fp16 ?? largest))];
  add(own, "path", { d: `M${px} ${frame.y}V${py}H${frame.x}`, class: "guide" });
  add(own, "circle", { cx: px, cy: py, r: 13, class: "lamp" });
  line(own, px, frame.y + 56, [quote("overflow.probe_last_row.largest_score")], 42, "lamp",
    "middle");
  const value = group(node);
  line(value, px - 30, py - 66, [quote("overflow.probe_last_row.exp_in_fp16")], 60, "lamp serif",
    "end");
  line(value, px - 30, py - 22, [probe.fits ? "it fits" : "it does not fit"], 38, "ink", "end");

  const edge = group(node);
  const ex = at(end);
  add(edge, "path", { d: `M${ex} ${frame.y}V${up(largest)}`, class: "guide bad" });
  add(edge, "circle", { cx: ex, cy: up(largest), r: 13, class: "wrong" });
  const beyond = group(node);
  const [tx, ty] = portrait ? [frame.x, 1076] : [1180, 400];
  const next = portrait ? [400, 0] : [0, 150];
  const infinite = quote("overflow.fp16.ln_rounds_to_infinity_from");
  line(edge, tx, ty, ["the limit, at about"], 38, "soft");
  line(edge, tx, ty + 66, [quote("overflow.fp16.ln_largest")], 64, "ink serif");
  line(beyond, tx + next[0], ty + next[1], ["infinity, from about"], 38, "soft");
  line(beyond, tx + next[0], ty + next[1] + 66, [infinite], 64, "wrong serif");

  const guess = group(node);
  add(guess, "path", { d: `M0 ${frame.y + 16}V${up(largest) + 20}`, class: "guess" });
  const label = line(guess, 0, up(largest) + 70, [""], 40, "ink");
  const grab = (/** @type {number} */ x, /** @type {number} */ y) =>
    y < up(largest) - 60 ? null : ((x - frame.x) * far) / frame.w;
  const drawGuess = (/** @type {number | string | null} */ said) => {
    show(guess, typeof said === "number" ? 1 : 0);
    if (typeof said !== "number") return;
    const x = at(Math.min(far, said));
    move(guess, x, 0);
    const left = said > far / 2;
    set(label, { x: left ? -14 : 14, "text-anchor": left ? "end" : "start" });
    const arrow = said > far ? " →" : "";
    say(label, ["your guess: ", { text: said.toLocaleString("en-US"), why: "guess" }, arrow]);
  };
  return {
    ...{ node, clip, quay, power, own, value, edge, beyond, px, ex, grab, drawGuess },
    right: frame.x + frame.w,
  };
}

/**
 * The last row's own scores on their axis, and one above which e to them stands out: the largest
 * subtracted, all move together until none does.
 *
 * @param {Element} layer
 * @param {Context} context
 */
function shifted(layer, { portrait, facts, quote }) {
  const node = group(layer);
  const frame = portrait ? { x: 60, y: 860, w: 780, h: 360 } : { x: 200, y: 690, w: 1200, h: 380 };
  /** @type {number[]} */
  const scores = facts.sentence.last_row.scores;
  const largest = Math.max(...scores);
  const [least, most] = [Math.min(...scores) - largest, Math.max(largest, 0) + 1];
  const at = (/** @type {number} */ score) => frame.x + (frame.w * (score - least)) / (most - least);
  tide(node, { ...frame, w: at(0) - frame.x }, least, 0, 1);
  add(node, "path", { d: `M${frame.x} ${frame.y}H${frame.x + frame.w}`, class: "rope" });
  add(node, "path", { d: `M${frame.x} ${frame.y - frame.h}H${frame.x + frame.w}`, class: "limit calm" });
  add(node, "path", { d: `M${at(0)} ${frame.y + 14}V${frame.y - 14}`, class: "post" });
  line(node, at(0), frame.y + 56, [{ text: "0", why: "axis" }], 36, "soft", "middle");
  const title = line(node, frame.x, frame.y - frame.h - 110, ["the last row's scores"], 38, "soft");
  const none = line(node, frame.x, frame.y - frame.h - 28,
    ["no term above ", quote("overflow.after_subtraction.largest_term")], 52, "fused serif");
  const dots = scores.map((score) => {
    const stem = add(node, "path", { class: "guide" });
    return { score, stem, dot: add(node, "circle", { cx: 0, cy: 0, r: 11, class: "lamp" }) };
  });
  return {
    node,
    draw(/** @type {number} */ part, /** @type {number} */ told) {
      say(title, [part < 0.5 ? "the last row's scores" : "each with the row's largest subtracted"]);
      show(none, told);
      for (const { score, stem, dot } of dots) {
        const moved = score - largest * part;
        const high = frame.h * Math.min(SPILL, Math.exp(moved));
        const over = moved > 1e-9;
        set(stem, { d: `M${at(moved).toFixed(1)} ${frame.y}V${(frame.y - high).toFixed(1)}` });
        set(dot, { cx: at(moved), cy: frame.y - high, class: over ? "wrong" : "lamp" });
      }
    },
  };
}

/** @type {import("./index.js").Build} */
export function build(layer, context) {
  const { beat, duration, facts, portrait, answer } = context;
  const curve = rising(layer, context);
  const held = histogram(layer, context);
  const calm = shifted(layer, context);
  return {
    horizon: portrait ? 1.06 : 0.98,
    light: 0.1,
    label:
      "An axis of scores, and a quay at fp16's largest number. Once the question is answered, " +
      "water rises as e to the score up to the quay; the last row's largest score " +
      `${facts.overflow.probe_last_row.fits ? "stays under it" : "is over it"}. Then the ` +
      "held-out scores as columns, those over the limit marked. Last, the row's scores move " +
      "down together by the largest, and none is above one any more.",
    grab: curve.grab,
    draw(t) {
      show(curve.node, ease(t, 300, 1000) * (1 - ease(t, beat(7) - 300, beat(7) + 500)));
      show(curve.quay, ease(t, (beat(1) + beat(2)) / 2 - 400, (beat(1) + beat(2)) / 2 + 400));
      show(curve.power, ease(t, beat(1), beat(1) + 600));
      curve.drawGuess(t < beat(7) ? answer.score.guess : null);
      // The curve is seen once the question has been answered.
      const full = mix(0, curve.ex, ease(t, beat(3) - 300, beat(3) + 1800));
      set(curve.clip, { width: mix(full, curve.right, ease(t, beat(4), beat(4) + 1500)) });
      show(curve.edge, ease(t, beat(3) + 1600, beat(3) + 2300));
      show(curve.beyond, ease(t, beat(4) + 900, beat(4) + 1700));
      show(curve.own, ease(t, beat(5) + 900, beat(5) + 1700));
      show(curve.value, ease(t, beat(6), beat(6) + 700));
      held.draw(t, [beat(7), beat(8), beat(9)]);
      show(calm.node, during(t, beat(9), duration + 1000, 600));
      calm.draw(ease(t, beat(9) + 900, beat(10) - 100), ease(t, beat(10), beat(10) + 700));
    },
  };
}
