/**
 * SVG made and changed by attributes alone: no markup strings, no inline styles, and nothing
 * written that has not changed.
 */

const SPACE = "http://www.w3.org/2000/svg";

/** What was last written to a node, so that a frame touches only what moves. */
const written = new WeakMap();

/**
 * A part of a line of text: plain words, or a number with where it comes from.
 *
 * @typedef {string | {text: string, claim?: string, why?: string}} Run
 */

/** @param {Element} node @param {Record<string, string | number>} attributes */
export function set(node, attributes) {
  const known = written.get(node) ?? {};
  written.set(node, known);
  for (const [name, value] of Object.entries(attributes)) {
    const text = typeof value === "number" ? String(Math.round(value * 100) / 100) : value;
    if (known[name] === text) continue;
    known[name] = text;
    node.setAttribute(name, text);
  }
}

/**
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Element} parent
 * @param {Name} name of the element
 * @param {Record<string, string | number>} [attributes]
 */
export function add(parent, name, attributes = {}) {
  const node = document.createElementNS(SPACE, name);
  set(node, attributes);
  parent.append(node);
  return node;
}

/** @param {Element} parent @param {string} [kind] its classes */
export const group = (parent, kind = "") => add(parent, "g", kind ? { class: kind } : {});

/** What cannot be seen is not there for anyone. @param {Element} node @param {number} opacity */
export function show(node, opacity) {
  if (opacity <= 0.004) set(node, { display: "none" });
  else set(node, { display: "inline", opacity });
}

/**
 * @param {Element} node
 * @param {number} x
 * @param {number} y
 * @param {number} [scale]
 * @param {number} [turn] degrees
 */
export function move(node, x, y, scale = 1, turn = 0) {
  const place = `translate(${x.toFixed(1)} ${y.toFixed(1)})`;
  const size = scale === 1 ? "" : ` scale(${scale.toFixed(3)})`;
  set(node, { transform: place + (turn ? ` rotate(${turn.toFixed(2)})` : "") + size });
}

/** Replace the words of a line. @param {SVGTextElement} node @param {Run[]} runs */
export function say(node, runs) {
  const text = JSON.stringify(runs);
  set(node, {});
  if (written.get(node)["the words"] === text) return;
  written.get(node)["the words"] = text;
  node.replaceChildren(
    ...runs.map((run) => {
      if (typeof run === "string") return document.createTextNode(run);
      const part = document.createElementNS(SPACE, "tspan");
      part.textContent = run.text;
      if (run.claim) part.dataset.claim = run.claim;
      if (run.why) part.dataset.why = run.why;
      return part;
    }),
  );
}

/**
 * A line of text.
 *
 * @param {Element} parent
 * @param {number} x
 * @param {number} y the line the letters stand on
 * @param {Run[]} runs
 * @param {number} [size]
 * @param {string} [kind] its classes
 * @param {string} [anchor] "start", "middle" or "end"
 */
export function line(parent, x, y, runs, size = 36, kind = "ink", anchor = "start") {
  const node = add(parent, "text", { x, y, "font-size": size, "text-anchor": anchor, class: kind });
  say(node, runs);
  return node;
}

/**
 * A rectangle.
 *
 * @param {Element} parent
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {string} kind its classes
 * @param {number} [round]
 */
export const box = (parent, x, y, width, height, kind, round = 0) =>
  add(parent, "rect", { x, y, width, height, class: kind, ...(round ? { rx: round } : {}) });

let made = 0;

/**
 * A gradient from left to right, or from top to bottom.
 *
 * @param {Element} parent
 * @param {[number, string, number][]} stops where, of which class, how opaque
 * @param {boolean} [down]
 * @returns {string} what to fill with
 */
export function gradient(parent, stops, down = false) {
  const id = `film-shade-${(made += 1)}`;
  const node = add(parent, "linearGradient", {
    id,
    x1: 0,
    y1: 0,
    x2: down ? 0 : 1,
    y2: down ? 1 : 0,
  });
  for (const [offset, kind, opacity] of stops) {
    add(node, "stop", { offset, class: kind, "stop-opacity": opacity });
  }
  return `url(#${id})`;
}
