/**
 * Scores go by as lanterns; the largest rises like a line, the total shrinks when it does. Then the
 * model's heads: how much of what rounding allows each way's worst error takes.
 */

import { ease, mix, ramp } from "../motion.js";
import { EXAMPLE, example, online } from "../online.js";
import { rounding } from "../rounding.js";
import { add, box, group, line, move, say, set, show } from "../svg.js";

/** Even a score of nothing hangs above the rope. */
const LIFT = 46;

/**
 * The row of lanterns, each as high as its score, on a rope that goes past a post.
 *
 * @param {Element} parent
 * @param {number} step
 * @param {number} rise
 */
function lanterns(parent, step, rise) {
  return EXAMPLE.map((score, k) => {
    const node = group(parent);
    const y = -score * rise - LIFT;
    add(node, "path", { d: `M0 0V${y}`, class: "string" });
    const halo = add(node, "circle", { cx: 0, cy: y, r: 46, class: "lamp-halo" });
    add(node, "circle", { cx: 0, cy: y, r: 26, class: "pane" });
    const lamp = add(node, "circle", { cx: 0, cy: y, r: 26, class: "lamp" });
    line(node, 0, 48, [example(score, 0)], 38, "soft", "middle");
    move(node, k * step, 0);
    return { node, halo, lamp };
  });
}

/** @type {import("./index.js").Build} */
export function build(layer, context) {
  const { portrait, beat } = context;
  const steps = online(EXAMPLE);
  const step = portrait ? 92 : 105;
  const rise = portrait ? 66 : 62;
  const left = portrait ? 140 : 170;
  const floor = portrait ? 560 : 600;
  const plain = group(layer);
  const strip = group(plain);
  const beam = box(
    strip,
    -step / 2 + 4,
    floor - rise * 5.9 - LIFT,
    step - 8,
    rise * 5.9 + LIFT + 70,
    "shaft",
    14,
  );
  add(strip, "path", {
    d: `M${left - 70} ${floor}H${left + step * (EXAMPLE.length - 1) + 70}`,
    class: "rope",
  });
  const row = group(strip);
  move(row, left, floor);
  const lights = lanterns(row, step, rise);
  const crest = add(strip, "path", {
    d: `M${left - 70} 0H${left + step * (EXAMPLE.length - 1) + 70}`,
    class: "crest",
  });

  // Two dials: the largest so far, and the total as the water in a glass.
  const dials = group(plain);
  move(dials, portrait ? 110 : 1100, portrait ? 730 : 180);
  const glass = portrait ? { x: 470, y: 10, w: 220, h: 330 } : { x: 210, y: 60, w: 210, h: 420 };
  line(dials, 0, portrait ? 50 : 0, ["largest"], 40, "soft");
  const largest = line(dials, 0, portrait ? 150 : 105, [""], 112, "lamp serif");
  line(dials, portrait ? 210 : 0, portrait ? 50 : 212, ["total"], 40, "soft");
  const total = line(dials, portrait ? 210 : 0, portrait ? 140 : 294, [""], portrait ? 88 : 80,
    "sea-text serif");
  const tallest = Math.max(...steps.map((s) => s.total), ...steps.map((s) => s.before)) * 1.15;
  box(dials, glass.x, glass.y, glass.w, glass.h, "tray", 14);
  const water = box(dials, glass.x + 6, 0, glass.w - 12, 0, "water", 8);
  const ghost = add(dials, "path", { class: "crest" });
  const note = line(dials, portrait ? 210 : 0, portrait ? 240 : 400, ["shrink it:"], 36, "fused");
  const noteTimes = line(dials, portrait ? 210 : 0, portrait ? 300 : 462, [""], 56, "fused serif");
  const all = line(strip, left - 60, floor + 130, ["the whole row, before the first share?"], 38,
    "soft");
  const named = line(strip, left - 70, portrait ? 110 : 120, ["an example row of scores"], 38,
    "soft");
  const errors = rounding(layer, context);

  return {
    horizon: portrait ? 1.06 : 0.97,
    light: 0.1,
    label:
      "A beam goes along a row of lanterns of different heights. A line keeps the largest " +
      "height so far, a glass the total; when a higher lantern comes the water sinks. Then, " +
      "for each head, bars of the worst errors beside what rounding allows.",
    draw(t) {
      const start = beat(2) + 600;
      const each = (beat(5) - 500 - start) / EXAMPLE.length;
      const now = Math.min(EXAMPLE.length - 1, Math.floor((t - start) / each));
      const part = ramp(t - start - now * each, 0, each);
      const running = t >= start;
      const { largest: top, shrink, before, total: sum } = steps[Math.max(0, now)];
      const previous = now > 0 ? steps[now - 1].largest : EXAMPLE[0];
      // First the largest rises, then the old total shrinks, then the new term is poured in.
      const up = ease(part, 0.05, 0.3);
      const shrunk = ease(part, 0.3, 0.6);
      const pour = ease(part, 0.6, 0.85);
      const amount = before * mix(1, shrink, shrunk) + (sum - before * shrink) * pour;
      lights.forEach(({ node, halo, lamp }, k) => {
        const glow = running
          ? (k <= now ? 1 : 0.12)
          : ease(t, 500 + 350 * k, 1100 + 350 * k) * (0.4 + 0.6 * (1 - ease(t, beat(2), start)));
        show(halo, k === now && running ? 1 : 0.35 * glow);
        show(lamp, glow * (running && k < now ? 0.55 : 1));
        show(node, ease(t, 200 + 120 * k, 700 + 120 * k));
      });
      show(beam, ease(t, start - 500, start));
      move(beam, left + step * (Math.max(0, now) - (now > 0 ? 1 - ease(part, 0, 0.12) : 0)), 0);
      move(strip, portrait ? 0 : 260 * (1 - ease(t, beat(2) - 200, beat(2) + 900)), 0);
      show(crest, running ? 1 : 0);
      move(crest, 0, floor - LIFT - rise * mix(previous, top, up));
      show(dials, ease(t, beat(2), beat(2) + 800));
      say(largest, running ? [example(up < 0.5 ? previous : top, 0)] : ["–"]);
      say(total, running ? [example(amount)] : ["–"]);
      const level = (/** @type {number} */ value) => (glass.h - 12) * Math.min(1, value / tallest);
      set(water, {
        y: glass.y + glass.h - 6 - level(running ? amount : 0),
        height: level(running ? amount : 0),
      });
      const larger = running && now > 0 && shrink < 1;
      set(ghost, {
        d: `M${glass.x} ${(glass.y + glass.h - 6 - level(before)).toFixed(1)}h${glass.w}`,
      });
      show(ghost, larger ? 1 - ease(part, 0.9, 1) : 0);
      show(note, larger ? 1 : 0);
      show(noteTimes, larger ? 1 : 0);
      say(noteTimes, ["× ", example(shrink)]);
      show(all, ease(t, beat(1), beat(1) + 700) * (1 - ease(t, beat(2), beat(2) + 600)));
      show(named, ease(t, 300, 900));
      show(plain, 1 - ease(t, beat(5), beat(5) + 900));
      errors.draw(t, beat(5) + 500, beat(6), beat(7) + 900);
    },
  };
}
