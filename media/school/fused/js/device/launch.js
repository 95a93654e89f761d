/**
 * One launch of one kernel over all its workgroups, cut into dispatches by range of query tiles or
 * rows, which changes neither a count nor a bit.
 */

import { stopIfAsked } from "./errors.js";
import { GROUPS_MOST } from "./pace.js";

/** A kernel with what it binds, ready to be dispatched. */
export class Launch {
  /**
   * @param {import("./index.js").Chip} chip
   * @param {import("./memory.js").Memory} memory
   * @param {string} kernel
   * @param {import("./pipelines.js").Variant} variant
   * @param {number} n
   * @param {Record<string, GPUBuffer>} buffers the tensors, by the manifest's names
   * @param {GPUComputePipeline} pipeline
   */
  constructor(chip, memory, kernel, variant, n, buffers, pipeline) {
    this.chip = chip;
    this.memory = memory;
    this.kernel = kernel;
    this.entry = chip.kernels.manifest.kernels[kernel];
    this.n = n;
    this.buffers = buffers;
    this.pipeline = pipeline;
    this.total = workgroups(chip.kernels, kernel, n, variant.d);
    this.workEach = Math.max(1, (n * n * variant.d) / this.total);
    this.key = `${kernel} ${variant.d} ${variant.count} ${variant.causal}`;
  }

  /** What a dispatch from one workgroup on binds. @param {number} first @returns {GPUBindGroup} */
  group(first) {
    /** @type {Record<string, GPUBuffer>} */
    const bound = { ...this.buffers, launch: this.memory.uniform([this.n, first]) };
    const entries = this.entry.bindings.map(({ binding, name }) => ({
      binding,
      resource: { buffer: bound[name] },
    }));
    const layout = this.pipeline.getBindGroupLayout(0);
    return this.chip.device.createBindGroup({ layout, entries });
  }

  /**
   * The dispatches of a launch at a width: [first workgroup, how many].
   *
   * @param {number} width
   * @returns {[number, number][]}
   */
  pieces(width) {
    /** @type {[number, number][]} */
    const found = [];
    for (let first = 0; first < this.total; first += width) {
      found.push([first, Math.min(width, this.total - first)]);
    }
    return found;
  }

  /** The widest piece that the pace allows now. */
  width() {
    return this.chip.pace.width(this.key, this.workEach);
  }

  /**
   * Record dispatches of one piece.
   *
   * @param {GPUComputePassEncoder} pass
   * @param {GPUBindGroup} group
   * @param {number} count workgroups
   * @param {number} [times]
   */
  record(pass, group, count, times = 1) {
    pass.setPipeline(this.pipeline);
    pass.setBindGroup(0, group);
    for (let i = 0; i < times; i++) pass.dispatchWorkgroups(count);
  }

  /**
   * Run the whole launch, each dispatch as long as the last ones say that it may be.
   *
   * @param {{signal?: AbortSignal, progress?: (done: number) => void, pieces?: number}} options
   *   `pieces`: dispatches to cut it into at least, as far as there are workgroups
   */
  async run({ signal, progress, pieces = 1 }) {
    const { device, life, pace } = this.chip;
    const most = Math.min(GROUPS_MOST, Math.ceil(this.total / pieces));
    for (let first = 0; first < this.total; ) {
      stopIfAsked(signal);
      const count = Math.min(this.width(), most, this.total - first);
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      this.record(pass, this.group(first), count);
      pass.end();
      const started = performance.now();
      device.queue.submit([encoder.finish()]);
      await life.alive(device.queue.onSubmittedWorkDone());
      pace.learn(this.key, count * this.workEach, (performance.now() - started) / 1000);
      first += count;
      this.chip.dispatches += 1;
      progress?.(first / this.total);
    }
  }
}

/**
 * How many workgroups serve `n` rows.
 *
 * @param {import("./manifest.js").Kernels} kernels
 * @param {string} kernel
 * @param {number} n
 * @param {number} d
 * @returns {number}
 */
export function workgroups(kernels, kernel, n, d) {
  if (kernels.manifest.kernels[kernel].workgroup_takes === "row") return n;
  return Math.ceil(n / kernels.constants(kernel, d).BR);
}
