/** What a hostile agent reports besides, or in place of, what an honest one does. */
import { packReport } from "../../runner/fleet/protocol/packing.ts";
import { packHistogram } from "../../runner/fleet/protocol/packed_histogram.ts";
import {
  bundle,
  COMPLETED,
  finished,
  latencies,
  LIAR,
  type Message,
  ready,
  reportOf,
  RUN,
  wordsOf,
} from "./reported.ts";

/** All that an honest one says, but one message is another. */
function but(at: number, message: unknown): unknown[] {
  return wordsOf(LIAR).map((word, i) => i === at ? message : word);
}

export const FIRST = bundle(LIAR, 0);
const [ONLY] = FIRST.parts as Message[];

/** Text that JSON.parse makes of what no JSON writer writes. */
function raw(message: Message, value: string): unknown {
  return JSON.parse(JSON.stringify(message).replace('"RAW"', value));
}

const UNREADABLE = /^it sent a message that no agent of this version sends$/;
export const SILENT = /^killed, stopped or cut off$/;

/** @property lost Why the liar is lost; null when it is believed, as what it said besides was left out. */
type Lie = readonly [what: string, said: () => unknown[], lost: RegExp | null];

function lost(why: RegExp | null, lies: Readonly<Record<string, () => unknown[]>>): Lie[] {
  return Object.entries(lies).map(([what, said]) => [what, said, why]);
}

export const LIES: readonly Lie[] = [
  ...lost(null, {
    "all that an honest one says": () => wordsOf(LIAR),
    "everything three times": () => [...wordsOf(LIAR), ...wordsOf(LIAR), ...wordsOf(LIAR)],
    "everything the other way round": () => wordsOf(LIAR).reverse(),
    "what it says of other runs": () => [
      ...wordsOf(LIAR).map((word) => ({ ...word, run: "run-0", agent: LIAR })),
      ...wordsOf(LIAR),
    ],
    "what strangers say": () => [...wordsOf("stranger"), ...wordsOf(LIAR)],
    "nonsense": () => [null, 5, "nonsense", [], {}, { run: RUN }, ...wordsOf(LIAR)],
  }),
  ...lost(SILENT, {
    "nothing at all": () => [ready(LIAR)],
    "1,100 messages but the first": () =>
      [...new Array(1_100).keys()].map((i) => bundle(LIAR, i + 1)),
    "results before a word that never comes": () => but(3, finished(LIAR, { bundles: 2 ** 50 })),
  }),
  ...lost(UNREADABLE, {
    "a count below zero": () => but(1, bundle(LIAR, 0, { completed: -1 })),
    "half a request": () => but(1, bundle(LIAR, 0, { completed: 0.5 })),
    "infinitely many": () => but(1, raw(bundle(LIAR, 0, { completed: "RAW" }), "1e999")),
    "a number as text": () => but(1, bundle(LIAR, 0, { completed: "10" })),
    "no number": () => but(1, bundle(LIAR, 0, { completed: NaN })),
    "an error of no kind": () => but(1, bundle(LIAR, 0, { errors: [1] })),
    "lower bounds that are no latencies": () =>
      but(1, bundle(LIAR, 0, { censored: packHistogram(latencies(11).toSparse()) })),
    "a histogram whose sums are others": () =>
      but(
        1,
        bundle(LIAR, 0, { latency: { ...packHistogram(latencies(10).toSparse()), sumUs: 1e300 } }),
      ),
    "a histogram of 10 MB": () =>
      but(
        1,
        bundle(LIAR, 0, {
          latency: { ...packHistogram(latencies(10).toSparse()), buckets: "A".repeat(1e7) },
        }),
      ),
    "totals of a million workers": () => but(1, { ...FIRST, soFar: Array(1e6).fill(0) }),
    "nothing a hundred times": () => but(1, { ...FIRST, parts: [] }),
    "a million intervals in a message": () =>
      but(1, { ...FIRST, parts: Array(1e5 + 1).fill(null) }),
    "no results": () => but(3, finished(LIAR, { reports: [] })),
    "a time that lasts for ages": () => but(3, finished(LIAR, {}, { lastUs: 1e300 })),
    "a kind that there is not": () => but(3, { ...finished(LIAR), kind: "won" }),
    "another version's keys": () => but(3, { ...finished(LIAR), version: "9.9.9" }),
    "a key that is every object's": () =>
      but(3, raw({ ...finished(LIAR), stage: "RAW" }, '{"__proto__":{"polluted":1}}')),
    "that it failed, at the length of a megabyte": () =>
      but(3, { kind: "failed", run: RUN, agent: LIAR, message: "x".repeat(1e6) }),
  }),
  ...lost(/^it reported 11 completed requests, but 10 latencies$/, {
    "more completed than it timed": () => but(1, bundle(LIAR, 0, { completed: 11 })),
  }),
  ...lost(/^it reported 5 failed requests, but 0 errors$/, {
    "failures without errors": () => but(1, bundle(LIAR, 0, { failed: 5 })),
  }),
  ...lost(/^it reported results for workers that are not its own$/, {
    "what others did": () => but(1, { ...FIRST, parts: [{ ...ONLY, worker: 0 }] }),
  }),
  ...lost(/^its report lacks the totals of some of its workers$/, {
    "no totals so far": () => but(1, { ...FIRST, soFar: [] }),
  }),
  ...lost(/interval 8640000 as the first$/, {
    "an interval of next year": () => but(1, bundle(LIAR, 0, { index: 8_640_000 })),
  }),
  ...lost(/interval 0 right after interval 0$/, {
    "an interval twice": () => but(2, bundle(LIAR, 1, { index: 0 })),
  }),
  ...lost(/^it reported interval 2, which is still to come$/, {
    "intervals after the end": () => [ready(LIAR), ...[0, 1, 2, 3].map((seq) => bundle(LIAR, seq))],
  }),
  ...lost(
    /^its results do not add up: due = completed \+ failed \+ unfinished \+ dropped, but 21 is not 20$/,
    {
      "results whose fates are fewer than were due": () => but(3, finished(LIAR, {}, { due: 21 })),
    },
  ),
  ...lost(
    /^its results do not add up: the counts by second must sum to the requests completed by the deadline, but 20 is not/,
    {
      "results that no interval has": () =>
        but(3, finished(LIAR, { bundles: 0, reports: [packReport(reportOf(1e9))] })),
    },
  ),
  ...lost(/^it reported results for more or fewer workers than it has$/, {
    "results of two workers": () =>
      but(3, finished(LIAR, { reports: [1, 2].map(() => packReport(reportOf(COMPLETED))) })),
  }),
  ...lost(/^it reported a start that is [\d,]+ s from the run's start$/, {
    "a start in the year 3000": () => but(3, finished(LIAR, { startedAtMs: Date.UTC(3000) })),
  }),
  ...lost(/^no$/, {
    "that it failed": () => but(3, { kind: "failed", run: RUN, agent: LIAR, message: "no" }),
  }),
];
