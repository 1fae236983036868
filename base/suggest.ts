/** "Did you mean": the known word that a misspelt one is closest to. */
import leven from "leven";

/** The share of letters that may differ: two of five. */
const MOST_DIFFERENT_RATIO = 0.4;

/** The closest of `known`, or null when none is close. */
export function closest(word: string, known: Iterable<string>): string | null {
  const candidates = [...known].map((name) => ({ name, awayRatio: awayRatio(word, name) }));
  candidates.sort((a, b) => a.awayRatio - b.awayRatio);
  const [best] = candidates;
  return best !== undefined && best.awayRatio <= MOST_DIFFERENT_RATIO ? best.name : null;
}

/** `did you mean "…"`, or nothing when no known word is close. */
export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const name = closest(word, known);
  return name === null ? undefined : `did you mean "${name}"?`;
}

/**
 * Letters to change, insert or remove, as a share of the longer word. A difference in nothing but the order of the
 * letters counts as one change.
 */
function awayRatio(given: string, known: string): number {
  const [word, name] = [given.toLowerCase(), known.toLowerCase()];
  const longer = Math.max(word.length, name.length, 1);
  const isDisorder = word !== name && lettersOf(word) === lettersOf(name);
  return (isDisorder ? 1 : leven(word, name)) / longer;
}

function lettersOf(word: string): string {
  return [...word].sort().join("");
}
