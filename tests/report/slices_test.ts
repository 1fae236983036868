/** Comparisons of sides that took turns slice by slice. */
import assert from "node:assert/strict";
import { comparisonOf, type FigureComparison } from "../../report/judge/comparison.ts";
import type { ComparedFigure } from "../../report/judge/group.ts";
import { comparisonJson } from "../../report/render/comparison.ts";
import {
  compareResults,
  compareSessions,
  isTrusted,
  type ResultsComparison,
} from "../../report/subjects/comparison/comparison.ts";
import { revisionSides } from "../../report/subjects/comparison/revisions.ts";
import { results } from "../../runner/result/result.ts";
import { disturbanceSentence } from "../../report/findings/judgements.ts";
import { reportModel } from "../../report/model.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import type { Results, Run } from "../../runner/result/result.ts";
import { decodeSparse, encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { lowestUsOf } from "../../runner/stats/histogram/histogram_counts.ts";
import { groupRuns } from "../../report/cells/cells.ts";
import { recast } from "../../report/cells/recast.ts";
import { slicedBetween } from "../../report/judge/slices.ts";
import { splitRun } from "../../report/cells/counted_part.ts";
import { shortfallOf } from "../../report/judge/shortfall.ts";
import { gateOutcome } from "../../report/findings/threshold_sentences.ts";
import { gatesOf, judgeTogether } from "../../report/judge/thresholds.ts";
import { assertOutcomes } from "./claimed.ts";
import { concluded, doubted } from "./concluded.ts";
import { comparedMarkdown, comparedPage, comparedText } from "./compared.ts";
import { thresholdsOf } from "./gated.ts";
import { besideNeighbour, slicedComparison, slicedSides, slicedTargets } from "./sliced.ts";

function figureIn({ cells: [cell] }: ResultsComparison, figure: ComparedFigure): FigureComparison {
  return comparisonOf(cell.comparison, figure);
}

/** The runs as those of another target. */
function named(runs: Results["runs"], target: string): Results["runs"] {
  return runs.map((run) => ({ ...run, target }));
}

Deno.test("slices: results with them keep the schema", () => {
  for (const side of slicedSides({ processes: 4, pairs: 30, ratio: 1 })) {
    assert.deepEqual(results.parse(structuredClone(side)), side);
  }
});

Deno.test("slices: beside a neighbour 10 % less is worse, and both levels are named", () => {
  const comparison = slicedComparison({ processes: 13, pairs: 60, ratio: 0.9, between: 0.02 });
  const [rate, cpu] = [figureIn(comparison, "rate"), figureIn(comparison, "cpuPerRequest")];
  assert.deepEqual([rate.verdict, cpu.verdict], ["worse", "worse"]);
  assert.equal(cpu.sliced?.levels?.limitedBy, "processes");
  assert.ok(rate.interval && rate.interval.low < 0.9 && rate.interval.high > 0.9);
});

Deno.test("slices: no change is not called, and one pair of fresh processes is no verdict", () => {
  const even = slicedComparison({ processes: 9, pairs: 60, ratio: 1 });
  for (const figure of ["rate", "cpuPerRequest"] as const) {
    assert.ok(["equivalent", "inconclusive"].includes(figureIn(even, figure).verdict));
  }
  const lucky = slicedComparison({ processes: 1, pairs: 300, ratio: 0.5 });
  assert.deepEqual(
    [figureIn(lucky, "rate").verdict, figureIn(lucky, "rate").reason],
    ["inconclusive", "one-run"],
  );
});

Deno.test("slices: two processes that nobody restarts have a verdict by their slices, which says so", () => {
  const comparison = slicedComparison({ processes: 1, pairs: 400, ratio: 0.8, areRunning: true });
  const cpu = figureIn(comparison, "cpuPerRequest");
  assert.deepEqual([cpu.verdict, cpu.sliced?.areTheseTwo], ["worse", true]);
  assert.match(comparedText(comparison), /The verdict is about these two processes/);
});

Deno.test("slices: of two running processes all loads count together", () => {
  const once = slicedComparison({ processes: 1, pairs: 20, ratio: 0.8, areRunning: true });
  assert.equal(figureIn(once, "rate").reason, "few-slices");
  const often = slicedComparison({ processes: 9, pairs: 30, ratio: 0.8, areRunning: true });
  const rate = figureIn(often, "rate");
  assert.deepEqual([rate.runs, rate.sliced?.isAlone], [270, true]);
  assert.equal(rate.verdict, "worse");
});

Deno.test("slices: of two running processes too few rounds are no reason to say that there is one run", () => {
  for (const processes of [1, 2, 3]) {
    const few = slicedComparison({ processes, pairs: 30, ratio: 0.8, areRunning: true });
    assert.notEqual(figureIn(few, 99).reason, "one-run", `${processes}`);
  }
});

Deno.test("slices: whether there are too few slices, or their ratio drifts, is told apart", () => {
  const reasonBy = (drift: number): string | null => {
    const spec = { processes: 1, pairs: 100, ratio: 1, slice: 0.1, areRunning: true };
    const [base, next] = slicedSides(spec);
    for (const { slices } of next.runs) {
      assert.ok(slices);
      slices.items.completed = slices.items.completed.map((count, i, { length }) =>
        Math.round(count * (1 + drift * (i / length - 0.5)))
      );
    }
    return figureIn(compareResults(base, next), "rate").reason;
  };
  assert.deepEqual([reasonBy(0), reasonBy(0.6)], ["few-slices", "dependent-slices"]);
});

Deno.test("slices: a side that disturbs the other is named, and takes its verdict", () => {
  const comparison = slicedComparison({ processes: 9, pairs: 60, ratio: 1, restless: 0.3 });
  const rate = figureIn(comparison, "rate");
  assert.deepEqual([rate.verdict, rate.reason], ["inconclusive", "disturbed"]);
  assert.match(
    comparedMarkdown(comparison),
    /While it rests, the base uses 30 % of a core more than the other side does/,
  );
});

Deno.test("slices: a sentence about one of several cells keeps the name of its scenario as it is", () => {
  const disturbance = { side: "base", cores: 0.3, mostRatio: 0.1 } as const;
  assert.match(disturbanceSentence("", disturbance), /^While it rests, the base uses/);
  assert.match(
    disturbanceSentence("report, cached over plain", disturbance),
    /^report, cached over plain: while it rests, the base uses/,
  );
});

Deno.test("slices: a neighbour takes no verdict from two running processes, a busy generator does", () => {
  const verdictBeside = (spoil: (side: Results) => void): string => {
    const [base, next] = slicedSides({ processes: 9, pairs: 30, ratio: 0.8, areRunning: true });
    [base, next].forEach(spoil);
    return comparedText(compareResults(base, next));
  };
  const beside = verdictBeside(besideNeighbour);
  assert.match(beside, /NEW costs/);
  assert.match(verdictBeside((side) => doubted(side, () => true)), /Not to be trusted/);
});

Deno.test("slices: sides from different sessions did not take turns with each other", () => {
  const [bases, nexts] = [0, 1].map((at) =>
    [1, 2, 3].map((day): Results => ({
      ...besideNeighbour(
        slicedSides({ seed: 2 * day + at, processes: 4, pairs: 30, ratio: 0.8 })[at],
      ),
      startedAt: `2031-05-0${2 * day + at}T10:00:00.000Z`,
    }))
  );
  for (const sessions of [[bases, nexts], [bases.slice(2), nexts.slice(2)]]) {
    const comparison = compareSessions(sessions[0], sessions[1]);
    assert.equal(isTrusted(comparison), false);
    assert.equal(comparison.outcome, "inconclusive");
    assert.match(comparedText(comparison), /Not to be trusted/);
  }
});

Deno.test("slices: at a rate a side keeps up that completes what is due, though its cut is in no figure", () => {
  const [side] = slicedSides({ processes: 4, pairs: 30, ratio: 1 });
  const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
  const shortAt = (share: number): string | undefined => {
    const runs = side.runs.map((run): Run => {
      assert.ok(run.slices);
      const { sliceMs, cutMs, items } = run.slices;
      const due = Math.round(sum(items.completed) * sliceMs / (sliceMs - cutMs) / share);
      return {
        ...run,
        load: { ...run.load, kind: "rate", rate: 5_000, arrivals: "uniform" } as Run["load"],
        elapsedS: sum(items.measuredS),
        requests: { ...run.requests, due, completed: due },
      };
    });
    const [{ cells: [cell] }] = groupRuns({ ...side, runs });
    return shortfallOf(cell)?.kind;
  };
  assert.equal(shortAt(1), undefined);
  assert.equal(shortAt(0.9), "slow");
});

Deno.test("slices: of lower bounds those count that were due in the measured parts", () => {
  const [{ runs: [run] }] = slicedSides({ processes: 4, pairs: 30, ratio: 1 });
  assert.ok(run.slices);
  const bounds = decodeSparse(run.histogram);
  const counted = { discardS: 0, figures: "whole" } as const;
  const none = splitRun({ ...run }, counted);
  assert.equal(none.run.latency.censored, 0);
  const slices = { ...run.slices, censoredHistogram: run.histogram };
  const all = splitRun({ ...run, slices }, counted);
  assert.equal(all.run.latency.censored, bounds.count);
  assert.equal(all.run.censoredHistogram, run.histogram);
});

/** New is as fast as the base, but for its p99. */
function slowTail(restless: number): FigureComparison {
  const sides = slicedSides({ processes: 9, pairs: 60, ratio: 1, restless });
  sides[1].runs.forEach((run, at) => {
    const slow = decodeSparse(sides[0].runs[at].histogram);
    assert.ok(run.slices);
    const latency = new Histogram();
    slow.indices.forEach((index, i) => {
      for (let n = 0; n < slow.counts[i]; n++) latency.record(Math.round(1.5 * lowestUsOf(index)));
    });
    run.slices.histogram = encodeHistogram(latency.toSparse());
  });
  return figureIn(compareResults(...sides), 99);
}

Deno.test("slices: a side that works a little at rest takes the verdict of p99, which that may move by more", () => {
  assert.equal(slowTail(0).verdict, "worse");
  const beside = slowTail(0.02);
  assert.deepEqual([beside.verdict, beside.reason], ["inconclusive", "disturbed"]);
});

Deno.test("slices: the report of one experiment shows the pairs of its two targets", () => {
  const document = reportModel(slicedTargets({ processes: 5, pairs: 30, ratio: 0.9 }));
  assert.match(renderMarkdown(document).toString(), /Slices over time/);
});

const TWICE = { processes: 5, pairs: 30, ratio: 2 };

Deno.test("slices: a neighbour takes no verdict from the targets of an experiment, a busy generator does", () => {
  const beside = concluded(besideNeighbour(slicedTargets(TWICE)));
  assert.match(beside.sentence, /^b leads: 2\.0× the requests\/s of a\.$/);
  assert.equal(beside.figure?.certainty, "decided");
  assert.deepEqual([beside.reliability?.survival, beside.reliability?.light], [
    "in-turns",
    "amber",
  ]);
  assert.match(
    beside.reliability?.sentence ?? "",
    /^All 10 runs are invalid, but the ratio holds: the sides took turns, so whatever disturbed one disturbed the other, too\.$/,
  );
  assert.ok(
    beside.matrix?.rows.flatMap(({ cells }) => cells).some((cell) =>
      cell?.certainty === "decided" || cell?.certainty === "best"
    ),
  );
  const limited = concluded(doubted(slicedTargets(TWICE), () => true));
  assert.match(limited.sentence, /^Not to be trusted/);
  assert.match(limited.notes[0], /^Measured by runs that are not valid: 1\.99×/);
});

Deno.test("slices: scenarios that are compared took no turns with each other", () => {
  const [first, second] = [1, 2].map((seed) => besideNeighbour(slicedTargets({ ...TWICE, seed })));
  const others = second.runs.map((run) => ({
    ...run,
    scenario: "other",
    startedAt: "2031-05-04T10:19:00.000Z",
  }));
  const runs = [...first.runs, ...others].map((run, at) => ({ ...run, order: at + 1 }));
  const survivalBy = (compare?: { factor: string }): string | undefined => {
    const experiment = { ...first.experiment, ...compare && { compare } };
    return concluded({ ...first, experiment, runs, planned: runs.length }).reliability?.survival;
  };
  assert.equal(survivalBy(), "in-turns");
  assert.equal(survivalBy({ factor: "scenario" }), "none-valid");
});

/** Outcome of a threshold of two targets in turns. */
function outcomeOf(threshold: string, results: Results): string {
  const [gate] = judgeTogether(gatesOf(thresholdsOf(threshold), groupRuns(results), results));
  return gateOutcome(gate).outcome;
}

Deno.test("slices: a threshold on the ratio of two targets in turns decides beside a neighbour", () => {
  const limits = [["rate(b) > 1.8 × rate(a)", "pass"], ["rate(b) > 2.2 × rate(a)", "fail"]];
  for (const [threshold, outcome] of limits) {
    assert.equal(outcomeOf(threshold, besideNeighbour(slicedTargets(TWICE))), outcome, threshold);
    const limited = doubted(slicedTargets(TWICE), () => true);
    assert.equal(outcomeOf(threshold, limited), "inconclusive", threshold);
  }
  // Of two figures nothing cancels.
  const figures = besideNeighbour(slicedTargets(TWICE));
  assert.equal(outcomeOf("p99(b) < 1.5 × p50(a)", figures), "inconclusive");
});

Deno.test("slices: rounds of two running processes are one sample, and no two kinds of runs", () => {
  const results = slicedTargets({ ...TWICE, processes: 9, areRunning: true });
  for (const { target, repetition, slices } of results.runs) {
    if (target === "a" || repetition > 3 || slices === undefined) continue;
    slices.items.completed = slices.items.completed.map((count) => Math.round(0.6 * count));
  }
  const threshold = thresholdsOf("rate(b) > 1.5 × rate(a)");
  const [{ evidence }] = gatesOf(threshold, groupRuns(results), results);
  assert.deepEqual([evidence.outcome, evidence.reason?.code], ["inconclusive", "longer"]);
});

Deno.test("slices: a threshold on a ratio knows that one side disturbs the other", () => {
  const spec = { processes: 9, pairs: 60, ratio: 1, restless: 0.3 };
  assert.equal(outcomeOf("rate(b) >= 0.95 × rate(a)", slicedTargets(spec)), "inconclusive");
});

Deno.test("slices: a claim of the ratio of two targets in turns is decided beside a neighbour, as a threshold is", () => {
  assertOutcomes(besideNeighbour(slicedTargets(TWICE)), [
    ["rate(b) > 1.8 × rate(a)", "reproduced"],
    ["rate(b) > 2.2 × rate(a)", "not reproduced"],
    ["rate(b) within 20% of 2 × rate(a)", "reproduced"],
    // Of two figures, and of one alone, nothing cancels.
    ["p50(b) < 10 × p99(a)", "busy-machine"],
    ["rate(b) > 1/s", "busy-machine"],
  ]);
  assertOutcomes(doubted(slicedTargets(TWICE), () => true), [
    ["rate(b) > 1.8 × rate(a)", "busy-machine"],
  ]);
});

Deno.test("slices: cells of two scenarios or two settings took no turns with each other", () => {
  const rule = (scenario: string) => `rate(b, ${scenario}) > 1.8 × rate(a, static)`;
  const apart = besideNeighbour(slicedTargets(TWICE));
  for (const run of apart.runs) {
    if (run.target === "a") continue;
    run.scenario = "other";
    run.startedAt = "2031-05-04T10:19:00.000Z";
  }
  assertOutcomes(apart, [[rule("other"), "busy-machine"]]);
  assert.equal(outcomeOf(rule("other"), apart), "inconclusive");
  // So it is where the values of a factor stand for the targets.
  const [one, two] = apart.runs.filter(({ repetition }) => repetition === 1);
  const cell = (run: Run, connections: number) =>
    groupRuns({ ...apart, runs: [{ ...run, target: "a", parameters: { connections } }] })[0]
      .cells[0];
  const cells = recast([cell(one, 10), cell(two, 50)], "connections", {
    factor: null,
    base: null,
  });
  assert.equal(slicedBetween(cells[0], cells[1]), null);
});

Deno.test("slices: rounds of two processes that nobody restarts are no independent runs for a claim", () => {
  const rounds = (processes: number) =>
    slicedTargets({ processes, pairs: 30, ratio: 0.5, areRunning: true });
  assertOutcomes(rounds(2), [
    ["p99(b) > 0.1 × p99(a)", "few-rounds"],
    ["rate(a) > 1/s", "few-rounds"],
    ["p50(b) < 10 × p99(a)", "few-rounds"],
  ]);
  assertOutcomes(rounds(9), [["rate(b) < 0.8 × rate(a)", "reproduced"]]);
});

Deno.test("slices: a claim of a ratio knows that one side disturbs the other", () => {
  const results = slicedTargets({ processes: 9, pairs: 60, ratio: 1, restless: 0.3 });
  assertOutcomes(results, [["rate(a) > 1.05 × rate(b)", "disturbed"]]);
});

Deno.test("slices: targets that took turns with others are no pairs of slices", () => {
  const [base, next] = slicedSides({ processes: 4, pairs: 30, ratio: 1 });
  const [, others] = slicedSides({ seed: 5, processes: 4, pairs: 30, ratio: 1 });
  next.runs.forEach((run, i) => run.slices = others.runs[i].slices);
  assert.equal(figureIn(compareResults(base, next), "rate").sliced, null);
});

Deno.test("slices: two revisions of one target are partners under the name of both", () => {
  const [base, next] = slicedSides({ processes: 4, pairs: 30, ratio: 1 });
  const together = {
    ...base,
    runs: [
      ...named(base.runs, "app-base"),
      ...named(next.runs, "app-head"),
    ],
  };
  const sides = revisionSides(together, new Map([["app", { base: "app-base", head: "app-head" }]]));
  assert.notEqual(figureIn(compareResults(sides.base, sides.head), "rate").sliced, null);
});

Deno.test("slices: the page shows the pairs over time and both levels, JSON the same", () => {
  const comparison = slicedComparison({ processes: 6, pairs: 40, ratio: 0.95 });
  const page = comparedPage(comparison);
  assert.match(page, /Requests\/s of head over base/);
  assert.match(page, /Requests\/s of each side/);
  assert.match(comparedMarkdown(comparison), /Between rounds/);
  const json = JSON.parse(JSON.stringify(comparisonJson(comparison)));
  const { slices } = json.cells[0].figures.cpuPerRequest;
  assert.deepEqual([slices.processes, slices.pairs, slices.disturbance], ["fresh", 40, null]);
  assert.ok(slices.withinStdev > 0 && slices.betweenStdev >= 0);
});

Deno.test("slices: of fresh and of running processes the page shows rounds, and says what one is", () => {
  for (const areRunning of [true, false]) {
    const page = comparedPage(
      slicedComparison({ processes: 6, pairs: 40, ratio: 0.95, areRunning }),
    );
    assert.match(page, /A large dot is a round/);
    assert.match(page, /rounds, one after another/);
    assert.match(page, /A round is/);
  }
});
