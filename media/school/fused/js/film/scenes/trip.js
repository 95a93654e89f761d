/**
 * The crew at its bench: a tile of questions stays, tiles of keys and values go past, answers
 * leave. Then Dao's loops, the other way round, with what each question carries in and out. Last,
 * what goes through the door in both ways, to one scale.
 */

import { bars } from "../bars.js";
import { crew } from "../crew.js";
import { during, ease, ramp } from "../motion.js";
import { add, group, line, move, show } from "../svg.js";

/**
 * Our loops and Dao's, as nested lines: which one is outside is the difference.
 *
 * @param {Element} layer
 * @param {{portrait: boolean}} room
 */
function loops(layer, { portrait }) {
  const node = group(layer);
  const [x, y] = portrait ? [90, 920] : [110, 700];
  const [across, down] = portrait ? [0, 140] : [720, 0];
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
  const saved = line(parts[1], 28, 100, ["largest and total saved, for training"], 35, "lamp");
  return { node, parts, saved };
}

/** @type {import("./index.js").Build} */
export function build(layer, context) {
  const { beat, portrait, width } = context;
  const work = crew(layer, context);
  const nested = loops(layer, context);
  const counts = bars(layer, context);
  const counting = beat(9);
  // The crew goes on until the first sizes are named.
  const end = beat(10) - 900;
  const name = line(layer, width / 2, portrait ? 440 : 340, ["FlashAttention"], portrait ? 92 : 106,
    "ink serif", "middle");

  return {
    horizon: portrait ? 1.06 : 0.97,
    light: 0.1,
    label:
      "A tile of questions lies on a bench. Tiles of keys and values come through the warehouse " +
      "door and go past it; a row's largest, total and answer so far change with each, a counter " +
      "at the door adds up the bytes, and a tile of answers leaves. In Dao's kernel keys and " +
      "values lie on the bench, and each tile of questions comes in with its largest, total and " +
      "answer so far, and goes out again. Then bars of what each way moves, to one scale.",
    draw(t) {
      show(name, during(t, 400, beat(1) + 300, 800));
      show(work.node, ease(t, beat(1) - 600, beat(1) + 400) * (1 - ease(t, end, end + 700)));
      if (t < beat(5)) {
        const walked = ramp(t, beat(2) - 200, beat(4) + 200);
        const leave = ease(t, beat(4) + 300, beat(5) - 300);
        work.draw(ease(t, beat(1) + 500, beat(2) - 400), walked, leave);
      } else if (t < counting) {
        work.turned(ramp(t, beat(5) + 300, counting - 300));
      } else {
        // Ours once more, to count.
        const walked = ramp(t, counting + 700, end - 700);
        work.draw(ease(t, counting, counting + 600), walked, ease(t, end - 700, end));
      }
      const round = t < beat(5);
      const turned = ease(t, beat(5), beat(5) + 400) * (1 - ease(t, counting - 400, counting));
      work.tell({
        ours: t < beat(5) ? 1 - ease(t, beat(5) - 400, beat(5)) : ease(t, counting, counting + 400),
        dao: turned,
        moving: ease(t, beat(2), beat(2) + 700) * (round || t > counting ? 1 : 0),
        kept: round
          ? ease(t, beat(2), beat(2) + 700) * (1 - ease(t, beat(5) - 400, beat(5)))
          : ease(t, counting, counting + 400),
        answers: during(t, beat(4), beat(5), 500),
        count: during(t, counting, end + 600, 600),
      });
      show(nested.node, during(t, beat(5), counting - 100, 500));
      nested.parts.forEach(
        (part, k) => show(part, ease(t, beat(5) + 900 * k, beat(5) + 900 * k + 600)),
      );
      show(nested.saved, ease(t, beat(8), beat(8) + 600));
      counts.draw(t);
    },
  };
}
