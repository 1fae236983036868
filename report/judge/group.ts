/** Prepares the runs of a cell for a comparison: their figures, and the reasons why these may be inaccurate. */
import type { FindingCode } from "../../runner/result/findings.ts";
import type { Measurement, Run } from "../../runner/result/result.ts";
import { type CellRuns, type Unsteady, unsteadyOf } from "../cells/cells.ts";
import { isAtLimit, isOpenAbove } from "../figures/capacity.ts";
import { percentileOf, poolLatency } from "../figures/pool.ts";
import type { Estimates } from "../figures/range.ts";
import { cpuPerRequestUs } from "../figures/resources.ts";
import { sum } from "../writing/spread.ts";

/**
 * Requests per second, mean and percentiles of latency, and CPU time per request of all processes that serve the
 * target.
 */
export const COMPARED = ["rate", "mean", 50, 95, 99, "cpuPerRequest"] as const;
export type ComparedFigure = typeof COMPARED[number];

/**
 * The figures that decide the outcome of a comparison. CPU time counts only if it is known and has a verdict of its
 * own.
 */
export const DECISIVE = ["rate", 99, "cpuPerRequest"] as const satisfies readonly ComparedFigure[];

/**
 * Removes p99 from the decisive figures if a side ran at its capacity, where p99 is as high as the rules of the search
 * allow, however fast the target is.
 */
export function decisiveFor(
  sides: readonly Pick<ComparedRuns, "isAtLimit">[],
  decisive: readonly ComparedFigure[] = DECISIVE,
): readonly ComparedFigure[] {
  const isAtLimit = sides.some((side) => side.isAtLimit);
  return decisive.filter((figure) => figure !== 99 || !isAtLimit);
}

/** How comparisons are judged. */
export interface JudgeOptions {
  /** Default 0.02, which is 2 %. */
  readonly marginRatio?: number;
  /**
   * Confidence level of intervals. It is above 95 % for runs that were analysed repeatedly while they were collected:
   * see `sequential.ts`.
   */
  readonly level?: number;
  /** The last repetition of the first stage, if cells that looked worse were measured again later. */
  readonly firstStage?: number;
}

/** The parts of a measurement that a comparison reads. */
export type ComparableRun =
  & Pick<Measurement, "rate" | "elapsedS" | "requests" | "latency" | "histogram">
  & Partial<Pick<Run, "resources" | "parts" | "drain" | "slices">>;

export interface ComparedRuns {
  readonly runs: readonly ComparableRun[];
  /**
   * Estimates in requests per second for the rate, and microseconds for all other figures. There is none for a figure
   * that the runs lack or that can't be resampled.
   */
  readonly estimates: Estimates;
  /**
   * Repetitions whose run counts from beginning to end because it has no steady part. Empty if no run of the cell has
   * one.
   */
  readonly wholeRuns: readonly number[];
  /** How many runs have no steady state; null if these are at most half of the runs. */
  readonly unsteady: Unsteady | null;
  /**
   * How much the rate varies within a run: requests/s of the run's fastest tenth ÷ those of its slowest. Of all runs,
   * the largest such ratio counts. It is 1 unless most runs have no steady state, and Infinity if unknown.
   */
  readonly strayRatio: number;
  /** Requests/s over the first halves of all runs, and over the second halves; null if unknown. */
  readonly halves: () => readonly [first: number, second: number] | null;
  /** Whether requests/s are a capacity that is only a lower bound. */
  readonly isOpenAbove: boolean;
  /** Whether latencies were measured at the target's capacity. */
  readonly isAtLimit: boolean;
  /** Whether the generator limited most of the runs, so that the side may be faster than measured. */
  readonly isGeneratorBound: boolean;
}

export function groupOf(cell: CellRuns): ComparedRuns {
  const { runs, estimates, wholeRuns } = cell;
  const unsteady = unsteadyOf(runs);
  return {
    runs,
    estimates,
    wholeRuns,
    unsteady,
    strayRatio: unsteady === null ? 1 : Math.max(...runs.map(strayRatioOf)),
    halves: () => halvesOf(runs),
    isOpenAbove: isOpenAbove(runs),
    isAtLimit: isAtLimit(cell),
    isGeneratorBound: 2 * runs.filter(isGeneratorBound).length > runs.length,
  };
}

/** Findings of a generator that is almost never idle, so the target has to wait for it. */
const GENERATOR_LIMITS: readonly FindingCode[] = [
  "requests-dropped",
  "generator-busy",
  "generator-starved",
  "near-peak-throughput",
];

function isGeneratorBound({ generator: { findings } }: Pick<Run, "generator">): boolean {
  return findings.some(({ code }) => GENERATOR_LIMITS.includes(code));
}

/**
 * The figure over all runs, in requests per second for the rate and in milliseconds otherwise. It is 0 without samples,
 * or if CPU time is unknown.
 */
export function figureOf({ runs, estimates }: ComparedRuns, figure: ComparedFigure): number {
  const estimate = estimates.get(figure);
  if (runs.length > 1 && estimate) {
    return figure === "rate" ? estimate.value : estimate.value / 1_000;
  }
  if (figure === "rate") return rateOf(runs);
  if (figure === "cpuPerRequest") {
    const values = runs.flatMap((run) => cpuPerRequestUs(run) ?? []);
    return values.length === 0 ? 0 : sum(values, (us) => us / 1_000) / values.length;
  }
  const pooled = poolLatency(runs);
  return figure === "mean" ? pooled.mean : percentileOf(pooled, figure);
}

function rateOf(runs: readonly ComparableRun[]): number {
  if (runs.length === 1) return runs[0].rate;
  const seconds = sum(runs, ({ elapsedS }) => elapsedS);
  return seconds > 0 ? sum(runs, ({ requests }) => requests.completed) / seconds : 0;
}

function halvesOf(runs: readonly Pick<Run, "timeline">[]): [first: number, second: number] | null {
  const [first, second] = [0, 1].map((half) => {
    const parts = runs.map(({ timeline: { points } }) => {
      const middle = Math.floor(points.length / 2);
      return half === 0 ? partOf(points, 0, middle) : partOf(points, middle, points.length);
    });
    return sum(parts, ({ completed }) => completed) / sum(parts, ({ seconds }) => seconds);
  });
  // If all runs have a single interval, their first halves are empty, and the rate over them is
  // NaN.
  return Number.isNaN(first + second) ? null : [first, second];
}

/** Completed requests and duration of some consecutive intervals of a run. */
function partOf(
  points: Run["timeline"]["points"],
  from: number,
  to: number,
): { readonly completed: number; readonly seconds: number } {
  return {
    completed: sum(points.slice(from, to), ({ completed }) => completed),
    seconds: (points[to - 1]?.endS ?? 0) - (points[from - 1]?.endS ?? 0),
  };
}

/**
 * Whether the side with the higher rate was ahead in both halves of the runs. False unless most runs of at least one
 * side have no steady state.
 */
export function isAheadInHalves(base: ComparedRuns, next: ComparedRuns): boolean {
  if (base.unsteady === null && next.unsteady === null) return false;
  const [of, to] = [next.halves(), base.halves()];
  if (of === null || to === null) return false;
  const isNextAhead = figureOf(next, "rate") > figureOf(base, "rate");
  return of.every((rate, half) => (rate > to[half]) === isNextAhead);
}

const TENTHS = 10;

/**
 * With fewer completed requests than this, the rate of a part reflects when its responses happened to arrive rather
 * than how fast the target is.
 */
const LEAST_OF_A_PART = 25;

/**
 * Requests/s of a run's fastest tenth ÷ those of its slowest. Parts longer than a tenth are used if tenths complete too
 * few requests.
 */
function strayRatioOf({ timeline: { points } }: Pick<Run, "timeline">): number {
  const total = sum(points, ({ completed }) => completed);
  const parts = Math.min(TENTHS, Math.floor(total / LEAST_OF_A_PART));
  const size = Math.max(1, Math.floor(points.length / parts));
  const rates = Array.from({ length: Math.floor(points.length / size) }, (_, i) => {
    const { completed, seconds } = partOf(points, i * size, (i + 1) * size);
    return completed / seconds;
  });
  // A single part can't be compared with another one.
  return rates.length < 2 ? Infinity : Math.max(...rates) / Math.min(...rates);
}
