/**
 * Where the viewer was, kept in this browser alone; a browser that refuses to keep it is fine.
 */

const NAME = "fused-film-position";

/** @returns {number} milliseconds, 0 where nothing is known */
export function recall() {
  try {
    const kept = Number(localStorage.getItem(NAME));
    return Number.isFinite(kept) && kept > 0 ? kept : 0;
  } catch {
    return 0;
  }
}

/** @param {number} time */
export function keep(time) {
  try {
    localStorage.setItem(NAME, String(Math.round(time)));
  } catch {
    // Storage is full or refused: the film then starts from the beginning next time.
  }
}
