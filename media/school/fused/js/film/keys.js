/**
 * The film from the keyboard, while the focus is in it or it fills the screen.
 */

import { SPEEDS } from "./clock.js";

const STEP_MS = 5000;
const LEAP_MS = 10000;

/** @import { SceneText } from "./context.js" */
/** @import { Film } from "./index.js" */

/** What each key does. @param {Film} film @param {SceneText[]} scenes */
function commands(film, scenes) {
  const by = (/** @type {number} */ ms) => () => film.seek(film.time + ms);
  const faster = (/** @type {number} */ step) => () => {
    const index = Math.max(0, SPEEDS.indexOf(film.speed) + step);
    film.speed = SPEEDS[Math.min(SPEEDS.length - 1, index)];
  };
  /** @type {Record<string, () => void>} */
  const keys = {
    " ": () => film.toggle(),
    k: () => film.toggle(),
    ArrowLeft: by(-STEP_MS),
    ArrowRight: by(STEP_MS),
    j: by(-LEAP_MS),
    l: by(LEAP_MS),
    c: () => (film.captions = !film.captions),
    f: () => film.fullScreen(),
    Home: () => film.seek(0),
    End: () => film.seek(Infinity),
    "<": faster(-1),
    ">": faster(1),
  };
  // The digits go to the scenes, 0 to the tenth.
  scenes.slice(0, 10).forEach((scene, index) => {
    keys[String((index + 1) % 10)] = () => film.seek(scene.start_ms);
  });
  return keys;
}

/** @param {HTMLElement} root @param {Film} film @param {SceneText[]} scenes */
export function listen(root, film, scenes) {
  const keys = commands(film, scenes);
  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    const ours = root.contains(target) || document.fullscreenElement === root;
    if (!ours || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    // At a question the arrows drag its bar or choose, and every other key is typed.
    if (target.closest(".film-question")) return;
    // A guess is typed, a list is chosen from, and space presses the button that has the focus.
    if (target.matches("input:not([type=range]), select")) return;
    if (target.matches("button") && event.key === " ") return;
    const command = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!command) return;
    event.preventDefault();
    command();
  });
}
