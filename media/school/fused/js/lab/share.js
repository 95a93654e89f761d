/**
 * Taking a result away: as JSON, and as a link that reproduces the choice.
 */

import { html } from "../dom.js";

/** @param {string} text @param {HTMLElement} said @param {string} what */
async function copied(text, said, what) {
  try {
    await navigator.clipboard.writeText(text);
    said.textContent = `Copied ${what}.`;
  } catch {
    // No permission, or no secure context: show it, selected, to be copied by hand.
    const box = html("textarea", { readonly: "", rows: 6, "aria-label": what });
    box.value = text;
    said.replaceChildren("Copy it from here:", box);
    box.select();
  }
}

/**
 * Buttons that copy a result and its link.
 *
 * @param {object} result what goes into the JSON
 * @param {string} link
 * @returns {HTMLElement}
 */
export function share(result, link) {
  const said = html("p", { role: "status", class: "message" });
  const json = html("button", { type: "button" }, "Copy as JSON");
  const address = html("button", { type: "button" }, "Copy link");
  json.addEventListener("click", () => copied(`${JSON.stringify(result, null, 1)}\n`, said, "the result as JSON"));
  address.addEventListener("click", () => copied(link, said, "a link to these sizes"));
  return html("div", { class: "actions" }, json, address, said);
}
