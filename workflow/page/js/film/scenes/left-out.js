/**
 * What the count says and what it does not: requests, no times; a cache may serve some; more powers
 * of e; and the lab, where both ways run on the viewer's own chip.
 */

import { ease, wave } from "../motion.js";
import { add, box, group, line, move, set, show } from "../svg.js";

/** Small drawings, 120 wide, their middle at the origin. */
/** @type {Record<string, (node: Element) => void>} */
const ICONS = {
  tally(node) {
    box(node, -56, -56, 112, 112, "tray", 16);
    add(node, "path", {
      d: "M-30 26V-26M-10 26V-26M10 26V-26M30 26V-26M-42 16L42 -16",
      class: "stroke lamp-line",
    });
  },
  clock(node) {
    add(node, "circle", { cx: 0, cy: 0, r: 54, class: "tray" });
    add(node, "path", { d: "M0 -34V0L24 14", class: "stroke ink-line" });
    add(node, "path", { d: "M-52 52L52 -52", class: "stroke bad-line" });
  },
  power(node) {
    box(node, -56, -56, 112, 112, "tray", 16);
    line(node, -24, 26, ["e"], 80, "fused serif");
    line(node, 18, -8, ["x"], 44, "fused serif");
  },
  chip(node) {
    box(node, -38, -38, 76, 76, "tray", 8);
    add(node, "path", {
      d: [-22, 0, 22].map((k) => `M${k} -38v-20M${k} 38v20M-38 ${k}h-20M38 ${k}h20`).join(""),
      class: "stroke ink-line thin",
    });
    box(node, -18, -18, 36, 36, "lamp", 6);
  },
};

/** @type {import("./index.js").Build} */
export function build(layer, { portrait, film, beat, quote, knows }) {
  const { words, wide } = film.sizes;
  const extra = `operations.extra.exps.n${words}.d${wide}`;
  const plain = `operations.unfused.exps.n${words}.d${wide}`;
  const items = [
    { icon: "tally", cue: 0, head: ["what our kernels ask for"], rest: ["is what the count counts"] },
    { icon: "clock", cue: 1, head: ["not a time"], rest: ["and a cache may serve part of it"] },
    ...(knows(extra) ? [{ icon: "power", cue: 2, head: [quote(extra), " more"],
      rest: [portrait ? "powers of e beside " : "powers of e than the plain way's ", quote(plain)] }] : []),
    { icon: "chip", cue: 5, head: ["your own chip"], rest: ["the lab runs both ways and times them"] },
  ].map(({ icon, cue, head, rest }, k) => {
    const node = group(layer);
    const y = portrait ? 190 + 250 * k : 170 + 172 * k;
    const x = portrait ? 120 : 400;
    const picture = group(node);
    move(picture, x, y, portrait ? 1.05 : 1);
    ICONS[icon](picture);
    const words = group(node);
    line(words, x + (portrait ? 90 : 120), y - 4, head, portrait ? 54 : 58, "ink serif");
    line(words, x + (portrait ? 90 : 120), y + 50, rest, portrait ? 33 : 38, "soft");
    return { node, cue, picture, y, x };
  });
  const thread = add(layer, "path", { class: "string" });
  return {
    horizon: portrait ? 1 : 0.93,
    light: 0.3,
    label:
      "Four signs in a row: a tally for what is counted, a struck-out clock, a power of e, " +
      "and a chip.",
    draw(t) {
      const last = items.filter(({ cue }, k) => k && t > beat(cue)).at(-1);
      show(thread, last ? 0.5 * ease(t, beat(1), beat(1) + 900) : 0);
      if (last) set(thread, { d: `M${items[0].x} ${items[0].y + 60}V${last.y - 60}` });
      items.forEach(({ node, cue, picture, x, y }, k) => {
        const come = ease(t, beat(cue) + (k ? 0 : 300), beat(cue) + (k ? 900 : 1200));
        show(node, come);
        set(node, { transform: `translate(${((1 - come) * -40).toFixed(1)} 0)` });
        move(picture, x, y + 4 * wave(t, 4200, k / 4) - 2, portrait ? 1.05 : 1);
      });
    },
  };
}
