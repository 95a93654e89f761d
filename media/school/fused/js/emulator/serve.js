/**
 * What a worker does: it is told once what the job is, then does one task after another.
 *
 * The first message is the job, every other one a task; each task is answered by its result.
 */

/** @typedef {{result: any, transfer: Transferable[]}} Done */
/** @typedef {Record<string, (job: any) => (task: any) => Done>} Jobs by kind */

/** Serve jobs to the page that started this worker. @param {Jobs} jobs */
export function serve(jobs) {
  /** @type {((task: any) => Done) | undefined} */
  let work;
  addEventListener("message", ({ data }) => {
    if (work) {
      const { result, transfer } = work(data);
      postMessage(result, { transfer });
    } else {
      work = jobs[data.kind](data);
    }
  });
}
