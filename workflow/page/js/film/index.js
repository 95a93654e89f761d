/**
 * The film, drawn in the page from film.json and drawn.json.
 */

import { html } from "../dom.js";
import { createCaptions } from "./captions.js";
import { createClock } from "./clock.js";
import { quoted } from "./context.js";
import { listen } from "./keys.js";
import { keep, recall } from "./memory.js";
import { createControls, fullScreen } from "./player.js";
import { createQuestion } from "./question.js";
import { createStage } from "./stage.js";
import { createTimeline } from "./timeline.js";

/**
 * @typedef {"paused" | "playing" | "waiting" | "ended"} State
 * @typedef {object} Film
 * @property {() => void} play
 * @property {() => void} pause
 * @property {() => void} toggle play, pause, or start again after the end
 * @property {(ms: number) => void} seek
 * @property {number} time milliseconds from the start
 * @property {State} state
 * @property {number} speed
 * @property {boolean} captions whether they are shown
 * @property {() => void} fullScreen into it or out of it
 * @property {() => void} focus the button that plays it
 */

/** @import { Answer, Claim, Facts, FilmText } from "./context.js" */

const KEEP_EVERY_MS = 2000;

/**
 * Put the film into an empty element.
 *
 * @param {HTMLElement} root
 * @param {{film: FilmText, facts: Facts}} sources film.json and drawn.json
 * @param {{hasten?: number}} [options] how many times faster it runs, for tests
 * @returns {Film}
 */
export function mount(root, { film, facts }, { hasten = 1 } = {}) {
  root.classList.add("film");
  const screen = html("div", { class: "film-screen" });
  root.append(screen);

  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  /** @type {Answer} */
  const answer = { guess: null };
  /** @type {State} */
  let state = "paused";
  let answered = false;
  let kept = 0;

  const stage = createStage(screen, { film, facts }, answer);
  const timeline = createTimeline(film);
  const captions = createCaptions(root, timeline.cues);
  const claim = (/** @type {string} */ id) =>
    /** @type {Claim} */ (facts.claims.find((found) => found.id === id));
  const truth = claim(film.pause.answer.claim);
  const question = createQuestion(screen, {
    words: timeline.question.join(" "),
    truth: { claim: truth.id, text: quoted(truth, film.pause.answer.form) },
    most: claim(`sizes.n${film.sizes.words}`).value,
    answered(guess) {
      answered = true;
      answer.guess = guess;
      go();
      controls.focus();
    },
  });

  const clock = createClock({
    hasten,
    tick: draw,
    arrive,
    still: () => calm.matches,
    next: timeline.next,
  });

  /** While the film waits it shows the question's last moment, not the answer's first. */
  const seen = (/** @type {number} */ time) =>
    time === film.pause.at_ms && !answered ? time - 1 : time;

  /** In a still the picture is that of the cue come to rest. */
  const pictured = (/** @type {number} */ time) => (calm.matches ? timeline.rested(time) : time);

  function draw(/** @type {number} */ time) {
    stage.draw(pictured(seen(time)));
    captions.draw(seen(time));
    controls.draw(time);
    if (time >= timeline.answered) question.hide();
    root.classList.toggle("film-fresh", time === 0);
    if (Math.abs(time - kept) > KEEP_EVERY_MS) keep((kept = time));
  }

  function become(/** @type {State} */ next) {
    if (next === state) return;
    state = next;
    controls.state(next);
  }

  function aim(/** @type {number} */ time) {
    clock.limit = time < film.pause.at_ms ? film.pause.at_ms : film.duration_ms;
  }

  function arrive() {
    clock.halt();
    if (clock.limit === film.pause.at_ms) {
      // Who comes back later is asked again.
      keep((kept = film.pause.at_ms - 1));
      become("waiting");
      question.ask(root.contains(document.activeElement) || document.fullscreenElement === root);
    } else {
      become("ended");
      keep((kept = 0));
    }
  }

  function go() {
    aim(clock.time);
    clock.start();
    become("playing");
  }

  /** @type {Film} */
  const player = {
    get time() {
      return clock.time;
    },
    get state() {
      return state;
    },
    get speed() {
      return clock.speed;
    },
    set speed(value) {
      clock.speed = value;
      controls.chosen();
      controls.announce(`Speed ${clock.speed}`);
    },
    get captions() {
      return captions.on;
    },
    set captions(value) {
      captions.on = value;
      controls.chosen();
      controls.announce(value ? "Captions on" : "Captions off");
    },
    play() {
      if (state === "waiting") question.focus();
      else if (state === "ended") (player.seek(0), go());
      else go();
    },
    pause() {
      if (state !== "playing") return;
      clock.halt();
      keep((kept = clock.time));
      become("paused");
    },
    toggle: () => (state === "playing" ? player.pause() : player.play()),
    seek(ms) {
      const time = Math.min(film.duration_ms, Math.max(0, ms));
      question.hide();
      // Before the question it will be asked again, and the last guess is forgotten.
      answered = time >= film.pause.at_ms;
      if (!answered) answer.guess = null;
      clock.set(time);
      aim(time);
      draw(time);
      keep((kept = time));
      if (time >= film.duration_ms) (clock.halt(), become("ended"));
      else if (state !== "playing") become("paused");
    },
    fullScreen: () => fullScreen(root, controls.announce),
    focus: () => controls.focus(),
  };

  const controls = createControls(root, film, player);
  listen(root, player, film.scenes);
  screen.addEventListener("click", (event) => {
    if (/** @type {Element} */ (event.target).closest("form")) return;
    // With the focus among the controls the keys work from here on.
    controls.focus();
    player.toggle();
  });
  new ResizeObserver(() => stage.fit()).observe(screen);
  calm.addEventListener("change", () => {
    if (clock.running) (clock.halt(), clock.start());
    draw(clock.time);
  });

  const start = recall();
  controls.state(state);
  player.seek(start < film.duration_ms ? start : 0);
  return player;
}
