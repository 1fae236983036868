/**
 * The words of the house: those that the field does not use for a thing, and what it says instead. A reader
 * who knows wrk, k6 or HdrHistogram needs no dictionary of ours.
 */

/** Where a word is looked for. */
export type Place = "names" | "texts" | "comments" | "pages";

export interface Banned {
  /** Whole words, in any case; in a name, words as camelCase and snake_case have them. */
  readonly words: readonly string[];
  readonly instead: string;
  /** Who says so. */
  readonly source: string;
  readonly places: readonly Place[];
}

const EVERYWHERE: readonly Place[] = ["names", "texts", "comments", "pages"];
/** Such words mean something else in a sentence: "the whole supply of ports". */
const NAMES: readonly Place[] = ["names"];

export const BANNED: readonly Banned[] = [
  {
    words: ["tell", "tells", "telling", "told", "untold"],
    instead: "show, report, know, decide",
    source: "plain English",
    places: EVERYWHERE,
  },
  {
    words: ["supply"],
    instead: "pacer, schedule",
    source: "vegeta Pacer, wrk2, Hyperfoil",
    places: NAMES,
  },
  {
    words: ["wires", "pulled", "pushed"],
    instead: "transport",
    source: "Go net/http Transport, hyper",
    places: NAMES,
  },
  { words: ["outlet"], instead: "write queue", source: "libuv, netty", places: EVERYWHERE },
  {
    words: ["stretch", "stretches"],
    instead: "busy period",
    source: "queueing theory",
    places: EVERYWHERE,
  },
  { words: ["unasked"], instead: "unsolicited", source: "RFC 9112 §9.2", places: EVERYWHERE },
  {
    words: ["visitor", "visitors"],
    instead: "virtual user",
    source: "k6, Gatling, Artillery",
    places: EVERYWHERE,
  },
  { words: ["way", "ways"], instead: "journey, path, kind", source: "Artillery", places: NAMES },
  {
    words: ["surroundings"],
    instead: "host activity, host contention, environment",
    source: "Linux PSI",
    places: EVERYWHERE,
  },
  {
    words: ["lane", "lanes"],
    instead: "series, worker index range",
    source: "statistics",
    places: EVERYWHERE,
  },
  {
    words: ["hearing", "audible", "heard", "hears"],
    instead: "agent stream, received, reporting",
    source: "actor systems",
    places: EVERYWHERE,
  },
  {
    words: ["prove", "proves", "proved", "proof", "proving"],
    instead: "preflight (check)",
    source: "CI, k6 setup",
    places: NAMES,
  },
  { words: ["company"], instead: "composite target", source: "nginx, Envoy", places: EVERYWHERE },
  { words: ["bond"], instead: "parent-death signal", source: "prctl(2)", places: EVERYWHERE },
  {
    words: ["strangers", "misfit", "misfits"],
    instead: "unknown names, conflicts",
    source: "compilers",
    places: EVERYWHERE,
  },
  {
    words: ["lack", "lacks", "lacking"],
    instead: "missing prerequisite, is missing",
    source: "package managers",
    places: NAMES,
  },
  {
    words: ["hinge"],
    instead: "segmented regression",
    source: "statistics",
    places: EVERYWHERE,
  },
  {
    words: ["ask", "asks", "asked", "asking"],
    instead: "request, send; invocation for a command line",
    source: "RFC 9110",
    places: EVERYWHERE,
  },
  {
    words: ["answer", "answers", "answered", "answering"],
    instead: "response, responds",
    source: "RFC 9110",
    places: EVERYWHERE,
  },
  {
    words: ["ceiling", "ceilings"],
    instead: "peak throughput",
    source: "roofline papers",
    places: EVERYWHERE,
  },
  {
    words: ["fault", "faults"],
    instead: "error, error rate",
    source: "k6 http_req_failed, oha",
    places: EVERYWHERE,
  },
];

/** Phrases that sound like us alone, and what stands instead of them. */
export const PHRASES: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/can't be told|cannot be told/i, "unknown"],
  [/too few (?:runs|intervals) to \w+/i, "inconclusive: too few runs"],
  [/too close to call/i, "no significant difference between A and B"],
  [/count for more/i, "take precedence"],
  [/what (?:must hold|was due|was measured|it does)\b/i, "name the thing"],
  [/in flight counts? as\b.*\bthat\b/i, "one idea a sentence"],
  [/faults %/i, "errors %"],
];

/** A name or text that holds a banned word rightly. */
export interface Allowed {
  /** A file or folder; without it everywhere. */
  readonly at?: string;
  /** The whole identifier, or a part of the text; without it everything there. */
  readonly text?: string;
  readonly why: string;
}

/** This list only shrinks: an entry that nothing needs any more fails the test. */
export const ALLOWED: readonly Allowed[] = [
  { at: "runner/result/earlier/version_1.ts", why: "keys and values of files of version 1" },
  {
    text: "ceiling",
    why: "in experiment files claims say ceiling(redis); also the key of doctor --json",
  },
  {
    text: "ceilings",
    why: "experiment files say ceilings: [redis], and theirs is a format of its own",
  },
  {
    text: "prove",
    why: "experiment files say prove: apart, and theirs is a format of its own",
  },
  { at: "report/files/comparison.ts", text: "fault", why: "key of compare --json, version 1" },
];

/** `sentAtMs`, `SENT_AT` and `#sent_at` as the words `sent`, `at`. */
export function wordsOf(name: string): string[] {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase().split(/[^a-z]+/).filter((word) => word !== "");
}

/** What is wrong with a name or text at such a place. */
export function offencesIn(text: string, place: Place): string[] {
  const words = new Set(wordsOf(text));
  const phrases = place === "names" ? [] : PHRASES.filter(([phrase]) => phrase.test(text));
  const worded = BANNED.filter(({ places }) => places.includes(place)).flatMap((
    { words: some, instead },
  ) => some.filter((word) => words.has(word)).map((word) => `"${word}" (${instead})`));
  return [...worded, ...phrases.map(([phrase, instead]) => `${phrase} (${instead})`)];
}
