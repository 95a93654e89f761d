/**
 * The published files, fetched once each, and refused where they are not what this page reads.
 */

import { PlainError } from "./plain.js";

const VERSIONS = { "drawn.json": 1, "film.json": 2 };
const kept = new Map();

/**
 * A published JSON file.
 *
 * @param {"drawn.json" | "film.json"} name
 * @returns {Promise<any>}
 * @throws {PlainError} if it is missing, malformed or of another schema version
 */
export function data(name) {
  if (!kept.has(name)) {
    const found = read(name);
    kept.set(name, found);
    found.catch(() => kept.delete(name)); // the next press tries again
  }
  return kept.get(name);
}

/** @param {"drawn.json" | "film.json"} name */
async function read(name) {
  const response = await fetched(name);
  let found;
  try {
    found = await response.json();
  } catch {
    throw new PlainError(`${name} is damaged: it is no JSON; restore it in the page's folder.`);
  }
  if (found?.schema_version !== VERSIONS[name]) {
    throw new PlainError(
      `${name} has schema version ${String(found?.schema_version).slice(0, 20)}, but this page reads version ${VERSIONS[name]}; page and file must come from the same run.`,
    );
  }
  return found;
}

/**
 * A file of the page's folder.
 *
 * @param {string} name
 * @throws {PlainError} if it cannot be had
 */
export async function fetched(name) {
  let response;
  try {
    response = await fetch(name);
  } catch {
    throw new PlainError(`${name} could not be fetched; check the connection and try again.`);
  }
  if (!response.ok) {
    throw new PlainError(
      `${name} is missing beside this page (status ${response.status}); it belongs in the page's folder.`,
    );
  }
  return response;
}
