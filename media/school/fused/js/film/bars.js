/**
 * What goes through the door, as bars to one scale. The plain way's bar is the fused way's and, on
 * top of it, every crossing of the table: so the difference is seen and not only said.
 */

import { ease } from "./motion.js";
import { add, box, group, line, set, show } from "./svg.js";

/**
 * A bench of one size, cut into as many rows as there are questions on it.
 *
 * @param {Element} parent
 * @param {number} x
 * @param {number} y
 * @param {number} side
 * @param {number} rows
 */
function bench(parent, x, y, side, rows) {
  const node = group(parent);
  box(node, x, y, side, side, "tray", 10);
  let d = "";
  for (let k = 0; k < rows; k += 1) {
    d += `M${x + 10} ${(y + 10 + ((k + 0.5) * (side - 20)) / rows).toFixed(2)}h${side - 20}`;
  }
  add(node, "path", { d, class: "slats", "stroke-width": (0.62 * (side - 20)) / rows });
  return node;
}

/**
 * Both ways' bars at one size of head, all to one scale.
 *
 * @param {Element} layer
 * @param {import("./context.js").Context} context
 * @param {number} d
 * @param {number} top
 * @param {number} scale
 */
function pair(layer, { portrait, film, quote, claim }, d, top, scale) {
  const node = group(layer);
  const words = film.sizes.words;
  const tail = `n${words}.d${d}`;
  const left = portrait ? 70 : 130;
  const table = claim(`traffic.table.mib.n${words}`).value;
  const crossings = claim("traffic.table.crossings").value;
  line(node, left, top,
    [quote(`sizes.n${words}`), " words, ", quote(`sizes.d${d}`), " numbers a word"], 40,
    "ink strong");
  const rows = [
    { way: "unfused", name: "plain", y: top + (portrait ? 96 : 34) },
    { way: "fused", name: "fused", y: top + (portrait ? 246 : 140) },
  ].map(({ way, name, y }, index) => {
    const id = `traffic.${way}.mib.${tail}`;
    const moved = claim(id).value;
    const row = group(node);
    const start = portrait ? left : left + 150;
    line(row, portrait ? left : start - 24, portrait ? y - 14 : y + 52, [name], 36, "soft",
      portrait ? "start" : "end");
    const carried = index ? moved : moved - crossings * table;
    const parts = [
      {
        part: box(row, start, y, 0.1, 76, index ? "fused" : "fused-dim", 6),
        long: carried * scale,
        from: start,
      },
    ];
    for (let k = 0; k < (index ? 0 : crossings); k += 1) {
      const from = start + (carried + k * table) * scale;
      parts.push({
        part: box(row, from, y, 0.1, 76, k < crossings / 2 ? "lamp" : "lamp-dim", 6),
        long: table * scale - 4,
        from,
      });
    }
    const end = start + moved * scale;
    // Keys and values come once for each tile of questions: so many trips make the bar.
    const trips = index ? Math.ceil(words / claim(`tiles.query_rows.d${d}`).value) : 0;
    let lines = "";
    for (let k = 1; k < trips; k += 1) {
      lines += `M${(start + (k * moved * scale) / trips).toFixed(2)} ${y}v76`;
    }
    const cuts = add(row, "path", {
      d: lines,
      class: "cuts",
      "stroke-width": Math.min(1.4, (0.35 * moved * scale) / Math.max(1, trips)),
    });
    show(cuts, 0);
    const [x, base] = portrait ? [left + 140, y - 12] : [end + 22, y + 56];
    const value = line(row, x, base, [quote(id), " MiB"], portrait ? 60 : 56,
      `${index ? "fused" : "lamp"} serif`);
    return { row, parts, value, cuts };
  });
  return { node, rows };
}

/**
 * @param {Element} layer
 * @param {import("./context.js").Context} context
 * @returns {{draw: (t: number) => void}}
 */
export function bars(layer, context) {
  const { portrait, film, beat, claim, quote } = context;
  const { words, wide, narrow } = film.sizes;
  const node = group(layer);
  const room = portrait ? 760 : 1000;
  const scale = room / claim(`traffic.unfused.mib.n${words}.d${wide}`).value;
  const pairs = [
    pair(node, context, wide, portrait ? 90 : 96, scale),
    pair(node, context, narrow, portrait ? 620 : 446, scale),
  ];
  const side = portrait ? 124 : 150;
  const notes = [wide, narrow].map((d, k) => {
    const note = group(node);
    const at = portrait ? { x: 70, y: k ? 970 : 440 } : { x: 1050, y: k ? 570 : 220 };
    bench(note, at.x, at.y, side, claim(`tiles.query_rows.d${d}`).value);
    line(note, at.x + side + 26, at.y + side / 2 - 8,
      [quote(`tiles.query_rows.d${d}`), " questions"], 40, "ink strong");
    line(note, at.x + side + 26, at.y + side / 2 + 42, ["fit on the bench"], 36, "soft");
    return note;
  });
  const key = group(node);
  const y = portrait ? 1160 : 796;
  box(key, portrait ? 70 : 280, y - 26, 36, 26, "lamp", 5);
  line(key, portrait ? 118 : 330, y, ["each crossing of the table"], 34, "soft");
  box(key, portrait ? 610 : 790, y - 26, 36, 26, "fused", 5);
  line(key, portrait ? 658 : 840, y,
    portrait ? ["all the rest"] : ["questions, keys, values, answers"], 34, "soft");

  /**
   * The parts grow one after another.
   *
   * @param {ReturnType<typeof pair>["rows"][0]} bar
   * @param {number} t
   * @param {number} from
   * @param {number} to
   */
  function grow({ parts, value, row }, t, from, to) {
    show(row, ease(t, from - 500, from));
    const total = parts.reduce((sum, { long }) => sum + Math.max(long, 1), 0);
    let begin = from;
    for (const { part, long } of parts) {
      const end = begin + ((to - from) * Math.max(long, 1)) / total;
      set(part, { width: Math.max(0.1, long * ease(t, begin, end)) });
      begin = end;
    }
    show(value, ease(t, to - 200, to + 300));
  }

  return {
    draw(t) {
      show(node, ease(t, beat(8) - 400, beat(8) + 300));
      show(pairs[0].node, ease(t, beat(8) - 300, beat(8) + 500));
      grow(pairs[0].rows[0], t, beat(8) + 1900, beat(9) - 200);
      grow(pairs[0].rows[1], t, beat(9) + 200, beat(9) + 1400);
      show(pairs[0].rows[1].cuts, 0.55 * ease(t, beat(11) + 1500, beat(11) + 3000));
      show(pairs[1].rows[1].cuts, 0.55 * ease(t, beat(13) + 2400, beat(13) + 3200));
      show(notes[0], ease(t, beat(10), beat(10) + 800));
      show(pairs[1].node, ease(t, beat(12) - 200, beat(12) + 500));
      show(notes[1], ease(t, beat(12) + 700, beat(12) + 1500));
      grow(pairs[1].rows[0], t, beat(13) - 200, beat(13) + 1500);
      grow(pairs[1].rows[1], t, beat(13) + 1900, beat(13) + 2400);
      show(key, ease(t, beat(8), beat(8) + 800));
    },
  };
}
