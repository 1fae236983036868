/** The runs of a cell as one side of a comparison: its figures, and how far they may be off. */
import type { Measurement } from "../../../runner/result/result.ts";
import { type CellRuns, type Unsteady, unsteadyOf } from "../runs/cells.ts";
import type { Estimates } from "../runs/confidence.ts";
import { percentileOf, poolLatency } from "../runs/pool.ts";
import { sum } from "../numbers/spread.ts";

/** Requests per second; mean and percentiles of latency. */
export const COMPARED = ["rate", "mean", 50, 95, 99] as const;
export type ComparedFigure = typeof COMPARED[number];

/** The figures that decide how a comparison ends. */
export const DECISIVE = ["rate", 99] as const satisfies readonly ComparedFigure[];

export function isDecisive(figure: ComparedFigure): boolean {
  return DECISIVE.some((decisive) => decisive === figure);
}

/** The parts of a measurement that a comparison reads. */
export type ComparableRun = Pick<
  Measurement,
  "rate" | "elapsedS" | "requests" | "latency" | "histogram"
>;

export interface RunGroup {
  readonly runs: readonly ComparableRun[];
  /** Requests per second, or microseconds; null where the runs have no such figure, or can't be drawn from. */
  readonly estimates: Estimates;
  /** Null where its runs have a steady state. */
  readonly unsteady: Unsteady | null;
}

export function groupOf({ runs, confidence: { estimates } }: CellRuns): RunGroup {
  return { runs, estimates, unsteady: unsteadyOf(runs) };
}

/** Requests per second, or ms, of all runs together; 0 without samples. */
export function figureOf({ runs, estimates }: RunGroup, figure: ComparedFigure): number {
  const estimate = estimates.get(figure);
  if (runs.length > 1 && estimate) {
    return figure === "rate" ? estimate.value : estimate.value / 1_000;
  }
  if (figure === "rate") return rateOf(runs);
  const pooled = poolLatency(runs);
  return figure === "mean" ? pooled.mean : percentileOf(pooled, figure);
}

function rateOf(runs: readonly ComparableRun[]): number {
  if (runs.length === 1) return runs[0].rate;
  const seconds = sum(runs, ({ elapsedS }) => elapsedS);
  return seconds > 0 ? sum(runs, ({ requests }) => requests.completed) / seconds : 0;
}
