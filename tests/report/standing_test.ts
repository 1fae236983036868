import assert from "node:assert/strict";
import {
  certaintyOf,
  type FigureComparison,
  type Standing,
  standingOf,
} from "../../report/judge/comparison.ts";
import { oppositeMedian } from "../../report/judge/places.ts";
import { ratioText } from "../../report/writing/ratios.ts";
import { ratiosText, verdictText, verdictWord } from "../../report/findings/judgements.ts";
import { COMPARED, DECISIVE } from "../../report/judge/group.ts";
import { compared, NO_INTERVAL } from "./figure_comparison.ts";

/** A comparison, its standing, and the word beside its interval. */
const CASES: Record<string, [FigureComparison, Standing, word: string]> = {
  "a verdict": [
    compared(1.25, 2.06, { verdict: "better" }),
    "ahead",
    "better",
  ],
  "the other verdict": [
    compared(0.5, 0.8, { verdict: "worse" }),
    "behind",
    "worse",
  ],
  "all of the interval within the margin": [
    compared(0.99, 1.012, { verdict: "equivalent" }),
    "equivalent",
    "equivalent",
  ],
  "an interval that excludes 1, but not the margin": [
    compared(1.004, 1.09, { reason: "margin" }),
    "likely-ahead",
    "likely better, perhaps by less than 2 %",
  ],
  "an interval beyond the margin that Holm's correction does not bear out": [
    compared(1.25, 2.06, { reason: "many" }),
    "likely-ahead",
    "likely better, not proven by 3 runs",
  ],
  "one that the exact test does not bear out, of a latency": [
    compared(1.25, 2.06, { figure: 99, reason: "exact", runs: 6 }),
    "likely-behind",
    "likely worse, not proven by 6 runs",
  ],
  "an interval that excludes 1, of runs in two groups": [
    compared(1.25, 2.06, {
      reason: "groups",
      groups: {
        of: "ratios",
        clusters: [{ count: 4, value: 1 }, { count: 1, value: 2 }],
        unsettled: null,
      },
    }),
    "groups",
    "inconclusive: two groups of runs",
  ],
  "runs without a steady state": [
    compared(1.25, 2.06, { reason: "unsteady", unsteady: [{ side: "base", count: 4, of: 5 }] }),
    "unsteady",
    "inconclusive: no steady state",
  ],
  "an interval with 1 in it, where 10 % would have been seen": [
    compared(0.96, 1.05, { reason: "few-runs", smallestChange: 0.1 }),
    "no-difference-seen",
    "no difference seen",
  ],
  "an interval with 1 in it, where only more would have been seen": [
    compared(0.9, 1.2, { reason: "few-runs", smallestChange: 0.101 }),
    "few-runs",
    "inconclusive: too few runs",
  ],
};

for (const [name, [figure, standing, word]] of Object.entries(CASES)) {
  Deno.test(`standing: ${name}`, () => {
    assert.equal(standingOf(figure), standing);
    assert.equal(plain(verdictWord(figure, 0.02)), word);
    const { low, high } = figure.interval ?? assert.fail();
    const isOff = low > 1 || high < 1;
    assert.ok(!isOff || !["no-difference-seen", "few-runs"].includes(standing));
    assert.equal(certaintyOf(standing) === "likely", word.startsWith("likely"));
  });
}

function plain(text: string): string {
  return text.replaceAll("\u00a0", " ");
}

Deno.test("standing: a change of more than 100 % says nothing and is left out", () => {
  const few = (smallestChange: number): string =>
    plain(verdictText(compared(0.1, 30, { reason: "few-runs", smallestChange }), 0.02));
  assert.equal(few(1.01), "inconclusive: too few runs");
  assert.equal(
    few(0.89),
    "inconclusive: too few runs; only a change of 89 % or more would be detected",
  );
});

/** Both ratios of a pair of which only p99 and requests/s are set. */
function pairOf(rate: FigureComparison, p99: FigureComparison): string {
  const figures = COMPARED.map((figure) =>
    figure === "rate"
      ? rate
      : figure === 99
      ? p99
      : { ...NO_INTERVAL, figure, reason: "nothing" as const }
  );
  const runs = { base: 3, next: 3 };
  return plain(ratiosText({ figures, decisive: DECISIVE, runs, marginRatio: 0.02 }));
}

Deno.test("ratios: as much throughput has no digits, and next to nothing is so many times less", () => {
  const same = compared(0.9998, 1.0003, { verdict: "equivalent" });
  const short = compared(0.00008, 0.000086, { figure: 99, verdict: "better" });
  assert.equal(pairOf(same, short), "same throughput, p99 12,060× shorter [11,630, 12,500]");
  assert.equal(plain(ratioText(compared(0.0018, 0.0022, {}))), "503× fewer [455, 556]");
  const near = compared(0.98, 1.01, { verdict: "equivalent" });
  assert.match(pairOf(near, short), /^0\.99× \[0\.98, 1\.01\] the requests, p99 /);
});

const OWN_FIGURES = COMPARED.map((figure) => ({ ...NO_INTERVAL, figure }));
const SHORTER = [0.4, 0.6] as const;
const LONGER = [1.5, 2.5] as const;
type Median = readonly [
  ...ends: readonly [number, number],
  verdict: "worse" | "better" | "inconclusive",
];

const MEDIANS: [
  sentence: string,
  figure: "rate" | 99,
  readonly [number, number],
  Median,
  boolean,
][] = [
  ["who has the shorter p99 and the longer p50", 99, SHORTER, [...LONGER, "worse"], true],
  ["who has the longer p99 and the shorter p50", 99, LONGER, [...SHORTER, "better"], true],
  ["not where both are shorter", 99, SHORTER, [...SHORTER, "better"], false],
  ["not where the p50 is hardly longer", 99, SHORTER, [1.06, 1.09, "worse"], false],
  ["not where the p50 may be chance", 99, SHORTER, [...LONGER, "inconclusive"], false],
  [
    "not where requests/s decide, which a shorter p50 makes",
    "rate",
    LONGER,
    [...SHORTER, "better"],
    false,
  ],
];

for (const [sentence, figure, ends, [low, high, verdict], isTold] of MEDIANS) {
  Deno.test(`standing: the medians that disagree are told: ${sentence}`, () => {
    const decision = compared(...ends, { figure, verdict: "better" });
    const median = compared(low, high, { figure: 50, verdict, reason: "few-runs" });
    const figures = OWN_FIGURES.map((one) => one.figure === 50 ? median : one);
    const all = { figures, decisive: DECISIVE, runs: { base: 5, next: 5 }, marginRatio: 0.02 };
    assert.equal(oppositeMedian(decision, all), isTold ? median : null);
  });
}
