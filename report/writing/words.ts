/** Functions that word parts of sentences. */
import { formatCount } from "./units.ts";

/** Joins texts as in `10, 50 or 200`. */
export function listed(texts: readonly string[], before: "or" | "and" = "or"): string {
  return texts.length < 2
    ? texts.join("")
    : `${texts.slice(0, -1).join(", ")} ${before} ${texts[texts.length - 1]}`;
}

/** Joins texts as in `a, b, c and 23 others`, with at most four items, because a sentence can't hold more names. */
export function listedSome(texts: readonly string[], before: "or" | "and"): string {
  const left = texts.length - MOST_NAMES + 1;
  return left < 2
    ? listed(texts, before)
    : listed([...texts.slice(0, -left), `${left} others`], before);
}

const MOST_NAMES = 4;

/** Joins texts as in `a, b, c and 97 more`: at least one, and as many as fit into `mostLength` characters. */
export function listedAll(texts: readonly string[], mostLength: number): string {
  let shown = 1;
  const lengthOf = (count: number): number => texts.slice(0, count).join(", ").length;
  while (shown < texts.length && lengthOf(shown + 1) <= mostLength) shown++;
  const left = texts.length - shown;
  return texts.slice(0, shown).join(", ") + (left > 0 ? ` and ${left} more` : "");
}

export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** `Both runs` or `All 3 runs`. @param count At least two. */
export function allOf(count: number, noun: string): string {
  return count === 2 ? `Both ${noun}s` : `All ${counted(count, noun)}`;
}

/** Removes duplicates; keeps the order of first appearance. */
export function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * The sentence as it appears within another one: in lower case at the beginning, unless its first word is `Plateau` or
 * an abbreviation.
 */
export function uncapitalized(sentence: string): string {
  if (/^(Plateau|[A-Z]{2})/.test(sentence)) return sentence;
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/**
 * Maps each code (the key of a function in `Sentences`) to the type of the evidence from which that function makes its
 * sentence.
 * @param Sentences Maps each code to a function that makes its sentence.
 */
export type EvidenceOf<Sentences> = {
  readonly [Code in keyof Sentences]: Sentences[Code] extends (evidence: infer Evidence) => unknown
    ? Readonly<Evidence>
    : never;
};

/**
 * Makes the sentence of a code from its evidence. The cast is needed because TypeScript can't call a union of functions
 * with a union of arguments.
 */
export function wordsOf<Words>(
  sentences: Readonly<Record<string, (evidence: never) => Words>>,
  code: string,
  evidence: unknown,
): Words {
  return sentences[code](evidence as never);
}
