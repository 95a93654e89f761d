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
 * @param {import("./context.js").Context} context
 * @param {number} d numbers a word
 */
export function bench(parent, x, y, side, { claim, quote }, d) {
  const node = group(parent);
  const id = `tiles.query_rows.d${d}`;
  const rows = claim(id).value;
  box(node, x, y, side, side, "tray", 10);
  let slats = "";
  for (let k = 0; k < rows; k += 1) {
    slats += `M${x + 10} ${(y + 10 + ((k + 0.5) * (side - 20)) / rows).toFixed(2)}h${side - 20}`;
  }
  add(node, "path", { d: slats, class: "slats", "stroke-width": (0.62 * (side - 20)) / rows });
  line(node, x + side + 26, y + side / 2 - 8, [quote(id), " questions"], 40, "ink strong");
  line(node, x + side + 26, y + side / 2 + 42, ["fit on the bench"], 36, "soft");
  return node;
}

/**
 * Both ways' bars at one size of head.
 *
 * @param {Element} layer
 * @param {import("./context.js").Context} context
 * @returns {{draw: (t: number) => void}}
 */
export function bars(layer, context) {
  const { portrait, film, beat, claim, quote } = context;
  const { words, wide: d } = film.sizes;
  const node = group(layer);
  const tail = `n${words}.d${d}`;
  const left = portrait ? 70 : 130;
  const top = portrait ? 130 : 130;
  const room = portrait ? 760 : 1000;
  const scale = room / claim(`traffic.unfused.mib.${tail}`).value;
  const table = claim(`traffic.table.mib.n${words}`).value;
  const crossings = claim("traffic.table.crossings").value;
  line(node, left, top,
    [quote(`sizes.n${words}`), " words, ", quote(`sizes.d${d}`), " numbers a word"], 40,
    "ink strong");
  const rows = [
    { way: "unfused", name: "plain", y: top + (portrait ? 106 : 54) },
    { way: "fused", name: "fused", y: top + (portrait ? 276 : 190) },
  ].map(({ way, name, y }, index) => {
    const id = `traffic.${way}.mib.${tail}`;
    const moved = claim(id).value;
    const row = group(node);
    const start = portrait ? left : left + 150;
    line(row, portrait ? left : start - 24, portrait ? y - 14 : y + 62, [name], 36, "soft",
      portrait ? "start" : "end");
    const carried = index ? moved : moved - crossings * table;
    const parts = [
      {
        part: box(row, start, y, 0.1, 96, index ? "fused" : "fused-dim", 6),
        long: carried * scale,
      },
    ];
    for (let k = 0; k < (index ? 0 : crossings); k += 1) {
      const from = start + (carried + k * table) * scale;
      parts.push({
        part: box(row, from, y, 0.1, 96, k < crossings / 2 ? "lamp" : "lamp-dim", 6),
        long: table * scale - 4,
      });
    }
    // Keys and values come once for each tile of questions: so many trips make the bar.
    const trips = index ? Math.ceil(words / claim(`tiles.query_rows.d${d}`).value) : 0;
    let lines = "";
    for (let k = 1; k < trips; k += 1) {
      lines += `M${(start + (k * moved * scale) / trips).toFixed(2)} ${y}v96`;
    }
    const cuts = add(row, "path", {
      d: lines,
      class: "cuts",
      "stroke-width": Math.min(1.4, (0.35 * moved * scale) / Math.max(1, trips)),
    });
    show(cuts, 0);
    const [x, base] = portrait ? [left + 140, y - 12] : [start + moved * scale + 22, y + 66];
    const value = line(row, x, base, [quote(id), " MiB"], portrait ? 60 : 56,
      `${index ? "fused" : "lamp"} serif`);
    return { row, parts, value, cuts };
  });
  const note = portrait
    ? bench(layer, 70, 560, 180, context, d)
    : bench(layer, 280, 520, 180, context, d);
  const again = line(layer, portrait ? 70 : 820, portrait ? 820 : 620,
    ["keys and values anew for each tile"], portrait ? 40 : 44, "fused");
  const key = group(node);
  const y = portrait ? 1160 : 796;
  box(key, portrait ? 70 : 280, y - 26, 36, 26, "lamp", 5);
  line(key, portrait ? 118 : 330, y, ["each crossing of the table"], 34, "soft");
  box(key, portrait ? 610 : 790, y - 26, 36, 26, "fused", 5);
  line(key, portrait ? 658 : 840, y,
    portrait ? ["all the rest"] : ["questions, keys, values, answers"], 34, "soft");

  /**
   * The parts grow one after another; the number comes with the last.
   *
   * @param {typeof rows[0]} bar
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
    show(value, ease(t, to - 100, to + 300));
  }

  return {
    draw(t) {
      show(node, ease(t, beat(10) - 400, beat(10) + 300));
      grow(rows[0], t, beat(10) + 1200, beat(11) - 900);
      grow(rows[1], t, beat(11) + 200, beat(11) + 1500);
      show(note, ease(t, beat(12), beat(12) + 800));
      show(again, ease(t, beat(13), beat(13) + 800));
      show(rows[1].cuts, 0.55 * ease(t, beat(13) + 500, beat(13) + 2000));
      show(key, ease(t, beat(10), beat(10) + 800));
    },
  };
}
