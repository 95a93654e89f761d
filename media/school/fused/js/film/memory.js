/**
 * Where the viewer was and what has been answered, kept in this browser alone; a browser that
 * refuses to keep it is fine.
 */

const NAME = "fused-film-position";

/** @import { Asks } from "./context.js" */

/** @returns {{time: number, answered: Asks[]}} milliseconds, 0 where nothing is known */
export function recall() {
  try {
    const { time, answered } = JSON.parse(localStorage.getItem(NAME) ?? "{}");
    const known = Number.isFinite(time) && time > 0 && Array.isArray(answered);
    return known ? { time, answered } : { time: 0, answered: [] };
  } catch {
    return { time: 0, answered: [] };
  }
}

/** @param {number} time @param {Asks[]} answered */
export function keep(time, answered) {
  try {
    localStorage.setItem(NAME, JSON.stringify({ time: Math.round(time), answered }));
  } catch {
    // Storage is full or refused: the film then starts from the beginning next time.
  }
}
