/**
 * The real kernels on the visitor's own chip: counted, timed, reported.
 *
 *     const chip = await open();
 *     const { output, elements, bytes } = await chip.count({ way, n, d, causal, q, k, v });
 *     const { ways, ratios } = await chip.time({ n, d, causal, q, k, v });
 *
 * Every failure is a `DeviceError` whose message is a sentence for the page.
 */

import { described, findAdapter, openDevice, whyAbsent } from "./adapter.js";
import { DeviceError } from "./errors.js";
import { Life } from "./life.js";
import { load } from "./manifest.js";
import { Pace } from "./pace.js";
import { Pipelines } from "./pipelines.js";
import { report } from "./report.js";
import { counted } from "./run.js";
import { Timer } from "./timer.js";
import { timings } from "./timing.js";

export { promised } from "./arithmetic.js";

/** Whether a device was lost on this page: the next may take a moment to be found. */
let lostBefore = false;

/** An open device with the kernels. */
export class Chip {
  /**
   * @param {GPUAdapter} adapter
   * @param {GPUDevice} device
   * @param {import("./manifest.js").Kernels} kernels
   * @param {Life} life
   * @param {Timer} timer
   */
  constructor(adapter, device, kernels, life, timer) {
    this.adapter = adapter;
    this.device = device;
    this.kernels = kernels;
    this.life = life;
    this.timer = timer;
    this.pipelines = new Pipelines(device, life, kernels);
    this.pace = new Pace();
    /** Dispatches so far. */
    this.dispatches = 0;
  }

  /** What the browser calls it. */
  get name() {
    return described(this.adapter).name;
  }

  /** Resolves with a sentence when the device is lost; open a new chip then. */
  get lost() {
    return this.life.lost;
  }

  /**
   * One way, counted: its answer, and the elements that each kernel moved for each buffer.
   *
   * @param {Parameters<typeof counted>[1]} input
   * @param {Parameters<typeof counted>[2]} [options]
   */
  count(input, options = {}) {
    return counted(this, input, options);
  }

  /**
   * How long all ways take that serve the size.
   *
   * @param {import("./run.js").Input} input
   * @param {Parameters<typeof timings>[2]} [options]
   */
  time(input, options = {}) {
    return timings(this, input, options);
  }

  /** A device report of one size, to be copied as JSON. @param {import("./report.js").Findings} found */
  report(found) {
    return report(this, found);
  }
}

/** Open the visitor's device. @returns {Promise<Chip>} */
export async function open() {
  const absent = whyAbsent();
  if (absent) throw new DeviceError("none", absent);
  const kernels = await load();
  const { limits } = kernels.manifest;
  const adapter = await findAdapter(limits, lostBefore);
  const device = await openDevice(adapter, limits);
  const life = new Life(device);
  life.lost.then(() => {
    lostBefore = true;
  });
  return new Chip(adapter, device, kernels, life, await Timer.open(device, life));
}
