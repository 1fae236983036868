/** Results for conclusions, and what is concluded of them. */
import { type ConclusionModel } from "../../report/subjects/verdict/conclusion.ts";
import { reportModel } from "../../report/model.ts";
import type { Results, Run } from "../../runner/result/result.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { around, resultsAt } from "./rates.ts";
import { type SweepCell, sweepResults } from "./sweep_results.ts";

export function concluded(results: Results): ConclusionModel {
  return reportModel(results).card;
}

/** The runs that are picked are not valid. */
export function doubted(results: Results, isDoubted: (run: Run) => boolean): Results {
  for (const { generator } of results.runs.filter(isDoubted)) {
    generator.trust = "suspect";
    generator.findings = [{
      code: "generator-busy",
      severity: "suspect",
      evidence: { cpu: 0.93, waiting: null },
      advice: ["more-generator-cores", "own-machine"],
    }];
  }
  return results;
}

/** Runs that are picked never settle, all others do. @param stray By so much such a run is faster, then slower. */
export function unsettled(
  results: Results,
  isUnsettled: (run: Run) => boolean,
  stray = 0.8,
): Results {
  for (const run of results.runs) {
    run.warmup = { label: "flat", steadyFromS: 0 };
    if (!isUnsettled(run)) continue;
    run.warmup = { label: "no-steady-state", steadyFromS: null };
    run.timeline.points.forEach((point, at, { length }) => {
      point.completed = Math.round(point.completed * (2 * at < length ? 1 + stray : 1 - stray));
    });
  }
  return results;
}

/** Figures are of steady parts, but every run that is picked swings, and so has none. */
export function swinging(results: Results, isSwinging: (run: Run) => boolean): Results {
  for (const run of results.runs) {
    run.warmup = isSwinging(run)
      ? { label: "no-steady-state", steadyFromS: null }
      : { label: "flat", steadyFromS: 0 };
  }
  return { ...results, experiment: { ...results.experiment, figures: "steady" } };
}

/** Of 12 runs of `a` 5 swing and serve 27 % less; the other 7 are 4 % ahead of `b`, and all 12 are 8 % behind it. */
export function survivors(): Results {
  const rates = { a: [], b: [] } as Record<"a" | "b", number[]>;
  for (let i = 0; i < 12; i++) {
    const noise = 1 + 0.004 * ((5 * i) % 12 - 5.5) / 5.5;
    rates.a.push((i % 12 < 5 ? 1_460 : 2_000) * noise);
    rates.b.push(1_920 * (2 - noise));
  }
  return swinging(resultsAt(rates), ({ target, rate }) => target === "a" && rate < 1_600);
}

/** The experiment names a target that the others are held against. */
export function based(base: string, results: Results): Results {
  return { ...results, experiment: { ...results.experiment, base } };
}

/** One scenario of each, s0, s1 and so on, all of the first experiment. */
export function together(...all: readonly Results[]): Results {
  const runs = all.flatMap((results, i) =>
    results.runs.map((run) => ({
      ...structuredClone(run),
      scenario: `s${i}`,
      order: run.order + 100 * i,
    }))
  );
  return { ...all[0], runs };
}

/** Requests come at these rates, whatever is served of them. */
export function offered(perSec: number, results: Results): Results {
  for (const run of results.runs) {
    const { connections, keepAlive, timeout } = run.load;
    run.load = {
      ...{ kind: "rate", rate: perSec, durationS: run.elapsedS, arrivals: "uniform", seed: 1 },
      ...{ connections, keepAlive, timeout },
    };
    run.requests.due = perSec * run.elapsedS;
    run.requests.unfinished = Math.max(0, run.requests.due - run.requests.completed);
  }
  return results;
}

export const LEADS = { a: around(1_000), b: around(2_000, 0.001) };
export const SEEMS = { a: [1_000, 1_010, 1_005], b: [1_030, 1_036, 1_041] };
export const ALIKE = { a: [1_000, 1_001, 1_002, 999], b: [1_001, 1_000, 999, 1_002] };
export const NOISY = { a: [800, 1_300, 1_000, 1_100], b: [1_200, 900, 1_150, 850] };

export const TWO = { a: around(1_000), b: around(2_000, 0.001) };

/** Five scenarios: gin leads but with errors. */
export function many(): Results {
  const cells = ["static", "fib", "redis", "validation", "error"].flatMap((scenario, s) =>
    [["gin", 2], ["fastify", 3], ["express", 6]].map(([target, ms]): CellSpec => ({
      target: String(target),
      scenario,
      medianMs: scenario === "error" && target === "gin" ? 9 : Number(ms) * (1 + 0.3 * s),
      runs: 4,
    }))
  );
  return resultsFixture({ title: "Which framework is fastest?", cells });
}

export const POLICIES = ["builtin", "nginx"].flatMap((target, t) =>
  ["least-connections", "round-robin"].map((policy, p): SweepCell => ({
    target,
    parameters: { "cluster.policy": policy },
    rate: 3_000 * (t + 1) - 500 * p,
  }))
);

// Three questions: how much is served at most, what a setting costs, and what others add.

/** Of each target the rates along the factor, by its values. */
export function along(
  path: string,
  values: readonly string[],
  rates: Readonly<Record<string, readonly number[]>>,
): SweepCell[] {
  return Object.entries(rates).flatMap(([target, served]) =>
    served.map((rate, i): SweepCell => ({ target, parameters: { [path]: values[i] }, rate }))
  );
}

/** One scenario of each. */
export function inScenarios(...scenarios: readonly (readonly SweepCell[])[]): Results {
  return together(...scenarios.map(sweepResults));
}

export const OFFERED = along("rate", ["1000/s", "10000/s", "60000/s"], {
  lone: [1_000, 10_000, 51_200],
  pool: [1_000, 10_000, 30_500],
});
export const COMPUTING = along("set.cpuTime", ["0ms", "10ms", "100ms"], {
  busy: [9_700, 970, 97],
  "busy pool": [10_000, 3_000, 303],
});
export const WAITING = [
  ...along("set.sleepTime", ["0ms", "1ms", "100ms"], {
    idle: [50_000, 45_000, 8_000],
    "idle pool": [25_000, 20_000, 8_100],
  }),
  { target: "slow", parameters: {}, rate: 2_000 },
  { target: "slow pool", parameters: {}, rate: 3_405 },
];
