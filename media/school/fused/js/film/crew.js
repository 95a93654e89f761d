/**
 * The bench, with a tile of questions on it, and the tiles of keys and values that are walked past.
 */

import { ease, mix, unit } from "./motion.js";
import { add, box, group, line, move, set, show } from "./svg.js";

const WALKERS = 8;

/**
 * A tray with a few rows on it.
 *
 * @param {Element} parent
 * @param {number} width
 * @param {number} height
 * @param {number} rows
 * @param {string} kind
 */
function tray(parent, width, height, rows, kind) {
  const node = group(parent);
  box(node, 0, 0, width, height, "tray", 12);
  for (let k = 0; k < rows; k += 1) {
    box(node, 12, 12 + (k * (height - 20)) / rows, width - 24, (height - 20) / rows - 8, kind, 4);
  }
  return node;
}

/** @param {Element} parent @param {{portrait: boolean}} room */
function dials(parent, { portrait }) {
  const node = group(parent);
  const step = portrait ? [260, 0] : [0, 190];
  move(node, portrait ? 322 : 170, portrait ? 140 : 300);
  const needles = ["largest", "total"].map((name, k) => {
    const at = group(node);
    move(at, step[0] * k, step[1] * k);
    add(at, "circle", { cx: 0, cy: 0, r: 64, class: "tray" });
    add(at, "path", { d: "M-44 30A53 53 0 1 1 44 30", class: k ? "arc fused-line" : "arc" });
    line(at, portrait ? 0 : 90, portrait ? 112 : 14, [name], 38, "ink",
      portrait ? "middle" : "start");
    return add(at, "path", { d: "M0 10L-6 0L0 -46L6 0Z", class: k ? "fused" : "lamp" });
  });
  return { node, needles };
}

/**
 * @param {Element} layer
 * @param {import("./context.js").Context} context
 * @returns {{node: Element, draw: (come: number, walk: number, leave: number) => void,
 *   tell: (shown: {moving: number, dials: number, answers: number, count: number}) => void}}
 */
export function crew(layer, { portrait }) {
  const node = group(layer);
  const bench = portrait ? { x: 210, y: 640, w: 400 } : { x: 600, y: 500, w: 420 };
  const door = portrait ? 830 : 1400;
  const top = portrait ? 350 : 170;
  const gone = portrait ? 40 : 440;
  box(node, door, top, 16, bench.y + 40 - top, "wall-line", 8);
  box(node, door - 5, top + 70, 26, bench.y - 60 - top, "lamp", 6);
  line(node, door + 16, top - 22, [portrait ? "the door" : "the warehouse door"], 36, "soft",
    "end");

  const [wide, high] = portrait ? [180, 120] : [200, 124];
  const [wide2, high2] = portrait ? [112, 92] : [130, 100];
  const onBench = bench.x + (bench.w - wide) / 2;
  const path = bench.y - high - (portrait ? 140 : 150);
  const light = add(node, "path", {
    d:
      `M${onBench + 14} ${bench.y - high}L${onBench + (wide - wide2) / 2} ${path + high2}` +
      `h${wide2}L${onBench + wide - 14} ${bench.y - high}Z`,
    class: "shaft",
  });
  const walkers = Array.from(
    { length: WALKERS },
    (_, k) => tray(node, wide2, high2, 3, k % 2 ? "value" : "key"),
  );
  const questions = tray(node, wide, high, 4, "lamp");
  const answers = tray(node, wide, high, 4, "fused");
  box(node, bench.x - 30, bench.y, bench.w + 60, 20, "wood", 6);
  box(node, bench.x - 4, bench.y + 20, 18, 84, "wood");
  box(node, bench.x + bench.w - 14, bench.y + 20, 18, 84, "wood");
  line(node, bench.x + bench.w / 2, bench.y + 74, ["the bench"], 36, "soft", "middle");
  const name = line(node, onBench - 24, bench.y - 46, ["questions"], 36, "lamp", "end");
  const kinds = group(node);
  line(kinds, onBench + wide / 2 - 20, path - 30, ["keys"], 36, "key", "end");
  line(kinds, onBench + wide / 2 + 20, path - 30, ["values"], 36, "value");
  const done = line(node, bench.x + bench.w / 2, bench.y + 156,
    ["finished answers leave, nothing else"], 38, "fused", "middle");
  const counted = line(node, bench.x + bench.w / 2, bench.y + 156,
    ["count what goes through the door"], 38, "lamp", "middle");
  const arrow = add(node, "path", {
    d: `M${door + 8} ${bench.y + 130}V${bench.y + 64}m-14 16l14 -16l14 16`,
    class: "stroke thin lamp-line",
  });
  const { node: both, needles } = dials(node, { portrait });
  const apart = wide2 + (portrait ? 34 : 44);
  const way = door - gone + apart * (WALKERS - 1);

  return {
    node,
    draw(come, walk, leave) {
      const walked = unit(walk);
      move(questions, mix(door - wide / 2, onBench, come), bench.y - high);
      show(questions, Math.min(ease(come, 0, 0.2), 1 - ease(leave, 0, 0.2)));
      show(name, Math.min(ease(come, 0.85, 1), 1 - ease(leave, 0, 0.15)));
      move(answers, mix(onBench, door - wide / 2, ease(leave, 0.3, 1)), bench.y - high);
      show(answers, Math.min(ease(leave, 0, 0.2), 1 - ease(leave, 0.92, 1)));
      let over = 0;
      walkers.forEach((tile, k) => {
        const x = door - wide2 / 2 - (walked * way - k * apart);
        // A tile is there from the door on, and fades once it has gone by.
        const seen = walk <= 0 || walk >= 1
          ? 0
          : Math.min(ease(door - wide2 / 2 - x, 0, 40), ease(x, gone - wide2 / 2, gone + 50));
        move(tile, x, path);
        show(tile, seen);
        over = Math.max(
          over,
          seen * (1 - unit(Math.abs(x + wide2 / 2 - onBench - wide / 2) / (apart * 0.5))),
        );
      });
      show(light, 0.9 * over * (1 - ease(leave, 0, 0.1)));
      // The largest only rises, in steps; the total also sinks when it does.
      const seen = walked * WALKERS;
      const steps = Math.floor(seen / 2) / (WALKERS / 2);
      const turns = [
        mix(-110, 96, steps),
        mix(-110, 60, walked) - 40 * Math.sin(Math.PI * seen) * (1 - walked),
      ];
      needles.forEach((needle, k) => set(needle, { transform: `rotate(${turns[k].toFixed(1)})` }));
    },
    tell({ moving, dials: told, answers: leaving, count }) {
      show(kinds, moving);
      show(both, 0.35 + 0.65 * told);
      show(done, leaving);
      show(counted, count);
      show(arrow, count);
    },
  };
}
