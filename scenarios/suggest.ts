/** "Did you mean": the known word that a misspelt one is closest to. */
import { distance } from "fastest-levenshtein";

/** The closest of `known` that is at most a third (and one letter) away from `word`, or null. */
export function closest(word: string, known: Iterable<string>): string | null {
  const candidates = [...known].map((name) => ({ name, away: awayFrom(word, name) }));
  candidates.sort((a, b) => a.away - b.away);
  const [best] = candidates;
  return best !== undefined && best.away <= 1 + word.length / 3 ? best.name : null;
}

/** `did you mean "…"`, or nothing when no known word is close. */
export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const name = closest(word, known);
  return name === null ? undefined : `did you mean "${name}"?`;
}

function awayFrom(word: string, name: string): number {
  return distance(word.toLowerCase(), name.toLowerCase());
}
