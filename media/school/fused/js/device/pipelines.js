/**
 * The kernels compiled so far, each once for each set of constants.
 */

import { DeviceError } from "./errors.js";

/**
 * Which of a kernel's compiled forms.
 *
 * @typedef {{d: number, count: boolean, causal: boolean, rescale: boolean}} Variant
 */

export class Pipelines {
  /**
   * @param {GPUDevice} device
   * @param {import("./life.js").Life} life
   * @param {import("./manifest.js").Kernels} kernels
   */
  constructor(device, life, kernels) {
    this.device = device;
    this.life = life;
    this.kernels = kernels;
    /** @type {Map<string, Promise<GPUComputePipeline>>} */
    this.compiled = new Map();
    /** @type {Map<string, Promise<{module: GPUShaderModule, messages: readonly GPUCompilationMessage[]}>>} */
    this.modules = new Map();
  }

  /**
   * A kernel's pipeline, compiled on first use, off the main thread.
   *
   * @param {string} kernel
   * @param {Variant} variant
   * @returns {Promise<GPUComputePipeline>}
   */
  get(kernel, variant) {
    /** @type {Record<string, boolean>} */
    const chosen = { COUNT: variant.count, CAUSAL: variant.causal, RESCALE: variant.rescale };
    const names = Object.keys(this.kernels.manifest.kernels[kernel].overrides);
    const constants = Object.fromEntries(names.map((name) => [name, Number(chosen[name])]));
    const key = JSON.stringify([kernel, variant.d, constants]);
    return once(this.compiled, key, () => this.compile(kernel, variant.d, constants));
  }

  /** @param {string} kernel @param {number} d @param {Record<string, number>} constants */
  async compile(kernel, d, constants) {
    const { module } = await this.read(kernel, d);
    const compute = { module, entryPoint: "main", constants };
    const descriptor = /** @type {GPUComputePipelineDescriptor} */ ({ layout: "auto", compute });
    return this.life.alive(this.device.createComputePipelineAsync(descriptor));
  }

  /**
   * A kernel's text as the browser's compiler has read it, and what it said of it.
   *
   * @param {string} kernel
   * @param {number} d
   */
  read(kernel, d) {
    return once(this.modules, `${kernel} ${d}`, () => this.readFirst(kernel, d));
  }

  /** @param {string} kernel @param {number} d */
  async readFirst(kernel, d) {
    this.device.pushErrorScope("validation");
    const module = this.device.createShaderModule({ code: this.kernels.code(kernel, d), label: kernel });
    // Told below by the compiler's own message, which names the line.
    const refused = this.device.popErrorScope();
    // Asked once: in Chromium a second question about the same module was seen to hang.
    const { messages } = await this.life.alive(module.getCompilationInfo());
    const fault = messages.find(({ type }) => type === "error");
    if (fault || (await this.life.alive(refused))) {
      const at = fault ? `, line ${fault.lineNum}: ${fault.message.split("\n")[0]}` : "";
      throw new DeviceError("kernel", `This browser refuses the ${kernel} kernel${at}.`);
    }
    return { module, messages };
  }
}

/**
 * One promise for each key; one that fails is forgotten, so that the next call tries again.
 *
 * @template T
 * @param {Map<string, Promise<T>>} kept
 * @param {string} key
 * @param {() => Promise<T>} make
 * @returns {Promise<T>}
 */
function once(kept, key, make) {
  let promise = kept.get(key);
  if (!promise) {
    promise = make();
    kept.set(key, promise);
    promise.catch(() => kept.delete(key));
  }
  return promise;
}
