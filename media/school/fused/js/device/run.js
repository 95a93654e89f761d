/**
 * Attention on a device: upload, launch the kernels of one way, read the answer back.
 */

import { DeviceError, stopIfAsked } from "./errors.js";
import { bytesOf, summed } from "./counters.js";
import { Launch, workgroups } from "./launch.js";
import { Memory } from "./memory.js";

/**
 * @typedef {{n: number, d: number, causal: boolean, q: Float32Array, k: Float32Array,
 *   v: Float32Array}} Input
 * @typedef {(state: {done: number, doing: string}) => void} Progress `done` goes from 0 to 1
 */

/**
 * Refuse a size that is not served, and tensors of another size.
 *
 * @param {import("./manifest.js").Kernels} kernels
 * @param {string} way
 * @param {Input} input
 */
export function checkInput(kernels, way, { n, d, q, k, v }) {
  if (!Number.isInteger(n) || n < 1) {
    throw new DeviceError("input", `A sequence has a whole number of words, at least 1, not ${n}.`);
  }
  for (const kernel of kernels.chain(way)) kernels.constants(kernel, d);
  const binding = kernels.manifest.limits["max-storage-buffer-binding-size"];
  const most = Math.min(kernels.longest(way), Math.floor(binding / (4 * d)));
  if (n > most) {
    throw new DeviceError(
      "input",
      `The ${way} way serves at most ${most} words here, not ${n}: what it keeps in global memory` +
        ` must fit one buffer of ${binding} bytes.`,
    );
  }
  for (const tensor of [q, k, v]) {
    if (!(tensor instanceof Float32Array) || tensor.length !== n * d) {
      throw new DeviceError("input", `Queries, keys and values must be ${n} rows of ${d} float32 numbers.`);
    }
  }
}

/**
 * Bytes of each tensor that the kernels of a way bind, beside the inputs.
 *
 * @param {import("./manifest.js").Kernels} kernels
 * @param {string} way
 * @param {number} n
 * @param {number} d
 * @returns {Record<string, number>}
 */
function workspace(kernels, way, n, d) {
  const bindings = kernels.chain(way).flatMap((kernel) => kernels.manifest.kernels[kernel].bindings);
  const tables = bindings.filter(({ shape }) => shape === "table");
  return { o: 4 * n * d, ...Object.fromEntries(tables.map(({ name }) => [name, 4 * n * n])) };
}

/**
 * The inputs on the device.
 *
 * @param {Memory} memory
 * @param {Input} input
 * @returns {Promise<Record<string, GPUBuffer>>}
 */
export async function upload(memory, { n, d, q, k, v }) {
  const size = 4 * n * d;
  const buffers = await memory.allocate({ q: size, k: size, v: size });
  memory.write(buffers.q, q);
  memory.write(buffers.k, k);
  memory.write(buffers.v, v);
  return buffers;
}

/**
 * The kernels of a way, compiled and bound to the inputs and to buffers of their own.
 *
 * @param {import("./index.js").Chip} chip
 * @param {Memory} memory
 * @param {string} way
 * @param {{n: number, variant: import("./pipelines.js").Variant, signal?: AbortSignal}} what
 * @param {Record<string, GPUBuffer>} inputs
 * @returns {Promise<Launch[]>}
 */
export async function prepare(chip, memory, way, { n, variant, signal }, inputs) {
  const { kernels, pipelines } = chip;
  const own = await memory.allocate(workspace(kernels, way, n, variant.d));
  memory.poison(own.o);
  const launches = [];
  for (const kernel of kernels.chain(way)) {
    stopIfAsked(signal);
    const pipeline = await pipelines.get(kernel, variant);
    // A kernel that does not count still binds its counters.
    const groups = variant.count ? workgroups(kernels, kernel, n, variant.d) : 1;
    const { counts } = await memory.allocate({ counts: 4 * kernels.manifest.counter_slots * groups });
    const buffers = { ...inputs, ...own, counts };
    launches.push(new Launch(chip, memory, kernel, variant, n, buffers, pipeline));
  }
  return launches;
}

/**
 * One counted run of one way.
 *
 * @param {import("./index.js").Chip} chip
 * @param {Input & {way: string, rescale?: boolean}} input `rescale` false: the broken control
 * @param {{progress?: Progress, signal?: AbortSignal, pieces?: number}} options
 * @returns {Promise<{output: Float32Array, elements: Record<string, import("./counters.js").Counts>,
 *   bytes: number}>}
 */
export async function counted(chip, input, { progress, signal, pieces }) {
  const { way, n, d, causal, rescale = true } = input;
  const { kernels } = chip;
  checkInput(kernels, way, input);
  if (!rescale && !("RESCALE" in kernels.manifest.kernels[kernels.chain(way)[0]].overrides)) {
    throw new DeviceError("input", `The ${way} way keeps no running total, so no rescale can be left out of it.`);
  }
  const memory = new Memory(chip.device, chip.life);
  try {
    stopIfAsked(signal);
    progress?.({ done: 0, doing: `compiling ${way}` });
    const inputs = await upload(memory, input);
    const variant = { d, count: true, causal: Boolean(causal), rescale };
    const launches = await prepare(chip, memory, way, { n, variant, signal }, inputs);
    /** @type {Record<string, import("./counters.js").Counts>} */
    const elements = {};
    for (const [i, launch] of launches.entries()) {
      const said = (/** @type {number} */ done) =>
        progress?.({ done: (i + done) / launches.length, doing: `counting ${launch.kernel}` });
      await launch.run({ signal, progress: said, pieces });
      const words = new Uint32Array(await memory.read(launch.buffers.counts));
      elements[launch.kernel] = summed(words, kernels.manifest.counter_slots, launch.entry.counters);
    }
    const output = new Float32Array(await memory.read(launches[0].buffers.o));
    return { output, elements, bytes: bytesOf(elements) };
  } finally {
    memory.release();
  }
}
