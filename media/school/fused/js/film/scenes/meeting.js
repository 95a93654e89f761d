/**
 * Each word looks back: the beam goes from a word over the words before it. Then one trip from the
 * words through the cannery, while the wall of scores that stood between fades, never stored.
 */

import { cannery, lighthouse, outline, warehouse } from "../buildings.js";
import { during, ease, mix, ramp, wave } from "../motion.js";
import { add, box, group, line, move, show } from "../svg.js";

/**
 * Words afloat, each with a lantern that the beam lights.
 *
 * @param {Element} layer
 * @param {string[]} words
 * @param {number[][]} places
 * @param {number} size of the letters
 */
function afloat(layer, words, places, size) {
  return words.map((word, k) => {
    const node = group(layer);
    add(node, "path", { d: "M-26 0H26L18 16H-18Z", class: "hull" });
    const lit = add(node, "circle", { cx: 0, cy: -18, r: 34, class: "lamp-halo" });
    add(node, "circle", { cx: 0, cy: -14, r: 12, class: "pane" });
    const lamp = add(node, "circle", { cx: 0, cy: -14, r: 12, class: "lamp" });
    const name = line(node, 0, size + 22, [word], size, "ink afloat", "middle");
    return { node, lit, lamp, name, place: places[k] };
  });
}

/** @type {import("./index.js").Build} */
export function build(layer, { width, height, portrait, facts, beat, duration }) {
  const horizon = portrait ? 0.5 : 0.54;
  const quay = height * horizon + 8;
  const count = portrait ? 5 : 6;
  /** @type {string[]} */
  const words = facts.model.probe.sentence.split(" ").slice(0, count);
  const size = portrait ? 42 : 40;
  const step = portrait ? 158 : 166;
  const first = portrait ? 110 : 120;
  const level = height * (portrait ? 0.7 : 0.76);
  const light = lighthouse(layer, width * (portrait ? 0.5 : 0.66), quay, portrait ? 1 : 0.95, 1200);
  const shed = cannery(layer, width * (portrait ? 0.04 : 0.74), quay, portrait ? 0.86 : 0.72);
  const store = warehouse(layer, width * (portrait ? 0.72 : 0.905), quay, portrait ? 0.8 : 0.56);
  const places = words.map((_, k) => [first + step * k, level + (k % 2) * 14]);
  const floats = afloat(layer, words, places, size);
  const [lampX, lampY] = light.lamp;

  // The wall of scores: a triangle of windows that nobody builds.
  const wall = outline(layer, 7, 30);
  line(wall, 0, -22, ["the wall of scores"], 36, "soft");
  const wallX = width * (portrait ? 0.6 : 0.4);
  const names = group(layer);
  line(names, light.lamp[0], lampY - 76, ["attention"], 44, "lamp serif", "middle");
  const nameX = portrait ? width * 0.04 + 155 : width * 0.74 + 130;
  const nameY = quay - (portrait ? 230 : 200);
  const shedName = line(layer, nameX, nameY, ["kernels"], 44, "lamp serif", "middle");
  const storeName = line(layer, portrait ? width * 0.72 + 100 : width - 14,
    quay - (portrait ? 204 : 146), ["the warehouse"], 34, "soft", portrait ? "middle" : "end");
  const parcel = group(layer);
  add(parcel, "circle", { cx: 0, cy: 0, r: 46, class: "lamp-halo" });
  box(parcel, -18, -18, 36, 36, "fused", 8);
  const shedX = width * (portrait ? 0.24 : 0.82);

  return {
    horizon,
    label:
      "A lighthouse turns its beam over words that float before it. Then one parcel goes " +
      "from the words to the cannery and back, and the wall of scores fades beside the " +
      "closed warehouse.",
    draw(t) {
      // Word by word; the beam starts at the word and goes back to the first.
      const from = 600;
      const each = (beat(2) - from) / words.length;
      const sweep = Math.min(words.length - 1, Math.max(0, Math.floor((t - from) / each)));
      const k = ramp(t - from - sweep * each, 0, each * 0.85);
      const at = first + step * sweep * (1 - k);
      const turn = (Math.atan2(level - lampY, at - lampX) * 180) / Math.PI;
      const meeting = ease(t, beat(2), beat(2) + 900);
      light.beam(mix(turn, 200, meeting), mix(1, 0.35, meeting));
      const all = ease(t, beat(2) - 300, beat(2) + 400);
      floats.forEach(({ node, lit, lamp, name, place }, index) => {
        // The word that looks stays lit; those it has looked back at are lit as the beam passes.
        const seen = index === sweep || (index < sweep && at <= place[0] + 30) ? 1 : 0;
        const glow = Math.max(seen * (index === sweep ? 1 : 0.8), all * 0.7);
        show(name, Math.max(index <= sweep && t > from ? 1 : 0.4, all));
        const done = ease(t, beat(6) - 600 + 120 * index, beat(6) + 120 * index);
        show(lit, Math.max(glow, done));
        show(lamp, Math.max(glow, done));
        move(node, place[0], place[1] + 5 * wave(t, 3000, index / 5));
      });
      show(names, ease(t, 500, 1400) * (1 - 0.4 * ease(t, beat(4), beat(4) + 600)));
      show(shedName, ease(t, beat(2), beat(2) + 800) * (1 - 0.4 * ease(t, beat(4), beat(4) + 600)));
      shed.lit((index) => 0.3 + 0.6 * ease(t, beat(2) + 160 * index, beat(2) + 600 + 160 * index));
      store.open(0);
      show(storeName, ease(t, beat(6), beat(6) + 700));
      const go = ease(t, beat(4), (beat(4) + beat(5)) / 2 + 700);
      const back = ease(t, beat(5) + 300, beat(6) - 300);
      const way = back > 0 ? 1 - back : go;
      const start = first + step * (words.length - 1) * 0.5;
      move(
        parcel,
        mix(start, shedX, way),
        mix(level - 60, quay - 60, way) - 90 * Math.sin(Math.PI * way),
        1 + 0.15 * back,
      );
      show(parcel, during(t, beat(4), beat(6) + 300, 300));
      move(wall, wallX, quay - (portrait ? 440 : 290), 1);
      show(wall, 0.85 * during(t, beat(6) - 200, duration - 900, 1800));
    },
  };
}
