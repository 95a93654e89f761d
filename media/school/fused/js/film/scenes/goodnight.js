/**
 * The harbour again. The bench keeps its three lamps, the largest, the total and the answer so far, longest; the windows
 * go out one by one, and the beam comes to rest.
 */

import { outline, quay } from "../buildings.js";
import { runsOf } from "../context.js";
import { during, ease, mix, wave } from "../motion.js";
import { add, box, group, line, move, show } from "../svg.js";

/** @type {import("./index.js").Build} */
export function build(layer, context) {
  const { width, height, portrait, scene, beat, duration } = context;
  const { horizon, foot, light, shed, store, sail } = quay(layer, context);

  // The wall of scores is only an outline now.
  const wall = outline(layer, 6, 26);
  move(wall, width * (portrait ? 0.46 : 0.55), portrait ? 250 : foot - 220);
  const bench = group(layer);
  const [bx, by] = portrait ? [230, 540] : [720, 300];
  box(bench, bx - 110, by, 560, 16, "wood", 5);
  box(bench, bx - 86, by + 16, 14, 66, "wood");
  box(bench, bx + 412, by + 16, 14, 66, "wood");
  const lamps = ["largest", "total", "answer so far"].map((name, k) => {
    const node = group(bench);
    const x = bx + 170 * k;
    add(node, "circle", { cx: x, cy: by - 34, r: 62, class: "lamp-halo" });
    add(node, "circle", { cx: x, cy: by - 34, r: 22, class: ["lamp", "sea-text", "fused"][k] });
    line(node, x, by - (k === 1 ? 140 : 84), [name], 40, "ink", "middle");
    return node;
  });
  const words = line(layer, width / 2, height * (portrait ? 0.3 : 0.36), runsOf(scene.title),
    portrait ? 120 : 138, "ink serif", "middle");
  const lampRoom = line(layer, portrait ? width - 40 : light.lamp[0] - 60, light.lamp[1] - 90,
    ["next: the lamp room"], 38, "lamp", portrait ? "end" : "middle");
  return {
    horizon,
    label:
      "The harbour at night. A bench with three lamps, the largest, the total and the answer so far; then the " +
      "windows go out one by one.",
    draw(t) {
      const late = beat(3);
      const end = duration - 1200;
      light.beam(mix(186, 206, wave(t, 14000)), mix(0.9, 0.12, ease(t, late, end)));
      const each = (end - late) / 6;
      shed.lit((k) => 0.85 * (1 - ease(t, late + each * k, late + each * k + 700)));
      store.open(0);
      show(wall, 0.8 * during(t, beat(1) + 1200, beat(2) + 100, 900));
      show(bench, ease(t, 300, 1200) * (1 - ease(t, beat(2), beat(2) + 900)));
      lamps.forEach(
        (lamp, k) => show(lamp, ease(t, 1500 + 1500 * k, 2300 + 1500 * k)),
      );
      show(lampRoom, during(t, beat(2), beat(4) + 200, 700));
      show(words, ease(t, beat(4), beat(4) + 1200));
      sail(mix(0.62, 0.42, t / duration), wave(t, 3600));
    },
  };
}
