/**
 * The film's time: it runs, halts, jumps and goes at several speeds, and asks for no frame while
 * it stands.
 */

/** The speeds that a viewer can choose. */
export const SPEEDS = [3 / 4, 1, 5 / 4, 3 / 2, 2];

/** After a stall, such as a hidden window, the film goes on from where it was. */
const LONGEST_STEP_MS = 400;

/** A timer sleeps no longer than this, so that the clock on the controls keeps going. */
const LONGEST_SLEEP_MS = 1000;

/**
 * @typedef {object} Clock
 * @property {number} time in milliseconds
 * @property {boolean} running
 * @property {number} speed
 * @property {number} limit where it halts by itself
 * @property {() => void} start
 * @property {() => void} halt
 * @property {(time: number) => void} set
 */

/**
 * @param {object} options
 * @param {(time: number) => void} options.tick called when the time has moved by itself
 * @param {() => void} options.arrive called when it has halted at its limit
 * @param {(time: number) => number} options.next the next time at which a still changes
 * @param {() => boolean} options.still whether only stills are wanted
 * @param {number} [options.hasten] how many times faster than a clock on the wall
 * @returns {Clock}
 */
export function createClock({ tick, arrive, next, still, hasten = 1 }) {
  let time = 0;
  let speed = 1;
  let since = 0;
  let cancel = () => {};

  const pace = () => speed * hasten;

  function schedule() {
    if (still()) {
      // Nothing moves in a still: sleep until there is another one.
      const wait = Math.max(1, (Math.min(next(time), clock.limit) - time) / pace());
      const timer = setTimeout(
        () => step(performance.now(), Infinity),
        Math.min(wait, LONGEST_SLEEP_MS),
      );
      cancel = () => clearTimeout(timer);
    } else {
      const frame = requestAnimationFrame((now) => step(now, LONGEST_STEP_MS));
      cancel = () => cancelAnimationFrame(frame);
    }
  }

  function step(/** @type {number} */ now, /** @type {number} */ longest) {
    const passed = Math.min(longest, Math.max(0, now - since));
    since = now;
    time = Math.min(clock.limit, time + passed * pace());
    const arrived = time >= clock.limit;
    tick(time);
    if (arrived) arrive();
    else if (clock.running) schedule();
  }

  /** @type {Clock} */
  const clock = {
    running: false,
    limit: Infinity,
    get time() {
      return time;
    },
    get speed() {
      return speed;
    },
    set speed(value) {
      speed = Math.min(Math.max(...SPEEDS), Math.max(SPEEDS[0], value));
    },
    start() {
      if (clock.running) return;
      clock.running = true;
      since = performance.now();
      schedule();
    },
    halt() {
      clock.running = false;
      cancel();
    },
    set(value) {
      time = value;
      since = performance.now();
      if (!clock.running) return;
      cancel();
      schedule();
    },
  };
  return clock;
}
