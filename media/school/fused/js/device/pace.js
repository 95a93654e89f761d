/**
 * How much work a dispatch may hold, learnt from what dispatches took. A browser may take a device
 * away that is busy for seconds, and draws nothing while it is busy at all.
 */

/** Seconds that one dispatch should take: the screen is drawn between two. */
export const DISPATCH_SECONDS = 0.05;
/** WebGPU's default limit of workgroups in one dimension. */
export const GROUPS_MOST = 65_535;
// Multiply-adds of a kernel's first dispatch: little, even in software.
const FIRST_WORK = 2 ** 22;
// The first dispatches pay for what is not work, so a next one grows at most so many times.
const GROWTH = 4;

export class Pace {
  constructor() {
    /** Work that fits one dispatch, by kernel. @type {Map<string, number>} */
    this.fits = new Map();
  }

  /**
   * Workgroups of the next dispatch; one that is too much by itself cannot be cut.
   *
   * @param {string} key kernel and constants
   * @param {number} workEach of one workgroup
   * @returns {number}
   */
  width(key, workEach) {
    const work = this.fits.get(key) ?? FIRST_WORK;
    return Math.min(GROUPS_MOST, Math.max(1, Math.floor(work / workEach)));
  }

  /**
   * @param {string} key
   * @param {number} work of a dispatch that is done
   * @param {number} seconds that it took
   */
  learn(key, work, seconds) {
    const before = this.fits.get(key) ?? FIRST_WORK;
    const wanted = seconds > 0 ? (work * DISPATCH_SECONDS) / seconds : Infinity;
    // A dispatch smaller than was allowed says little: mostly what starting one costs.
    const small = work < before / GROWTH && seconds < DISPATCH_SECONDS;
    if (!small) this.fits.set(key, Math.min(wanted, Math.max(before, work) * GROWTH));
  }
}
