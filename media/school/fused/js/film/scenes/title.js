/**
 * The harbour at night; the beam of the lighthouse goes over the title and leaves it lit.
 */

import { quay } from "../buildings.js";
import { runsOf } from "../context.js";
import { ease, mix, wave } from "../motion.js";
import { group, line, show } from "../svg.js";

/** @type {import("./index.js").Build} */
export function build(layer, context) {
  const { width, height, portrait, scene, duration } = context;
  const { horizon, light, shed, store, sail } = quay(layer, context);
  const words = group(layer);
  line(words, width / 2, height * (portrait ? 0.26 : 0.34), runsOf(scene.title),
    portrait ? 112 : 138, "ink serif", "middle");
  const [from, to] = portrait ? [226, 196] : [206, 174];
  return {
    horizon,
    label: "A harbour at night: a lighthouse, a cannery and a warehouse by the water.",
    draw(t) {
      light.beam(mix(from, to, ease(t, 300, duration * 0.7)), 1);
      // The first frame is also what stands there before anyone has pressed play.
      show(words, mix(0.85, 1, ease(t, 900, 2800)));
      shed.lit((k) => 0.9 * mix(k < 2 ? 1 : 0, 1, ease(t, 600 + 500 * k, 1300 + 500 * k)));
      store.open(0);
      sail(mix(0.5, 0.62, t / duration), wave(t, 3600));
    },
  };
}
