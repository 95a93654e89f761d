/**
 * The step that is easily forgotten: first what it does to one row, then every answer of the
 * sentence, on every head: those whose largest score comes in the first tile, and the wrong ones.
 */

import { forgetting } from "../forgetting.js";
import { ease } from "../motion.js";
import { add, box, group, line, move, set, show } from "../svg.js";

/** @import { Context } from "../context.js" */

/** A crate for each answer, head by head. @param {Element} layer @param {Context} context */
function crates(layer, { portrait, facts, quote }) {
  const node = group(layer);
  /** @type {string[]} */
  const words = facts.model.probe.sentence.split(" ");
  /** @type {{heads: Record<string, boolean[]>[], key_rows: number}} */
  const { heads, key_rows: tile } = facts.control;
  const step = portrait ? 40 : 54;
  const side = portrait ? 34 : 44;
  const arm = side - 18;
  const apart = portrait ? 130 : 88;
  const origin = portrait ? [290, 122] : [210, 170];
  const place = (/** @type {number} */ head, /** @type {number} */ row) =>
    portrait
      ? [origin[0] + apart * head, origin[1] + step * row]
      : [origin[0] + step * row, origin[1] + apart * head];
  const names = words.map((word, row) => {
    const [x, y] = place(portrait ? 0 : heads.length, row);
    const name = line(node, 0, 0, [word], 32, "soft", "end");
    if (portrait) move(name, x - 22, y + 28);
    else move(name, x + side / 2 + 14, y - 8, 1, -62);
    return name;
  });
  const marks = heads.map((head, h) => {
    const [x, y] = place(h, 0);
    const named = group(node);
    const label = ["head ", { text: String(h), why: "row" }];
    if (portrait) {
      line(named, x + side / 2, y - 22, label, 32, "soft", "middle");
    } else {
      line(named, x - 22, y + 34, label, 36, "soft", "end");
    }
    const [ex, ey] = place(h, words.length);
    const wrongs = [quote(`control.head${h}.rows_wrong`)];
    const count = line(node, ex + (portrait ? side / 2 : 36), ey + 38, wrongs, portrait ? 50 : 52,
      "wrong serif", "middle");
    const rows = head.row_is_wrong.map((wrong, row) => {
      const [cx, cy] = place(h, row);
      const crate = box(node, cx, cy, side, side, "crate", 7);
      const late = head.row_has_late_maximum[row];
      const cross = wrong
        ? add(node, "path", {
          d: `M${cx + 9} ${cy + 9}l${arm} ${arm}m0 ${-arm}l${-arm} ${arm}`,
          class: "cross",
          "data-wrong": `${h}.${row}`,
        })
        : null;
      return { crate, cross, late, wrong, row };
    });
    return { rows, count };
  });

  // The first tile of keys, which decides who stays right: a bracket over its words.
  const bracket = group(node);
  const [ax, ay] = place(0, 0);
  const [bx, by] = place(0, tile - 1);
  const reach = portrait ? by - ay + side : bx - ax + side;
  const [mx, my] = portrait ? [ax - 12, ay] : [ax, ay - 18];
  add(bracket, "path", {
    d: portrait ? `M${mx} ${my}v${reach}` : `M${mx} ${my}v-14h${reach}v14`,
    class: "frame",
  });
  const [nx, ny] = portrait ? [450, 48] : [ax, ay - 56];
  line(bracket, nx, ny, ["the first tile: ", quote("control.key_rows"), " words"], 38, "fused",
    portrait ? "middle" : "start");
  const sum = group(node);
  const wrongs = [quote("control.rows_wrong"), " of ", quote("control.rows"), " answers wrong"];
  line(sum, portrait ? 450 : 1506, portrait ? 48 : ay - 56, wrongs, portrait ? 44 : 46,
    "wrong serif", portrait ? "middle" : "end");
  return { node, marks, bracket, sum, first: names.slice(0, tile) };
}

/** @type {import("./index.js").Build} */
export function build(layer, context) {
  const { portrait, beat, facts } = context;
  const row = forgetting(layer, context);
  const wall = crates(layer, context);
  const key = group(layer);
  const y = portrait ? 1178 : 800;
  box(key, portrait ? 60 : 210, y - 30, 34, 34, "crate right", 6);
  const first = portrait ? "first tile: " : "largest score in the first tile: ";
  line(key, portrait ? 106 : 260, y, [first, context.quote("control.rows_right"), " right"], 34,
    "soft");
  const later = portrait ? 670 : 990;
  box(key, later, y - 30, 34, 34, "crate late", 6);
  line(key, later + 48, y, [portrait ? "later" : "in a later tile"], 34, "soft");
  const wrong = facts.control.heads.map((/** @type {any} */ head) => head.rows_wrong).join(", ");
  return {
    horizon: portrait ? 1.06 : 0.98,
    light: 0.1,
    label:
      "One row twice, tile by tile: with total and answer shrunk together, and with the total's " +
      "shrinking forgotten, where the answer is divided by too much. Then a crate for each answer " +
      "on each head: those whose largest score comes in the first tile are right; crossed out " +
      `are, head by head, ${wrong}.`,
    draw(t) {
      // The crates come when the question has been answered.
      const answered = beat(4) - 400;
      show(row.node, ease(t, 500, 1300) * (1 - ease(t, answered, answered + 600)));
      row.draw(t, 900, beat(2) + 800);
      show(wall.node, ease(t, answered + 200, answered + 900));
      const start = beat(7) + 200;
      const each = (beat(8) - 1200 - start) / wall.marks.length;
      wall.marks.forEach(({ rows, count }, h) => {
        const from = start + each * h;
        for (const { crate, cross, late, row: k } of rows) {
          const at = from + (each * k) / rows.length;
          const known = ease(t, at, at + 250);
          if (cross) show(cross, known);
          // First each crate takes the colour of where its largest score lies.
          const told = t > beat(4) + 300 + 70 * k;
          set(crate, { class: told ? (late ? "crate late" : "crate right") : "crate" });
        }
        show(count, ease(t, from + each * 0.8, from + each));
      });
      const summed = ease(t, beat(8) - 1000, beat(8));
      show(wall.sum, summed);
      for (const name of wall.first) set(name, { class: t > beat(5) ? "fused" : "soft" });
      show(wall.bracket, ease(t, beat(5), beat(5) + 800) * (portrait ? 1 - summed : 1));
      show(key, ease(t, beat(4) + 300, beat(4) + 1100));
    },
  };
}
