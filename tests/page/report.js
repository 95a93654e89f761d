/**
 * Device reports of findings on standard input, as JSON; for each, the report or why there is none.
 */

import { readFileSync } from "node:fs";

import { Kernels } from "../../workflow/page/js/device/manifest.js";
import { report } from "../../workflow/page/js/device/report.js";

const folder = new URL("../../kernels/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("manifest.json", folder), "utf-8"));
const names = ["manifest.json", ...Object.values(manifest.kernels).map(({ file }) => file)];
const hashes = Object.fromEntries(names.map((name) => [name, "0".repeat(64)]));
const chip = {
  kernels: new Kernels(manifest, {}, hashes),
  adapter: { info: { vendor: "nobody", architecture: "made up", isFallbackAdapter: true } },
};

/** Outputs are arrays of float32. */
const floats = (key, value) => (key === "output" ? Float32Array.from(value) : value);

const cases = JSON.parse(readFileSync(0, "utf-8"), floats).map((found) => {
  try {
    return { report: report(chip, found) };
  } catch (fault) {
    return { kind: fault.kind, message: fault.message };
  }
});
console.log(JSON.stringify(cases));
