/**
 * The question in the harbour: one load of the fused way, and how many of them are the plain way's?
 */

import { ease, wave } from "../motion.js";
import { add, box, group, line, move, say, set, show } from "../svg.js";

/** @type {import("./index.js").Build} */
export function build(layer, { width, portrait, film, beat, scene, claim, quote, answer }) {
  const { words, narrow } = film.sizes;
  const { claim: id, form } = film.pause.answer;
  const ratio = claim(id).value;
  const left = portrait ? 70 : 140;
  const room = width - 2 * left;
  const top = portrait ? 330 : 280;
  // The plain way's load fills the room whatever the answer is.
  const load = room / ratio;
  const asked = scene.cues.findIndex((cue) => cue.id === film.pause.cue);
  const sizes = [quote(`sizes.n${words}`), " words, ", quote(`sizes.d${narrow}`), " numbers a word"];
  const said = line(layer, left, 120, sizes, portrait ? 56 : 62, "ink serif");
  const fused = group(layer);
  line(fused, left, top - 66, ["fused"], 40, "fused");
  box(fused, left, top - 48, load, 90, "fused", 6);
  const plain = group(layer);
  line(plain, left, top + 118, ["plain"], 40, "lamp");
  // Loads of the fused way's size, the last one cut.
  const loads = Array.from({ length: Math.ceil(ratio) }, (_, k) => {
    const part = Math.min(1, ratio - k);
    return box(plain, left + k * load, top + 136, Math.max(1, part * load - 4), 90, "lamp", 6);
  });
  const unknown = group(layer);
  box(unknown, left, top + 136, room, 90, "fog", 6);
  const mark = line(unknown, width / 2, top + 216, ["?"], 100, "lamp serif", "middle");
  const result = group(layer);
  line(result, width - left, top + 356, ["about ", quote(id, form), " times"], portrait ? 76 : 84,
    "lamp serif", "end");
  const guess = group(layer);
  const stick = add(guess, "path", { d: `M0 ${top + 122}V${top + 246}`, class: "guess" });
  const guessed = line(guess, 0, top + 272, [""], 40, "ink");
  return {
    horizon: portrait ? 0.6 : 0.74,
    light: 0.3,
    label:
      "A short bar for the fused way. Below it, for the plain way, a bar hidden in fog " +
      "with a question mark, until the answer is given.",
    draw(t) {
      const out = beat(asked + 1);
      show(said, ease(t, 200, 1000));
      show(fused, ease(t, 900, 1800));
      show(plain, ease(t, beat(1), beat(1) + 900));
      const lift = ease(t, out, out + 900);
      show(unknown, ease(t, beat(1), beat(1) + 900) * (1 - lift));
      show(mark, 0.55 + 0.45 * wave(t, 2600));
      loads.forEach((part, k) => {
        const come = out + (1400 * k) / loads.length;
        show(part, ease(t, come, come + 250));
      });
      show(result, ease(t, out + 900, out + 1700));
      const given = t >= out ? answer.guess : null;
      show(guess, given === null ? 0 : ease(t, out, out + 500));
      if (given === null) return;
      const x = Math.min(width - left + 26, left + given * load);
      move(stick, x, 0);
      const anchor = x > width * 0.6 ? "end" : "start";
      set(guessed, { x: anchor === "end" ? x + 6 : x - 6, "text-anchor": anchor });
      say(guessed, ["your guess: ", { text: given.toLocaleString("en-US"), why: "guess" }]);
    },
  };
}
