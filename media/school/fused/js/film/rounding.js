/**
 * For each head, the worst error of both ways on a scale whose end is what float32 rounding allows.
 */

import { ease } from "./motion.js";
import { add, box, group, line, set, show } from "./svg.js";

/**
 * @param {Element} layer
 * @param {import("./context.js").Context} context
 * @returns {{draw: (t: number, come: number, grow: number, grown: number) => void}} come: when it
 *   appears; grow and grown: when the bars begin and have ended to grow
 */
export function rounding(layer, { portrait, facts, claim, quote }) {
  const node = group(layer);
  const left = portrait ? 190 : 420;
  const long = portrait ? 640 : 960;
  const top = portrait ? 400 : 300;
  const step = portrait ? 130 : 112;
  const worst = claim("attention.largest_ratio").value;
  line(node, left, top - 88, ["the worst error, as a part of"], 38);
  line(node, left, top - 42, ["what rounding allows"], 38);
  /** @type {Record<string, {largest_ratio: number}>[]} */
  const heads = facts.attention.heads;
  /** @type {{label: Element, row: number} | null} */
  let told = null;
  const rows = heads.map((head, k) => {
    const y = top + step * k;
    const row = group(node);
    line(row, left - 28, y + 32, ["head ", { text: String(k), why: "row" }], 36, "soft", "end");
    box(row, left, y, long, 44, "tray", 10);
    const tiles = Object.keys(head).filter((way) => way !== "plain");
    const tiled = tiles.reduce((a, b) => (head[b].largest_ratio > head[a].largest_ratio ? b : a));
    const bars = [
      { ratio: head.plain.largest_ratio, kind: "lamp", down: 5 },
      { ratio: head[tiled].largest_ratio, kind: "fused", down: 24 },
    ].map(({ ratio, kind, down }) => {
      const bar = box(row, left, y + down, 0, 15, kind, 5);
      return { bar, full: long * ratio, ratio };
    });
    const most = bars.find(({ ratio }) => ratio === worst);
    if (most && !told) {
      const label = line(row, left + most.full + 22, y + 34, [quote("attention.largest_ratio")], 40,
        "ink strong");
      told = { label, row: k };
    }
    return { row, bars };
  });
  add(node, "path", {
    d: `M${left + long} ${top - 16}V${top + step * (rows.length - 1) + 60}`,
    class: "limit",
  });
  const foot = top + step * rows.length + 40;
  box(node, left, foot - 24, 34, 22, "lamp", 5);
  line(node, left + 48, foot, ["the plain way"], 36);
  box(node, left + (portrait ? 330 : 360), foot - 24, 34, 22, "fused", 5);
  line(node, left + (portrait ? 378 : 408), foot, ["tile by tile"], 36);
  return {
    draw(t, come, grow, grown) {
      show(node, ease(t, come, come + 1000));
      rows.forEach(({ row, bars }, k) => {
        show(row, ease(t, come + 100 + 300 * k, come + 800 + 300 * k));
        const part = ease(t, grow + 300 * k, grown + 300 * k);
        for (const { bar, full } of bars) set(bar, { width: Math.max(0.1, full * part) });
        // A number comes when its bar is as long as it says.
        if (told?.row === k) show(told.label, ease(part, 0.9, 1));
      });
    },
  };
}
