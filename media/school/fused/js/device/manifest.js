/**
 * The kernels' text and how it is run: the files that Python runs, fetched once.
 */

import { DeviceError } from "./errors.js";

const SCHEMA_VERSION = 1;
const FOLDER = new URL("../../kernels/", import.meta.url);

/**
 * @typedef {{name: string, binding: number, access: string, element: string, shape: string}} Binding
 * @typedef {{file: string, bindings: Binding[], counters: string[], n_most: number | null,
 *   constants: Record<string, Record<string, number>>, overrides: Record<string, boolean>,
 *   workgroup_takes: "row" | "query_tile"}} Kernel
 * @typedef {{schema_version: number, kernels: Record<string, Kernel>, ways: Record<string, string[]>,
 *   limits: Record<string, number>, scale: Record<string, string>, counter_slots: number}} Manifest
 */

/** The manifest with every text it names, and the hash of each file. */
export class Kernels {
  /**
   * @param {Manifest} manifest
   * @param {Record<string, string>} texts by file name
   * @param {Record<string, string>} hashes SHA-256 of each file's bytes, the manifest's too
   */
  constructor(manifest, texts, hashes) {
    this.manifest = manifest;
    this.texts = texts;
    this.hashes = hashes;
  }

  /**
   * Whole-number constants of a kernel at one head dimension.
   *
   * @param {string} kernel
   * @param {number} d
   * @returns {Record<string, number>}
   */
  constants(kernel, d) {
    const served = this.manifest.kernels[kernel].constants;
    if (!Object.hasOwn(served, String(d))) {
      const known = Object.keys(served).map(Number).sort((a, b) => a - b).join(", ");
      throw new DeviceError("input", `The kernels serve ${known} numbers per head, not ${d}.`);
    }
    return { ...served[String(d)], SLOTS: this.manifest.counter_slots };
  }

  /**
   * The line of constants before a kernel's text; no newline, so that lines keep their numbers.
   *
   * @param {string} kernel
   * @param {number} d
   * @returns {string}
   */
  prelude(kernel, d) {
    const lines = Object.entries(this.constants(kernel, d)).map(
      ([name, value]) => `const ${name} = ${value}u; `,
    );
    return `${lines.sort().join("")}const SCALE: f32 = ${this.manifest.scale[String(d)]}; `;
  }

  /**
   * What is compiled: constants and text.
   *
   * @param {string} kernel
   * @param {number} d
   * @returns {string}
   */
  code(kernel, d) {
    return this.prelude(kernel, d) + this.texts[this.manifest.kernels[kernel].file];
  }

  /**
   * The kernels of a way, in order.
   *
   * @param {string} way
   * @returns {string[]}
   */
  chain(way) {
    const ways = this.manifest.ways;
    if (!Object.hasOwn(ways, way)) {
      const known = Object.keys(ways).sort().join(", ");
      throw new DeviceError("input", `There is no way of computing attention called ${way}; there are ${known}.`);
    }
    return ways[way];
  }

  /**
   * The longest sequence that a way serves: its n by n table must fit one binding.
   *
   * @param {string} way
   * @returns {number}
   */
  longest(way) {
    return Math.min(...this.chain(way).map((kernel) => this.manifest.kernels[kernel].n_most ?? Infinity));
  }

  /**
   * The ways that serve a length, fused first.
   *
   * @param {number} n
   * @returns {string[]}
   */
  served(n) {
    return Object.keys(this.manifest.ways).sort().filter((way) => n <= this.longest(way));
  }
}

/**
 * @param {URL} address
 * @returns {Promise<{text: string, hash: string}>}
 */
async function fetched(address) {
  const name = address.pathname.split("/").pop();
  let answer;
  try {
    answer = await fetch(address);
  } catch {
    throw new DeviceError("kernel", `The file ${name} could not be loaded; check the connection and try again.`);
  }
  if (!answer.ok) {
    throw new DeviceError("kernel", `The file ${name} could not be loaded (the server answered ${answer.status}); reload the page.`);
  }
  const bytes = await answer.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const hash = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), hash };
}

/**
 * The kernels of this page.
 *
 * @param {URL} [folder]
 * @returns {Promise<Kernels>}
 */
export async function load(folder = FOLDER) {
  const listed = await fetched(new URL("manifest.json", folder));
  const manifest = /** @type {Manifest} */ (JSON.parse(listed.text));
  if (manifest.schema_version !== SCHEMA_VERSION) {
    throw new DeviceError("kernel", "The kernels are of another version than this page; reload it.");
  }
  const files = Object.values(manifest.kernels).map((entry) => entry.file);
  const contents = await Promise.all(files.map((file) => fetched(new URL(file, folder))));
  return new Kernels(
    manifest,
    Object.fromEntries(files.map((file, i) => [file, contents[i].text])),
    { "manifest.json": listed.hash, ...Object.fromEntries(files.map((file, i) => [file, contents[i].hash])) },
  );
}
