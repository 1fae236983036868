/**
 * Whether a series of values is shown to be flat: not only that no change was found in it, but that the medians
 * of all its windows lie within so many percent of its level. What lies within is a result of its own: a reader
 * who needs less knows that this run does not show it.
 */
import { medianOf, quantileOf } from "../quantile.ts";

/** The reason why a series isn't flat. */
export type Unrest = "drift" | "cycle" | "levels" | "wander";

export interface Flatness {
  /** The farthest that a window's median, or the top of a regular swing, lies from the level. */
  readonly withinRatio: number;
  /** Change of a straight line through all, from the first to the last; positive when they rise. */
  readonly driftRatio: number;
  /** Period in values, where a regular swing explains most of the variance. */
  readonly cyclePeriod: number | null;
  /** Null where it is flat. */
  readonly unrest: Unrest | null;
}

/** Windows may lie this far from the level, or as far as noise alone brings them. */
export const FLAT_RATIO = 0.05;
/** Medians of latency that differ by less are the machine's: Linux wakes a process up to 50 µs late (`PR_SET_TIMERSLACK`). */
export const FLAT_MS = 0.05;
/** Standard errors of a window's median that noise brings the farthest of some twenty. */
const WINDOW_ERRORS = 4;
/** Noisier windows show nothing. */
const MOST_RATIO = 0.15;
/**
 * How much less a straight line through all values may rise than windows may differ, because windows also differ by
 * chance.
 */
const DRIFT_LESS_RATIO = 0.02;
const DRIFT_ERRORS = 4;
/** Share of the variance that a sine must explain to be taken for the cause of the values, rather than noise. */
const CYCLE_EXPLAINED = 0.7;
/** Windows of a tenth of the series, but of a second at least. */
const WINDOWS = 10;
const LEAST_WINDOW = 4;
/** Waves of noise are not taken to be any slower than this, or every slow wander would be noise. */
const MOST_CORRELATION = 0.6;
/**
 * Kurtosis of normal noise is 3; of a series that jumps between two levels it is near 1, of a sine 1.5. Of few values
 * it may be far off, so that fewer must have less of it: 1.83 for 120 values, 1.5 for 20.
 */
const LEVELS_KURTOSIS = { of: 1.9, lessPerValue: 8 };
/** Such levels are this share of what windows may differ by, or more, from the middle between them. */
const LEVELS_SHARE = 0.8;

/**
 * @param values Logarithms, or shares of a middle value, outliers aside; at least 3.
 * @param flatRatio How far windows may lie from the level whatever the noise: `FLAT_RATIO` or more.
 */
export function flatnessOf(values: readonly number[], flatRatio: number): Flatness {
  const level = medianOf(values);
  const { change, standardError } = driftOf(values);
  const cycle = cycleOf(values);
  const distances = windowsOf(values).map((window) => Math.abs(medianOf(window) - level));
  const withinRatio = Math.max(...distances, cycle?.amplitude ?? 0);
  return {
    withinRatio,
    driftRatio: change,
    cyclePeriod: cycle?.period ?? null,
    unrest: unrestOf(),
  };

  function unrestOf(): Unrest | null {
    if (Math.abs(change) > Math.max(driftLimitOf(flatRatio), DRIFT_ERRORS * standardError)) {
      return "drift";
    }
    if (cycle !== null && cycle.amplitude > flatRatio) return "cycle";
    if (isOfTwoLevels(values, flatRatio)) return "levels";
    return withinRatio > toleranceOf(values, flatRatio) ? "wander" : null;
  }
}

/** The most that a straight line may rise from the first value to the last, whatever the noise. */
export function driftLimitOf(flatRatio: number): number {
  return flatRatio - DRIFT_LESS_RATIO;
}

/** How far windows may lie from the level. */
function toleranceOf(values: readonly number[], flatRatio: number): number {
  const noise = WINDOW_ERRORS * windowErrorOf(values);
  return Math.max(flatRatio, Math.min(MOST_RATIO, noise));
}

/**
 * Standard error of a window's median, from the differences of neighbours: a slow wander is in the windows, but
 * hardly in these. The median of normal values is √(π/2) times as uncertain as their mean, and noise with an
 * autocorrelation r is worth n · (1 − r) / (1 + r) values.
 */
function windowErrorOf(values: readonly number[]): number {
  const correlation = Math.min(MOST_CORRELATION, Math.max(0, correlationOf(values)));
  const differences = values.slice(1).map((value, i) => (value - values[i]) ** 2);
  const step = differences.reduce((sum, square) => sum + square, 0) / differences.length;
  const variance = step / 2 / (1 - correlation);
  const worth = windowLength(values.length) * (1 - correlation) / (1 + correlation);
  return Math.sqrt(Math.PI / 2 * variance / worth);
}

function correlationOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const products = values.slice(1)
    .reduce((sum, value, i) => sum + (value - mean) * (values[i] - mean), 0);
  return squares === 0 ? 0 : products / squares;
}

/** Each half over the one before; the last ends with the series. */
function windowsOf(values: readonly number[]): number[][] {
  const length = windowLength(values.length);
  const last = Math.max(0, values.length - length);
  const count = Math.ceil(2 * last / length) + 1;
  return Array.from({ length: count }, (_, i) => {
    const from = Math.min(last, Math.round(i * length / 2));
    return values.slice(from, from + length);
  });
}

function windowLength(length: number): number {
  return Math.max(LEAST_WINDOW, Math.round(length / WINDOWS));
}

/** The regular swing that explains most of what the values do; null if there is none. */
export function cycleOf(values: readonly number[]): Cycle | null {
  const cycle = strongestCycle(values);
  return cycle !== null && cycle.explained >= CYCLE_EXPLAINED ? cycle : null;
}

/** Whether values jump between two levels, however often: far apart, and few between. */
function isOfTwoLevels(values: readonly number[], flatRatio: number): boolean {
  const sorted = [...values].sort((a, b) => a - b);
  const reach = (quantileOf(sorted, 0.9) - quantileOf(sorted, 0.1)) / 2;
  if (reach < LEVELS_SHARE * flatRatio) return false;
  return kurtosisOf(values) < LEVELS_KURTOSIS.of - LEVELS_KURTOSIS.lessPerValue / values.length;
}

function kurtosisOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const moment = (power: number): number =>
    values.reduce((sum, value) => sum + (value - mean) ** power, 0) / values.length;
  return moment(4) / moment(2) ** 2;
}

/**
 * How far a series of values drifted: the change of a straight line through them from the first to
 * the last, fitted by least squares.
 */
export interface Drift {
  /** In the values' unit; positive when they rise. */
  readonly change: number;
  /**
   * Standard error of `change`. Noise in waves (with an autocorrelation r from one value to the next) counts for as
   * many independent values as it is worth, n · (1 − r) / (1 + r).
   */
  readonly standardError: number;
  /** Sum of the squared distances of the values from the line. */
  readonly residualSquares: number;
}

/** @param values At least 3. */
export function driftOf(values: readonly number[]): Drift {
  const length = values.length;
  const middle = (length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / length;
  const spread = (length ** 3 - length) / 12; // Σ (i − middle)²
  const slope = values.reduce((sum, value, i) => sum + (i - middle) * value, 0) / spread;
  const residuals = values.map((value, i) => value - mean - slope * (i - middle));
  const squares = residuals.reduce((sum, residual) => sum + residual ** 2, 0);
  const products = residuals.slice(1).reduce(
    (sum, residual, i) => sum + residual * residuals[i],
    0,
  );
  const correlation = squares === 0 ? 0 : Math.max(0, products / squares);
  const variance = squares / (length - 2) * (1 + correlation) / (1 - correlation);
  return {
    change: slope * (length - 1),
    standardError: (length - 1) * Math.sqrt(variance / spread),
    residualSquares: squares,
  };
}

// The strongest regular swing of a series: the sine that explains most of its variance, by Schuster's
// periodogram (A. Schuster, 1898) on a grid four times as fine as that of the Fourier frequencies, so that a
// period between two of these is not missed. A swing counts only with two whole cycles in the series: less is
// a bend.

interface Cycle {
  /** Half the way from the lowest to the highest point of the sine, in the unit of the series. */
  readonly amplitude: number;
  /** Values from one top to the next. */
  readonly period: number;
  /** Share of the variance about the mean that the sine explains, 0–1. */
  readonly explained: number;
}

/** Shorter periods look like others: 2 values a cycle is the limit (H. Nyquist, 1928). */
const LEAST_PERIOD = 2.5;
const GRID = 4;
/** More values are put together in pairs first, two minutes of 250 ms: the search takes their square. */
const MOST_VALUES = 480;

/** @returns Null for equal values, and for fewer than two cycles of the shortest period. */
export function strongestCycle(values: readonly number[]): Cycle | null {
  if (values.length > MOST_VALUES) {
    const cycle = strongestCycle(inPairs(values));
    return cycle && { ...cycle, period: 2 * cycle.period };
  }
  const length = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / length;
  const deviations = values.map((value) => value - mean);
  const squares = deviations.reduce((sum, value) => sum + value ** 2, 0);
  if (squares === 0) return null;
  const most = Math.floor(GRID * length / LEAST_PERIOD);
  const cycles = Array.from({ length: Math.max(0, most - 2 * GRID + 1) }, (_, i) => {
    const perValue = (2 * GRID + i) / (GRID * length);
    const power = powerAt(deviations, perValue);
    return {
      amplitude: 2 * Math.sqrt(power) / length,
      period: 1 / perValue,
      explained: Math.min(1, 2 * power / (length * squares)),
    };
  });
  return cycles.reduce<Cycle | null>(
    (best, cycle) => best !== null && best.explained >= cycle.explained ? best : cycle,
    null,
  );
}

function inPairs(values: readonly number[]): number[] {
  return Array.from(
    { length: Math.floor(values.length / 2) },
    (_, i) => (values[2 * i] + values[2 * i + 1]) / 2,
  );
}

/** Squared length of the Fourier sum at a frequency of so many cycles per value (G. Goertzel, 1958). */
function powerAt(values: readonly number[], perValue: number): number {
  const turn = 2 * Math.cos(2 * Math.PI * perValue);
  let last = 0;
  let before = 0;
  for (const value of values) {
    const next = value + turn * last - before;
    before = last;
    last = next;
  }
  return last ** 2 + before ** 2 - turn * last * before;
}
