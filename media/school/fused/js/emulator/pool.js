/**
 * A pool of workers that lives as long as one job: it knows nothing of what they compute.
 */

/** More workers than this would mostly copy inputs. */
const WORKERS_MOST = 8;
/** Tasks handed to a worker at a time, so that it need not wait for a busy page. */
const TASKS_AHEAD = 2;
const EMULATOR = new URL("./worker.js", import.meta.url);

/**
 * @typedef {object} Watch
 * @property {(fraction: number) => void} [progress] is told how much is done, 1 at the end
 * @property {AbortSignal} [signal] stops all workers at once
 */

/** @typedef {{task: any, transfer?: Transferable[]}} Made */

/**
 * Do all tasks of a job.
 *
 * @param {object} job what every worker is told first
 * @param {{work: number, make: () => Made}[]} tasks each with its share of the work in any unit;
 *   `make` is called when the task is handed out
 * @param {Watch} [watch]
 * @param {URL} [script] what the workers run; it serves jobs as `serve.js` does
 * @param {number} [workersMost] one does all tasks in order
 * @returns {Promise<any[]>} the results, in the order of the tasks
 */
export function run(job, tasks, { progress, signal } = {}, script = EMULATOR, workersMost = WORKERS_MOST) {
  return new Promise((resolve, reject) => {
    /** @type {Worker[]} */
    const workers = [];
    const results = new Array(tasks.length);
    const all = tasks.reduce((sum, { work }) => sum + work, 0);
    let next = 0;
    let done = 0;
    let doneWork = 0;
    let over = false;

    /** Nothing runs on, whatever the outcome. */
    const end = () => {
      over = true;
      for (const worker of workers) worker.terminate();
      signal?.removeEventListener("abort", cancel);
    };
    const fail = (/** @type {unknown} */ reason) => {
      end();
      reject(reason);
    };
    const cancel = () => fail(signal?.reason);

    const start = () => {
      const worker = new Worker(script, { type: "module" });
      workers.push(worker);
      /** @type {number[]} */
      const waiting = [];
      const hand = () => {
        if (next === tasks.length) return;
        const { task, transfer } = tasks[next].make();
        worker.postMessage(task, transfer ?? []);
        waiting.push(next);
        next++;
      };
      worker.onmessage = ({ data }) => {
        const index = /** @type {number} */ (waiting.shift());
        results[index] = data;
        done++;
        doneWork += tasks[index].work;
        hand();
        progress?.(done === tasks.length ? 1 : Math.min(doneWork / all, 1));
        if (done === tasks.length && !over) {
          end();
          resolve(results);
        }
      };
      worker.onerror = (event) => {
        event.preventDefault();
        const what = event.message || "its script could not be loaded";
        fail(new Error(`the emulator stopped: ${what}; reload the page and try again`));
      };
      worker.onmessageerror = () => {
        fail(new Error("the emulator stopped: a result was lost; try a smaller n"));
      };
      worker.postMessage(job);
      for (let i = 0; i < TASKS_AHEAD; i++) hand();
    };

    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    signal?.addEventListener("abort", cancel);
    const most = Math.min(navigator.hardwareConcurrency || 2, workersMost);
    // One at a time: each copies the job's tensors, and the page should live in between.
    const startNext = () => {
      if (over || workers.length === most || (workers.length && next === tasks.length)) return;
      try {
        start();
      } catch (reason) {
        fail(reason);
      }
      setTimeout(startNext);
    };
    startNext();
  });
}
