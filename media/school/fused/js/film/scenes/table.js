/**
 * The wall of scores is filled window by window, and the whole of it goes through the warehouse
 * door as often as the facts say.
 */

import { during, ease, mix, ramp } from "../motion.js";
import { add, box, group, line, move, set, show } from "../svg.js";

const ROWS = 9;
const CROSSINGS = ["scores written", "scores read", "shares written", "shares read"];

/**
 * The wall: a strip of windows for each word, of which as much is seen as has been scored.
 *
 * @param {Element} parent
 * @param {string[]} words
 * @param {number} pitch
 * @param {number} size of the letters
 */
function wallOf(parent, words, pitch, size) {
  const node = group(parent);
  const pane = pitch * 0.78;
  return {
    node,
    rows: words.map((word, i) => {
      let d = "";
      for (let j = 0; j <= i; j += 1) d += `M${j * pitch} 0h${pane}v${pane}h-${pane}Z`;
      const y = i * pitch;
      const row = group(node);
      set(row, { transform: `translate(0 ${y})` });
      add(row, "path", { d, class: "pane" });
      const clip = add(row, "svg", { x: 0, y: 0, width: 0, height: pitch });
      const scores = add(clip, "path", { d, class: "lamp" });
      const shares = add(clip, "path", { d, class: "fused" });
      const name = line(row, -18, pane * 0.76, [word], size, "ink", "end");
      const answer = group(row);
      const middle = { cx: words.length * pitch + 40, cy: pane / 2 };
      add(answer, "circle", { ...middle, r: pane / 2.2, class: "lamp-halo" });
      add(answer, "circle", { ...middle, r: pane / 3.6, class: "ink" });
      return { clip, scores, shares, name, answer, full: (i + 1) * pitch };
    }),
  };
}

/** @type {import("./index.js").Build} */
export function build(layer, { width, portrait, facts, film, beat, claim, quote }) {
  const words = facts.model.probe.sentence.split(" ").slice(0, ROWS);
  const pitch = portrait ? 52 : 60;
  const table = `traffic.table.mib.n${film.sizes.words}`;
  const crossings = quote("traffic.table.crossings");
  const times = claim("traffic.table.crossings").value;

  // The kernel's side and the warehouse's side, with the door between them.
  const home = portrait ? [290, 90] : [250, 120];
  const store = portrait ? [330, 680] : [1130, 310];
  const centre = portrait ? home[0] : 560;
  const yard = group(layer);
  const door = portrait
    ? { x: 120, y: 612, width: 660, height: 18 }
    : { x: 940, y: 90, width: 18, height: 640 };
  box(yard, door.x, door.y, door.width, door.height, "wall-line", 9);
  const gap = portrait
    ? box(yard, 291, 606, 318, 30, "lamp", 6)
    : box(yard, 934, 290, 30, 300, "lamp", 6);
  if (portrait) {
    line(yard, 120, 590, ["the kernels"], 34, "soft");
    line(yard, 120, 674, ["the warehouse"], 34, "soft");
  } else {
    line(yard, 915, 112, ["the kernels"], 34, "soft", "end");
    line(yard, 985, 112, ["the warehouse"], 34, "soft");
  }

  const wall = wallOf(layer, words, pitch, portrait ? 34 : 36);
  const passes = group(layer);
  const names = ["scores", "softmax", "mix"].slice(0, claim("kernels.unfused").value);
  const kernels = names.map((name, k) => {
    const node = group(passes);
    const x = portrait ? 570 : 560;
    box(node, x, (portrait ? 90 : 160) + 74 * k, 250, 58, "tray", 12);
    line(node, x + 125, (portrait ? 130 : 200) + 74 * k, [name], 36, "ink", "middle");
    return node;
  });

  // One lamp for each crossing, and what it carried.
  const tally = group(layer);
  const lamps = Array.from({ length: Math.min(times, CROSSINGS.length) }, (_, k) => {
    const node = group(tally);
    const x = portrait ? 130 + 340 * (k % 2) : 200 + 330 * k;
    const y = portrait ? 1010 + 66 * Math.floor(k / 2) : 812;
    add(node, "circle", { cx: x, cy: y - 11, r: 13, class: "socket" });
    const lit = add(node, "circle", { cx: x, cy: y - 11, r: 13, class: k < 2 ? "lamp" : "fused" });
    line(node, x + 28, y, [CROSSINGS[k]], 36);
    return { node, lit };
  });

  const size = group(layer);
  const middle = portrait ? width / 2 : 1275;
  const top = portrait ? 800 : 330;
  line(size, middle, top, [quote(table), " MiB"], 120, "lamp serif", "middle");
  line(size, middle, top + 66,
    ["a head's full table, ", quote(`sizes.n${film.sizes.words}`), " words"], 36, "ink", "middle");
  line(size, middle, top + 118, ["through the door ", crossings, " times"], 36, "soft", "middle");

  return {
    horizon: portrait ? 1.06 : 0.97,
    light: 0.15,
    label:
      "A wall of windows is filled: each word scores itself and the words before it. The " +
      `wall then goes through the warehouse door ${crossings.text} times.`,
    draw(t) {
      const filled = mix(0, words.length, ramp(t, 500, beat(1)));
      const shared = ease(t, beat(1) + 400, beat(2) - 1200);
      // The crossings begin when they are named and end when the size is told.
      const start = beat(3) + 500;
      const each = (beat(5) - 200 - start) / lamps.length;
      const crossing = Math.floor((t - start) / each);
      const part = ease(t - start - crossing * each, each * 0.05, each * 0.85);
      const going = crossing >= 0 && crossing < lamps.length;
      const away = crossing < 0 ? 0 : crossing >= lamps.length ? 0 : crossing % 2 ? 1 - part : part;
      // In the plain way the scores go out before they have become shares.
      const tinted = t < beat(2)
        ? shared
        : t < beat(3) ? 1 - ease(t, beat(2), beat(2) + 900) : crossing < 2 ? 0 : 1;
      const settled = ease(t, beat(2) - 300, beat(2) + 900);
      const kept = ease(t, beat(7), beat(7) + 1500);
      wall.rows.forEach(({ clip, scores, shares, name, answer, full }, i) => {
        set(clip, { width: Math.min(full, pitch * Math.ceil(ramp(filled, i, i + 1) * (i + 1))) });
        show(shares, tinted);
        show(scores, 1 - tinted);
        show(name, filled > i ? Math.max(1 - ease(t, beat(3), beat(3) + 500), kept) : 0.3);
        // Mixed by their shares: an answer for each word, which is all that was wanted.
        const mixed = ease(t, beat(1) + 2400 + 220 * i, beat(1) + 3000 + 220 * i);
        show(
          answer,
          Math.max(
            mixed * (1 - settled),
            ease(t, beat(7) + 1200 + 160 * i, beat(7) + 1800 + 160 * i),
          ),
        );
        show(clip, 1 - 0.8 * kept);
      });
      // The wall is folded to go through the door, and unfolds when it has come back for good.
      const small = portrait ? 0.5 : 0.52;
      const folded = ease(t, beat(3), start) * (1 - ease(t, beat(7) - 200, beat(7) + 700));
      const rest = [
        mix(mix(centre, home[0], settled), 330, folded),
        mix(home[1], portrait ? 290 : 310, folded),
      ];
      move(
        wall.node,
        mix(rest[0], store[0], away),
        mix(rest[1], store[1], away),
        mix(1, small, folded),
      );
      show(yard, ease(t, beat(2), beat(2) + 900));
      show(gap, going ? 0.35 + 0.6 * Math.sin(Math.PI * part) : 0.2);
      kernels.forEach((node, k) => show(node, during(t, beat(2) + 700 * k, beat(3) + 400, 500)));
      lamps.forEach(({ node, lit }, k) => {
        show(node, ease(t, beat(3) + 300 * k, beat(3) + 300 * k + 500));
        show(lit, crossing > k ? 1 : crossing === k ? ease(part, 0.4, 0.6) : 0);
      });
      show(size, ease(t, beat(5), beat(5) + 900));
    },
  };
}
