/**
 * How long the kernels take: observed, never asserted. What is timed does not count its accesses;
 * that this changes no bit of the answer shows in the outputs, which are handed back.
 */

import { DeviceError, stopIfAsked } from "./errors.js";
import { Memory } from "./memory.js";
import { DISPATCH_SECONDS } from "./pace.js";
import { prepare, upload } from "./run.js";
import { spread } from "./statistics.js";

export const WARM_UPS = 2; // the first finds the pace, the second how many launches to average
const REPEATS = 7; // odd, so that the median is a launch
const STEPS_LEAST = 20; // steps of the clock that a measurement lasts: one more or less is 5 %
const LAUNCHES_MOST = 1_000; // of one measurement

/**
 * @typedef {import("./launch.js").Launch} Launch
 * @typedef {import("./statistics.js").Spread} Spread
 * @typedef {Spread & {perKernel: Record<string, Spread & {launchesAveraged: number}>,
 *   output: Float32Array}} Timed
 * @typedef {{n: number, d: number, causal: boolean, clock: string, stepSeconds: number,
 *   warmUps: number, repeats: number, ways: Record<string, Timed>, ratios: Record<string, number>}}
 *   Timings `ratios`: unfused over each fused way, of medians
 */

/** One kernel of one way, with what was measured of it. */
class Subject {
  /** @param {string} way @param {Launch} launch */
  constructor(way, launch) {
    this.way = way;
    this.launch = launch;
    this.launches = 1;
    /** @type {import("./launch.js").Piece[]} */
    this.pieces = [];
    /** @type {number[]} */
    this.times = [];
  }

  /** Cut as the pace allows now, and keep the cut. */
  cut() {
    const { launch } = this;
    this.pieces = launch.pieces(launch.width()).map(([first, count]) => launch.piece(first, count));
  }

  /**
   * Seconds of one launch: the mean of several within one pair of stamps, or the sum of its pieces.
   *
   * @param {AbortSignal | undefined} signal
   */
  async measure(signal) {
    let total = 0;
    for (const piece of this.pieces) {
      stopIfAsked(signal);
      total += await this.launch.chip.timer.seconds((pass) =>
        this.launch.record(pass, piece, this.launches),
      );
    }
    return total / this.launches;
  }

  /**
   * How many launches last many steps of the clock, found by trying.
   *
   * @param {AbortSignal | undefined} signal
   */
  async calibrate(signal) {
    const step = this.launch.chip.timer.stepSeconds;
    for (;;) {
      const started = performance.now();
      const took = (await this.measure(signal)) * this.launches;
      const busy = (performance.now() - started) / 1000;
      const room = Math.floor((this.launches * DISPATCH_SECONDS) / Math.max(busy, 1e-6));
      const wanted = took > 0 ? Math.ceil((this.launches * STEPS_LEAST * step) / took) : Infinity;
      const next = Math.min(wanted, room, 8 * this.launches, LAUNCHES_MOST);
      // A launch in several pieces lasts long enough by itself.
      if (this.pieces.length > 1 || next <= this.launches) return;
      this.launches = next;
    }
  }
}

/**
 * All ways that serve the size, launched in turn so that a drift of the machine meets all of them.
 *
 * @param {import("./index.js").Chip} chip
 * @param {import("./run.js").Input} input
 * @param {{progress?: import("./run.js").Progress, signal?: AbortSignal, repeats?: number}} options
 * @returns {Promise<Timings>}
 */
export async function timings(chip, input, { progress, signal, repeats = REPEATS }) {
  const { n, d, causal } = input;
  const ways = chip.kernels.served(n);
  const memory = new Memory(chip.device, chip.life);
  const variant = { d, count: false, causal, rescale: true };
  /** @type {Subject[]} */
  const subjects = [];
  const steps = ways.length * (1 + WARM_UPS) + repeats;
  let step = 0;
  const next = (/** @type {string} */ doing) => progress?.({ done: step++ / steps, doing });
  try {
    stopIfAsked(signal);
    const inputs = await upload(memory, input);
    for (const way of ways) {
      next(`compiling ${way}`);
      const launches = await prepare(chip, memory, way, { n, variant, signal }, inputs);
      subjects.push(...launches.map((launch) => new Subject(way, launch)));
    }
    /** @type {Record<string, Float32Array>} */
    const outputs = {};
    for (const way of ways) {
      next(`warming up ${way}`);
      const own = subjects.filter((one) => one.way === way);
      for (const { launch } of own) await launch.run({ signal });
      // Now: a kernel that is repeated by itself may go on from its own answer.
      outputs[way] = new Float32Array(await memory.read(own[0].launch.buffers.o));
    }
    for (const way of ways) {
      next(`measuring how long ${way} must be measured`);
      for (const one of subjects.filter((each) => each.way === way)) {
        one.cut();
        await one.calibrate(signal);
      }
    }
    for (let turn = 0; turn < repeats; turn++) {
      next(`timing, ${turn + 1} of ${repeats}`);
      for (const one of subjects) one.times.push(await one.measure(signal));
    }
    /** @type {Record<string, Timed>} */
    const found = {};
    for (const way of ways) {
      found[way] = { ...timed(subjects.filter((one) => one.way === way)), output: outputs[way] };
    }
    progress?.({ done: 1, doing: "timed" });
    const { source: clock, stepSeconds } = chip.timer;
    const ratios = overUnfused(found);
    return { n, d, causal, clock, stepSeconds, warmUps: WARM_UPS, repeats, ways: found, ratios };
  } finally {
    memory.release();
  }
}

/**
 * Median and quartiles of a way: its kernels apart, and their sums, turn by turn.
 *
 * @param {Subject[]} subjects
 */
function timed(subjects) {
  const sums = subjects[0].times.map((_, turn) => subjects.reduce((sum, one) => sum + one.times[turn], 0));
  if (subjects.some((one) => Math.min(...one.times) <= 0)) {
    throw new DeviceError("input", "This size is over before the clock moves; choose a longer sequence.");
  }
  const kernels = subjects.map((one) => [
    one.launch.kernel,
    { ...spread(one.times), launchesAveraged: one.launches },
  ]);
  return { ...spread(sums), perKernel: Object.fromEntries(kernels) };
}

/** @param {Record<string, Timed>} ways @returns {Record<string, number>} */
function overUnfused({ unfused, ...fused }) {
  if (!unfused) return {};
  return Object.fromEntries(
    Object.entries(fused).map(([way, { median }]) => [way, unfused.median / median]),
  );
}
