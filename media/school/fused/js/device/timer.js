/**
 * The clock: the device's own timestamps where there are any, else the browser's around a
 * submission. Browsers make both coarse, so the step is measured before anything is timed.
 */

import { DeviceError } from "./errors.js";

const PASSES = 24; // enough for the smallest step to show
const COARSE = 1e-3; // seconds; a clock that never moved is taken for one of this step
const TIMESTAMPS = "timestamps";
const WALL_CLOCK = "wall clock";

/** @typedef {(pass: GPUComputePassEncoder) => void} Record */

export class Timer {
  /** @param {GPUDevice} device @param {import("./life.js").Life} life */
  constructor(device, life) {
    this.device = device;
    this.life = life;
    this.source = WALL_CLOCK;
    this.stepSeconds = COARSE;
    /** @type {{queries: GPUQuerySet, resolved: GPUBuffer, staging: GPUBuffer} | null} */
    this.stamps = null;
  }

  /**
   * A timer whose step is known.
   *
   * @param {GPUDevice} device
   * @param {import("./life.js").Life} life
   */
  static async open(device, life) {
    const timer = new this(device, life);
    if (device.features.has("timestamp-query")) {
      timer.useTimestamps();
      const step = await timer.timestampStep();
      if (step) {
        timer.source = TIMESTAMPS;
        timer.stepSeconds = step;
        return timer;
      }
      timer.stamps = null;
    }
    timer.stepSeconds = await timer.wallStep();
    return timer;
  }

  useTimestamps() {
    const { QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    this.stamps = {
      queries: this.device.createQuerySet({ type: "timestamp", count: 2 }),
      resolved: this.device.createBuffer({ size: 16, usage: QUERY_RESOLVE | COPY_SRC }),
      staging: this.device.createBuffer({ size: 16, usage: MAP_READ | COPY_DST }),
    };
  }

  /**
   * What the commands of one pass took.
   *
   * @param {Record} record
   * @returns {Promise<number>} seconds, a multiple of the step, so perhaps 0
   */
  async seconds(record) {
    if (!this.stamps) {
      const [start, end] = await this.wall(record);
      return (end - start) / 1000;
    }
    const [start, end] = await this.ticks(record);
    if (end < start) {
      throw new DeviceError("kernel", "The device's clock ran backwards; time it again.");
    }
    return Number(end - start) * 1e-9;
  }

  /**
   * @param {Record} record
   * @returns {Promise<[bigint, bigint]>} nanoseconds of the pass's start and end
   */
  async ticks(record) {
    const { queries, resolved, staging } = /** @type {NonNullable<Timer["stamps"]>} */ (this.stamps);
    const encoder = this.device.createCommandEncoder();
    const pass = encoder.beginComputePass({
      timestampWrites: { querySet: queries, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 },
    });
    record(pass);
    pass.end();
    encoder.resolveQuerySet(queries, 0, 2, resolved, 0);
    encoder.copyBufferToBuffer(resolved, 0, staging, 0, 16);
    this.device.queue.submit([encoder.finish()]);
    await this.life.alive(staging.mapAsync(GPUMapMode.READ));
    const [start, end] = new BigUint64Array(staging.getMappedRange());
    staging.unmap();
    return [start, end];
  }

  /** @param {Record} record @returns {Promise<[number, number]>} milliseconds before and after */
  async wall(record) {
    const encoder = this.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    record(pass);
    pass.end();
    const commands = encoder.finish();
    const start = performance.now();
    this.device.queue.submit([commands]);
    await this.life.alive(this.device.queue.onSubmittedWorkDone());
    return [start, performance.now()];
  }

  /**
   * The greatest common divisor of the times between stamps; null where the clock stands still or
   * runs backwards.
   *
   * @returns {Promise<number | null>}
   */
  async timestampStep() {
    /** @type {bigint[]} */
    const stamps = [];
    for (let i = 0; i < PASSES; i++) stamps.push(...(await this.ticks(() => {})));
    let step = 0n;
    for (let i = 1; i < stamps.length; i++) {
      if (stamps[i] < stamps[i - 1]) return null;
      step = divisor(step, stamps[i] - stamps[i - 1]);
    }
    return step ? Number(step) * 1e-9 : null;
  }

  /**
   * What an empty submission takes: below that the browser's clock sees nothing of a kernel.
   *
   * @returns {Promise<number>}
   */
  async wallStep() {
    const taken = [];
    for (let i = 0; i < PASSES; i++) {
      const [start, end] = await this.wall(() => {});
      if (end > start) taken.push((end - start) / 1000);
    }
    taken.sort((a, b) => a - b);
    return taken[Math.floor(taken.length / 2)] ?? COARSE;
  }
}

/** @param {bigint} a @param {bigint} b @returns {bigint} */
function divisor(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}
