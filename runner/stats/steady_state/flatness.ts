/**
 * Whether a series of values is shown to be flat. It is not enough that no change was found: the medians of all windows
 * must lie within a certain percentage of the level. The percentage reached is reported, too, so that readers who need
 * a flatter series see that this run does not show one.
 */
import { medianOf, quantileOf } from "../quantile.ts";

/** Why a series isn't flat. */
export type Unrest = "drift" | "cycle" | "levels" | "wander";

export interface Flatness {
  /**
   * The largest distance of a window's median from the level, or the amplitude of a regular oscillation if that is
   * larger.
   */
  readonly withinRatio: number;
  /** How much a line fitted to the values rises from the first value to the last, as a ratio; negative if it falls. */
  readonly driftRatio: number;
  /** Number of values per cycle, if a regular oscillation explains most of the variance; otherwise null. */
  readonly cyclePeriod: number | null;
  /** Null if the series is flat. */
  readonly unrest: Unrest | null;
}

/** Medians of windows may differ from the level by this ratio, or by as much as noise alone explains. */
export const FLAT_RATIO = 0.05;
/**
 * Smaller differences between median latencies, in milliseconds, come from the machine: Linux wakes a process up to 50
 * µs late (`PR_SET_TIMERSLACK`).
 */
export const FLAT_MS = 0.05;
/** How far noise moves the farthest of some twenty window medians, in standard errors. */
const WINDOW_ERRORS = 4;
/**
 * The largest deviation of a window's median that may be put down to noise. A noisier series can't be shown to be flat.
 */
const MOST_RATIO = 0.15;
/**
 * The change along a line fitted to all values may be at most the larger of two limits. One is `DRIFT_LESS_RATIO` below
 * the limit for window medians, which also differ by chance. The other is `DRIFT_ERRORS` standard errors of the change.
 */
const DRIFT_LESS_RATIO = 0.02;
const DRIFT_ERRORS = 4;
/** Share of the variance that a sine must explain before the variation counts as a cycle rather than noise. */
const CYCLE_EXPLAINED = 0.7;
/** A window is 1/`WINDOWS` of the series, but has at least `LEAST_WINDOW` values, which are a second. */
const WINDOWS = 10;
const LEAST_WINDOW = 4;
/**
 * The largest autocorrelation that is put down to noise. Without the limit, all slow wandering would count as noise.
 */
const MOST_CORRELATION = 0.6;
/**
 * The largest kurtosis that shows two levels. The kurtosis of normal noise is 3, that of a sine 1.5, and that of a
 * series that jumps between two levels near 1. With few values it varies widely, so the limit is lower for fewer
 * values: 1.83 for 120 values, 1.5 for 20.
 */
const LEVELS_KURTOSIS = { of: 1.9, lessPerValue: 8 };
/** Two levels must be at least this share of `flatRatio` away from the middle between them. */
const LEVELS_SHARE = 0.8;

/**
 * @param values At least 3 logarithms, or ratios to a middle value, without outliers.
 * @param flatRatio How far window medians may be from the level without regard to noise; at least `FLAT_RATIO`.
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

/** How much a straight line may change from the first value to the last, without regard to noise. */
export function driftLimitOf(flatRatio: number): number {
  return flatRatio - DRIFT_LESS_RATIO;
}

/** How far window medians may be from the level. */
function toleranceOf(values: readonly number[], flatRatio: number): number {
  const noise = WINDOW_ERRORS * windowErrorOf(values);
  return Math.max(flatRatio, Math.min(MOST_RATIO, noise));
}

/**
 * Standard error of a window's median, computed from the differences of neighbours. A slow wander shows in the window
 * medians, but hardly in these differences. The median of normal values is √(π/2) times as uncertain as their mean, and
 * n values of noise with an autocorrelation r are worth n · (1 − r) / (1 + r) independent ones.
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

/** Windows that overlap by half. The last one ends where the series ends. */
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

/** The regular oscillation that explains most of the variance; null if there is none. */
export function cycleOf(values: readonly number[]): Cycle | null {
  const cycle = strongestCycle(values);
  return cycle !== null && cycle.explained >= CYCLE_EXPLAINED ? cycle : null;
}

/** Whether values jump between two levels, however often: the levels are far apart, with few values between them. */
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

/** The drift of a series, as a straight line fitted by least squares. */
export interface Drift {
  /** Change of the line from the first value to the last, in the unit of the values; positive if they rise. */
  readonly change: number;
  /**
   * Standard error of `change`. If neighbours have an autocorrelation r, n values count as n · (1 − r) / (1 + r)
   * independent ones.
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

// The strongest regular oscillation of a series, which is the sine that explains most of its
// variance. It is found by Schuster's periodogram (A. Schuster, 1898) on a grid four times as fine
// as the Fourier frequencies, so that periods between two of them are not missed. An oscillation
// counts only if the series contains two whole cycles, because a shorter series shows only a bend.

interface Cycle {
  /** Half the distance between the lowest and the highest point of the sine, in the unit of the series. */
  readonly amplitude: number;
  /** Number of values in a cycle. */
  readonly period: number;
  /** Share of the variance that the sine explains, 0–1. */
  readonly explained: number;
}

/** The shortest period in values. Periods below 2 are aliased (H. Nyquist, 1928). */
const LEAST_PERIOD = 2.5;
const GRID = 4;
/**
 * Series longer than two minutes of 250 ms intervals are first averaged in pairs, because the search takes quadratic
 * time.
 */
const MOST_VALUES = 480;

/** @returns Null if all values are equal, or if there are fewer than two cycles of the shortest period. */
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

/** Squared magnitude of the Fourier sum at a frequency in cycles per value (G. Goertzel, 1958). */
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
