/**
 * Buffers on a device. What a kernel is to write holds one NaN that no arithmetic gives, so that a
 * value that was never written shows; a table, which is too large for that, holds zeros.
 */

import { DeviceError } from "./errors.js";

const POISON = 0x7fc0dead;

export class Memory {
  /** @param {GPUDevice} device @param {import("./life.js").Life} life */
  constructor(device, life) {
    this.device = device;
    this.life = life;
    /** @type {GPUBuffer[]} */
    this.held = [];
  }

  /**
   * Storage buffers by name, or the sentence that there is no room.
   *
   * @param {Record<string, number>} sizes bytes of each
   * @returns {Promise<Record<string, GPUBuffer>>}
   */
  async allocate(sizes) {
    this.life.check();
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    this.device.pushErrorScope("out-of-memory");
    const buffers = Object.fromEntries(
      Object.entries(sizes).map(([label, size]) => [label, this.keep({ label, size, usage })]),
    );
    if (await this.life.alive(this.device.popErrorScope())) {
      const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
      const millions = Math.ceil(total / 1e6);
      throw new DeviceError(
        "memory",
        `The graphics device has no room for ${millions} million bytes; choose a shorter sequence.`,
      );
    }
    return buffers;
  }

  /** @param {GPUBufferDescriptor} descriptor */
  keep(descriptor) {
    const buffer = this.device.createBuffer(descriptor);
    this.held.push(buffer);
    return buffer;
  }

  /** @param {GPUBuffer} buffer @param {Float32Array | Uint32Array} values */
  write(buffer, values) {
    this.device.queue.writeBuffer(buffer, 0, values.buffer, values.byteOffset, values.byteLength);
  }

  /** @param {GPUBuffer} buffer */
  poison(buffer) {
    this.write(buffer, new Uint32Array(buffer.size / 4).fill(POISON));
  }

  /** A uniform with whole numbers. @param {number[]} words @returns {GPUBuffer} */
  uniform(words) {
    const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
    const buffer = this.keep({ size: 4 * words.length, usage });
    this.write(buffer, Uint32Array.from(words));
    return buffer;
  }

  /** What the device left in a buffer. @param {GPUBuffer} buffer @returns {Promise<ArrayBuffer>} */
  async read(buffer) {
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const staging = this.device.createBuffer({ size: buffer.size, usage });
    try {
      const encoder = this.device.createCommandEncoder();
      encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
      this.device.queue.submit([encoder.finish()]);
      await this.life.alive(staging.mapAsync(GPUMapMode.READ));
      return staging.getMappedRange().slice(0);
    } finally {
      staging.destroy();
    }
  }

  /** Give everything back at once, rather than when the collector comes. */
  release() {
    for (const buffer of this.held) buffer.destroy();
    this.held = [];
  }
}
