/**
 * The published files, fetched once each, and refused where they are not what this page reads.
 */

import { PlainError } from "./plain.js";

const VERSIONS = { "drawn.json": 1, "film.json": 1 };
const fetched = new Map();

/**
 * A published JSON file.
 *
 * @param {"drawn.json" | "film.json"} name
 * @returns {Promise<any>}
 * @throws {PlainError} if it is missing, malformed or of another schema version
 */
export function data(name) {
  if (!fetched.has(name)) {
    const found = read(name);
    fetched.set(name, found);
    found.catch(() => fetched.delete(name)); // the next press tries again
  }
  return fetched.get(name);
}

/** @param {"drawn.json" | "film.json"} name */
async function read(name) {
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
