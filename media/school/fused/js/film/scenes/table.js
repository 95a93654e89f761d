/**
 * The model's own table is filled, score by score; its lower half becomes shares. The whole square,
 * grey half and all, then goes through the warehouse door as often as the facts say.
 */

import { during, ease, mix, ramp } from "../motion.js";
import { follows, shares } from "../online.js";
import { add, box, group, line, move, say, show } from "../svg.js";

const CROSSINGS = ["scores written", "scores read", "shares written", "shares read"];
const PANE = 0.86;
/** How strongly a cell may be lit, so that its number stands out from it. */
const LIT = [0.1, 0.5];

/**
 * The square: a cell for each pair of words, those of later words grey.
 *
 * @param {Element} parent
 * @param {string[]} words
 * @param {number[][]} table scores by row, of a word and those before it
 * @param {number} pitch
 */
function square(parent, words, table, pitch) {
  const node = group(parent);
  const pane = pitch * PANE;
  const cell = (/** @type {number} */ i, /** @type {number} */ j) =>
    `M${j * pitch} ${i * pitch}h${pane}v${pane}h-${pane}Z`;
  const later = words.flatMap((_, i) => words.map((_, j) => (j > i ? cell(i, j) : ""))).join("");
  const grey = add(node, "path", { d: later, class: "masked" });
  const all = table.flat();
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const rows = words.map((word, i) => {
    const name = line(node, -18, i * pitch + pane * 0.7, [word], 34, "ink", "end");
    const parts = shares(table[i]);
    const cells = table[i].map((score, j) => {
      const at = group(node);
      add(at, "path", { d: cell(i, j), class: "pane" });
      const lamp = add(at, "path", { d: cell(i, j), class: "lamp" });
      const part = add(at, "path", { d: cell(i, j), class: "fused" });
      const text = line(at, j * pitch + pane / 2, i * pitch + pane * 0.68, [""], 32, "ink", "middle");
      const bright = mix(LIT[0], LIT[1], (score - least) / Math.max(1e-9, most - least));
      return { at, lamp, part, text, score, share: parts[j], bright };
    });
    const answer = group(node);
    const middle = { cx: words.length * pitch + 40, cy: i * pitch + pane / 2 };
    add(answer, "circle", { ...middle, r: pane / 2.4, class: "lamp-halo" });
    add(answer, "circle", { ...middle, r: pane / 4, class: "ink" });
    return { name, cells, answer };
  });
  return { node, grey, rows };
}

/** @type {import("./index.js").Build} */
export function build(layer, { width, portrait, facts, film, beat, claim, quote }) {
  /** @type {number[][]} */
  const scores = facts.sentence.first_tile.scores;
  const words = facts.model.probe.sentence.split(" ").slice(0, scores.length);
  const pitch = 640 / scores.length;
  const table = `traffic.table.mib.n${film.sizes.words}`;
  const crossings = quote("traffic.table.crossings");
  const times = claim("traffic.table.crossings").value;

  // The kernel's side and the warehouse's side, with the door between them.
  const home = portrait ? [160, 50] : [250, 80];
  const store = portrait ? [330, 770] : [1130, 310];
  const centre = portrait ? home[0] : 520;
  const yard = group(layer);
  const door = portrait
    ? { x: 120, y: 716, width: 660, height: 18 }
    : { x: 940, y: 90, width: 18, height: 640 };
  box(yard, door.x, door.y, door.width, door.height, "wall-line", 9);
  const gap = portrait
    ? box(yard, 291, 710, 318, 30, "lamp", 6)
    : box(yard, 934, 290, 30, 300, "lamp", 6);
  if (portrait) {
    line(yard, 120, 700, ["the kernels"], 34, "soft");
    line(yard, 120, 772, ["the warehouse"], 34, "soft");
  } else {
    line(yard, 915, 70, ["the kernels"], 34, "soft", "end");
    line(yard, 985, 70, ["the warehouse"], 34, "soft");
  }

  const wall = square(layer, words, scores, pitch);
  const whole = line(layer, centre + 640 / 2, portrait ? 744 : 764,
    ["a row's shares make a whole"], 36, "fused", "middle");
  const passes = group(layer);
  const names = ["scores", "softmax", "mix"].slice(0, claim("kernels.unfused").value);
  const kernels = names.map((name, k) => {
    const node = group(passes);
    const x = portrait ? 40 + 280 * k : 560;
    const y = portrait ? 800 : 130 + 180 * k;
    box(node, x + (portrait ? 0 : 420), y, 250, 58, "tray", 12);
    line(node, x + 125 + (portrait ? 0 : 420), y + 41, [name], 36, "ink", "middle");
    return node;
  });

  // One lamp for each crossing, and what it carried.
  const tally = group(layer);
  const lamps = Array.from({ length: Math.min(times, CROSSINGS.length) }, (_, k) => {
    const node = group(tally);
    const x = portrait ? 130 + 340 * (k % 2) : 200 + 330 * k;
    const y = portrait ? 1090 + 66 * Math.floor(k / 2) : 812;
    add(node, "circle", { cx: x, cy: y - 11, r: 13, class: "socket" });
    const lit = add(node, "circle", { cx: x, cy: y - 11, r: 13, class: k < 2 ? "lamp" : "fused" });
    line(node, x + 28, y, [CROSSINGS[k]], 36);
    return { node, lit };
  });

  const size = group(layer);
  const middle = portrait ? width / 2 : 1275;
  const top = portrait ? 880 : 330;
  line(size, middle, top, [quote(table), " MiB"], 120, "lamp serif", "middle");
  line(size, middle, top + 66,
    ["a head's full table, ", quote(`sizes.n${film.sizes.words}`), " words"], 36, "ink", "middle");
  line(size, middle, top + 118, ["through the door ", crossings, " times"], 36, "soft", "middle");
  const counted = line(layer, middle, top + 168, ["the grey half is stored, too"], 36, "ink",
    "middle");

  return {
    horizon: portrait ? 1.06 : 0.97,
    light: 0.15,
    label:
      "A square of cells: row by row each word's scores of itself and the words before it, with " +
      "their numbers; the half of later words stays grey. The scores become shares. The whole " +
      `square then goes through the warehouse door ${crossings.text} times.`,
    draw(t) {
      const filled = words.length * ramp(t, 500, beat(1) - 300);
      const shared = ease(t, beat(1) + 400, beat(1) + 2200);
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
      wall.rows.forEach(({ name, cells, answer }, i) => {
        const seen = ramp(filled, i, i + 1) * cells.length;
        show(name, filled > i ? Math.max(1 - ease(t, beat(3), beat(3) + 500), kept) : 0.3);
        cells.forEach(({ at, lamp, part: own, text, score, share, bright }, j) => {
          show(at, j < seen ? 1 - 0.8 * kept : 0);
          show(lamp, bright * (1 - tinted));
          show(own, mix(LIT[0], LIT[1], share) * tinted);
          say(text, [tinted < 0.5 ? follows(score) : follows(share, 2)]);
          show(text, (1 - settled) * Math.abs(1 - 2 * Math.min(1, Math.max(0, shared))));
        });
        // Mixed by their shares: an answer for each word, which is all that was wanted.
        const mixed = ease(t, beat(1) + 3000 + 220 * i, beat(1) + 3600 + 220 * i);
        const wanted = ease(t, beat(7) + 1200 + 160 * i, beat(7) + 1800 + 160 * i);
        show(answer, Math.max(mixed * (1 - settled), wanted));
      });
      show(whole, during(t, beat(1) + 1800, beat(2) - 200, 500));
      // Later words count as soon as the table is stored.
      show(wall.grey, mix(0.25, 0.9, ease(t, beat(6) - 400, beat(6) + 400)) * (1 - 0.8 * kept));
      show(counted, ease(t, beat(6), beat(6) + 700) * (1 - kept));
      // The wall is folded to go through the door, and unfolds when it has come back for good.
      const small = portrait ? 0.43 : 0.47;
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
