// What tests/test_page_emulator.py asks of the page: arrays cross as base64, and the emulator's
// modules can be used without workers.

globalThis.lab = {
  /** @param {string} name */
  module: (name) => import(`${location.origin}/js/emulator/${name}.js`),

  /** A float32 array from base64. */
  floats(text) {
    return new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
  },

  /** Base64 of an array's bytes. */
  text({ buffer, byteOffset, byteLength }) {
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    let letters = "";
    for (let i = 0; i < bytes.length; i += 32768) {
      letters += String.fromCharCode(...bytes.subarray(i, i + 32768));
    }
    return btoa(letters);
  },

  /** Inputs that came as base64, or seeded ones. */
  async tensors({ n, d, seed, tensors }) {
    if (tensors) return Object.fromEntries(["q", "k", "v"].map((t, i) => [t, lab.floats(tensors[i])]));
    const { normal } = await lab.module("seeded");
    return Object.fromEntries(["q", "k", "v"].map((t, i) => [t, normal(seed, i, n * d)]));
  },

  /** All workgroups of one way, here and now, with counts and operations summed. */
  async emulate(options) {
    const { workgroup } = await lab.module("launch");
    const { queryRows } = await lab.module("tiling");
    const { n, d, way } = options;
    const tensors = await lab.tensors(options);
    const o = new Float32Array(n * d).fill(NaN);
    const elements = {};
    const operations = {};
    for (let first = 0; first < n; first += queryRows(d)) {
      const part = workgroup(way, { ...tensors, o }, options, first);
      for (const [kernel, buffers] of Object.entries(part.elements)) {
        for (const [buffer, { loads, stores }] of Object.entries(buffers)) {
          const sum = ((elements[kernel] ??= {})[buffer] ??= { loads: 0, stores: 0 });
          sum.loads += loads;
          sum.stores += stores;
        }
      }
      for (const [kind, count] of Object.entries(part.operations)) {
        operations[kind] = (operations[kind] ?? 0) + count;
      }
    }
    return { output: options.counted ? null : lab.text(o), elements, operations };
  },

  /** The exact answer, its bounds and the check of an output, here and now. */
  async judged(options) {
    const { Judge } = await lab.module("judge");
    const { n, d, way } = options;
    const { q, k, v } = await lab.tensors(options);
    const exact = new Float64Array(n * d);
    const bounds = new Float64Array(n * d);
    const judge = new Judge(way, k, v, options);
    const output = options.output ? lab.floats(options.output) : new Float32Array(n * d);
    const check = judge.rows(q, output, 0, (blockExact, blockBounds, row) => {
      const rows = Math.min(blockExact.length, (n - row) * d);
      exact.set(blockExact.subarray(0, rows), row * d);
      bounds.set(blockBounds.subarray(0, rows), row * d);
    });
    return { exact: lab.text(exact), bounds: lab.text(bounds), check };
  },
};
