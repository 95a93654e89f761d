/**
 * The crew at its bench: a tile of questions stays, tiles of keys and values go past, answers
 * leave.
 * Then what goes through the door, to one scale, for both sizes of head.
 */

import { bars } from "../bars.js";
import { crew } from "../crew.js";
import { during, ease } from "../motion.js";
import { add, group, line, move, show } from "../svg.js";

/**
 * Our loops and Dao's, as nested lines: which one is outside is the difference.
 *
 * @param {Element} layer
 * @param {{portrait: boolean}} room
 */
function loops(layer, { portrait }) {
  const node = group(layer);
  const [x, y] = portrait ? [90, 880] : [110, 690];
  const [across, down] = portrait ? [0, 160] : [720, 0];
  const parts = [
    ["ours: for each tile of questions,", "walk all keys and values past it"],
    ["Dao's: for each tile of keys and values,", "walk all questions past it"],
  ].map(([outer, inner], k) => {
    const part = group(node);
    move(part, x + across * k, y + down * k);
    add(part, "path", { d: "M0 -30V64", class: k ? "post" : "post fused-line" });
    line(part, 28, 0, [outer], 35);
    line(part, 28, 50, [inner], 35, "soft");
    return part;
  });
  const saved = line(parts[1], 28, 100, ["and save largest and total, for training"], 35, "lamp");
  return { node, parts, saved };
}

/** @type {import("./index.js").Build} */
export function build(layer, context) {
  const { beat, portrait, width } = context;
  const work = crew(layer, context);
  const nested = loops(layer, context);
  const counts = bars(layer, context);
  const counting = beat(7);
  // The cue that tells of the dials ends with the answers.
  const writes = (beat(3) + beat(4)) / 2;
  // The crew goes on until the first sizes are named.
  const end = beat(8) - 900;
  const name = line(layer, width / 2, portrait ? 440 : 340, ["FlashAttention"], portrait ? 92 : 106,
    "ink serif", "middle");

  return {
    horizon: portrait ? 1.06 : 0.97,
    light: 0.1,
    label:
      "A tile of questions lies on a bench. Tiles of keys and values come through the " +
      "warehouse door and go past it, two dials turn, and a tile of answers leaves. Then " +
      "bars of what each way moves, to one scale.",
    draw(t) {
      show(name, during(t, 400, beat(1) + 300, 800));
      show(work.node, ease(t, beat(1) - 600, beat(1) + 400) * (1 - ease(t, end, end + 700)));
      // One round as slow as the words that tell it, and another until the counting begins.
      if (t < beat(4)) {
        const walked = (t - beat(2)) / (writes + 200 - beat(2));
        const leave = ease(t, writes + 500, beat(4) - 100);
        work.draw(ease(t, beat(1) + 500, beat(2) - 600), walked, leave);
      } else {
        const from = beat(4) + 900;
        const walked = (t - from) / (end - 1300 - from);
        work.draw(ease(t, beat(4), from), walked, ease(t, end - 1200, end - 200));
      }
      work.tell({
        moving: ease(t, beat(2), beat(2) + 700),
        dials: ease(t, beat(3), beat(3) + 600),
        answers: during(t, writes, beat(4), 500),
        count: during(t, counting, end + 600, 600),
      });
      show(nested.node, during(t, beat(4), counting - 100, 500));
      nested.parts.forEach(
        (part, k) => show(part, ease(t, beat(4) + 900 * k, beat(4) + 900 * k + 600)),
      );
      show(nested.saved, ease(t, beat(6), beat(6) + 600));
      counts.draw(t);
    },
  };
}
