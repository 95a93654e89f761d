/**
 * The lab: count a kernel's bytes here, or run the real kernels on the visitor's chip.
 */

import { element } from "../dom.js";
import { asNumbers } from "../elements.js";
import { WAYS } from "../emulator/execute.js";
import * as emulator from "../emulator/index.js";
import { elements as formula } from "../emulator/formula.js";
import { PlainError } from "../plain.js";
import { link, read } from "./choice.js";
import { counted, title } from "./counted.js";
import { share } from "./share.js";
import { part, work } from "./work.js";

const BROKEN_UNFUSED = "Unfused keeps no running total, so there is nothing to forget; pick fused for that.";

/** The choice, if it can be run. */
function chosen() {
  const choice = read(element("lab-form"));
  if (choice?.broken && choice.way === "unfused") throw new PlainError(BROKEN_UNFUSED);
  return choice;
}

/** Count a kernel's bytes and check its answer. */
export async function count() {
  const choice = chosen();
  if (!choice) return;
  const { way, n, d, causal, broken } = choice;
  await work(`Counting: ${title(choice)}`, async (watch) => {
    const { output: _, ...found } = await emulator.count({ ...choice, rescale: !broken }, watch);
    const others = WAYS.filter((other) => other !== way);
    const result = counted(choice, found, [
      { name: way, elements: found.elements },
      ...others.map((other) => ({ name: other, elements: asNumbers(formula(other, n, d, causal)) })),
    ]);
    // Everything can be written down but the answer itself.
    result.append(share({ ...choice, ...found }, link(choice)));
    element("lab-results").prepend(result);
  });
}

/** Run all methods on the visitor's chip: counts, check, times. */
export async function time() {
  const choice = chosen();
  if (!choice) return;
  const { timed } = await import("./timed.js");
  await work(`On your chip: ${title(choice)}`, async ({ progress, signal }) => {
    const result = await timed(choice, { part: (...of) => part(progress, ...of), signal });
    element("lab-results").prepend(result);
  });
}
