/** The runs of a cell as one side of a comparison: its figures, and reasons why they may be off. */
import type { FindingCode } from "../../runner/result/findings.ts";
import type { Measurement, Run } from "../../runner/result/result.ts";
import { type CellRuns, type Unsteady, unsteadyOf } from "../cells/cells.ts";
import { isAtLimit, isOpenAbove } from "../figures/capacity.ts";
import { percentileOf, poolLatency } from "../figures/pool.ts";
import type { Estimates } from "../figures/range.ts";
import { cpuPerRequestUs } from "../figures/resources.ts";
import { sum } from "../writing/spread.ts";

/** Requests per second; mean and percentiles of latency; CPU time per request, of everything that serves it. */
export const COMPARED = ["rate", "mean", 50, 95, 99, "cpuPerRequest"] as const;
export type ComparedFigure = typeof COMPARED[number];

/** The figures that decide the outcome of a comparison; CPU time only if it is known and its own verdict is decided. */
export const DECISIVE = ["rate", 99, "cpuPerRequest"] as const satisfies readonly ComparedFigure[];

/** The deciding figures, without p99 at a capacity: it is as high as the rules allow there, however fast the target. */
export function decisiveFor(
  sides: readonly Pick<ComparedRuns, "isAtLimit">[],
  decisive: readonly ComparedFigure[] = DECISIVE,
): readonly ComparedFigure[] {
  const isAtLimit = sides.some((side) => side.isAtLimit);
  return decisive.filter((figure) => figure !== 99 || !isAtLimit);
}

/** How comparisons are judged. */
export interface JudgeOptions {
  /** Default 2 %. */
  readonly marginRatio?: number;
  /** Level at which intervals are computed: above 95 % for runs that were looked at repeatedly, see `sequential.ts`. */
  readonly level?: number;
  /** The last repetition of the first stage, if cells that might be worse were measured again later. */
  readonly firstStage?: number;
}

/** The parts of a measurement that a comparison reads. */
export type ComparableRun =
  & Pick<Measurement, "rate" | "elapsedS" | "requests" | "latency" | "histogram">
  & Partial<Pick<Run, "resources" | "parts" | "drain" | "slices">>;

export interface ComparedRuns {
  readonly runs: readonly ComparableRun[];
  /** Requests per second, else microseconds; null if the runs have no such figure, or can't be resampled. */
  readonly estimates: Estimates;
  /** Repetitions whose run counts as a whole, because only the cell's other runs have a steady part. */
  readonly wholeRuns: readonly number[];
  /** Null if the runs have a steady state. */
  readonly unsteady: Unsteady | null;
  /**
   * How far an unsteady run strays at most: requests/s of its fastest tenth over those of its slowest; 1 if all runs
   * are steady, Infinity if unknown.
   */
  readonly strayRatio: number;
  /** Requests/s in the first and second half of the runs; null if unknown. */
  readonly halves: () => readonly [first: number, second: number] | null;
  /** Whether requests/s are a capacity that may be larger. */
  readonly isOpenAbove: boolean;
  /** Whether latencies are those at the capacity. */
  readonly isAtLimit: boolean;
  /** Whether most of the runs only show the speed of the generator, so that the side may be faster. */
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

/** Findings that show a generator which is hardly ever idle and keeps the target waiting. */
const GENERATOR_LIMITS: readonly FindingCode[] = [
  "requests-dropped",
  "generator-busy",
  "generator-starved",
  "near-peak-throughput",
];

function isGeneratorBound({ generator: { findings } }: Pick<Run, "generator">): boolean {
  return findings.some(({ code }) => GENERATOR_LIMITS.includes(code));
}

/** Requests per second, or ms, over all runs; 0 without samples, or if CPU time is unknown. */
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
  // A run with a single interval has no first half: 0 requests in 0 s.
  return Number.isNaN(first + second) ? null : [first, second];
}

/** The requests that completed in some intervals of a run, and the duration of these intervals. */
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

/** For two cells of which one never settled: whether the one that serves more did so in both halves. */
export function isAheadInHalves(base: ComparedRuns, next: ComparedRuns): boolean {
  if (base.unsteady === null && next.unsteady === null) return false;
  const [of, to] = [next.halves(), base.halves()];
  if (of === null || to === null) return false;
  const isNextAhead = figureOf(next, "rate") > figureOf(base, "rate");
  return of.every((rate, half) => (rate > to[half]) === isNextAhead);
}

const TENTHS = 10;

/** Fewer requests show when responses happened to arrive rather than how fast the target is. */
const LEAST_OF_A_PART = 25;

/**
 * Requests/s of a run's fastest tenth over those of its slowest; longer parts are used if a tenth completes too few.
 */
function strayRatioOf({ timeline: { points } }: Pick<Run, "timeline">): number {
  const total = sum(points, ({ completed }) => completed);
  const parts = Math.min(TENTHS, Math.floor(total / LEAST_OF_A_PART));
  const size = Math.max(1, Math.floor(points.length / parts));
  const rates = Array.from({ length: Math.floor(points.length / size) }, (_, i) => {
    const { completed, seconds } = partOf(points, i * size, (i + 1) * size);
    return completed / seconds;
  });
  // A single part has no other to be compared with.
  return rates.length < 2 ? Infinity : Math.max(...rates) / Math.min(...rates);
}
