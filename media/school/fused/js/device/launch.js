/**
 * One launch of one kernel over all its workgroups, cut into pieces by range of tiles or rows, which
 * changes neither a count nor a bit. The workgroups of a piece are dispatched together, or one after
 * another where each must find what those before it have stored.
 */

import { stopIfAsked } from "./errors.js";
import { GROUPS_MOST } from "./pace.js";

/** What a workgroup takes that must find what those before it have stored. */
const IN_TURN = "key_tile";

/** @typedef {[GPUBindGroup, number][]} Piece bind groups, each with its workgroups, in order */

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
   * Some workgroups, as they are dispatched.
   *
   * @param {number} first
   * @param {number} count
   * @returns {Piece}
   */
  piece(first, count) {
    if (this.entry.workgroup_takes !== IN_TURN) return [[this.group(first), count]];
    return Array.from({ length: count }, (_, i) => [this.group(first + i), 1]);
  }

  /**
   * The pieces of a launch at a width: [first workgroup, how many].
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
   * Record the dispatches of one piece.
   *
   * @param {GPUComputePassEncoder} pass
   * @param {Piece} piece
   * @param {number} [times]
   */
  record(pass, piece, times = 1) {
    pass.setPipeline(this.pipeline);
    for (let i = 0; i < times; i++) {
      for (const [group, count] of piece) {
        pass.setBindGroup(0, group);
        pass.dispatchWorkgroups(count);
      }
    }
  }

  /**
   * Run the whole launch, each piece as long as the last ones say that it may be.
   *
   * @param {{signal?: AbortSignal, progress?: (done: number) => void, pieces?: number}} options
   *   `pieces`: pieces to cut it into at least, as far as there are workgroups
   */
  async run({ signal, progress, pieces = 1 }) {
    const { device, life, pace } = this.chip;
    const most = Math.min(GROUPS_MOST, Math.ceil(this.total / pieces));
    for (let first = 0; first < this.total; ) {
      stopIfAsked(signal);
      const count = Math.min(this.width(), most, this.total - first);
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      const piece = this.piece(first, count);
      this.record(pass, piece);
      pass.end();
      const started = performance.now();
      device.queue.submit([encoder.finish()]);
      await life.alive(device.queue.onSubmittedWorkDone());
      pace.learn(this.key, count * this.workEach, (performance.now() - started) / 1000);
      first += count;
      this.chip.dispatches += piece.length;
      progress?.(first / this.total);
    }
  }
}

/**
 * How many workgroups serve `n` rows, or as many keys.
 *
 * @param {import("./manifest.js").Kernels} kernels
 * @param {string} kernel
 * @param {number} n
 * @param {number} d
 * @returns {number}
 */
export function workgroups(kernels, kernel, n, d) {
  const takes = kernels.manifest.kernels[kernel].workgroup_takes;
  const { BR, BC } = kernels.constants(kernel, d);
  return takes === "row" ? n : Math.ceil(n / (takes === IN_TURN ? BC : BR));
}
