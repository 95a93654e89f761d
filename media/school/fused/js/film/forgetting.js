/**
 * One row of the sentence in two columns: with both shrinkings, and with the total's forgotten. The
 * answer ends too small where a larger score came after the first tile.
 */

import { ease, mix, ramp } from "./motion.js";
import { follows, online } from "./online.js";
import { group, line, say, show } from "./svg.js";
import { glass, largestOf, numbers } from "./vessels.js";

/**
 * @param {Element} layer
 * @param {import("./context.js").Context} context
 * @returns {{node: Element, draw: (t: number, from: number, to: number) => void}} from and to: when
 *   the first tile comes, and when the answer is divided
 */
export function forgetting(layer, { width, portrait, facts }) {
  const node = group(layer);
  const { last_row: row, key_rows: tile } = facts.sentence;
  const word = facts.model.probe.sentence.split(" ").at(-1);
  const ways = [false, true].map((forget) => online(row.scores, row.values, tile, forget));
  const last = ways.map((steps) => steps[steps.length - 1]);
  const most = 1.1 * Math.max(...ways.flatMap((steps) => steps.map(({ total }) => total)));
  const right = last[0].answer.map((x) => x / last[0].total);
  const bar = 1.05 * largestOf([...ways[0].map(({ answer }) => answer), right]);
  line(node, width / 2, 70, ["the last row, “", word, "”: tile by tile"], 38, "soft", "middle");
  const top = line(node, width / 2, 126, [""], 46, "lamp serif", "middle");
  const columns = ways.map((steps, k) => {
    const at = group(node);
    const [x, y] = portrait ? [60, k ? 690 : 210] : [k ? 850 : 130, 220];
    const kind = k ? "wrong" : "sea-text";
    const head = k ? "the total's shrinking forgotten" : "both shrunk";
    line(at, x, y, [head], 42, k ? "wrong strong" : "fused strong");
    const water = glass(at, { x, y: y + 110, w: 130, h: 230 }, most, k ? "wrong" : "water");
    const total = line(at, x, y + 84, [""], 56, `${kind} serif`);
    line(at, x, y + 386, ["total"], 36, "soft");
    const frame = { x: x + 190, y: y + 110, w: portrait ? 580 : 430, h: 230 };
    const bars = numbers(at, frame, right.length, bar, k ? "wrong" : "fused");
    const label = line(at, x + 190, y + 386, [""], 36, "soft");
    const factor = line(at, x + 190, y + 84, [""], 40, k ? "wrong" : "fused");
    return { steps, water, total, bars, label, factor, forget: Boolean(k) };
  });
  return {
    node,
    draw(t, from, to) {
      const count = ways[0].length;
      const each = (to - from) / count;
      const now = Math.max(0, Math.min(count - 1, Math.floor((t - from) / each)));
      const part = ramp(t - from - now * each, 0, each * 0.9);
      const divided = ease(t, to + 300, to + 1700);
      const running = t >= from;
      say(top, running ? ["largest ", follows(ways[0][now].largest)] : [""]);
      for (const { steps, water, total, bars, label, factor, forget } of columns) {
        const step = steps[now];
        const shrunk = ease(part, 0.2, 0.5);
        const pour = ease(part, 0.6, 0.95);
        const by = forget ? 1 : step.factor;
        const kept = step.before * mix(1, by, shrunk);
        const amount = running ? kept + (step.total - step.before * by) * pour : 0;
        water.level(amount * (1 - divided));
        say(total, running ? [follows(amount, 2)] : ["–"]);
        const share = mix(1, 1 / step.total, divided);
        bars.draw(step.answer.map((x, i) => {
          const before = step.earlier[i];
          const now = before * mix(1, step.factor, shrunk) + (x - before * step.factor) * pour;
          return running ? now * share : 0;
        }));
        const done = divided > 0.5;
        say(label, [done ? (forget ? "divided by too much" : "the answer") : "answer so far"]);
        const times = follows(step.factor, 2);
        say(factor, forget ? ["the answer alone × ", times] : ["both × ", times]);
        show(factor, running && now && step.factor < 1 && !divided ? ease(part, 0.1, 0.25) : 0);
      }
    },
  };
}
