/**
 * What a part of the runs of a cell says: requests per second and percentiles from their intervals, added up.
 * The page recomputes by this whatever somebody selects; it runs in the browser, so it imports nothing that
 * a browser lacks.
 */
import { Histogram } from "../runner/stats/histogram.ts";
import { supportsPercentile } from "../runner/stats/percentiles.ts";
import type { CellSteps, Step } from "./packing.ts";
import { mean, sum } from "./spread.ts";

/** Seconds since the start of each run. */
export interface Stretch {
  readonly fromS: number;
  readonly toS: number;
}

export interface StretchPercentile {
  readonly ms: number;
  /** False when too few requests lie beyond it. */
  readonly isSupported: boolean;
  /** True when failed requests, which may only be known to have taken longer, decide it. */
  readonly isLowerBound: boolean;
}

export interface StretchFigures {
  /** Completed requests per second: the mean of the runs; null when no step lies in the stretch. */
  readonly ratePerSec: number | null;
  readonly completed: number;
  readonly failed: number;
  /** In the order in which they were asked for; null without a request. */
  readonly percentiles: readonly (StretchPercentile | null)[];
}

/** Steps count for the stretch when they lie in it, but for rounding. */
const ROUNDING_S = 1e-4;

/** The steps of a run that lie within the stretch; null is the whole run. */
export function stepsWithin(steps: readonly Step[], stretch: Stretch | null): readonly Step[] {
  if (stretch === null) return steps;
  let endS = 0;
  return steps.filter(({ seconds }) => {
    endS += seconds;
    return endS - seconds > stretch.fromS - ROUNDING_S && endS < stretch.toS + ROUNDING_S;
  });
}

/** @param percentiles 50–100. */
export function stretchFigures(
  runs: CellSteps,
  stretch: Stretch | null,
  percentiles: readonly number[],
): StretchFigures {
  const within = runs.map((steps) => stepsWithin(steps, stretch)).filter(({ length }) =>
    length > 0
  );
  const latency = new Histogram();
  for (const step of within.flat()) latency.addSparse(step.latency);
  const failed = sum(within.flat(), ({ failed }) => failed);
  const rates = within.map((steps) =>
    sum(steps, ({ completed }) => completed) / sum(steps, ({ seconds }) => seconds)
  );
  return {
    ratePerSec: rates.length === 0 ? null : mean(rates),
    completed: sum(within.flat(), ({ completed }) => completed),
    failed,
    percentiles: percentiles.map((p) => percentileOf(latency, failed, p)),
  };
}

function percentileOf(latency: Histogram, failed: number, p: number): StretchPercentile | null {
  const { count } = latency;
  return count === 0 ? null : {
    ms: latency.valueAtPercentile(p) / 1_000,
    isSupported: supportsPercentile(count, p),
    isLowerBound: failed > 0 && p / 100 * count > count - failed,
  };
}
