/**
 * The numbers of a chart by the label of their series, whatever the layout of its data: a label names all numbers
 * beside and below it that do not have a label of their own. Pure.
 */
import type { Found } from "./fact.ts";

export interface PlacedChart {
  readonly chart: { readonly alt: string; readonly [key: string]: unknown };
  /** Heading that it stands under. */
  readonly place: string;
}

/** What says how something is drawn, not what was measured. */
const OF_DRAWING = new Set([
  ...["color", "colour", "mark", "size", "most", "cell", "span", "margin", "farRatio", "edges"],
  ...["boundsFrom", "lowerBounds", "ticks", "repetition", "order", "odds", "t"],
]);

const LABELS = ["label", "name", "title"];

export function chartFacts({ chart, place }: PlacedChart): Found[] {
  const series = new Map<string, Set<number>>();
  collect(unpacked(chart), "", series);
  return [...series].map(([key, numbers]) => ({
    kind: "chart",
    place,
    key,
    value: [...numbers].sort((a, b) => a - b).join(" "),
  }));
}

function collect(value: unknown, label: string, series: Map<string, Set<number>>): void {
  if (typeof value === "number") {
    const numbers = series.get(label) ?? new Set();
    series.set(label, numbers.add(Number(value.toPrecision(3))));
  }
  if (typeof value !== "object" || value === null || isAxis(value)) return;
  const own = LABELS.map((key) => Reflect.get(value, key)).find((text) => typeof text === "string");
  for (const [key, inner] of Object.entries(value)) {
    if (!OF_DRAWING.has(key)) collect(inner, own ?? label, series);
  }
}

function isAxis(value: object): boolean {
  return "min" in value && "max" in value && ("scale" in value || "unit" in value);
}

// In pages until codecs became standard ones, lists of numbers are packed into text of 91 signs: each number as its difference from the one before.

const KEY = "~";
const SIGNS = Array.from({ length: 94 }, (_, i) => String.fromCharCode(0x21 + i))
  .filter((sign) => !['"', "\\", "<"].includes(sign));
const BASE = SIGNS.length;
const DIGITS = new Map(SIGNS.map((sign, digit) => [sign, digit]));
const NULL = BASE - 1;
const REPEAT = NULL - 1;
const LONGEST = 9;
const ONE_SIGN = 56;

/** The chart with its lists as lists. */
function unpacked(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(unpacked);
  const held = Reflect.get(value, KEY);
  if (held === undefined) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unpacked(inner)]));
  }
  if (typeof held === "string") return listOfText(held);
  if (Array.isArray(held)) {
    const [kinds, places] = held;
    return listOfText(places).map((place) => unpacked(kinds[place ?? 0]));
  }
  const columns = Object.entries(unpacked(held) as Record<string, readonly unknown[]>);
  return columns[0][1].map((_, i) =>
    Object.fromEntries(columns.map(([key, list]) => [key, list[i]]))
  );
}

function listOfText(text: string): (number | null)[] {
  let at = 0;
  const next = (): number => DIGITS.get(text[at++]) ?? 0;
  const scale = 10 ** next();
  const list: (number | null)[] = [];
  let last = 0;
  let step = 0;
  while (at < text.length) {
    const digit = next();
    if (digit === REPEAT) {
      const isNull = list.at(-1) === null;
      for (let left = next(); left > 0; left--) {
        if (!isNull) last += step;
        list.push(isNull ? null : last / scale);
      }
      continue;
    }
    if (digit === NULL) {
      list.push(null);
      continue;
    }
    const number = numberOf(digit, next);
    step = number % 2 === 0 ? number / 2 : -(number + 1) / 2;
    last += step;
    list.push(last / scale);
  }
  return list;
}

function numberOf(digit: number, next: () => number): number {
  if (digit < ONE_SIGN) return digit;
  if (digit < NULL - LONGEST) return ONE_SIGN + (digit - ONE_SIGN) * BASE + next();
  let number = 0;
  for (let i = 0; i < NULL - digit; i++) number += next() * BASE ** i;
  return number;
}
