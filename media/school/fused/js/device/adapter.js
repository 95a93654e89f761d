/**
 * Whether there is a device, which one it is, and how it is opened: with WebGPU's default limits
 * and nothing more, as the kernels are written for every implementation of it.
 */

import { DeviceError, SENTENCES } from "./errors.js";

const TIMESTAMPS = "timestamp-query";
// After a loss the browser may need a moment before it finds the device again.
const TRIES = 4;
const PAUSE_MS = 400;

/** "max-buffer-size" is "maxBufferSize". @param {string} name */
const camel = (name) => name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());

/** Why this browser offers no WebGPU; empty where it does. */
export function whyAbsent() {
  if (navigator.gpu) return "";
  return globalThis.isSecureContext ? SENTENCES.absent : SENTENCES.insecure;
}

/**
 * The adapter, or the sentence that says why there is none.
 *
 * @param {Record<string, number>} limits what the kernels need, by the manifest's names
 * @param {boolean} afterLoss whether a device was lost before
 * @returns {Promise<GPUAdapter>}
 */
export async function findAdapter(limits, afterLoss) {
  let adapter = null;
  for (let i = 0; !adapter && i < (afterLoss ? TRIES : 1); i++) {
    if (i > 0) await new Promise((done) => setTimeout(done, PAUSE_MS));
    try {
      adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
    } catch {
      adapter = null;
    }
  }
  if (!adapter) throw new DeviceError("none", SENTENCES.noAdapter);
  for (const [name, needed] of Object.entries(limits)) {
    const offered = /** @type {any} */ (adapter.limits)[camel(name)];
    if (!(offered >= needed)) {
      throw new DeviceError(
        "limits",
        `This graphics device is too small for the kernels: its ${name.replaceAll("-", " ")} is` +
          ` ${offered ?? "not told"} and they need ${needed}, which WebGPU grants by default.`,
      );
    }
  }
  return adapter;
}

/**
 * A device with the limits that the kernels need, which are WebGPU's defaults, and timestamps
 * where it has them.
 *
 * @param {GPUAdapter} adapter
 * @param {Record<string, number>} limits
 * @returns {Promise<GPUDevice>}
 */
export async function openDevice(adapter, limits) {
  const requiredLimits = Object.fromEntries(
    Object.entries(limits).map(([name, needed]) => [camel(name), needed]),
  );
  const requiredFeatures = /** @type {GPUFeatureName[]} */ (
    adapter.features.has(TIMESTAMPS) ? [TIMESTAMPS] : []
  );
  try {
    return await adapter.requestDevice({ requiredFeatures, requiredLimits });
  } catch {
    throw new DeviceError("limits", SENTENCES.refused);
  }
}

/**
 * The adapter as a device report names it; a browser tells less than a driver does.
 *
 * @param {GPUAdapter} adapter
 * @returns {{name: string, vendor: string, driver: string, type: string, backend: string}}
 */
export function described(adapter) {
  const info = /** @type {any} */ (adapter.info ?? {});
  const plain = [info.vendor, info.architecture].filter(Boolean).join(" ");
  const software = info.isFallbackAdapter ?? /** @type {any} */ (adapter).isFallbackAdapter ?? false;
  return {
    name: info.description || info.device || plain || "a device that the browser does not name",
    vendor: info.vendor ?? "",
    driver: "",
    type: software ? "CPU" : "",
    backend: "",
  };
}
