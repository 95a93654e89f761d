/**
 * Attention on a device: upload, launch the kernels of one way, read the answer back.
 */

import { bytesOf } from "../elements.js";
import { stopIfAsked } from "./errors.js";
import { Launch, workgroups } from "./launch.js";
import { Memory } from "./memory.js";

/**
 * @typedef {{n: number, d: number, causal: boolean, q: Float32Array, k: Float32Array,
 *   v: Float32Array}} Input
 * @typedef {(state: {done: number, doing: string}) => void} Progress `done` goes from 0 to 1
 */

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
  const { d } = variant;
  const chain = kernels.manifest.ways[way];
  const bindings = chain.flatMap((kernel) => kernels.manifest.kernels[kernel].bindings);
  /** @type {Record<string, number>} */
  const sizes = { o: 4 * n * d };
  for (const { name, shape } of bindings) {
    if (shape === "table") sizes[name] = 4 * n * n;
    if (shape === "row_numbers") sizes[name] = 4 * n;
  }
  const own = await memory.allocate(sizes);
  for (const { name, shape } of bindings) if (name in own && shape !== "table") memory.poison(own[name]);
  const launches = [];
  for (const kernel of chain) {
    stopIfAsked(signal);
    const pipeline = await pipelines.get(kernel, variant);
    // A kernel that does not count still binds its counters.
    const groups = variant.count ? workgroups(kernels, kernel, n, d) : 1;
    const { counts } = await memory.allocate({ counts: 4 * kernels.manifest.counter_slots * groups });
    const buffers = { ...inputs, ...own, counts };
    launches.push(new Launch(chip, memory, kernel, variant, n, buffers, pipeline));
  }
  return launches;
}

/**
 * Elements moved by each buffer: the counters of all workgroups, `slots` words each, added up.
 *
 * @param {Uint32Array} words
 * @param {number} slots
 * @param {string[]} names of the slots in use, such as "q.loads"
 */
function summed(words, slots, names) {
  /** @type {Record<string, import("../elements.js").Access>} */
  const counts = {};
  names.forEach((name, slot) => {
    let elements = 0; // a double holds it exactly up to 2^53
    for (let at = slot; at < words.length; at += slots) elements += words[at];
    const [buffer, access] = name.split(".");
    counts[buffer] ??= { loads: 0, stores: 0 };
    counts[buffer][/** @type {"loads" | "stores"} */ (access)] = elements;
  });
  return counts;
}

/**
 * One counted run of one way.
 *
 * @param {import("./index.js").Chip} chip
 * @param {Input & {way: string, rescale?: boolean}} input `rescale` false: the broken control
 * @param {{progress?: Progress, signal?: AbortSignal, pieces?: number}} options
 */
export async function counted(chip, input, { progress, signal, pieces }) {
  const { way, n, d, causal, rescale = true } = input;
  const { manifest } = chip.kernels;
  const memory = new Memory(chip.device, chip.life);
  try {
    stopIfAsked(signal);
    progress?.({ done: 0, doing: `compiling ${way}` });
    const inputs = await upload(memory, input);
    const variant = { d, count: true, causal, rescale };
    const launches = await prepare(chip, memory, way, { n, variant, signal }, inputs);
    /** @type {import("../elements.js").Elements} */
    const elements = {};
    for (const [i, launch] of launches.entries()) {
      const said = (/** @type {number} */ done) =>
        progress?.({ done: (i + done) / launches.length, doing: `counting ${launch.kernel}` });
      await launch.run({ signal, progress: said, pieces });
      const words = new Uint32Array(await memory.read(launch.buffers.counts));
      elements[launch.kernel] = summed(words, manifest.counter_slots, launch.entry.counters);
    }
    const output = new Float32Array(await memory.read(launches[0].buffers.o));
    return { output, elements, bytes: bytesOf(elements) };
  } finally {
    memory.release();
  }
}
