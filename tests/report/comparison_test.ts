import assert from "node:assert/strict";
import {
  comparePairs,
  comparisonOf,
  decisivePs,
  type FigureComparison,
  type GroupComparison,
  judgePairs,
  testPairs,
} from "../../report/judge/comparison.ts";
import { groupRuns } from "../../report/cells/cells.ts";
import {
  type ComparedRuns,
  DECISIVE,
  decisiveFor,
  groupOf,
  isAheadInHalves,
  type JudgeOptions,
} from "../../report/judge/group.ts";
import { verdictText } from "../../report/findings/judgements.ts";
import { ratioText } from "../../report/writing/ratios.ts";
import { reportModel } from "../../report/model.ts";
import type { TrustFinding } from "../../runner/result/findings.ts";
import type { Run } from "../../runner/result/result.ts";
import { holm } from "../../runner/stats/comparison/significance_tests.ts";
import { resultsFixture } from "./fixture.ts";
import { around, resultsAt } from "./rates.ts";
import { capacities } from "./searched.ts";

function runsAt(rates: readonly number[]): readonly Run[] {
  return resultsAt({ a: rates }).runs;
}

/** @param session Sides of one session pair their runs. */
function groupAt(runs: readonly Run[], session: string): ComparedRuns {
  const startedAt = `2031-05-04T10:18:00.${session}Z`;
  return groupOf(groupRuns({ ...resultsAt({}), runs: [...runs], startedAt })[0].cells[0]);
}

/** One comparison for itself, of one experiment. */
function compare(
  base: readonly Run[],
  next: readonly Run[],
  judge: JudgeOptions = {},
): GroupComparison {
  return comparePairs([{ base: groupAt(base, "000"), next: groupAt(next, "000") }], judge)[0];
}

/** Requests/s against 1,000. */
function rateOf(next: readonly Run[], judge?: JudgeOptions): FigureComparison {
  return comparisonOf(compare(runsAt(around(1_000)), next, judge), "rate");
}

const verdicts: [sentence: string, next: readonly number[], verdict: string][] = [
  ["a rate twice as high is better", around(2_000, 0.001), "better"],
  ["a rate of half is worse", around(500, 0.001), "worse"],
  ["nearly the same rate is equivalent", around(1_001, 0.0005), "equivalent"],
  ["runs that spread are inconclusive", [900, 1_200, 1_000, 1_100, 850], "inconclusive"],
];

for (const [sentence, next, verdict] of verdicts) {
  Deno.test(`comparison: ${sentence}`, () => {
    assert.equal(rateOf(runsAt(next)).verdict, verdict);
  });
}

Deno.test("comparison: the interval holds the ratio, of five pairs", () => {
  const rate = rateOf(runsAt(around(2_000, 0.001)));
  const { base, next, ratio, interval, pairs, p, adjustedP } = rate;
  assert.ok(Math.abs(base - 1_000) < 1 && Math.abs(next - 2_002) < 2);
  assert.ok(interval && ratio !== null && p !== null && adjustedP !== null);
  assert.ok(interval.low < ratio && ratio < interval.high && interval.high - interval.low < 0.1);
  assert.equal(pairs, 5);
  // Repetitions have nothing in common: all ten runs know the spread, less one for having looked.
  assert.equal(interval.degreesOfFreedom, 7);
});

Deno.test("comparison: of two sessions runs do not pair, and Mann-Whitney is exact beside the interval", () => {
  const [base, next] = [
    groupAt(runsAt(around(1_000)), "000"),
    groupAt(runsAt(around(2_000)), "001"),
  ];
  const [comparison] = comparePairs([{ base, next, between: () => ({ kind: "unknown" }) }]);
  const { exact, pairs, pairingGain } = comparisonOf(comparison, "rate");
  assert.deepEqual([pairs, pairingGain], [null, null]);
  // 2 of the 252 ways to deal ten runs out to two groups of five.
  assert.equal(exact?.p, 2 / 252);
});

/** What slowed a whole repetition, for both sides. */
const BLOCKS = [1, 0.9, 1.1, 0.94, 1.06];

Deno.test("comparison: 5 % less is worse in spite of blocks that differ by 10 %, and what pairs gain is told", () => {
  const [base, next] = [around(1_000), around(950)].map((rates) =>
    runsAt(rates.map((rate, i) => rate * BLOCKS[i]))
  );
  const { verdict, pairingGain } = comparisonOf(compare(base, next), "rate");
  assert.equal(verdict, "worse");
  assert.ok(pairingGain !== null && pairingGain > 10, `${pairingGain}`);
});

Deno.test("comparison: a repetition that one side lacks is left out of both", () => {
  const { pairs, verdict } = rateOf(runsAt(around(900)).filter((_, i) => i !== 1));
  assert.deepEqual([pairs, verdict], [4, "worse"]);
});

Deno.test("comparison: what is surely lower, and perhaps by less than the margin, is not worse", () => {
  const { verdict, reason, runsNeeded } = rateOf(runsAt(around(975, 0.0002)));
  assert.deepEqual([verdict, reason], ["inconclusive", "margin"]);
  assert.ok(runsNeeded !== null && runsNeeded > 5);
});

Deno.test("comparison: pairs of two kinds have no verdict, and the kinds are told", () => {
  const slow = [700, 1_001, 999, 1_000.5, 1_000];
  const comparison = compare(runsAt([1_000, 1_000, 1_000, 1_000, 1_000]), runsAt(slow));
  const rate = comparisonOf(comparison, "rate");
  assert.deepEqual([rate.verdict, rate.reason], ["inconclusive", "groups"]);
  assert.equal(
    verdictText(rate, 0.02),
    "inconclusive: two groups of runs; 4 near 1.00×, 1 near 0.70×",
  );
});

Deno.test("comparison: where most runs of a side never settle there is no verdict", () => {
  const straying = unsettled(0.5);
  const rate = rateOf(straying);
  assert.deepEqual([rate.verdict, rate.reason], ["inconclusive", "unsteady"]);
  assert.equal(
    verdictText(rate, 0.02),
    "likely worse, not proven: no steady state; 4 of 5 runs of the new side have none",
  );
  const crossing = comparisonOf(compare(runsAt(around(600)), straying), "rate");
  assert.match(
    verdictText(crossing, 0.02),
    /^inconclusive: no steady state; 4 of 5 runs of the new side have none; run longer$/,
  );
  const turned = comparisonOf(compare(straying, runsAt(around(600))), "rate");
  assert.match(
    verdictText(turned, 0.02),
    /no steady state; 4 of 5 runs of the base have none; run longer$/,
  );
  const both = comparisonOf(compare(unsettled(0.5), straying), "rate");
  assert.match(
    verdictText(both, 0.02),
    /; 4 of 5 runs of the base and 4 of 5 runs of the new side have none; run longer$/,
  );
});

Deno.test("comparison: what never settles, and strays by less than it differs, has a verdict by its rate alone", () => {
  const comparison = compare(runsAt(around(1_000)), unsettled(0.2));
  const [rate, p99] = [comparisonOf(comparison, "rate"), comparisonOf(comparison, 99)];
  assert.deepEqual([rate.verdict, rate.reason], ["worse", null]);
  assert.deepEqual([p99.verdict, p99.reason], ["inconclusive", "unsteady"]);
});

Deno.test("comparison: tenths of a run that are too short for a response are no straying", () => {
  const inBursts = unsettled(0).map((run): Run => {
    const [point] = run.timeline.points;
    const points = Array.from({ length: 20 }, (_, at) => ({
      ...point,
      endS: (at + 1) / 10,
      completed: at % 2 === 0 ? 0 : 6,
    }));
    return { ...run, timeline: { ...run.timeline, points } };
  });
  const rate = rateOf(inBursts);
  assert.deepEqual([rate.verdict, rate.reason], ["worse", null]);
});

/** Half as fast as 1,000/s, most of its runs never settled. @param stray By so much of it they are faster, then slower. */
function unsettled(stray: number): Run[] {
  return runsAt(around(500)).map((run, i): Run => ({
    ...run,
    warmup: { label: i < 4 ? "no-steady-state" : "flat", steadyFromS: null },
    timeline: {
      ...run.timeline,
      points: run.timeline.points.map((point, at, { length }) => ({
        ...point,
        completed: Math.round(point.completed * (2 * at < length ? 1 + stray : 1 - stray)),
      })),
    },
  }));
}

Deno.test("comparison: Holm's method goes over rate, p99 and CPU time of all pairs as one family, over the rest as another", () => {
  const pair = {
    base: groupAt(runsAt(around(1_000)), "000"),
    next: groupAt(runsAt(around(970)), "000"),
  };
  const tests = testPairs([pair, pair]);
  const alone = decisivePs(tests);
  assert.equal(alone.length, 6);
  for (const besides of [[], [0.5, 0.6]]) {
    const raised = judgePairs(tests, besides).flatMap((one) =>
      DECISIVE.map((figure) => comparisonOf(one, figure).adjustedP)
    );
    assert.deepEqual(raised, holm([...alone, ...besides]).slice(0, 6));
  }
});

Deno.test("comparison: of many made together, only a larger change would have been seen", () => {
  const [base, next] = [around(1_000), around(1_000, 0.0011)].map((rates) =>
    groupAt(runsAt(rates), "000")
  );
  const changeOf = (count: number): number =>
    comparisonOf(comparePairs(Array(count).fill({ base, next }))[0], "rate").smallestChange ?? 0;
  assert.ok(changeOf(5) - 0.02 > 1.3 * (changeOf(1) - 0.02), `${changeOf(1)} ${changeOf(5)}`);
});

Deno.test("comparison: p99 of a slower target is worse, its times are in ms", () => {
  const [base, next] = [20, 40].map((medianMs) =>
    resultsFixture({ cells: [{ target: "a", scenario: "s", medianMs, runs: 5, duration: 2 }] }).runs
  );
  const p99 = comparisonOf(compare(base, next), 99);
  assert.equal(p99.verdict, "worse");
  assert.ok(p99.base > 25 && p99.base < 70 && p99.next > 1.5 * p99.base);
});

Deno.test("comparison: one run a side has a ratio, and no interval and no verdict", () => {
  const rate = comparisonOf(compare(runsAt([1_000]), runsAt([2_000])), "rate");
  assert.deepEqual(
    [rate.ratio, rate.interval, rate.p, rate.verdict, rate.smallestChange],
    [2, null, null, "inconclusive", null],
  );
  assert.equal(ratioText(rate), "2.00×");
});

Deno.test("comparison: a side that sent no response has no ratio", () => {
  const rate = comparisonOf(compare(runsAt([0, 0]), runsAt([1_000, 1_010])), "rate");
  assert.deepEqual([rate.ratio, rate.interval, rate.verdict], [null, null, "inconclusive"]);
});

Deno.test("comparison: a wider margin makes a small difference equivalent", () => {
  const next = runsAt(around(1_030, 0.0005));
  assert.equal(rateOf(next, { marginRatio: 0.1 }).verdict, "equivalent");
  assert.equal(rateOf(next, { marginRatio: 0.001 }).verdict, "better");
});

Deno.test("a report compares every target with the first, and each cell with that of its parameters", () => {
  const parameters = [{ connections: 10 }, { connections: 50 }];
  const cells = ["a", "b"].flatMap((target) =>
    parameters.map((parameters) => ({
      target,
      scenario: "static",
      medianMs: target === "a" ? 20 : 10,
      duration: 2,
      runs: 5,
      parameters,
      ...parameters,
    }))
  );
  const model = reportModel(resultsFixture({ cells }));
  const compared = model.context.scenarios[0].compared.table;
  assert.deepEqual(compared?.rows.map(([name, against]) => [name.text, against.text]), [
    ["b · connections 10", "a · connections 10"],
    ["b · connections 50", "a · connections 50"],
  ]);
  assert.match(compared?.rows[0][2].text ?? "", /×\s\[.*\] better$/);
});

Deno.test("a report of one target with one cell has nothing to compare", () => {
  const model = reportModel(resultsAt({ a: [1_000, 1_010] }));
  const compared = model.context.scenarios[0].compared.table;
  assert.equal(compared, null);
});

Deno.test("comparison: at a capacity p99 decides nothing, as it is what the rules allow", () => {
  const sides = [true, false].map((isAtLimit) => ({ isAtLimit }));
  assert.deepEqual(decisiveFor(sides), ["rate", "cpuPerRequest"]);
  assert.deepEqual(decisiveFor(sides.slice(1)), ["rate", 99, "cpuPerRequest"]);
});

/** Three runs that never settle, by the requests of each interval of their halves. @param intervals Default: all. */
function halved(first: number, second: number, intervals = Infinity): ComparedRuns {
  const runs = runsAt([1_000, 1_000, 1_000]).map((run): Run => ({
    ...run,
    warmup: { label: "no-steady-state", steadyFromS: null },
    timeline: {
      ...run.timeline,
      points: run.timeline.points.map((point, at, { length }) => ({
        ...point,
        completed: 2 * at < length ? first : second,
      })).slice(0, intervals),
    },
  }));
  return groupAt(runs, "000");
}

const steady = groupAt(runsAt(around(1_000)), "000");
const HALVES: [sentence: string, base: ComparedRuns, next: ComparedRuns, is: boolean][] = [
  ["new serves more in each", halved(100, 100), halved(200, 150), true],
  ["the base does", halved(200, 150), halved(100, 100), true],
  ["new serves more in all, and less in one", halved(100, 100), halved(300, 90), false],
  ["the base serves more in all, and less in one", halved(300, 90), halved(100, 100), false],
  ["one side served nothing in one", halved(100, 0), halved(200, 150), true],
  ["a run has one interval, and no halves", halved(200, 200), halved(100, 100, 1), false],
  ["both sides are steady, and their means decide", steady, steady, false],
];

for (const [sentence, base, next, is] of HALVES) {
  Deno.test(`comparison: ${is ? "ahead" : "not ahead"} in both halves where ${sentence}`, () => {
    assert.equal(isAheadInHalves(base, next), is);
  });
}

Deno.test("comparison: a run of too few responses for two parts strays by an unknown factor", () => {
  const few = unsettled(0).map((run): Run => ({
    ...run,
    timeline: {
      ...run.timeline,
      points: run.timeline.points.map((point) => ({ ...point, completed: 5 })),
    },
  }));
  assert.equal(groupAt(few, "000").strayRatio, Infinity);
  const rate = rateOf(few);
  assert.deepEqual([rate.verdict, rate.reason], ["inconclusive", "unsteady"]);
});

Deno.test("comparison: a side is as fast as its generator if that was the limit of most of its runs", () => {
  const isLimit = (code: "generator-busy" | "steal", count: number): boolean =>
    groupAt(
      runsAt(around(1_000)).map((run, i): Run => ({
        ...run,
        generator: { ...run.generator, findings: i < count ? [{ code } as TrustFinding] : [] },
      })),
      "000",
    ).isGeneratorBound;
  assert.deepEqual(
    [isLimit("generator-busy", 3), isLimit("generator-busy", 2), isLimit("steal", 5)],
    [true, false, false],
  );
});

/** A capacity of requests/s, `≥` before one that is a lower bound. */
type Capacity = `${"" | "≥"}${number}`;

const CAPACITIES: [base: Capacity, next: Capacity, verdict: string, ofOneRun: string][] = [
  ["1000", "2000", "better", "one-run"],
  ["1000", "≥2000", "better", "one-run"],
  ["≥1000", "2000", "at-least", "at-least"],
  ["2000", "1000", "worse", "one-run"],
  ["≥2000", "1000", "worse", "one-run"],
  ["2000", "≥1000", "at-least", "at-least"],
  ["1000", "1001", "equivalent", "one-run"],
  ["≥1000", "1001", "at-least", "at-least"],
  ["1000", "≥1001", "at-least", "one-run"],
];

for (const [base, next, verdict, ofOneRun] of CAPACITIES) {
  Deno.test(`comparison: a capacity of ${next} against one of ${base} is ${verdict}, of one run ${ofOneRun}`, () => {
    const found = (runs: number): string => {
      const sides = [base, next].map((capacity) => {
        const bound = capacity.startsWith("≥") ? "generator" as const : "target" as const;
        const perSec = Number(capacity.replace("≥", ""));
        return capacities({ a: { perSec, bound, runs } }).runs;
      });
      const rate = comparisonOf(compare(sides[0], sides[1]), "rate");
      return rate.reason ?? rate.verdict;
    };
    assert.deepEqual([found(5), found(1)], [verdict, ofOneRun]);
  });
}
