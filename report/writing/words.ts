/** Pieces of sentences. */
import { formatCount } from "./units.ts";

/** `10, 50 or 200`. */
export function listed(texts: readonly string[], before: "or" | "and" = "or"): string {
  return texts.length < 2
    ? texts.join("")
    : `${texts.slice(0, -1).join(", ")} ${before} ${texts[texts.length - 1]}`;
}

/** `a, b, c and 23 others`, because a sentence can't hold more names. */
export function listedSome(texts: readonly string[], before: "or" | "and"): string {
  const left = texts.length - MOST_NAMES + 1;
  return left < 2
    ? listed(texts, before)
    : listed([...texts.slice(0, -left), `${left} others`], before);
}

const MOST_NAMES = 4;

/** `a, b, c and 97 more`: as many as fit into so many characters, but at least one. */
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

/** `Both runs`, `All 3 runs`, for two or more. */
export function allOf(count: number, noun: string): string {
  return count === 2 ? `Both ${noun}s` : `All ${counted(count, noun)}`;
}

/** Each text once, in the order of first appearance. */
export function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** The text with a capital letter, to begin a sentence. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The sentence for use within another: begins in lower case, except for names and abbreviations. */
export function uncapitalized(sentence: string): string {
  if (/^(Plateau|[A-Z]{2})/.test(sentence)) return sentence;
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** The evidence from which each sentence is made, by code. */
export type EvidenceOf<Sentences> = {
  readonly [Code in keyof Sentences]: Sentences[Code] extends (evidence: infer Evidence) => unknown
    ? Readonly<Evidence>
    : never;
};

/** Ties each sentence to the evidence of its own code: a union of sentences can't be called with a union of evidence. */
export function wordsOf<Words>(
  sentences: Readonly<Record<string, (evidence: never) => Words>>,
  code: string,
  evidence: unknown,
): Words {
  return sentences[code](evidence as never);
}
