/** A fact of what Plateau shows: one line of plain text, so that `diff` of two outputs lists every difference. Pure. */

export const WORDS = "words";

export interface Fact {
  /** The stored result, or what is compared with what. */
  readonly of: string;
  /** Form that shows it (`csv`, `table`, `terminal-80`), or `words` for a sentence of any form. */
  readonly kind: string;
  /** Caption or heading it stands under; "" where the form has none. Its words may change while the fact holds still. */
  readonly place: string;
  readonly key: string;
  readonly value: string;
}

/** A fact before it is known of what it is. */
export type Found = Omit<Fact, "of">;

export function lineOf({ of, kind, place, key, value }: Fact): string {
  return [of, kind, ...place === "" ? [] : [place], `${key} = ${value}`].map(oneLine).join(" | ");
}

export function linesOf(facts: readonly Fact[]): string[] {
  return facts.map(lineOf).sort();
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** A number as it is read: thousands apart by commas, with what it counts directly behind it. */
const NUMBER =
  /(?<![\w.])[-−+]?\d[\d,]*(?:\.\d+)?(?!\.?\d)(?:e[-+]?\d+)?(?:×| ?%| ?(?:ns|µs|ms|s|min|h|kB|MB|GB|KiB|MiB|GiB|B)(?![\w]))?/g;

export function numbersIn(text: string): string[] {
  return (text.match(NUMBER) ?? []).map((number) => number.replaceAll(",", ""));
}

/** How often each number stands in a text, a fact each. */
export function numberFacts(kind: string, text: string): Found[] {
  const counts = Map.groupBy(numbersIn(text), (number) => number);
  return [...counts].map(([key, all]) => ({ kind, place: "", key, value: `${all.length} times` }));
}

/** The text line by line, as what it says rather than what it proves. */
export function wordFacts(form: string, lines: readonly string[]): Found[] {
  return lines.map(oneLine).filter((line) => line !== "")
    .map((value) => ({ kind: WORDS, place: form, key: "", value }));
}
