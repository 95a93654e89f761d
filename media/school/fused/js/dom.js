/**
 * Elements from data. Text is always put in as text, so that nothing in a link or a file is markup.
 */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, string | number>} Attributes */

/**
 * @template {Element} T
 * @param {T} node
 * @param {Attributes} attributes
 * @param {(Node | string)[]} children
 */
function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
}

/**
 * An HTML element with attributes and children.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {...(Node | string)} children
 */
export const html = (name, attributes = {}, ...children) =>
  filled(document.createElement(name), attributes, children);

/**
 * An SVG element with attributes and children.
 *
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {...(Node | string)} children
 */
export const svg = (name, attributes = {}, ...children) =>
  filled(document.createElementNS(SVG, name), attributes, children);

/** An element of the page, which is known to be there. @param {string} id @returns {any} */
export const element = (id) => document.getElementById(id);
