/**
 * What the count says and what it does not: requests are tallied, though a cache answers some of
 * them, and no clock runs. Then the powers of e that the fused way raises beyond the plain way's, to
 * one scale, and the lab, where both ways run on the viewer's own chip.
 */

import { during, ease, mix, ramp } from "../motion.js";
import { add, box, group, line, move, set, show } from "../svg.js";

/** Requests that are shown: one a second, as long as they are spoken of. */
const REQUESTS = 9;
const APART_MS = 900;
const TRIP_MS = 1500;
/** Every so-manieth is answered by the cache, once it is spoken of. */
const FROM_CACHE = 2;

/** Strokes of a tally, the fifth across the four before it. @param {Element} parent */
function tally(parent) {
  return Array.from({ length: REQUESTS }, (_, k) => {
    const [bundle, place] = [Math.floor(k / 5), k % 5];
    const x = bundle * 150;
    const d = place < 4 ? `M${x + 26 * place} 0v64` : `M${x - 16} 52L${x + 96} 12`;
    return add(parent, "path", { d, class: "stroke thin lamp-line" });
  });
}

/** The kernels, a cache and the warehouse door, with what is asked for on its way. */
function requests(/** @type {Element} */ layer, /** @type {boolean} */ portrait) {
  const node = group(layer);
  const [home, shelf, door] = portrait ? [70, 400, 800] : [150, 640, 1360];
  const y = portrait ? 250 : 200;
  box(node, home, y - 60, portrait ? 200 : 260, 120, "tray", 14);
  line(node, home + (portrait ? 100 : 130), y + 12, ["our kernels"], 36, "ink", "middle");
  box(node, door, y - 110, 18, 220, "wall-line", 8);
  box(node, door - 5, y - 50, 28, 100, "lamp", 6);
  line(node, door + 18, y - 126, ["the warehouse"], 36, "soft", "end");
  const cache = group(node);
  box(cache, shelf, y + 70, portrait ? 180 : 220, 14, "wood", 5);
  [0, 1, 2].forEach((k) => box(cache, shelf + 14 + k * 58, y + 30, 44, 40, "key", 6));
  line(cache, shelf + (portrait ? 90 : 110), y + 124, ["a cache"], 36, "soft", "middle");
  const strokes = group(node);
  move(strokes, home + 20, y + 100);
  const marks = tally(strokes);
  line(node, home, y + 218, ["each request counts"], 36, "lamp");
  const clock = group(node);
  move(clock, portrait ? 740 : 1120, y + (portrait ? 170 : 130));
  add(clock, "circle", { cx: 0, cy: 0, r: 50, class: "tray" });
  add(clock, "path", { d: "M0 -32V0L22 13", class: "stroke ink-line" });
  add(clock, "path", { d: "M-48 48L48 -48", class: "stroke bad-line" });
  line(clock, portrait ? 40 : 72, portrait ? 92 : 14, ["no time"], 36, "wrong",
    portrait ? "end" : "start");
  const trays = Array.from({ length: REQUESTS }, () => box(node, 0, y - 22, 54, 44, "key", 8));
  return {
    node,
    draw(/** @type {number} */ t, /** @type {number} */ cached) {
      show(cache, ease(t, cached, cached + 600));
      show(clock, ease(t, cached - 300, cached + 300));
      trays.forEach((tray, k) => {
        const from = 500 + k * APART_MS;
        const kept = from > cached + 300 && k % FROM_CACHE === 0;
        const part = ramp(t, from, from + (kept ? TRIP_MS / 2 : TRIP_MS));
        const start = kept ? shelf + 80 : door - 60;
        const down = kept ? 52 * (1 - part) : 0;
        set(tray, { x: mix(start, home + 200, part), y: y - 22 + down });
        show(tray, part > 0 && part < 1 ? Math.min(1, 8 * part, 8 * (1 - part)) : 0);
        // It is counted when it is asked for, whoever answers it.
        show(marks[k], ease(t, from, from + 150));
      });
    },
  };
}

/**
 * Powers of e of both ways to one scale.
 *
 * @param {Element} layer
 * @param {import("../context.js").Context} context
 */
function powers(layer, { portrait, film, quote, claim, knows }) {
  const tail = `exps.n${film.sizes.words}.d${film.sizes.wide}`;
  const extra = `operations.extra.${tail}`;
  if (!knows(extra)) return null;
  const node = group(layer, "powers");
  const [x, y] = portrait ? [60, 620] : [330, 500];
  const [plain, fused] = ["unfused", "fused"].map((way) => `operations.${way}.${tail}`);
  const scale = (portrait ? 760 : 900) / claim(fused).value;
  const high = portrait ? 60 : 56;
  line(node, x, y, ["powers of e"], 38, "soft");
  const rows = [plain, fused].map((id, k) => {
    const top = y + (portrait ? 80 : 30) + k * (portrait ? 150 : 84);
    line(node, portrait ? x : x - 24, portrait ? top - 16 : top + 40, [k ? "fused" : "plain"], 36,
      "soft", portrait ? "start" : "end");
    line(node, portrait ? x + 760 : x + 924, portrait ? top - 16 : top + 42, [quote(id)], 40,
      k ? "fused serif" : "lamp serif", portrait ? "end" : "start");
    const bar = box(node, x, top, 0.1, high, k ? "fused" : "lamp", 6);
    return { bar, long: claim(id).value * scale, top };
  });
  const more = group(node);
  const from = x + rows[0].long;
  const beyond = Math.max(4, rows[1].long - rows[0].long);
  box(more, from, rows[1].top, beyond, high, "wrong", 4);
  line(more, x + rows[1].long, rows[1].top + high + 48, [quote(extra), " more"], 46, "wrong serif",
    "end");
  return {
    node,
    draw(/** @type {number} */ grow, /** @type {number} */ told) {
      rows.forEach(({ bar, long }, k) => {
        set(bar, { width: Math.max(0.1, (k ? rows[0].long : long) * grow) });
      });
      show(more, told);
    },
  };
}

/** @type {import("./index.js").Build} */
export function build(layer, context) {
  const { portrait, beat } = context;
  const asked = requests(layer, portrait);
  const raised = powers(layer, context);
  const lab = group(layer);
  move(lab, portrait ? 150 : 400, portrait ? 1060 : 800, 0.8);
  box(lab, -38, -38, 76, 76, "tray", 8);
  add(lab, "path", {
    d: [-22, 0, 22].map((k) => `M${k} -38v-20M${k} 38v20M-38 ${k}h-20M38 ${k}h20`).join(""),
    class: "stroke ink-line thin",
  });
  const core = box(lab, -18, -18, 36, 36, "lamp", 6);
  const own = line(layer, portrait ? 230 : 480, portrait ? 1056 : 798, ["your own chip"], 52,
    "ink serif");
  const both = line(layer, portrait ? 230 : 820, portrait ? 1110 : 798,
    [portrait ? "the lab runs and times both" : "the lab runs both ways and times them"], 35, "soft");
  return {
    horizon: portrait ? 1 : 0.95,
    light: 0.2,
    label:
      "Requests go from our kernels to the warehouse and are tallied, those that a cache answers " +
      "too, beside a struck-out clock. Then two bars of powers of e, the fused way's a little " +
      "longer than the plain way's. Last, a chip: the viewer's own.",
    draw(t) {
      show(asked.node, ease(t, 200, 800) * (1 - 0.6 * ease(t, beat(2), beat(2) + 900)));
      asked.draw(t, beat(1) + 400);
      if (raised) {
        show(raised.node, ease(t, beat(2) + 300, beat(2) + 1000));
        raised.draw(ease(t, beat(2) + 900, beat(3) + 600), ease(t, beat(4), beat(4) + 700));
      }
      const come = ease(t, beat(5), beat(5) + 900);
      for (const node of [lab, own]) show(node, come);
      show(core, 0.6 + 0.4 * during(t, beat(5) + 1500, beat(5) + 4500, 700));
      show(both, ease(t, beat(5) + 900, beat(5) + 1800));
    },
  };
}
