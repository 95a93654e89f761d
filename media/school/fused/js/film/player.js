/**
 * The controls: real buttons, a slider with the scenes marked, and keys for all of it.
 */

import { SPEEDS } from "./clock.js";
import { textOf } from "./context.js";
import { begun } from "./timeline.js";

/**
 * @param {number} ms
 * @returns {string} minutes and seconds, "1:05"
 */
export function clockText(ms) {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

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

/** Drawn by CSS; the button's name is its text. */
function button(parent, kind, name, press) {
  const node = document.createElement("button");
  node.type = "button";
  node.className = `film-button ${kind}`;
  node.setAttribute("aria-label", name);
  node.title = name;
  node.addEventListener("click", press);
  parent.append(node);
  return node;
}

function slider(parent, film, scenes, seek) {
  const track = document.createElement("div");
  track.className = "film-track";
  const range = document.createElement("input");
  Object.assign(range, { type: "range", min: 0, max: film.duration_ms, step: 100, value: 0 });
  range.className = "film-range";
  range.setAttribute("aria-label", "Position in the film");
  range.addEventListener("input", () => seek(Number(range.value)));
  track.append(range);
  for (const scene of scenes.slice(1)) {
    const mark = document.createElement("span");
    mark.className = "film-mark";
    mark.setAttribute("aria-hidden", "true");
    mark.style.left = `${(100 * scene.start_ms) / film.duration_ms}%`;
    track.append(mark);
  }
  parent.append(track);
  return range;
}

function speeds(parent, choose) {
  const label = document.createElement("label");
  label.className = "film-speed";
  const name = document.createElement("span");
  name.className = "film-unseen";
  name.textContent = "Speed";
  const select = document.createElement("select");
  for (const speed of SPEEDS) {
    select.add(new Option(`${speed}×`, String(speed), speed === 1, speed === 1));
  }
  select.addEventListener("change", () => choose(Number(select.value)));
  label.append(name, select);
  parent.append(label);
  return select;
}

/**
 * @param {HTMLElement} root
 * @param {object} film of film.json
 * @param {import("./index.js").Film} player what the controls drive
 * @returns {{draw: (time: number) => void, state: (state: string) => void, chosen: () => void,
 *   announce: (text: string) => void, focus: () => void}}
 */
export function createControls(root, film, player) {
  const bar = document.createElement("div");
  bar.className = "film-controls";
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", "Film controls");
  root.append(bar);

  const play = button(bar, "film-play", "Play", () => player.toggle());
  const range = slider(bar, film, film.scenes, (time) => player.seek(time));
  const time = document.createElement("span");
  time.className = "film-time";
  bar.append(time);
  const speed = speeds(bar, (value) => (player.speed = value));
  const captions = button(bar, "film-cc", "Captions", () => (player.captions = !player.captions));
  captions.setAttribute("aria-pressed", "true");
  const full = button(bar, "film-full", "Full screen", () => player.fullScreen());
  full.hidden = !document.fullscreenEnabled;
  document.addEventListener("fullscreenchange", () => {
    full.setAttribute("aria-pressed", String(document.fullscreenElement === root));
  });

  const status = document.createElement("p");
  status.className = "film-unseen";
  status.setAttribute("role", "status");
  root.append(status);
  const announce = (text) => (status.textContent = text);

  let second = -1;
  return {
    announce,
    focus: () => play.focus({ preventScroll: true }),
    draw(now) {
      const whole = Math.floor(now / 1000);
      if (whole === second && Math.abs(Number(range.value) - now) < 1000) return;
      second = whole;
      range.value = String(now);
      const title = textOf(film.scenes[begun(film.scenes, now)].title);
      range.setAttribute("aria-valuetext", `${clockText(now)}, ${title}`);
      range.style.setProperty("--part", String(now / film.duration_ms));
      time.textContent = `${clockText(now)} / ${clockText(film.duration_ms)}`;
    },
    state(state) {
      const name = { playing: "Pause", ended: "Play again" }[state] ?? "Play";
      play.setAttribute("aria-label", name);
      play.title = name;
      root.dataset.state = state;
      const said = {
        playing: "Playing",
        paused: "Paused",
        waiting: "The film waits for your answer",
      };
      announce(said[state] ?? "The film has ended");
    },
    chosen() {
      speed.value = String(player.speed);
      captions.setAttribute("aria-pressed", String(player.captions));
    },
  };
}
