/** What every sentence for users must be. */
import assert from "node:assert/strict";
import { offencesIn } from "../architecture/glossary.ts";

/** The longest that a reader takes in at once, without numbers in brackets. */
const MOST_WORDS = 25;

function sentencesOf(text: string): string[] {
  return text.replaceAll(/\s*\([^)]*\)/g, "").split(/(?<=[.;:])\s+/).filter((part) => part !== "");
}

/** One sentence of at most so many words a thought, in the words of the field, of known figures. */
export function assertReadable(text: string): void {
  assert.match(text, /^[A-Za-z0-9][^\n]*\.$/);
  assert.doesNotMatch(text, /undefined|null|NaN|\.\.|\{|\}/);
  assert.deepEqual(offencesIn(text, "texts"), []);
  for (const sentence of sentencesOf(text)) {
    assert.ok(sentence.split(/\s+/).length <= MOST_WORDS, sentence);
  }
}

/** A part without a full stop. `ceiling(redis)` is how a claim is written, and no word of the sentence. */
export function assertClaimReadable(text: string): void {
  assertReadable(`${text.replaceAll("ceiling(redis)", "redis")}.`);
}

/** With spaces that may break. */
export function plain(text: string): string {
  return text.replaceAll("\u00a0", " ");
}
