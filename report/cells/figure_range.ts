/** A figure of a cell with its 95 % interval over the runs, and its ratio to that of a baseline. */
import type { PooledFigure, RunBlock } from "../../runner/stats/confidence/pool.ts";
import type { Threshold } from "../../runner/result/result.ts";
import { bootstrap, type Estimate } from "../../runner/stats/confidence/bootstrap.ts";
import {
  intervalOf,
  ratioInterval,
  type Variance,
} from "../../runner/stats/confidence/confidence_interval.ts";
import { tQuantile } from "../../runner/stats/confidence/student_t.ts";
import { decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import type { SparseHistogram } from "../../runner/stats/histogram/histogram.ts";
import { lowerMedian, sum } from "../writing/spread.ts";
import {
  formatNumber,
  formatQuantity,
  formatShare,
  isTooWide,
  sizeUnit,
  timeUnit,
  TOO_WIDE,
} from "../writing/units.ts";
import { capacityRange } from "./capacity.ts";
import type { Estimates } from "./confidence.ts";
import {
  type DistributionName,
  figureOfRun,
  type JudgedRun,
  type ThresholdFigure,
  timesIn,
} from "./figures.ts";
import { percentileBounds } from "./pool.ts";

/** What thresholds are held against: the runs of a cell, or a single measurement. */
export interface JudgedCell {
  /** "" for a single measurement. */
  readonly scenario: string;
  readonly label: string;
  readonly runs: readonly JudgedRun[];
  /** Requests per second, or µs of latency; null or absent where runs have no such figure. */
  readonly estimates: Estimates;
  /** What intervals are computed at so that they may be called 95 %: see `sequential.ts`. */
  readonly level: number;
}

export interface Ends {
  readonly low: number;
  readonly high: number;
  /** Of the error that they come from; absent where it has several parts. */
  readonly degreesOfFreedom?: number;
}

export interface Range {
  readonly value: number;
  /** Null: the value is that of these runs, and of no more. */
  readonly interval: Ends | null;
}

export type FigureRange = Range & {
  /** True: the value that waiting longer would have shown may be any larger. */
  readonly isAtLeast: boolean;
  /** Of each run that has the figure. */
  readonly byRun: readonly number[];
};

export function rangeOf(
  figure: ThresholdFigure,
  cell: JudgedCell,
): FigureRange | { readonly none: string } {
  const all = cell.runs.map((run) => figureOfRun(figure, run));
  const known = all.flatMap((one) => "none" in one ? [] : [one]);
  const [reason] = all.flatMap((one) => "none" in one ? [one.none] : []);
  if (known.length === 0) return { none: reason ?? "there is no run" };
  const values = known.map(({ value }) => value);
  if (figure === "capacity") {
    const range = capacityRange(cell.runs, cell.level);
    if (range !== null) return { ...range, byRun: values };
  }
  const isAtLeast = isPooledAtLeast(figure, cell) ?? known.some((one) => one.isAtLeast);
  return { ...spreadRange(figure, values, cell), isAtLeast, byRun: values };
}

function spreadRange(figure: ThresholdFigure, values: readonly number[], cell: JudgedCell): Range {
  if (values.length === 1) return { value: values[0], interval: null };
  // The extreme of all runs is a fact about them; runs to come have no say in it.
  if (/(?:^|\.)max$/.test(figure)) return { value: Math.max(...values), interval: null };
  if (/(?:^|\.)min$/.test(figure)) return { value: Math.min(...values), interval: null };
  const estimate = estimateOf(figure, cell) ??
    timesEstimate(figure, cell.runs);
  return fromEstimate(figure, estimate, cell.level) ??
    (PERCENTILE.test(figure) ? runsRange(values) : meanRange(values, cell.level));
}

/** Of single requests, connections and sends. */
const PERCENTILE = /^(?:(?:service|firstByte|connect|session|[2-5]xx|lag)\.)?p[\d.]+$/;

/**
 * Of a percentile whose histograms are not kept: the middle run's, the lower one of two, between the lowest
 * and the highest run's. That of all runs together lies between these, too.
 */
function runsRange(values: readonly number[]): Range {
  const interval = { low: Math.min(...values), high: Math.max(...values) };
  return { value: lowerMedian(values), interval };
}

/** Of a rate or a figure of latency, of all runs together. */
function estimateOf(figure: ThresholdFigure, { estimates }: JudgedCell): Estimate | null {
  const key = estimatedAs(figure);
  return key === null ? null : estimates.get(key) ?? null;
}

/** Its name among the estimates; null for figures that are means over runs. */
export function estimatedAs(figure: ThresholdFigure): PooledFigure | null {
  if (figure === "rate" || figure === "mean") return figure;
  const percentile = Number(/^p([\d.]+)$/.exec(figure)?.[1]);
  return Number.isNaN(percentile) ? null : percentile;
}

function fromEstimate(
  figure: ThresholdFigure,
  estimate: Estimate | null,
  level: number,
): Range | null {
  const interval = estimate && intervalOf(estimate, level);
  if (interval === null) return null;
  const size = figure === "rate" ? 1 : 1_000;
  const { value, low, high, degreesOfFreedom } = interval;
  return {
    value: value / size,
    interval: { low: low / size, high: high / size, degreesOfFreedom },
  };
}

/** Of the mean of the runs' values, by Student's t. */
export function meanRange(values: readonly number[], level: number): Range {
  const mean = sum(values, (value) => value) / values.length;
  const degreesOfFreedom = values.length - 1;
  const reach = tQuantile(level, degreesOfFreedom) * standardErrorOf(values, mean);
  return { value: mean, interval: { low: mean - reach, high: mean + reach, degreesOfFreedom } };
}

function standardErrorOf(values: readonly number[], mean: number): number {
  const squares = sum(values, (value) => (value - mean) ** 2);
  return Math.sqrt(squares / (values.length - 1) / values.length);
}

/** Percentiles of latency are of all runs together, and so are their lower bounds; null for other figures. */
function isPooledAtLeast(figure: ThresholdFigure, { runs }: JudgedCell): boolean | null {
  const percentile = estimatedAs(figure);
  return typeof percentile === "number" ? percentileBounds(runs, percentile).isAtLeast : null;
}

/**
 * The figure over the baseline's; null when either is 0.
 *
 * @param between What else the two differ by, besides what their runs show.
 */
export function ratioRangeOf(
  figure: ThresholdFigure,
  cell: JudgedCell,
  baseline: JudgedCell,
  between: readonly Variance[] = [],
): Range | null {
  const [of, to] = [rangeOf(figure, cell), rangeOf(figure, baseline)];
  if ("none" in of || "none" in to || of.value <= 0 || to.value <= 0) return null;
  const [ofEstimate, toEstimate] = [
    estimateOf(figure, cell),
    estimateOf(figure, baseline),
  ];
  const drawn = ofEstimate && toEstimate &&
    ratioInterval(ofEstimate, toEstimate, { confidence: cell.level, between });
  return drawn ? { value: drawn.value, interval: drawn } : quotientOf(of, to);
}

/** Of two independent figures: 0 or ∞ times where one of them is 0; null where both are. */
export function quotientOf(of: Range, to: Range): Range | null {
  if (of.value > 0 && to.value > 0) return positiveQuotient(of, to);
  return of.value > 0 || to.value > 0 ? zeroQuotient(of, to) : null;
}

function zeroQuotient(of: Range, to: Range): Range {
  const value = of.value / to.value;
  if (of.interval === null || to.interval === null) return { value, interval: null };
  const [ofLow, ofHigh] = [Math.max(0, of.interval.low), of.interval.high];
  const { low: toLow, high: toHigh } = to.interval;
  const low = ofLow === 0 ? 0 : toHigh <= 0 ? Infinity : ofLow / toHigh;
  return { value, interval: { low, high: toLow <= 0 ? Infinity : ofHigh / toLow } };
}

/**
 * On the logarithmic scale, where the distances to the ends add up as squares
 * (G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures", Statistics in
 * Medicine 27, 2008).
 */
function positiveQuotient(of: Range, to: Range): Range {
  const value = of.value / to.value;
  if (of.interval === null || to.interval === null) return { value, interval: null };
  const low = value * Math.exp(-Math.hypot(logBelow(of), logAbove(to)));
  const high = value * Math.exp(Math.hypot(logAbove(of), logBelow(to)));
  return { value, interval: { low, high } };
}

function logBelow({ value, interval }: Range): number {
  const low = interval?.low ?? value;
  return low > 0 ? Math.log(value / low) : Infinity;
}

function logAbove({ value, interval }: Range): number {
  return Math.log((interval?.high ?? value) / value);
}

/** `61.2 ms`, or `61.2 ms [59.0 ms, 63.1 ms]`, all in the unit of the value; without ends that read as it does. */
export function figureRangeText({ value, interval }: Range, unit: Threshold["unit"]): string {
  const most = unit === "share" ? 1 : Infinity;
  const text = (one: number): string => {
    const within = Math.min(most, Math.max(0, one));
    return quantityText(within, unit, value);
  };
  if (interval === null) return text(value);
  if (isTooWide(interval)) return `${text(value)} ${TOO_WIDE}`;
  const [low, high] = [text(interval.low), text(interval.high)];
  return low === high && low === text(value) ? low : `${text(value)} [${low}, ${high}]`;
}

/** @param typical Its size decides between ms and s, and the like. */
function quantityText(value: number, unit: Threshold["unit"], typical: number): string {
  switch (unit) {
    case "ms":
      return formatQuantity(value, timeUnit([typical]));
    case "perSec":
      return `${formatNumber(value)}/s`;
    case "share":
      return formatShare(value);
    case "cores":
      return `${formatNumber(value)} cores`;
    case "count":
      return formatNumber(value);
    case "bytes":
      return formatQuantity(value, sizeUnit([typical]));
    case "bytesPerSec":
      return `${formatQuantity(value, sizeUnit([typical]))}/s`;
  }
}

// The percentiles of several runs' times where no block of a timeline has them: of service, first byte and
// connecting, and of lag. Never a mean of percentiles: it is the percentile of nothing (ten runs that connect
// in 1 ms and one in 41 have a mean p50 of 4.6 ms, which no connection took).

const TIMES = /^(service|firstByte|connect|session|[2-5]xx)\.(?:p([\d.]+)|mean)$/;

/**
 * The figure of all runs together, from their added histogram counts, µs; null for other figures, and where
 * a run has no histogram, as those of older files.
 */
export function timesEstimate(
  figure: ThresholdFigure,
  runs: readonly JudgedRun[],
): Estimate | null {
  const [, of, percentile] = TIMES.exec(figure) ?? [];
  if (of === undefined) return null;
  const filled = runs.flatMap((run) => timesIn(run, of as DistributionName) ?? [])
    .filter(({ times }) => times.count > 0);
  const histograms = filled.flatMap(({ histogram }) => histogram ?? []);
  if (histograms.length < filled.length || filled.length === 0) return null;
  const figures = [percentile === undefined ? "mean" as const : Number(percentile)];
  const blocks = histograms.map((histogram) => [blockOf(decodeSparse(histogram))]);
  return bootstrap(blocks, { figures })[0];
}

/** A whole run, of which no rate is needed. */
function blockOf(latency: SparseHistogram): RunBlock {
  return { seconds: 0, completed: 0, latency };
}
