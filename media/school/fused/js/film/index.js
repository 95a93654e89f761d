/**
 * The film, drawn in the page from film.json and drawn.json.
 */

import { html } from "../dom.js";
import { createCaptions } from "./captions.js";
import { createClock } from "./clock.js";
import { claimsOf } from "./context.js";
import { listen } from "./keys.js";
import { keep, recall } from "./memory.js";
import { createNote } from "./note.js";
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
 * @property {Promise<void>} ready when every scene can be drawn; rejected where one cannot be had
 */

/** @import { Answer, Asks, Facts, FilmText } from "./context.js" */

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
  const unsaid = () => ({ guess: null, given: false });
  /** @type {Answer} */
  const answer = { times: unsaid(), rows: unsaid(), score: unsaid() };
  /** @type {State} */
  let state = "paused";
  const { pauses } = film;
  /** Questions that the viewer answered or passed, however long ago. @type {Set<Asks>} */
  const met = new Set();
  /** Of those before the present time, which wait no more. @type {Set<Asks>} */
  const passed = new Set();
  let kept = 0;

  const stage = createStage(screen, { film, facts }, answer);
  const timeline = createTimeline(film);
  const captions = createCaptions(root, timeline.cues);
  const { claim, quote } = claimsOf(facts);
  const questions = pauses.map((pause) => {
    const reply = answer[pause.asks];
    return createQuestion(screen, {
      ...{ pause, quote, claim, film, facts },
      moved(guess) {
        reply.guess = guess;
        stage.redraw();
      },
      answered(guess) {
        Object.assign(reply, { guess, given: guess !== null });
        passed.add(pause.asks);
        met.add(pause.asks);
        go();
        controls.focus();
      },
    });
  });
  const note = createNote(screen, () => (player.seek(0), controls.focus()));

  const clock = createClock({
    hasten,
    tick: draw,
    arrive,
    still: () => calm.matches,
    next: timeline.next,
  });

  /** The question that is asked at a time and not yet answered; -1 where none is. */
  const asked = (/** @type {number} */ time) =>
    pauses.findIndex((pause) => pause.at_ms === time && !passed.has(pause.asks));

  /** While the film waits it shows the question's last moment, not the answer's first. */
  const seen = (/** @type {number} */ time) => (asked(time) < 0 ? time : time - 1);

  /** In a still the picture is that of the cue come to rest. */
  const pictured = (/** @type {number} */ time) => (calm.matches ? timeline.rested(time) : time);

  function draw(/** @type {number} */ time) {
    stage.draw(pictured(seen(time)));
    captions.draw(seen(time));
    controls.draw(time);
    questions.forEach((question, k) => time >= timeline.over(k) && question.hide());
    note.draw(time);
    root.classList.toggle("film-fresh", time === 0);
    if (Math.abs(time - kept) > KEEP_EVERY_MS) remember(time);
  }

  function remember(/** @type {number} */ time) {
    kept = time;
    keep(time, [...met]);
  }

  function become(/** @type {State} */ next) {
    if (next === state) return;
    state = next;
    controls.state(next);
  }

  function aim(/** @type {number} */ time) {
    const next = pauses.find((pause) => pause.at_ms >= time && !passed.has(pause.asks));
    clock.limit = next?.at_ms ?? film.duration_ms;
  }

  function arrive() {
    clock.halt();
    const question = questions[asked(clock.limit)];
    if (question) {
      // Who comes back later is asked again.
      remember(clock.limit - 1);
      become("waiting");
      question.ask(root.contains(document.activeElement) || document.fullscreenElement === root);
      // With the question it may have become taller.
      root.scrollIntoView({ block: "nearest", behavior: "instant" });
    } else {
      become("ended");
      remember(0);
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
      if (state === "waiting") questions[asked(clock.time)].focus();
      else if (state === "ended") (player.seek(0), go());
      else go();
    },
    pause() {
      if (state !== "playing") return;
      clock.halt();
      remember(clock.time);
      become("paused");
    },
    toggle: () => (state === "playing" ? player.pause() : player.play()),
    seek(ms) {
      const time = Math.min(film.duration_ms, Math.max(0, ms));
      for (const question of questions) question.hide();
      for (const { at_ms, asks } of pauses) {
        if (time >= at_ms) passed.add(asks);
        // Before a question it will be asked again, and the last guess is forgotten.
        else {
          passed.delete(asks);
          Object.assign(answer[asks], unsaid());
        }
      }
      clock.set(time);
      aim(time);
      draw(time);
      remember(time);
      if (time >= film.duration_ms) (clock.halt(), become("ended"));
      else if (state !== "playing") become("paused");
    },
    fullScreen: () => fullScreen(root, controls.announce),
    focus: () => controls.focus(),
    ready: stage.ready,
  };

  const controls = createControls(root, film, player);
  listen(root, player, film.scenes);
  const aside = (/** @type {Event} */ event) =>
    /** @type {Element} */ (event.target).closest("form, .film-note") !== null;
  /** Dragged in the picture itself, as far as its question has something to drag. */
  const drag = (/** @type {PointerEvent} */ event) => {
    if (state !== "waiting" || event.buttons !== 1 || aside(event)) return;
    const guess = stage.grab(event);
    if (guess !== null) questions[asked(clock.time)].set(guess);
  };
  screen.addEventListener("pointerdown", drag);
  screen.addEventListener("pointermove", drag);
  screen.addEventListener("click", (event) => {
    if (aside(event)) return;
    // With the focus among the controls the keys work from here on.
    if (state !== "waiting") controls.focus();
    player.toggle();
  });
  // Scrolled out of view it would run on unseen.
  new IntersectionObserver(([{ isIntersecting }]) => {
    if (!isIntersecting) player.pause();
  }).observe(screen);
  new ResizeObserver(() => stage.fit()).observe(screen);
  calm.addEventListener("change", () => {
    if (clock.running) (clock.halt(), clock.start());
    draw(clock.time);
  });

  const { time: left, answered } = recall();
  controls.state(state);
  for (const asks of answered) met.add(asks);
  // Nobody comes back to behind a question that was not met: it would give its answer away.
  const unmet = pauses.find((pause) => !met.has(pause.asks))?.at_ms ?? Infinity;
  player.seek(left < film.duration_ms ? Math.min(left, unmet - 1) : 0);
  if (clock.time > 0) note.tell(clock.time);
  return player;
}
