/**
 * A tide that rises as e to the score, and the quay at fp16's largest number. Then all held-out
 * scores against the same limit, and what is left once the largest is subtracted.
 */

import { during, ease, mix } from "../motion.js";
import { add, group, line, set, show } from "../svg.js";
import { histogram } from "../histogram.js";

/** @import { Context } from "../context.js" */

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
  for (let k = 0; k <= 80; k += 1) {
    const score = mix(from, to, k / 80);
    const high = (h * Math.exp(score)) / most;
    points.push(`${(x + (w * k) / 80).toFixed(1)} ${(y - high).toFixed(1)}`);
  }
  return add(parent, "path", { d: `M${x} ${y}L${points.join("L")}L${x + w} ${y}Z`, class: "tide" });
}

/**
 * The curve up to the limit, the probe's score on it, and where it overflows.
 *
 * @param {Element} layer
 * @param {Context} context
 */
function rising(layer, { portrait, facts, quote, claim }) {
  const node = group(layer);
  const frame = portrait ? { x: 90, y: 940, w: 700, h: 560 } : { x: 150, y: 740, w: 900, h: 500 };
  const largest = claim("overflow.fp16.largest").value;
  const end = facts.overflow.fp16.ln_largest;
  const far = end * 1.02;
  const at = (/** @type {number} */ score) => frame.x + (frame.w * score) / far;
  const up = (/** @type {number} */ value) => frame.y - (frame.h * value) / largest;
  const clip = add(node, "svg", { x: 0, y: 0, width: frame.x, height: frame.y + 4 });
  tide(clip, frame, 0, far, largest);
  add(node, "path", { d: `M${frame.x} ${frame.y}H${frame.x + frame.w + 60}`, class: "rope" });
  const quay = group(node);
  add(quay, "path", { d: `M${frame.x} ${up(largest)}H${frame.x + frame.w + 60}`, class: "limit" });
  line(quay, frame.x, up(largest) - 24,
    ["fp", { text: "16", why: "name" }, " ends at ", quote("overflow.fp16.largest")], 42,
    "wrong strong");
  line(node, frame.x, frame.y + 56, ["a score"], 36, "soft");
  line(node, frame.x + 6, frame.y - 24, ["e to it"], 36, "sea-text");

  const probe = facts.overflow.probe_last_row;
  const own = group(node);
  const [px, py] = [at(probe.largest_score), up(probe.exp_in_fp16 ?? largest)];
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
  const [tx, ty] = portrait ? [frame.x, 1076] : [1130, 330];
  const next = portrait ? [400, 0] : [0, 190];
  const infinite = quote("overflow.fp16.ln_rounds_to_infinity_from");
  line(edge, tx, ty, ["the limit, at about"], 38, "soft");
  line(edge, tx, ty + 76, [quote("overflow.fp16.ln_largest")], 72, "ink serif");
  line(beyond, tx + next[0], ty + next[1], ["infinity, from about"], 38, "soft");
  line(beyond, tx + next[0], ty + next[1] + 76, [infinite], 72, "wrong serif");
  return { node, clip, quay, own, value, edge, beyond, px, ex, right: frame.x + frame.w };
}

/** The largest subtracted: the tide stays under one. @param {Element} layer @param {Context} context */
function subtracted(layer, { portrait, quote }) {
  const node = group(layer);
  const frame = portrait ? { x: 90, y: 820, w: 640, h: 420 } : { x: 300, y: 700, w: 860, h: 400 };
  tide(node, frame, -6, 0, 1);
  const right = frame.x + frame.w;
  add(node, "path", { d: `M${frame.x} ${frame.y}H${right + 60}`, class: "rope" });
  add(node, "path", { d: `M${frame.x} ${frame.y - frame.h}H${right + 60}`, class: "limit calm" });
  add(node, "circle", { cx: right, cy: frame.y - frame.h, r: 15, class: "fused" });
  line(node, frame.x, frame.y - frame.h - 28,
    ["no term above ", quote("overflow.after_subtraction.largest_term")], 52, "fused serif");
  line(node, right, frame.y + 56, ["the row's largest"], 36, "ink", "end");
  line(node, frame.x, frame.y + 56, ["smaller scores"], 36, "soft");
  return node;
}

/** @type {import("./index.js").Build} */
export function build(layer, context) {
  const { beat, duration, facts, portrait } = context;
  const curve = rising(layer, context);
  const held = histogram(layer, context);
  const calm = subtracted(layer, context);
  return {
    horizon: portrait ? 1.06 : 0.98,
    light: 0.1,
    label:
      "Water rises as e to the score, up to a quay at fp16's largest number; the probe's " +
      "largest score " +
      `${facts.overflow.probe_last_row.fits ? "stays under it" : "is over it"}. Then the ` +
      "held-out scores as columns, those over the limit marked. Last, with the largest " +
      "subtracted, the water stays under one.",
    draw(t) {
      const quay = (beat(1) + beat(2)) / 2; // the cue's second half names it
      show(curve.node, ease(t, 600, 1400) * (1 - ease(t, beat(6) - 300, beat(6) + 500)));
      const slow = ease(t, beat(1), beat(2) + 800) * 0.995;
      const full = mix(0, curve.px, slow);
      set(curve.clip, { width: mix(full, curve.right, ease(t, beat(4), beat(5))) });
      show(curve.quay, ease(t, quay, quay + 800));
      show(curve.own, ease(t, beat(2) + 900, beat(2) + 1700));
      show(curve.value, ease(t, beat(3), beat(3) + 700));
      show(curve.edge, ease(t, beat(4) + 1500, beat(4) + 2300));
      show(curve.beyond, ease(t, beat(5) + 600, beat(5) + 1400));
      held.draw(t, [beat(6), beat(7), beat(8)]);
      show(calm, during(t, beat(8), duration + 1000, 900));
    },
  };
}
