/**
 * Elements from data. Text is always put in as text, so that nothing in a link or a file is markup.
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element with attributes and children.
 *
 * @param {string} name
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function html(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, String(value));
  }
  made.append(...children);
  return made;
}

/**
 * An SVG element with attributes and children.
 *
 * @param {string} name
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, String(value));
  }
  made.append(...children);
  return made;
}

/**
 * A table with a caption; cells that are numbers stand right.
 *
 * @param {string} caption
 * @param {string[]} head
 * @param {(string | {number: string})[][]} rows
 * @returns {HTMLElement} scrolls where the screen is narrow
 */
export function table(caption, head, rows) {
  const cell = (name, content, more = {}) =>
    typeof content === "string"
      ? html(name, more, content)
      : html(name, { ...more, class: "number" }, content.number);
  const numbers = rows[0]?.map((content) => typeof content !== "string") ?? [];
  const top = html(
    "tr",
    {},
    ...head.map((words, i) => html("th", { scope: "col", ...(numbers[i] && { class: "number" }) }, words)),
  );
  const body = rows.map(([first, ...rest]) =>
    html("tr", {}, cell("th", first, { scope: "row" }), ...rest.map((content) => cell("td", content))),
  );
  const made = html("table", {}, html("caption", {}, caption), html("thead", {}, top), html("tbody", {}, ...body));
  return html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, made);
}
