/**
 * An error whose message is a sentence for the visitor; any other is a fault of the page.
 */
export class PlainError extends Error {
  plain = true;
}
