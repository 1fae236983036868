/** What every sentence for users must be. */
import assert from "node:assert/strict";

/** Whole sentences on one line, of known figures. */
export function assertReadable(text: string): void {
  assert.match(text, /^[A-Za-z0-9][^\n]*\.$/);
  assert.doesNotMatch(text, /undefined|null|NaN|\.\.|\{|\}/);
}

/** A part without a full stop. `ceiling(redis)` is how a claim is written, and no word of the sentence. */
export function assertClaimReadable(text: string): void {
  assertReadable(`${text.replaceAll("ceiling(redis)", "redis")}.`);
}

/** With spaces that may break. */
export function plain(text: string): string {
  return text.replaceAll("\u00a0", " ");
}
