/** Thresholds on servers that nobody restarts, loaded in rounds that depend on each other. */
import assert from "node:assert/strict";
import { gatesOf, judgeTogether } from "../../report/judge/thresholds.ts";
import { groupRuns } from "../../report/cells/cells.ts";
import { meanRange } from "../../report/figures/range.ts";
import type { Results } from "../../runner/result/result.ts";
import { comparisonOf } from "../../report/judge/comparison.ts";
import { overRounds, secondsOfRounds, sharesOver } from "../../report/judge/rounds.ts";
import { compareResults } from "../../report/subjects/comparison/comparison.ts";
import {
  ratioInterval,
  studentInterval,
} from "../../runner/stats/confidence/confidence_interval.ts";
import { pooledShare, type Proportion } from "../../runner/stats/confidence/proportion_interval.ts";
import { LOOK_CONFIDENCE } from "../../runner/stats/confidence/sequential.ts";
import { PROCESS_LOOK_SIGNIFICANCE, PROCESS_LOOKS } from "../../runner/stats/slices/looks.ts";
import { measurementFixture } from "./fixture.ts";
import { judgedOf, thresholdsOf } from "./gated.ts";
import { type Random, randomFrom } from "./intervals.ts";
import { setRate } from "./rates.ts";
import { besideNeighbour, slicedSides, slicedTargets } from "./sliced.ts";

const CASES = 200;
const LEVEL = 1 - PROCESS_LOOK_SIGNIFICANCE;

const [{ runs: [RUN] }] = slicedSides({ processes: 1, pairs: 8, ratio: 1, areRunning: true });

function roundsOf(count: number): Parameters<typeof overRounds>[1] {
  return { runs: new Array(count).fill(RUN), level: LEVEL };
}

function normalFrom(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Round after round about a level of 1, each half like the one before. */
function waves(random: Random, stdev: number): number[] {
  const most = Math.max(...PROCESS_LOOKS);
  let wave = normalFrom(random);
  return Array.from({ length: most }, () => {
    wave = 0.5 * wave + Math.sqrt(0.75) * normalFrom(random);
    return Math.exp(stdev * wave);
  });
}

/** Of cases whose figure is at its limit, percent that are called beyond it, on either side, at any look. */
function calledOf(
  isBeyond: (random: Random) => (rounds: number) => boolean,
): number {
  const called = Array.from({ length: CASES }, (_, seed) => isBeyond(randomFrom(1_000 + seed)))
    .filter((isBeyondAt) => PROCESS_LOOKS.some((look) => isBeyondAt(look)));
  return 100 * called.length / CASES;
}

Deno.test("rounds: a level at its limit is called beyond it at any look in less than 5 %", () => {
  const calledBy = (careful: boolean): number =>
    calledOf((random) => {
      const all = waves(random, 0.03);
      return (rounds) => {
        const byRun = all.slice(0, rounds);
        const repetitions = byRun.map((_, i) => i + 1);
        const plain = {
          ...meanRange(byRun, { level: LOOK_CONFIDENCE }),
          ...{ byRun, repetitions, isAtLeast: false },
        };
        const { interval } = careful ? overRounds(plain, roundsOf(rounds)) : plain;
        return interval !== null && (interval.low > 1 || interval.high < 1);
      };
    });
  assert.ok(calledBy(true) <= 5, `${calledBy(true)} %`);
  assert.ok(calledBy(false) > 15, `independent rounds: ${calledBy(false)} %`);
});

Deno.test("rounds: a share of requests at its limit is called beyond it at any look in less than 5 %", () => {
  const calledBy = (careful: boolean): number =>
    calledOf((random) => {
      const all = waves(random, 0.6).map((level): Proportion => ({
        count: Math.round(4_000 * 0.01 * level / Math.exp(0.18)),
        of: 4_000,
      }));
      return (rounds) => {
        const those = all.slice(0, rounds);
        const known = careful ? sharesOver(roundsOf(rounds), those) : those;
        const { low, high } = pooledShare(known, careful ? LEVEL : LOOK_CONFIDENCE);
        return low > 0.01 || high < 0.01;
      };
    });
  assert.ok(calledBy(true) <= 5, `${calledBy(true)} %`);
  assert.ok(calledBy(false) > 15, `independent rounds: ${calledBy(false)} %`);
});

Deno.test("rounds: a ratio to the baseline is judged by the interval of the figure, as each look may be wrong", () => {
  const [base, next] = slicedSides({ processes: 9, pairs: 30, ratio: 0.8, areRunning: true });
  for (const side of [base, next]) {
    side.experiment.repeat = { until: null, atMost: null, budget: 60_000 };
  }
  const { cells: [{ comparison }] } = compareResults(base, next);
  const { interval } = comparisonOf(comparison, "rate");
  const thresholds = thresholdsOf("rate not worse than baseline by 5%");
  const [gate] = gatesOf(thresholds, groupRuns(next), next, { baseline: base });
  assert.ok(interval !== null && gate.evidence.found.code === "ratio");
  const { value, logStandardError: error, degreesOfFreedom } = interval;
  const expected = studentInterval(value, { variance: error ** 2, degreesOfFreedom }, LEVEL);
  assert.deepEqual(gate.evidence.found.ratio?.interval, expected);
  assert.equal(judgedOf(judgeTogether([gate])[0]).outcome, "fail");
});

Deno.test("slices: a ratio of two cells is judged as each look may be wrong, too", () => {
  const [base, next] = slicedSides({ processes: 9, pairs: 30, ratio: 1.2, between: 0.02 });
  const results = { ...base, runs: [...base.runs, ...next.runs] };
  next.runs.forEach((run) => run.target = "new");
  const scenarios = groupRuns(results);
  const [of, to] = ["new", "app"].map((target) =>
    scenarios[0].cells.find((cell) => cell.target === target)?.estimates.get("rate")
  );
  assert.ok(of && to);
  const lowAt = (confidence: number): number => ratioInterval(of, to, { confidence })?.low ?? NaN;
  const low = lowAt(LEVEL);
  const outcomeBy = (limit: number): string => {
    const thresholds = thresholdsOf(`rate(new) > ${limit} × rate(app)`);
    return judgedOf(judgeTogether(gatesOf(thresholds, scenarios, results))[0]).outcome;
  };
  assert.equal(outcomeBy((low + lowAt(0.975)) / 2), "inconclusive");
  assert.equal(outcomeBy(0.999 * low), "pass");
});

Deno.test("rounds: a ratio of two running targets in turns has the interval of their comparison", () => {
  const ratioOf = (threshold: string, processes: number) => {
    const spec = { processes, pairs: 30, ratio: 0.8, areRunning: true };
    const results = slicedTargets(spec);
    const [gate] = gatesOf(thresholdsOf(threshold), groupRuns(results), results);
    assert.ok(gate.evidence.found.code === "ratio");
    const { comparison } = compareResults(...slicedSides(spec)).cells[0];
    const interval = gate.evidence.found.ratio?.interval ?? null;
    return { interval, comparison, reason: judgedOf(gate).reason?.code };
  };
  const rate = ratioOf("rate(b) > 0.5 × rate(a)", 9);
  const compared = comparisonOf(rate.comparison, "rate").interval;
  assert.ok(compared !== null);
  const { value, logStandardError: error, degreesOfFreedom } = compared;
  const expected = studentInterval(value, { variance: error ** 2, degreesOfFreedom }, LEVEL);
  assert.deepEqual(rate.interval, expected);
  for (const threshold of ["p99(b) < 3 × p99(a)", "p99(b) < 9 × p50(a)"]) {
    const few = ratioOf(threshold, 3);
    assert.deepEqual([few.interval, few.reason], [null, "few-rounds"], threshold);
  }
});

Deno.test("rounds: too few of them decide no level, and say so", () => {
  assert.deepEqual(reasonsIn(roundsAround5000(3)), ["few-rounds", "few-rounds"]);
  assert.deepEqual(reasonsIn(roundsAround5000(6)), ["pass", "longer"]);
});

Deno.test("rounds: where none of them is valid, that is the reason, as further ones would be no better", () => {
  const disturbed = (rounds: number): Results => besideNeighbour(roundsAround5000(rounds));
  assert.deepEqual(reasonsIn(disturbed(3)), ["not-valid", "not-valid"]);
  assert.deepEqual(reasonsIn(disturbed(6)), ["pass", "not-valid"]);
});

Deno.test("rounds: slices of processes that are started afresh are runs, of which three decide", () => {
  const [, fresh] = slicedSides({ processes: 3, pairs: 8, ratio: 1 });
  assert.equal(reasonsIn(fresh)[0], "pass");
});

function roundsAround5000(processes: number): Results {
  const [, next] = slicedSides({ processes, pairs: 8, ratio: 1, areRunning: true });
  next.runs.forEach((run, i) => setRate(run, 5_000 + 10 * i));
  return next;
}

/** Reason or outcome of a threshold far below these rounds, and of one among them. */
function reasonsIn(results: Results): (string | undefined)[] {
  const thresholds = thresholdsOf("rate > 100/s", "rate > 5005/s");
  return gatesOf(thresholds, groupRuns(results), results).map(judgedOf)
    .map(({ outcome, reason }) => reason?.code ?? outcome);
}

Deno.test("rounds: how much longer to measure is counted in the time that a server is loaded", () => {
  const [{ runs: [run] }] = slicedSides({ processes: 1, pairs: 8, ratio: 1, areRunning: true });
  const { slices, elapsedS } = run;
  assert.ok(slices);
  const halves = { ...run, elapsedS: 4, slices: { ...slices, sliceMs: 1_000 } }; // 8 slices of 1 s
  assert.equal(secondsOfRounds({ runs: [halves, halves] }, 10), 80);
  assert.equal(secondsOfRounds({ runs: [{ ...run, slices: undefined }] }, 10), 10 * elapsedS);
});

Deno.test("rounds: runs of fresh processes are as they were", () => {
  const fresh = {
    runs: [1, 2, 3, 4].map(() =>
      measurementFixture({ target: "a", scenario: "s", medianMs: 5, duration: 1 })
    ),
    level: 0.95,
  };
  const byRun = [1, 2, 3, 4];
  const range = {
    ...meanRange(byRun, { level: 0.95 }),
    byRun,
    repetitions: byRun,
    isAtLeast: false,
  };
  assert.equal(overRounds(range, fresh), range);
});
