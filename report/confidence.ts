/** How far the figures of a cell may be off: 95 % intervals over its runs. */
import { estimateCell } from "../runner/stats/cell_estimates.ts";
import type { Estimate } from "../runner/stats/bootstrap.ts";
import { type Interval, intervalOf } from "../runner/stats/interval.ts";
import type { Block, Figure } from "../runner/stats/pool.ts";

/** `rate` is requests per second, `mean` and percentiles are of latency. */
export const FIGURES = ["rate", "mean", 50, 75, 90, 95, 99, 99.9] as const;
export type CellFigure = typeof FIGURES[number];

export interface Confidence {
  /** Rates per second, times in µs, for `ratioOf`; null where the runs have no such figure. */
  readonly estimates: ReadonlyMap<Figure, Estimate | null>;
  /** Rates per second, times in ms; null where one run, or none, has the figure. */
  readonly intervals: Readonly<Record<CellFigure, Interval | null>>;
}

export interface ConfidenceOptions {
  /** Different for each cell: see `estimateCell`. */
  readonly name: string;
  /** What the intervals are computed at so that they may be called 95 %: see `sequential.ts`. */
  readonly level: number;
}

/** @param runs The blocks of each run. */
export function confidenceOf(
  runs: readonly (readonly Block[])[],
  { name, level }: ConfidenceOptions,
): Confidence {
  const estimates = estimateCell(name, runs, FIGURES);
  const intervals = estimates.map((estimate, f) =>
    estimate && inMs(intervalOf(estimate, level), FIGURES[f])
  );
  return {
    estimates: new Map(FIGURES.map((figure, f) => [figure, estimates[f]])),
    intervals: Object.fromEntries(
      FIGURES.map((figure, f) => [figure, intervals[f]]),
    ) as Confidence["intervals"],
  };
}

function inMs(interval: Interval | null, figure: CellFigure): Interval | null {
  if (interval === null || figure === "rate") return interval;
  const { value, low, high } = interval;
  return { ...interval, value: value / 1_000, low: low / 1_000, high: high / 1_000 };
}
