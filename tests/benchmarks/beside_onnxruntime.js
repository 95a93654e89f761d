/**
 * The page's kernels and onnxruntime-web's attention, in turn, on one adapter: ours on a device as
 * the page opens it, onnxruntime's on one with all that the adapter offers. Each is timed from its
 * start until the answer is back in an array; the inputs lie on the device before.
 */

import { open } from "/js/device/index.js";
import { Memory } from "/js/device/memory.js";
import { prepare, upload } from "/js/device/run.js";
import { normal } from "/js/emulator/seeded.js";
import * as ort from "/ort.webgpu.bundle.min.mjs";

const WARM_UPS = 2; // the first compiles
// onnxruntime's fused attention takes so many keys a step from as many lanes of a subgroup; where
// there are fewer (SwiftShader has 4) its answer is wrong by tenths. Without subgroups it goes
// through workgroup memory, and is right.
const LANES_LEAST = 8;

/** A function for each way of ours: all its kernels in one submission, and the answer read back. */
async function ours(chip, memory, input) {
  const { n, d } = input;
  const inputs = await upload(memory, input);
  const variant = { d, count: false, causal: false, rescale: true };
  const runs = {};
  for (const way of chip.kernels.served(n)) {
    const launches = await prepare(chip, memory, way, { n, variant }, inputs);
    const groups = launches.map((launch) => launch.group(0));
    runs[way] = async () => {
      const encoder = chip.device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      launches.forEach((launch, i) => launch.record(pass, groups[i], launch.total));
      pass.end();
      chip.device.queue.submit([encoder.finish()]);
      return new Float32Array(await memory.read(launches[0].buffers.o));
    };
  }
  return runs;
}

/** A device with all that the adapter offers, but no subgroups that are too narrow. */
function theirDevice(adapter) {
  const narrow = adapter.info.subgroupMinSize < LANES_LEAST;
  const requiredFeatures = [...adapter.features].filter((name) => !(narrow && name.includes("subgroup")));
  const requiredLimits = {};
  for (const name in adapter.limits) requiredLimits[name] = adapter.limits[name];
  return adapter.requestDevice({ requiredFeatures, requiredLimits });
}

/** A function that runs onnxruntime's session, its output on the CPU as it is by default. */
async function theirs(device, model, { n, d, q, k, v }) {
  const session = await ort.InferenceSession.create(model, {
    executionProviders: [{ name: "webgpu", device }],
    extra: { session: { disable_cpu_ep_fallback: "1" } }, // or a CPU might be measured
  });
  const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
  const usage = STORAGE | COPY_SRC | COPY_DST;
  const feeds = {};
  for (const [name, values] of Object.entries({ q, k, v })) {
    const buffer = device.createBuffer({ size: values.byteLength, usage });
    device.queue.writeBuffer(buffer, 0, values);
    feeds[name] = ort.Tensor.fromGpuBuffer(buffer, { dataType: "float32", dims: [1, n, d] });
  }
  return async () => (await session.run(feeds)).o.data;
}

/** The labels of what a device compiles from now on. */
function programs(device) {
  const labels = new Set();
  for (const name of ["createComputePipeline", "createComputePipelineAsync"]) {
    const make = device[name].bind(device);
    device[name] = (descriptor) => {
      labels.add(descriptor.label || descriptor.compute.module.label);
      return make(descriptor);
    };
  }
  return labels;
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const named = ({ description, device, vendor, architecture }) =>
  [description || device, vendor, architecture].filter(Boolean).join(", ");

export async function measure({ n, d, model, repeats, pageClock }) {
  const [q, k, v] = [0, 1, 2].map((stream) => normal(23, stream, n * d));
  const input = { n, d, causal: false, q, k, v };
  const chip = await open();
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
  const device = await theirDevice(adapter);
  const labels = programs(device);
  const runs = await ours(chip, new Memory(chip.device, chip.life), input);
  runs.onnxruntime = await theirs(device, Uint8Array.from(model), input);
  const times = {};
  const outputs = {};
  for (let turn = -WARM_UPS; turn < repeats; turn++) {
    for (const [name, once] of Object.entries(runs)) {
      const start = performance.now();
      outputs[name] = await once();
      if (turn >= 0) (times[name] ??= []).push((performance.now() - start) / 1000);
    }
  }
  const apart = (output) =>
    output.reduce((most, x, i) => Math.max(most, Math.abs(x - outputs.onnxruntime[i])), 0);
  const each = (values, call) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, call(value)]));
  const timed = pageClock ? await chip.time(input) : { clock: "", ways: {} };
  return {
    medians: each(times, median),
    apart: each(outputs, apart),
    adapters: [named(chip.adapter.info), named(adapter.info)],
    programs: [...labels],
    subgroups: device.features.has("subgroups"),
    clock: timed.clock,
    page: each(timed.ways, (way) => way.median),
  };
}
