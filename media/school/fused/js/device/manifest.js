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
 *   workgroup_takes: "row" | "query_tile" | "key_tile"}} Kernel
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
    return { ...this.manifest.kernels[kernel].constants[d], SLOTS: this.manifest.counter_slots };
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

  /** What is compiled: constants and text. @param {string} kernel @param {number} d */
  code(kernel, d) {
    return this.prelude(kernel, d) + this.texts[this.manifest.kernels[kernel].file];
  }

  /** The ways that serve a length, fused first: an n by n table must fit a binding. @param {number} n */
  served(n) {
    const { kernels, ways } = this.manifest;
    return Object.keys(ways).sort().filter((way) => ways[way].every((name) => n <= (kernels[name].n_most ?? n)));
  }
}

/** @param {URL} address */
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

/** The kernels of this page. @returns {Promise<Kernels>} */
export async function load() {
  const listed = await fetched(new URL("manifest.json", FOLDER));
  const manifest = /** @type {Manifest} */ (JSON.parse(listed.text));
  if (manifest.schema_version !== SCHEMA_VERSION) {
    throw new DeviceError("kernel", "The kernels are of another version than this page; reload it.");
  }
  const files = Object.values(manifest.kernels).map((entry) => entry.file);
  const contents = await Promise.all(files.map((file) => fetched(new URL(file, FOLDER))));
  const texts = Object.fromEntries(files.map((file, i) => [file, contents[i].text]));
  const hashes = Object.fromEntries(files.map((file, i) => [file, contents[i].hash]));
  return new Kernels(manifest, texts, { "manifest.json": listed.hash, ...hashes });
}
