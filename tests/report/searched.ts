/** Results whose runs searched for the capacity of their target. */
import type { RunCapacity } from "../../runner/result/capacity.ts";
import type { Results, Run } from "../../runner/result/result.ts";
import { around, resultsAt } from "./rates.ts";

export type Found = NonNullable<RunCapacity["capacity"]>;

export const CAPACITY_RULE = "p99 < 50ms";

export function searchOf(capacity: Found | null): RunCapacity {
  return {
    within: [CAPACITY_RULE],
    widthRatio: 0.02,
    trialS: [5, 30],
    budgetS: 600,
    peakPerSec: 2_000,
    end: "found",
    capacity,
    binding: CAPACITY_RULE,
    breaking: [],
    trials: [],
  };
}

/** Within 1 %, or as a lower bound. */
export function foundAt(value: number, bound: Found["bound"] = "target"): Found {
  const high = bound === "generator" ? null : value * 1.01;
  return { value, low: bound === "generator" ? value : value * 0.99, high, bound };
}

interface Taken {
  /** Requests/s. */
  readonly perSec: number;
  readonly bound?: Found["bound"];
  /** Default 5. */
  readonly runs?: number;
}

/** One scenario, "static"; the last part of each run is at `share` of what it found. */
export function capacities(taken: Readonly<Record<string, Taken>>, share = 1): Results {
  const found = Object.entries(taken).map(([target, { perSec, runs = 5 }]) =>
    [target, around(perSec).slice(0, runs)] as const
  );
  const rates = found.map(([target, values]) => [target, values.map((value) => value * share)]);
  const results = resultsAt(Object.fromEntries(rates));
  const byTarget = new Map(found);
  const runs = results.runs.map((run): Run => {
    const perSec = byTarget.get(run.target)?.[run.repetition - 1] ?? 0;
    return {
      ...run,
      requests: { ...run.requests, due: run.requests.completed },
      capacity: searchOf(foundAt(perSec, taken[run.target].bound)),
      load: {
        ...{ kind: "capacity", connections: 50, arrivals: "uniform", within: [CAPACITY_RULE] },
        ...{ seed: 1, keepAlive: true, timeout: 5_000 },
        ...{ budgetS: 600, rate: run.rate, share, durationS: run.elapsedS },
      },
    };
  });
  return { ...results, runs };
}
