/**
 * What was found on this device, as a device report: the same schema as Python's, with fewer checks.
 */

import { bytesOf, sameElements } from "../elements.js";
import { described } from "./adapter.js";
import { DeviceError } from "./errors.js";
import { about, upwards } from "./statistics.js";

const SCHEMA_VERSION = 1;
const RESTS_ON = "what WGSL promises of float32 arithmetic";

/**
 * @typedef {import("../elements.js").Elements} Elements
 * @typedef {{passed: boolean, largestError: number, boundThere: number, largestRatio: number}} Judged
 * @typedef {{n: number, d: number, causal: boolean,
 *   counted: Record<string, {output: Float32Array, elements: Elements}>,
 *   emulated: Record<string, Elements>, formula: Record<string, Elements>,
 *   judged: Record<string, Judged>, timed?: import("./timing.js").Timings | null}} Findings
 *   All by way; `counted` from the device, `emulated` and `formula` from the emulator and the closed
 *   formula under the device's kernel names, `judged` against float64 with `promised` arithmetic.
 */

/** What a reader must not conclude from the times; Python says the same. @param {string} type of the adapter */
export function doesNotProve(type) {
  if (type === "CPU") {
    return (
      "This device is software: its memory is the computer's own, so these times say nothing about" +
      " a GPU, and no speed claim is made."
    );
  }
  return (
    "These are times of one chip, one driver and one moment. They do not prove why one way is faster:" +
    " caches, occupancy and arithmetic play a part beside the bytes counted."
  );
}

/** @param {boolean} holds @param {string} sentence */
function must(holds, sentence) {
  if (!holds) throw new DeviceError("claim", sentence);
}

/** @param {Float32Array} a @param {Float32Array} b */
function sameBits(a, b) {
  const bits = (/** @type {Float32Array} */ x) => new Uint32Array(x.buffer, x.byteOffset, x.length);
  const [left, right] = [bits(a), bits(b)];
  return left.length === right.length && left.every((word, i) => word === right[i]);
}

/** One way's entry among the checks. @param {string} way @param {Findings} found */
function checked(way, { n, d, causal, counted, emulated, formula, judged, timed }) {
  const seen = judged[way];
  const at = `${way} at ${n} words of ${d} numbers`;
  const { elements, output } = counted[way];
  for (const other of [emulated[way], formula[way]]) {
    must(sameElements(elements, other), `There is no report, as the kernel of ${at} counted something else than expected.`);
  }
  must(seen.passed, `There is no report, as an answer of ${at} lies outside its bound on this device.`);
  must(
    !timed || sameBits(timed.ways[way].output, output),
    `There is no report, as ${at} gives another answer when it does not count.`,
  );
  return {
    n,
    d,
    causal,
    way,
    elements,
    largest_error: upwards(seen.largestError),
    bound_there: upwards(seen.boundThere),
    largest_ratio: upwards(seen.largestRatio),
    within_bound: true,
  };
}

/** @param {import("./statistics.js").Spread} spread */
function seconds({ median, quartiles }) {
  return {
    lower_quartile: about(quartiles[0]),
    median: about(median),
    upper_quartile: about(quartiles[1]),
  };
}

/**
 * @param {import("./timing.js").Timings} timed
 * @param {Record<string, number>} bytes by way
 * @param {string[]} known all ways, served or not
 */
function timings(timed, bytes, known) {
  const { n, d, causal, ways } = timed;
  /** @type {Record<string, any>} */
  const size = { n, d, causal, ...Object.fromEntries(known.map((way) => [way, null])) };
  for (const [way, { perKernel, ...all }] of Object.entries(ways)) {
    const kernels = Object.entries(perKernel).map(([kernel, { launchesAveraged, ...each }]) => [
      kernel,
      { ...seconds(each), launches_averaged: launchesAveraged },
    ]);
    size[way] = {
      bytes: bytes[way],
      kernels: Object.fromEntries(kernels),
      sum: seconds(all),
      effective_bytes_per_second: about(bytes[way] / all.median),
    };
  }
  const others = size.unfused ? known.filter((way) => size[way] && way !== "unfused") : [];
  const ratios = others.map((way) => ({
    n,
    d,
    way,
    time: about(size.unfused.sum.median / size[way].sum.median),
    bytes: about(bytes.unfused / bytes[way]),
  }));
  return { sizes: [size], ratios };
}

/**
 * The report, or the sentence that says why there is none.
 *
 * @param {import("./index.js").Chip} chip
 * @param {Findings} found
 */
export function report(chip, found) {
  const { counted, timed = null } = found;
  const sizes = chip.kernels.served(found.n).map((way) => checked(way, found));
  const bytes = Object.fromEntries(sizes.map(({ way }) => [way, bytesOf(counted[way].elements)]));
  const adapter = described(chip.adapter);
  return {
    schema_version: SCHEMA_VERSION,
    adapter,
    runner: { name: "page", version: navigator.userAgent },
    limits: chip.kernels.manifest.limits,
    kernels: chip.kernels.hashes,
    self_test: null,
    checks: {
      bound_rests_on: RESTS_ON,
      counts_equal: true,
      bits_equal: null,
      repeats_equal: null,
      counting_changes_no_bit: timed ? true : null,
      ragged: [],
      kinds: [],
      longest_row: null,
      sizes,
      control_key_rows: null,
      heads: [],
    },
    timings: timed && {
      clock: timed.clock,
      step_seconds: about(timed.stepSeconds),
      warm_ups: timed.warmUps,
      repeats: timed.repeats,
      ...timings(timed, bytes, Object.keys(chip.kernels.manifest.ways).sort()),
      does_not_prove: doesNotProve(adapter.type),
    },
  };
}
