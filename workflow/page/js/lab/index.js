/**
 * The lab: count a kernel's bytes here, or run the real kernels on the visitor's chip.
 */

import * as emulator from "../emulator/index.js";
import { elements as formula } from "../emulator/formula.js";
import { PlainError } from "../plain.js";
import { link, read } from "./choice.js";
import { counted, title } from "./counted.js";
import { share } from "./share.js";
import { part, work } from "./work.js";

const element = (id) => document.getElementById(id);
const BROKEN_UNFUSED = "Unfused keeps no running total, so there is nothing to forget; pick fused for that.";
const OTHER = { fused: "unfused", unfused: "fused" };

function show(result) {
  element("lab-results").prepend(result);
}

/** The choice, if it can be run. */
function chosen() {
  const choice = read(element("lab-form"));
  if (choice?.broken && choice.way === "unfused") {
    throw new PlainError(BROKEN_UNFUSED);
  }
  return choice;
}

/** What of a count can be written down: everything but the answer itself. */
function written(choice, found) {
  const { output, ...rest } = found;
  return { ...choice, ...rest };
}

/** Count a kernel's bytes and check its answer. */
export async function count() {
  const choice = chosen();
  if (!choice) return;
  await work(`Counting: ${title(choice)}`, async ({ progress, signal }) => {
    const found = await emulator.count(
      { ...choice, rescale: !choice.broken },
      { progress: (fraction) => progress(fraction), signal },
    );
    const other = OTHER[choice.way];
    const ways = [
      { name: choice.way, elements: found.elements },
      { name: other, elements: formula(other, choice.n, choice.d, choice.causal) },
    ];
    const result = counted(choice, found, ways);
    result.append(share(written(choice, found), link(choice)));
    show(result);
  });
}

/** Run both ways on the visitor's chip: counts, check, times. */
export async function time() {
  const choice = chosen();
  if (!choice) return;
  const { timed } = await import("./timed.js");
  await work(`On your chip: ${title(choice)}`, async ({ progress, signal }) => {
    show(await timed(choice, { part: (...of) => part(progress, ...of), signal }));
  });
}
