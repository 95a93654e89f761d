/**
 * The emulator's worker, and its jobs.
 */

import { cut, workgroup, written } from "./execute.js";
import { Judge } from "./judge.js";
import { normal } from "./seeded.js";
import { serve } from "./serve.js";

/** @type {import("./serve.js").Jobs} */
const JOBS = {
  /** A tensor of seeded inputs. The task is its stream. */
  inputs: ({ n, d, seed }) => (stream) => {
    const values = normal(seed, stream, n * d);
    return { result: values, transfer: [values.buffer] };
  },

  /**
   * Emulate one tile on given or seeded inputs, and check its answers. The task is its first row.
   * Of key tiles, which come in turn, the last task hands the answers out, unchecked.
   */
  count: (job) => {
    const [q, k, v] = job.tensors ?? [0, 1, 2].map((stream) => normal(job.seed, stream, job.n * job.d));
    const tensors = { q, k, v, ...written(job.n, job.d) };
    const { inTurn, rows } = cut(job.way, job);
    const judge = inTurn ? null : new Judge(job.way, k, v, job);
    return (first) => {
      const done = workgroup(job.way, tensors, job, first);
      const last = Math.min(first + rows, job.n);
      if (!judge) {
        const { elements, operations } = done;
        return { result: { elements, operations, output: last === job.n ? tensors.o : null }, transfer: [] };
      }
      const check = judge.rows(q.subarray(first * job.d, last * job.d), done.output, first);
      return { result: { first, ...done, check }, transfer: [done.output.buffer, done.lastRise.buffer] };
    };
  },

  /** Check rows that somebody else computed. */
  judge: (job) => {
    const judge = new Judge(job.way, job.k, job.v, job);
    return ({ first, q, output }) => ({ result: judge.rows(q, output, first), transfer: [] });
  },
};

serve(JOBS);
