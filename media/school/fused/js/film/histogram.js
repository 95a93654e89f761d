/**
 * The held-out scores as columns on a logarithmic scale, against the score at which fp16 ends.
 */

import { ease } from "./motion.js";
import { add, box, group, line, set, show } from "./svg.js";

/**
 * @param {Element} layer
 * @param {import("./context.js").Context} context
 * @returns {{draw: (t: number, beats: number[]) => void}} beats: when the columns rise, when those
 *   over the limit are told, when all goes
 */
export function histogram(layer, { portrait, facts, quote }) {
  /** @type {{counts: number[], edges: number[]}} */
  const { counts, edges } = facts.overflow.histogram;
  const most = edges[edges.length - 1];
  const limit = facts.overflow.fp16.ln_largest;
  const node = group(layer);
  const frame = portrait ? { x: 60, y: 1040, w: 780, h: 500 } : { x: 140, y: 748, w: 1320, h: 410 };
  const at = (/** @type {number} */ score) => frame.x + (frame.w * (score - edges[0])) / (most - edges[0]);
  const tallest = Math.log10(Math.max(...counts));
  // A single score is still seen: it stands a little above the floor.
  const up = (/** @type {number} */ count) => (frame.h * Math.log10(count * 1.6)) / (tallest + 0.2);
  for (let count = 10; count <= 10 ** tallest; count *= 10) {
    add(node, "path", { d: `M${frame.x} ${frame.y - up(count)}h${frame.w}`, class: "grid" });
    // Without numbers a step of ten looks like any other.
    line(node, frame.x + 6, frame.y - up(count) - 8,
      [{ text: count.toLocaleString("en-US"), why: "axis" }], 32, "soft");
  }
  const columns = counts.map((count, k) => {
    const high = count ? Math.max(frame.h * 0.03, up(count)) : 0;
    const [a, b] = [at(edges[k]), at(edges[k + 1])];
    // The column that the limit goes through is cut there.
    const cut = Math.min(b, Math.max(a, at(limit)));
    const parts = [];
    if (cut > a) parts.push(box(node, a + 1, frame.y, Math.max(0.5, cut - a - 2), 0.1, "column"));
    if (cut < b) {
      parts.push(box(node, cut + 1, frame.y, Math.max(0.5, b - cut - 2), 0.1, "column over"));
    }
    return { parts, high };
  });
  add(node, "path", { d: `M${frame.x} ${frame.y}H${frame.x + frame.w}`, class: "rope" });
  for (const edge of [edges[0], 0, most]) {
    line(node, at(edge), frame.y + 50, [{ text: String(edge).replace("-", "−"), why: "axis" }], 34,
      "soft", "middle");
  }
  line(node, at(edges[0] / 2), frame.y + 50, ["score"], 34, "soft", "middle");
  const top = frame.y - frame.h;
  line(node, frame.x, portrait ? 130 : top - 120, ["scores of sentences kept aside"], 40);
  line(node, frame.x, portrait ? 182 : top - 70, ["each step up: ten times as many"], 34, "soft");
  const quay = group(node);
  add(quay, "path", {
    d: `M${at(limit)} ${frame.y}V${top + (portrait ? 0 : -40)}`,
    class: "limit",
  });
  line(quay, at(limit) + (portrait ? 8 : -16), top + (portrait ? -24 : -52), ["the limit"], 36,
    "wrong", portrait ? "middle" : "end");
  const largest = group(node);
  const [mx, my] = [at(facts.overflow.held_out.largest_score), frame.y - (portrait ? 240 : 196)];
  add(largest, "path", { d: `M${mx} ${frame.y}V${my}`, class: "guide bad" });
  line(largest, portrait ? frame.x + frame.w : mx + 20, my - 20,
    [quote("overflow.held_out.largest_score")], 46, "wrong serif", "end");
  const told = group(node);
  const [tx, ty] = portrait ? [frame.x + frame.w, 330] : [frame.x + frame.w, top - 50];
  line(told, tx, ty, [quote("overflow.held_out.infinite_terms")], 100, "wrong serif", "end");
  line(told, tx, ty + 52, ["of ", quote("overflow.held_out.scores")], 38, "ink", "end");
  line(told, tx, ty + 100, ["would be infinity"], portrait ? 38 : 34, "ink", "end");
  return {
    draw(t, [rise, tell, end]) {
      show(node, ease(t, rise + 200, rise + 900) * (1 - ease(t, end - 400, end + 300)));
      columns.forEach(({ parts, high }, k) => {
        const grown = Math.max(0.1, high * ease(t, rise + 300 + 35 * k, rise + 1100 + 35 * k));
        for (const part of parts) set(part, { y: frame.y - grown, height: grown });
      });
      show(quay, ease(t, rise + 900, rise + 1700));
      show(largest, ease(t, rise + 2200, rise + 2900));
      show(told, ease(t, tell, tell + 800));
    },
  };
}
