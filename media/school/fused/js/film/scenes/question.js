/**
 * The question in the harbour: one load of the fused way, and a bar of the plain way's that the
 * viewer drags. Only then it is seen how many loads it is.
 */

import { TIMES_MOST } from "../asked.js";
import { bench } from "../bars.js";
import { ease, mix } from "../motion.js";
import { add, box, group, line, move, say, set, show } from "../svg.js";

/** @type {import("./index.js").Build} */
export function build(layer, context) {
  const { width, portrait, film, beat, scene, claim, quote, answer } = context;
  const { words, narrow } = film.sizes;
  const pause = film.pauses.find(({ asks }) => asks === "times");
  if (!pause) throw new Error("film.json: found no pause that asks how many times as much");
  const { claim: id, form } = pause.answer;
  const tail = `n${words}.d${narrow}`;
  const ratio = claim(id).value;
  const left = portrait ? 70 : 140;
  const room = width - 2 * left;
  const top = portrait ? 400 : 330;
  const asked = scene.cues.findIndex((cue) => cue.id === pause.cue);
  const sizes = [quote(`sizes.n${words}`), " words, ", quote(`sizes.d${narrow}`), " numbers a word"];
  const said = line(layer, left, 110, sizes, portrait ? 52 : 56, "ink serif");
  const fits = portrait ? bench(layer, left, 150, 120, context, narrow)
    : bench(layer, 1010, 60, 170, context, narrow);
  const fused = group(layer);
  line(fused, left, top - 66, ["fused"], 40, "fused");
  const load = box(fused, left, top - 48, 1, 90, "fused", 6);
  const plain = group(layer);
  line(plain, left, top + 118, ["plain"], 40, "lamp");
  // Loads of the fused way's size, the last one cut.
  const loads = Array.from({ length: Math.ceil(ratio) }, () =>
    box(plain, left, top + 136, 1, 90, "lamp", 4));
  const dragged = group(layer);
  const guessed = box(dragged, left, top + 136, 1, 90, "guess-bar", 6);
  const grip = add(dragged, "path", { d: `M0 ${top + 122}V${top + 240}`, class: "guess" });
  const mark = line(layer, left, top + 206, ["?"], 76, "lamp serif");
  const label = line(dragged, 0, top + 284, [""], 40, "ink");
  const result = group(layer);
  line(result, width - left, top + 360, ["about ", quote(id, form), " times"], portrait ? 76 : 84,
    "lamp serif", "end");
  const counts = group(layer);
  line(counts, width - left, top + 118, [quote(`traffic.unfused.mib.${tail}`), " MiB"], 44,
    "lamp serif", "end");
  line(counts, width - left, top - 66, [quote(`traffic.fused.mib.${tail}`), " MiB"], 44,
    "fused serif", "end");
  return {
    horizon: portrait ? 0.72 : 0.82,
    light: 0.3,
    label:
      "A short bar for the fused way. Below it, for the plain way, a bar that can be dragged to " +
      "the length that it is thought to have, until the answer is given.",
    // The bar is taken hold of anywhere along it.
    grab: (x, y) => (y < top + 60 || y > top + 320 ? null : ((x - left) * TIMES_MOST) / room),
    draw(t) {
      const out = beat(asked + 1);
      const lift = t >= out ? ease(t, out, out + 900) : 0;
      const { guess } = answer.times;
      const held = typeof guess === "number" ? guess : 0;
      // While nobody has answered the scale is that of the bar; then both bars fill the room.
      const most = mix(TIMES_MOST, 1.06 * Math.max(ratio, Math.min(held, TIMES_MOST)), lift);
      const unit = room / most;
      show(said, ease(t, 200, 1000));
      show(fits, ease(t, 1200, 2000) * (1 - 0.7 * lift));
      show(fused, ease(t, 900, 1800));
      set(load, { width: unit });
      show(plain, ease(t, beat(1), beat(1) + 900));
      show(mark, held ? 0 : ease(t, beat(1), beat(1) + 900) * (1 - lift));
      loads.forEach((part, k) => {
        set(part, {
          x: left + k * unit,
          width: Math.max(1, Math.min(1, ratio - k) * unit - Math.min(4, 0.2 * unit)),
        });
        const come = out + (1400 * k) / loads.length;
        show(part, ease(t, come, come + 250));
      });
      show(result, ease(t, out + 1300, out + 2000));
      show(counts, ease(t, out + 1300, out + 2000));
      show(dragged, held && t > beat(asked) ? 1 : 0);
      if (!held) return;
      const x = left + Math.min(held, most) * unit;
      set(guessed, { width: x - left });
      show(guessed, 1 - lift);
      move(grip, x, 0);
      const anchor = x > width * 0.6 ? "end" : "start";
      set(label, { x: anchor === "end" ? x + 6 : x - 6, "text-anchor": anchor });
      const beyond = held > most ? " →" : "";
      say(label, ["your guess: ", { text: held.toLocaleString("en-US"), why: "guess" }, beyond]);
    },
  };
}
