/** How far the figures of a cell may be off: 95 % intervals over its runs. */
import {
  type Estimate,
  estimateCell,
  type Sampling,
} from "../../../runner/stats/confidence/bootstrap.ts";
import {
  type ConfidenceInterval,
  intervalOf,
} from "../../../runner/stats/confidence/confidence_interval.ts";
import type { PooledFigure, RunBlock } from "../../../runner/stats/confidence/pool.ts";

/** `rate` is requests per second, `mean` and percentiles are of latency. */
export const FIGURES = ["rate", "mean", 50, 75, 90, 95, 99, 99.9] as const;
export type CellFigure = typeof FIGURES[number];

export interface Confidence {
  /** Rates per second, times in µs, for `ratioOf`; null where the runs have no such figure. */
  readonly estimates: Estimates;
  /** Rates per second, times in ms; null where one run, or none, has the figure. */
  readonly intervals: Readonly<Record<CellFigure, ConfidenceInterval | null>>;
}

export type Estimates = Pick<ReadonlyMap<PooledFigure, Estimate | null>, "get">;

export interface ConfidenceOptions {
  /** When the runs were measured. */
  readonly sampling: Sampling;
  /** What the intervals are computed at so that they may be called 95 %: see `sequential.ts`. */
  readonly level: number;
  /** The blocks of the requests that ended, for percentiles below the median. */
  readonly ended: () => readonly (readonly RunBlock[])[];
  /** Whether most runs have no steady state: then there is no level for an interval to be around. */
  readonly isUnsteady: boolean;
}

/** @param runs The blocks of each run. */
export function confidenceOf(
  runs: readonly (readonly RunBlock[])[],
  { sampling, level, ended, isUnsteady }: ConfidenceOptions,
): Confidence {
  const estimates = estimateCell(runs, FIGURES, sampling);
  const intervals = estimates.map((estimate, f) =>
    isUnsteady ? null : estimate && inMs(intervalOf(estimate, level), FIGURES[f])
  );
  return {
    estimates: new DrawnEstimates(
      new Map(FIGURES.map((figure, f) => [figure, estimates[f]])),
      (figure) => estimateCell(isLow(figure) ? ended() : runs, [figure], sampling)[0],
    ),
    intervals: Object.fromEntries(
      FIGURES.map((figure, f) => [figure, intervals[f]]),
    ) as Confidence["intervals"],
  };
}

function isLow(figure: PooledFigure): boolean {
  return typeof figure === "number" && figure < 50;
}

/** Percentiles that few want are drawn when they are, and alike, as the draws of a cell always are. */
class DrawnEstimates implements Estimates {
  constructor(
    private readonly drawn: Map<PooledFigure, Estimate | null>,
    private readonly draw: (figure: PooledFigure) => Estimate | null,
  ) {}

  get(figure: PooledFigure): Estimate | null {
    const known = this.drawn.get(figure);
    if (known !== undefined) return known;
    const estimate = this.draw(figure);
    this.drawn.set(figure, estimate);
    return estimate;
  }
}

function inMs(interval: ConfidenceInterval | null, figure: CellFigure): ConfidenceInterval | null {
  if (interval === null || figure === "rate") return interval;
  const { value, low, high } = interval;
  return { ...interval, value: value / 1_000, low: low / 1_000, high: high / 1_000 };
}
