/**
 * How uncertain the figures of a group of runs are, by a bootstrap of whole runs. A resample draws as many repetitions
 * as there are, with replacement, and pools their data (A. C. Davison and D. V. Hinkley, "Bootstrap Methods and their
 * Application", 1997, §3.8: noise within runs is part of how runs differ, so resampling parts of runs as well would
 * count it twice).
 *
 * Repetitions are blocks (G. E. P. Box, J. S. Hunter and W. G. Hunter, "Statistics for Experimenters", 2005, §4.2): the
 * runs of one repetition are made one after another, so whatever slows the machine at that time slows all of them.
 * Which repetitions a resample draws depends only on the repetition numbers. So every cell of an experiment draws the
 * same repetitions, and the draws of a ratio are paired by block; see `confidence_interval.ts`.
 */
import { type Draw, drawBy, fnv1a } from "../../../base/random.ts";
import { mergeBlocks, Pool, type PooledFigure, type RunBlock } from "./pool.ts";

/** The experiment and the repetitions in which runs were measured. */
export interface Sampling {
  /** Start of the experiment, which all its runs share. Null if unknown: such runs are not paired with any others. */
  readonly session: string | null;
  /** The repetition number of each run, in the order of the runs; no number occurs twice. */
  readonly repetitions: readonly number[];
}

export interface DrawOptions {
  /** Default: consecutive repetitions, in a session of their own. */
  readonly sampling?: Sampling;
  /** Default 1,000, with which the standard error has a random error of 2 %. */
  readonly resamples?: number;
}

export interface BootstrapOptions extends DrawOptions {
  readonly figures: readonly PooledFigure[];
}

/** A figure of a group of runs, and all that its interval is computed from. All logarithms are natural. */
export interface Estimate extends Sampling {
  /** The figure of all runs pooled, in its own unit, such as requests per second or microseconds. */
  readonly value: number;
  /** The figure of each run, in the order of the runs. */
  readonly byRun: readonly number[];
  /** Standard error of ln `value`; NaN for one run. */
  readonly logStandardError: number;
  /** ln (figure of a resample / `value`) for each resample, in the order drawn. */
  readonly logDraws: Float64Array;
  /**
   * The estimate from only these repetitions. Null if the estimate has none of them, and under the same conditions as
   * in `bootstrap`.
   */
  readonly of: (repetitions: readonly number[]) => Estimate | null;
}

/**
 * `bench/statistics.ts` measures the coverage of intervals with this number of resamples. Chance then moves the ends of
 * intervals by some 2 % of the half width (always in the same way, because draws are repeatable), and a report of 450
 * runs takes about a second.
 */
export const RESAMPLES = 1_000;

/**
 * @param runs The blocks of each run; every run must have at least one.
 * @returns One estimate for each of `figures`, in the same order. Null if the figure of all runs or of any resample is
 * 0 or has no samples, because no ratio to it exists.
 */
export function bootstrap(
  runs: readonly (readonly RunBlock[])[],
  { figures, ...options }: BootstrapOptions,
): (Estimate | null)[] {
  return figures.map(drawsFrom(runs, options));
}

/**
 * Returns the estimate of a figure. Repeated calls give equal estimates. Null under the same conditions as in
 * `bootstrap`.
 */
export type DrawEstimate = (figure: PooledFigure) => Estimate | null;

/** Does the same as `bootstrap`, for figures that are requested one by one. */
function drawsFrom(
  runs: readonly (readonly RunBlock[])[],
  { sampling = inOrder(runs.length), resamples = RESAMPLES }: DrawOptions = {},
): DrawEstimate {
  const all = [...runs.keys()];
  const figureBy = (figure: PooledFigure) => (): WeighedFigure => {
    const pool = poolOf(runs);
    return (weights) => pool.figure(figure, weights);
  };
  return (figure) =>
    estimateOf(
      { figure: figureBy(figure), sampling, resamples },
      all,
      drawsOf(sampling.repetitions, all, resamples),
    );
}

/**
 * The most recently used pools, by their runs. A report usually needs several figures of a cell before it goes on to
 * the next cell.
 */
const lastPools = new Map<readonly (readonly RunBlock[])[], Pool>();
/**
 * Limit for all cached pools together. The pool of a cell takes some MB for a hundred runs; for ten runs, it is rebuilt
 * in 2 ms.
 */
const MOST_POOL_BYTES = 64_000_000;

function poolOf(runs: readonly (readonly RunBlock[])[]): Pool {
  const known = lastPools.get(runs);
  lastPools.delete(runs);
  const pool = known ?? new Pool(runs.map(mergeBlocks));
  lastPools.set(runs, pool);
  let bytes = 0;
  for (const [of, { bytes: own }] of [...lastPools].reverse()) {
    bytes += own;
    if (bytes > MOST_POOL_BYTES && of !== runs) lastPools.delete(of);
  }
  return pool;
}

/**
 * Estimates the mean of a figure with one value per run, such as CPU, memory or start-up time.
 *
 * @param values One for each run.
 * @returns Null if the mean of all runs, or of any resample, is not above 0.
 */
export function estimateOfMean(
  values: readonly number[],
  sampling: Sampling,
  resamples = RESAMPLES,
): Estimate | null {
  const figure = (weights: Float64Array): number => {
    let sum = 0;
    let count = 0;
    for (let i = 0; i < weights.length; i++) {
      sum += weights[i] * values[i];
      count += weights[i];
    }
    return sum / count;
  };
  const all = [...values.keys()];
  const draws = drawsOf(sampling.repetitions, all, resamples);
  return estimateOf({ figure: () => figure, sampling, resamples }, all, draws);
}

function inOrder(runs: number): Sampling {
  return { session: null, repetitions: Array.from({ length: runs }, (_, i) => i + 1) };
}

/** Computes a figure of the runs, in which each run counts as often as its weight says. */
type WeighedFigure = (weights: Float64Array) => number;

interface Sampled {
  /** Creates the function that computes the figure. That function may hold much memory, so it is not kept. */
  readonly figure: () => WeighedFigure;
  readonly sampling: Sampling;
  readonly resamples: number;
}

/**
 * @param kept Indexes of the runs that count.
 * @param draws How often each run is in each resample.
 */
function estimateOf(
  from: Sampled,
  kept: readonly number[],
  draws: readonly Float64Array[],
): Estimate | null {
  const { sampling: { session, repetitions }, resamples } = from;
  const figure = from.figure();
  const size = repetitions.length;
  const value = figure(weightsOf(kept, size));
  const logDraws = new Float64Array(draws.length);
  for (let i = 0; i < draws.length; i++) {
    logDraws[i] = Math.log(figure(draws[i]) / value);
    if (!Number.isFinite(logDraws[i])) return null;
  }
  const known = new Map<string, Estimate | null>();
  return {
    session,
    repetitions: kept.map((place) => repetitions[place]),
    value,
    byRun: kept.map((place) => figure(weightsOf([place], size))),
    logStandardError: standardErrorOf(logDraws, kept.length),
    logDraws,
    of: (some) => {
      const places = kept.filter((place) => some.includes(repetitions[place]));
      if (places.length === 0) return null;
      // Cached, because a cell with a missing run is compared with every other cell.
      const key = places.join();
      const found = known.get(key);
      if (found !== undefined) return found;
      const estimate = estimateOf(from, places, drawsOf(repetitions, places, resamples));
      known.set(key, estimate);
      return estimate;
    },
  };
}

/**
 * The most recent draws, by the repetitions from which they were drawn. The cells of an experiment share them, because
 * drawing takes longer than pooling; a cell with a missing run needs its own.
 */
const lastDraws = new Map<string, readonly Float64Array[]>();
const MOST_DRAWS = 8;

/** How often each run is in each resample. The same repetitions always give the same draws. */
function drawsOf(
  repetitions: readonly number[],
  kept: readonly number[],
  resamples: number,
): readonly Float64Array[] {
  const drawn = kept.map((place) => repetitions[place]).join();
  const key = JSON.stringify([drawn, kept, repetitions.length, resamples]);
  const known = lastDraws.get(key);
  if (known !== undefined) return known;
  const draw = drawBy(fnv1a(drawn));
  const draws = Array.from(
    { length: resamples },
    () => resampleOf(kept, repetitions.length, draw),
  );
  const [oldest] = lastDraws.keys();
  if (lastDraws.size === MOST_DRAWS) lastDraws.delete(oldest);
  lastDraws.set(key, draws);
  return draws;
}

function resampleOf(kept: readonly number[], size: number, draw: Draw): Float64Array {
  return weightsOf(kept.map(() => kept[draw(0, kept.length - 1)]), size);
}

function weightsOf(places: readonly number[], size: number): Float64Array {
  const weights = new Float64Array(size);
  for (const place of places) weights[place]++;
  return weights;
}

/**
 * Standard error of a logarithm, computed from its draws. It corrects for the variance of resamples of n runs, which is
 * too small by the factor (n − 1) / n. NaN for one run.
 */
export function standardErrorOf(logDraws: Float64Array, runs: number): number {
  return stdevOf(logDraws) * Math.sqrt(runs / (runs - 1));
}

/** Standard deviation of the values as a whole population, so the divisor is n and not n − 1. */
export function stdevOf(values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  const mean = sum / values.length;
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i] - mean) ** 2;
  return Math.sqrt(squares / values.length);
}

/**
 * Estimates the figures of a cell's runs. All callers get the same draws, so a check by `repeat: until` sees the same
 * estimates as the report.
 *
 * @param runs The blocks of each run; runs without any are left out.
 * @returns The function that estimates a figure. Its result is null if there is no run, and under the same conditions
 * as in `bootstrap`.
 */
export function drawsOfCell(
  runs: readonly (readonly RunBlock[])[],
  { session, repetitions }: Sampling,
): DrawEstimate {
  const filled = [...runs.keys()].filter((run) => runs[run].length > 0);
  if (filled.length === 0) return () => null;
  return drawsFrom(filled.map((run) => runs[run]), {
    sampling: { session, repetitions: filled.map((run) => repetitions[run]) },
  });
}

export function estimateCell(
  runs: readonly (readonly RunBlock[])[],
  figures: readonly PooledFigure[],
  sampling: Sampling,
): (Estimate | null)[] {
  return figures.map(drawsOfCell(runs, sampling));
}
