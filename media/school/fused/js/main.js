/**
 * The page's own script. It wires buttons and loads nothing else: film, lab and pictures come when
 * somebody asks for them.
 */

import { fill } from "./lab/choice.js";

/** @param {string} id @returns {any} */
const element = (id) => document.getElementById(id);

/** Put an error's sentence where it belongs; what is no plain sentence gets one. */
function say(/** @type {string} */ place, /** @type {any} */ error) {
  element(place).textContent = error.plain
    ? error.message
    : `Something on this page failed (${error.message}); reload it to try again.`;
}

/** The film's own style, which nothing needs before. @param {string} href */
function styled(href) {
  return new Promise((resolve, reject) => {
    const sheet = document.createElement("link");
    sheet.rel = "stylesheet";
    sheet.href = href;
    sheet.onload = resolve;
    sheet.onerror = () => reject(new Error(`${href} could not be loaded`));
    document.head.append(sheet);
  });
}

/** What the film says and draws; fetched while its scripts are. */
async function told() {
  const { data } = await import("./data.js");
  return Promise.all([data("drawn.json"), data("film.json")]);
}

/** Whether the film is on its way: a second press then changes nothing. */
let loading = false;

element("play").addEventListener("click", async () => {
  if (loading) return;
  loading = true;
  element("film-message").textContent = "";
  element("film-loads").textContent = "The film is loading.";
  // All scripts at once: found one by one, each would wait for the one that imports it.
  document.head.append(element("film-scripts").content);
  try {
    const [film, [facts, timeline]] = await Promise.all([
      import("./film/index.js"),
      told(),
      styled("film.css"),
    ]);
    const stage = element("film-stage");
    stage.replaceChildren();
    stage.classList.add("playing");
    const player = film.mount(stage, { facts, film: timeline });
    player.play();
    // The button that had the focus is gone: the keys go on within the film, all of it in sight.
    player.focus();
    stage.scrollIntoView({ block: "nearest", behavior: "instant" });
    await player.ready;
  } catch (error) {
    const loads = element("film-loads"); // gone, where the film plays and lacks a scene
    if (loads) loads.textContent = "";
    say("film-message", error);
  } finally {
    loading = false;
  }
});

/** @param {(lab: typeof import("./lab/index.js")) => Promise<void>} act */
async function withLab(act) {
  element("lab-message").textContent = "";
  try {
    await act(await import("./lab/index.js"));
  } catch (error) {
    say("lab-message", error);
  }
}
element("lab-form").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  withLab((loaded) => loaded.count());
});
element("lab-time").addEventListener("click", () => withLab((loaded) => loaded.time()));

element("show-pictures").addEventListener("click", () => {
  for (const image of /** @type {NodeListOf<HTMLImageElement>} */ (document.querySelectorAll("#picture-list img"))) {
    image.src = image.dataset.src ?? "";
  }
  element("picture-list").hidden = false;
  element("show-pictures").parentElement.remove();
});

const unread = fill(element("lab-form"), location.hash);
element("lab-link-says").textContent = unread.join(" ");
if (unread.length || location.hash.startsWith("#lab?")) {
  element("lab").scrollIntoView();
}
