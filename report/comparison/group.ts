/** The runs of a cell as one side of a comparison: its figures, and how far they may be off. */
import { bootstrap } from "../../runner/stats/bootstrap.ts";
import type { Block, Figure } from "../../runner/stats/pool.ts";
import type { Measurement } from "../../runner/result.ts";
import type { Estimates } from "../confidence.ts";
import { percentileOf, poolLatency } from "../pool.ts";
import { sum } from "../spread.ts";

/** Requests per second; mean and percentiles of latency. */
export const COMPARED = ["rate", "mean", 50, 95, 99] as const;
export type ComparedFigure = typeof COMPARED[number];

/** The parts of a measurement that a comparison reads. */
export type Measured = Pick<
  Measurement,
  "rate" | "elapsed" | "requests" | "latency" | "histogram"
>;

export interface Group {
  readonly runs: readonly Measured[];
  /** Requests per second, or microseconds; null where the runs have no such figure, or can't be drawn from. */
  readonly estimates: Estimates;
}

export interface GroupOptions {
  /** Different for groups that are compared, so that their draws are independent. */
  readonly seed: number;
  /** Default: those that a comparison shows. */
  readonly figures?: readonly Figure[];
  /** Default 10,000. */
  readonly resamples?: number;
}

/** @param runs At least one. @param blocks Those of each run. */
export function groupOfBlocks(
  runs: readonly Measured[],
  blocks: readonly (readonly Block[])[],
  { seed, resamples, figures = COMPARED }: GroupOptions,
): Group {
  const filled = blocks.filter(({ length }) => length > 0);
  // One run says nothing about the next: there is nothing to draw.
  const estimates = filled.length > 1 ? bootstrap(filled, { figures, seed, resamples }) : [];
  return { runs, estimates: new Map(figures.map((figure, f) => [figure, estimates[f] ?? null])) };
}

/** Requests per second, or ms, of all runs together; 0 without samples. */
export function figureOf({ runs, estimates }: Group, figure: ComparedFigure): number {
  const estimate = estimates.get(figure);
  if (runs.length > 1 && estimate) {
    return figure === "rate" ? estimate.value : estimate.value / 1_000;
  }
  if (figure === "rate") return rateOf(runs);
  const pooled = poolLatency(runs);
  return figure === "mean" ? pooled.mean : percentileOf(pooled, figure);
}

function rateOf(runs: readonly Measured[]): number {
  if (runs.length === 1) return runs[0].rate;
  const seconds = sum(runs, ({ elapsed }) => elapsed);
  return seconds > 0 ? sum(runs, ({ requests }) => requests.completed) / seconds : 0;
}
