/**
 * Inputs for decoders, each by one number: a real sample of which something was changed, by its structure
 * where it has one, or by its bytes; now and then noise. Pure.
 */
import { type Draw, drawBy, shuffled } from "../../base/random.ts";

export interface Seeds {
  readonly samples: readonly string[];
  /** What the format is made of, to be put in anywhere. */
  readonly words: readonly string[];
  /** Samples are JSON, and are changed as such, too. */
  readonly isJson?: boolean;
}

const NASTY_TEXTS = [
  ...["", " ", "\0", "\r\n", "\x1b[2J", "NaN", "-1", "1e999", "__proto__", "constructor", "\ud800"],
  ...[
    "${a}",
    "{{ a }}",
    "../../etc",
    "<script>",
    "a".repeat(10_000),
    "9".repeat(400),
    "🦆",
    "*",
    "&",
  ],
];
const NASTY_NUMBERS = [
  ...[0, -1, 1, 0.5, 1e300, -1e300, 5e-324, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 53 + 2, 1e9, -0],
];
const NASTY: readonly unknown[] = [
  ...[...NASTY_TEXTS, ...NASTY_NUMBERS, null, true, [], {}, [[]], { a: {} }],
  JSON.parse('{"__proto__":{"injected":1}}'),
  Array.from({ length: 200 }, () => 1),
];

/** One of them, for nobody else: what is put in may be changed again. */
function nastyValue(draw: Draw): unknown {
  return structuredClone(NASTY[draw(0, NASTY.length - 1)]);
}

export function inputOf({ samples, words, isJson = false }: Seeds, seed: number): string {
  const draw = drawBy(seed);
  const sample = samples[draw(0, samples.length - 1)];
  const kind = draw(0, 9);
  if (kind === 0) return noise(draw, words);
  if (isJson && kind < 7) return jsonMutant(sample, draw);
  return textMutant(sample, { words, others: samples, draw });
}

function noise(draw: Draw, words: readonly string[]): string {
  return Array.from(
    { length: draw(0, 200) },
    () =>
      draw(0, 1) === 0
        ? words[draw(0, words.length - 1)] ?? ""
        : String.fromCharCode(draw(0, 3) === 0 ? draw(0, 0xffff) : draw(0, 127)),
  ).join("");
}

interface Around {
  readonly words: readonly string[];
  readonly others: readonly string[];
  readonly draw: Draw;
}

function textMutant(sample: string, around: Around): string {
  const { draw } = around;
  let text = sample;
  for (let times = 1 << draw(0, 4); times > 0; times--) text = changed(text, around);
  return text;
}

function changed(text: string, { words, others, draw }: Around): string {
  const from = draw(0, text.length);
  const to = Math.min(text.length, from + draw(0, 1 << draw(0, 10)));
  const part = text.slice(from, to);
  const [before, after] = [text.slice(0, from), text.slice(to)];
  const other = others[draw(0, others.length - 1)];
  const ways: readonly (() => string)[] = [
    () => before + after,
    () => before + part + part + after,
    () => before + part.repeat(draw(1, 1 + Math.floor(20_000 / (1 + part.length)))) + after,
    () => before + words[draw(0, words.length - 1)] + text.slice(from),
    () => before + NASTY_TEXTS[draw(0, NASTY_TEXTS.length - 1)] + after,
    () => before + String.fromCharCode(draw(0, 255)) + text.slice(from + 1),
    () => before + other.slice(draw(0, other.length)),
    () => before + String(NASTY_NUMBERS[draw(0, NASTY_NUMBERS.length - 1)]) + after,
    () => before,
    () => after + before,
  ];
  return ways[draw(0, ways.length - 1)]().slice(0, 2_000_000);
}

/** A place of a value in data. */
interface Place {
  readonly parent: Record<PropertyKey, unknown>;
  readonly key: string;
}

function jsonMutant(sample: string, draw: Draw): string {
  const root: Record<PropertyKey, unknown> = { root: JSON.parse(sample) };
  for (let times = 1 << draw(0, 2); times > 0; times--) {
    const places = placesIn(root);
    const { parent, key } = places[draw(0, places.length - 1)];
    const other = places[draw(0, places.length - 1)];
    const kind = draw(0, 7);
    if (kind === 0 && key !== "root") delete parent[key];
    else if (kind === 1) parent[key] = structuredClone(other.parent[other.key]);
    else if (kind === 2 && Array.isArray(parent)) {
      parent.push(
        ...Array.from({ length: draw(1, 50) }, () => structuredClone(parent[Number(key)])),
      );
    } else if (kind === 3 && Array.isArray(parent[key])) {
      parent[key] = shuffled(Object.values(Object(parent[key])), draw);
    } else if (kind === 4 && typeof parent[key] === "string") {
      const around = { words: NASTY_TEXTS, others: [sample], draw };
      parent[key] = textMutant(String(parent[key]), around);
    } else if (kind === 5 && typeof parent[key] === "object" && !Array.isArray(parent[key])) {
      Object.assign(Object(parent[key]), { [`k${draw(0, 9)}`]: nastyValue(draw) });
    } else parent[key] = nastyValue(draw);
  }
  return JSON.stringify(root.root) ?? "";
}

function placesIn(root: Record<PropertyKey, unknown>): Place[] {
  const places: Place[] = [];
  const waiting: object[] = [root];
  for (let parent; (parent = waiting.pop()) !== undefined && places.length < 20_000;) {
    for (const [key, value] of Object.entries(parent)) {
      places.push({ parent: Object(parent), key });
      if (typeof value === "object" && value !== null) waiting.push(value);
    }
  }
  return places;
}
