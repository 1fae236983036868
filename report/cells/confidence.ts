/** How far the figures of a cell may be off: 95 % intervals over its runs. */
import {
  type DrawEstimate,
  drawsOfCell,
  type Estimate,
  type Sampling,
} from "../../runner/stats/confidence/bootstrap.ts";
import {
  type ConfidenceInterval,
  intervalOf,
} from "../../runner/stats/confidence/confidence_interval.ts";
import type { Estimates } from "../figures/range.ts";
import type { PooledFigure, RunBlock } from "../../runner/stats/confidence/pool.ts";

/** `rate` is requests per second, `mean` and percentiles are of latency. */
export const FIGURES = ["rate", "mean", 50, 75, 90, 95, 99, 99.9] as const;
export type CellFigure = typeof FIGURES[number];

export interface Confidence {
  /** Rates per second, times in µs, for `ratioOf`; null where the runs have no such figure. */
  readonly estimates: Estimates;
  /** Rates per second, times in ms; null where one run, or none, has the figure. */
  readonly intervals: Readonly<Record<CellFigure, ConfidenceInterval | null>>;
}

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

/**
 * Each figure is drawn when somebody wants it, as a comparison wants few; always alike, as the draws of a cell are.
 *
 * @param runs The blocks of each run.
 */
export function confidenceOf(
  runs: readonly (readonly RunBlock[])[],
  { sampling, level, ended, isUnsteady }: ConfidenceOptions,
): Confidence {
  const estimates = new DrawnEstimates(
    () => drawsOfCell(runs, sampling),
    () => drawsOfCell(ended(), sampling),
  );
  let intervals: Confidence["intervals"] | null = null;
  return {
    estimates,
    get intervals(): Confidence["intervals"] {
      return intervals ??= intervalsOf(isUnsteady ? null : estimates, level);
    },
  };
}

/** @param estimates Null: no figure has an interval. */
function intervalsOf(estimates: Estimates | null, level: number): Confidence["intervals"] {
  return Object.fromEntries(FIGURES.map((figure) => {
    const estimate = estimates?.get(figure) ?? null;
    return [figure, estimate && inMs(intervalOf(estimate, level), figure)];
  })) as Confidence["intervals"];
}

function isLow(figure: PooledFigure): boolean {
  return typeof figure === "number" && figure < 50;
}

class DrawnEstimates implements Estimates {
  readonly #drawn = new Map<PooledFigure, Estimate | null>();
  readonly #drawAll: () => DrawEstimate;
  readonly #drawEnded: () => DrawEstimate;

  /** @param all,ended What begins to draw from all requests, and from those that ended. */
  constructor(all: () => DrawEstimate, ended: () => DrawEstimate) {
    this.#drawAll = once(all);
    this.#drawEnded = once(ended);
  }

  get(figure: PooledFigure): Estimate | null {
    const known = this.#drawn.get(figure);
    if (known !== undefined) return known;
    const draw = isLow(figure) ? this.#drawEnded() : this.#drawAll();
    const estimate = draw(figure);
    this.#drawn.set(figure, estimate);
    return estimate;
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

function inMs(interval: ConfidenceInterval | null, figure: CellFigure): ConfidenceInterval | null {
  if (interval === null || figure === "rate") return interval;
  const { value, low, high } = interval;
  return { ...interval, value: value / 1_000, low: low / 1_000, high: high / 1_000 };
}
