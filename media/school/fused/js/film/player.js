/**
 * The controls: real buttons, a slider with the scenes marked, and keys for all of it.
 */

import { html } from "../dom.js";
import { SPEEDS } from "./clock.js";
import { textOf } from "./context.js";
import { begun, clockText } from "./timeline.js";

/** @import { FilmText } from "./context.js" */
/** @import { Film, State } from "./index.js" */

/** @type {Record<State, [button: string, announced: string]>} */
const NAMES = {
  playing: ["Pause", "Playing"],
  paused: ["Play", "Paused"],
  waiting: ["Play", "The film waits for your answer"],
  ended: ["Play again", "The film has ended"],
};

/**
 * Into full screen, or out of it.
 *
 * @param {HTMLElement} root
 * @param {(text: string) => void} announce
 */
export async function fullScreen(root, announce) {
  try {
    if (document.fullscreenElement === root) await document.exitFullscreen();
    else await root.requestFullscreen();
  } catch {
    announce("This browser does not allow full screen here");
  }
}

/** Drawn by CSS. @param {string} kind @param {string} name @param {() => void} press */
function button(kind, name, press) {
  const look = { type: "button", class: `film-button ${kind}`, "aria-label": name, title: name };
  const node = html("button", look);
  node.addEventListener("click", press);
  return node;
}

/** @param {HTMLElement} root @param {FilmText} film @param {Film} player what the controls drive */
export function createControls(root, film, player) {
  const play = button("film-play", "Play", () => player.toggle());
  const range = html("input", {
    ...{ type: "range", min: 0, max: film.duration_ms, step: 100 },
    class: "film-range",
    "aria-label": "Position in the film",
  });
  range.addEventListener("input", () => player.seek(Number(range.value)));
  const marks = film.scenes.slice(1).map((scene) => {
    const mark = html("span", { class: "film-mark", "aria-hidden": "true" });
    mark.style.left = `${(100 * scene.start_ms) / film.duration_ms}%`;
    return mark;
  });
  const time = html("span", { class: "film-time" });
  const speed = html("select");
  for (const value of SPEEDS) {
    speed.add(new Option(`${value}×`, String(value), value === 1, value === 1));
  }
  speed.addEventListener("change", () => (player.speed = Number(speed.value)));
  const captions = button("film-cc", "Captions", () => (player.captions = !player.captions));
  captions.setAttribute("aria-pressed", "true");
  const full = button("film-full", "Full screen", () => player.fullScreen());
  full.hidden = !document.fullscreenEnabled;
  document.addEventListener("fullscreenchange", () => {
    full.setAttribute("aria-pressed", String(document.fullscreenElement === root));
  });
  const status = html("p", { class: "film-unseen", role: "status" });
  root.append(
    html(
      "div",
      { class: "film-controls", role: "group", "aria-label": "Film controls" },
      play,
      html("div", { class: "film-track" }, range, ...marks),
      time,
      html("label", { class: "film-speed" }, html("span", { class: "film-unseen" }, "Speed"), speed),
      captions,
      full,
    ),
    status,
  );
  const announce = (/** @type {string} */ text) => {
    status.textContent = text;
  };

  let second = -1;
  return {
    announce,
    focus: () => play.focus({ preventScroll: true }),
    draw(/** @type {number} */ now) {
      const whole = Math.floor(now / 1000);
      if (whole === second && Math.abs(Number(range.value) - now) < 1000) return;
      second = whole;
      range.value = String(now);
      const title = textOf(film.scenes[begun(film.scenes, now)].title);
      range.setAttribute("aria-valuetext", `${clockText(now)}, ${title}`);
      range.style.setProperty("--part", String(now / film.duration_ms));
      time.textContent = `${clockText(now)} / ${clockText(film.duration_ms)}`;
    },
    state(/** @type {State} */ state) {
      const [name, announced] = NAMES[state];
      play.setAttribute("aria-label", name);
      play.title = name;
      root.dataset.state = state;
      announce(announced);
    },
    chosen() {
      speed.value = String(player.speed);
      captions.setAttribute("aria-pressed", String(player.captions));
    },
  };
}
