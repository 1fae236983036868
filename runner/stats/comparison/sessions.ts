/**
 * Comparisons whose unit is the measuring session. On another day, after a reboot or in another container, the same
 * program is faster or slower by more than its runs within a session differ, and more runs in one session say nothing
 * about that (T. Kalibera and R. Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, make the session a level
 * of its own).
 *
 * Consecutive sessions are alike: a machine that is slow tonight is slow tomorrow. So the logarithms of a figure are
 * modelled as a level for each group of sessions (base, new, earlier) plus a stationary process whose correlation fades
 * with the time between sessions, as ρ^lag:
 *
 *     x = level of its group + e,   cov(eᵢ, eⱼ) = σ² · ρ^|tᵢ − tⱼ|
 *
 * For each ρ of a grid, generalised least squares (A. C. Aitken, 1935) gives the ratio of the sides and its Student's
 * t. The values of ρ are weighted by the restricted likelihood of the measured figures (D. A. Harville, JASA 1977) and
 * by a reference prior. Few sessions show little about ρ, which makes the interval wider. Sides that took turns lose
 * nothing, because a drift affects both. `deno task bench sessions` measures how often the interval covers the truth.
 */
import type { Estimate } from "../confidence/bootstrap.ts";
import type { Variance } from "../confidence/confidence_interval.ts";
import { tQuantile, twoSidedP } from "../confidence/student_t.ts";
import { meanOf, medianOf } from "../quantile.ts";
import { type TwoGroups, twoGroupsOf } from "./bimodality.ts";
import { errorsFor } from "./verdict.ts";

/**
 * A figure over at least two sessions: the geometric mean, in which each session counts once. The means of sessions
 * differ both because sessions differ and because runs do, so the variance between them contains both. If that variance
 * is, by luck, below the one that the differences of runs alone explain, the variance from runs is used instead.
 */
export function meanOfSessions(estimates: readonly Estimate[]): Estimate {
  const count = estimates.length;
  const logs = estimates.map(({ value }) => Math.log(value));
  const mean = meanOf(logs);
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  const variance = Math.max(squares / (count - 1), errorWithin(estimates));
  return {
    session: null,
    repetitions: [...estimates.keys()],
    value: Math.exp(mean),
    byRun: estimates.map(({ value }) => value),
    logStandardError: Math.sqrt(variance / count),
    logDraws: new Float64Array(),
    of: () => null,
  };
}

/**
 * Mean squared standard error of the logarithm. Sessions with a single run are left out, because they have no standard
 * error.
 */
function errorWithin(estimates: readonly Pick<Estimate, "logStandardError">[]): number {
  const known = estimates.map(({ logStandardError }) => logStandardError ** 2)
    .filter(Number.isFinite);
  return known.length === 0 ? 0 : meanOf(known);
}

/** The group of a session: one of the two sides, or the earlier sessions, which only show how much sessions differ. */
const SIDES = ["base", "next", "earlier"] as const;
export type SessionSide = typeof SIDES[number];

/** The figure of a cell in one session. */
export interface SessionFigure extends Pick<Estimate, "value" | "logStandardError"> {
  readonly side: SessionSide;
  /**
   * When the session began, in ms; null if unknown. If any is unknown, the sessions count as equally spaced, in the
   * order given.
   */
  readonly startedMs: number | null;
}

/** The ratio of new over base, estimated over sessions. */
export interface SessionContrast extends Variance {
  readonly value: number;
  /** Estimated correlation of sessions at the median distance in time. */
  readonly correlation: number;
  readonly sessions: Readonly<Record<SessionSide, number>>;
  /**
   * Two groups within one side or within the earlier sessions, as ratios to the mean; null if there are no two groups.
   */
  readonly groups: TwoGroups | null;
}

/**
 * If both sides have at least this many sessions, `LEAST_FREEDOM` does not apply. About one session in five may be an
 * outlier. A single session doesn't show whether it is one; among three, an outlier shows in the spread.
 */
export const LEAST_A_SIDE = 3;
/**
 * Degrees of freedom required if a side has fewer than `LEAST_A_SIDE` sessions. If every fifth session is an outlier, 7
 * % of all groups of twelve sessions contain none, and 33 % of all groups of five.
 */
export const LEAST_FREEDOM = 11;

/** @returns Null if there are too few sessions to tell how much sessions differ. */
export function contrastOfSessions(figures: readonly SessionFigure[]): SessionContrast | null {
  const counts = countsOf(figures);
  const groups = SIDES.filter((side) => counts[side] > 0).length;
  const degreesOfFreedom = figures.length - groups;
  const isBalanced = Math.min(counts.base, counts.next) >= LEAST_A_SIDE;
  if (Math.min(counts.base, counts.next) === 0) return null;
  if (!isBalanced && degreesOfFreedom < LEAST_FREEDOM) return null;
  const series = inTime(figures);
  const all = CORRELATIONS.map((correlation) => fitWith(correlation, series));
  // The correlation is estimated from few sessions, so it is never allowed to make the result more
  // certain.
  const [{ error: independent }] = all;
  const fits = all.map((fit, i) => ({
    log: fit.log,
    error: Math.max(fit.error, independent),
    likelihood: fit.likelihood + PRIOR[i],
  }));
  const weights = weightsOf(fits);
  const below = (log: number): number =>
    fits.reduce(
      (sum, { log: centre, error }, i) =>
        sum + weights[i] * belowT((log - centre) / error, degreesOfFreedom),
      0,
    );
  const { value, ...spread } = asStudent(below, fits, degreesOfFreedom);
  return {
    value,
    degreesOfFreedom: spread.degreesOfFreedom,
    variance: isBalanced ? spread.variance : spread.variance * loneFactor(counts),
    correlation: dot(CORRELATIONS, weights),
    sessions: counts,
    groups: groupsIn(figures),
  };
}

/**
 * The mean of one or two sessions varies like a single session, of which one in five may be an outlier, and not like a
 * mean of normal values. So if a side has so few, the variance is computed as though the other side had no more.
 */
function loneFactor({ base, next }: Readonly<Record<"base" | "next", number>>): number {
  return 2 / Math.min(base, next) / (1 / base + 1 / next);
}

function countsOf(figures: readonly SessionFigure[]): Record<SessionSide, number> {
  const count = (side: SessionSide): number => figures.filter((one) => one.side === side).length;
  return { base: count("base"), next: count("next"), earlier: count("earlier") };
}

/** The two groups of sessions on the first side that falls into two groups, as ratios to the mean of that side. */
function groupsIn(figures: readonly SessionFigure[]): TwoGroups | null {
  return SIDES.reduce<TwoGroups | null>((found, side) => {
    const values = figures.filter((one) => one.side === side).map(({ value }) => value);
    if (found !== null || values.length === 0) return found;
    const mean = Math.exp(meanOf(values.map(Math.log)));
    return twoGroupsOf(values.map((value) => value / mean));
  }, null);
}

interface Series {
  /** Natural logarithms of the figure, in order of time. */
  readonly logs: readonly number[];
  readonly sides: readonly SessionSide[];
  /** Time since the session before, as a multiple of the median distance; 0 for the first. */
  readonly lags: readonly number[];
  /** Lower bound of the variance of one session. */
  readonly variance: number;
}

/**
 * Sorts the sessions by time, if all times are known. Sessions closer than the median distance count as that far apart,
 * because every session restarts everything anyway.
 */
function inTime(figures: readonly SessionFigure[]): Series {
  const isTimed = figures.every(({ startedMs }) => startedMs !== null);
  const sorted = isTimed
    ? figures.toSorted((a, b) => (a.startedMs ?? 0) - (b.startedMs ?? 0))
    : figures;
  const gaps = sorted.slice(1).map(({ startedMs }, i) =>
    (startedMs ?? 0) - (sorted[i].startedMs ?? 0)
  );
  const usual = medianOf(gaps);
  return {
    logs: sorted.map(({ value }) => Math.log(value)),
    sides: sorted.map(({ side }) => side),
    lags: [0, ...gaps.map((gap) => usual > 0 ? Math.max(1, gap / usual) : 1)],
    variance: errorWithin(figures),
  };
}

/**
 * The values of ρ that are tried. They end at 0.98, because nearer to 1 no practical number of sessions distinguishes a
 * level from a drift.
 */
const CORRELATIONS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98] as const;

/** Logarithm of the prior of each ρ: the reference prior 1 / √(1 − ρ²), integrated from midpoint to midpoint. */
const PRIOR = CORRELATIONS.map((one, i) => {
  const [before, after] = [CORRELATIONS[i - 1] ?? -one, CORRELATIONS[i + 1] ?? 2 - one];
  return Math.log(Math.asin((one + after) / 2) - Math.asin((one + before) / 2));
});

interface Fit {
  /** Logarithm of the ratio of new over base. */
  readonly log: number;
  /** Standard error of `log`. */
  readonly error: number;
  /** Logarithm of the restricted likelihood, up to a constant. */
  readonly likelihood: number;
}

/**
 * Fits the levels by generalised least squares, on the difference between each session and its prediction from the
 * session before.
 */
function fitWith(correlation: number, { logs, sides, lags, variance }: Series): Fit {
  const carried = lags.map((lag) => lag === 0 ? 0 : correlation ** lag);
  const scales = carried.map((one) => Math.sqrt(1 - one ** 2));
  const whitened = (values: readonly number[]): number[] =>
    values.map((value, i) => (value - carried[i] * (values[i - 1] ?? 0)) / scales[i]);
  const known = SIDES.filter((side) => sides.includes(side));
  const columns = known.map((side) => whitened(sides.map((one) => one === side ? 1 : 0)));
  // Centred on the mean, so that rounding errors of large squares do not swamp the residuals.
  const centre = meanOf(logs);
  const values = whitened(logs.map((log) => log - centre));
  const { inverse, logDeterminant } = inverted(
    columns.map((one) => columns.map((other) => dot(one, other))),
  );
  const moments = columns.map((column) => dot(column, values));
  const levels = inverse.map((row) => dot(row, moments));
  const residuals = values.map((value, i) =>
    value - columns.reduce((sum, column, at) => sum + column[i] * levels[at], 0)
  );
  const freedom = logs.length - known.length;
  const squares = dot(residuals, residuals);
  const found = Math.max(squares / freedom, variance, Number.MIN_VALUE);
  const sign = known.map((side) => side === "next" ? 1 : side === "base" ? -1 : 0);
  const logScales = scales.reduce((sum, scale) => sum + Math.log(scale), 0);
  return {
    log: dot(sign, levels),
    error: Math.sqrt(found * dot(sign, inverse.map((row) => dot(row, sign)))),
    likelihood: -logScales - (logDeterminant + freedom * Math.log(found) + squares / found) / 2,
  };
}

function dot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, i) => sum + value * other[i], 0);
}

/** Inverts a positive definite matrix of at most three rows, by Gauss–Jordan elimination. */
function inverted(
  matrix: readonly (readonly number[])[],
): { readonly inverse: number[][]; readonly logDeterminant: number } {
  const size = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...row.map((_, at) => at === i ? 1 : 0)]);
  let logDeterminant = 0;
  for (let pivot = 0; pivot < size; pivot++) {
    const by = rows[pivot][pivot];
    logDeterminant += Math.log(by);
    rows[pivot] = rows[pivot].map((value) => value / by);
    for (let other = 0; other < size; other++) {
      const factor = rows[other][pivot];
      if (other === pivot) continue;
      rows[other] = rows[other].map((value, at) => value - factor * rows[pivot][at]);
    }
  }
  return { inverse: rows.map((row) => row.slice(size)), logDeterminant };
}

function weightsOf(fits: readonly Fit[]): number[] {
  const most = Math.max(...fits.map(({ likelihood }) => likelihood));
  const shares = fits.map(({ likelihood }) => Math.exp(likelihood - most));
  const sum = shares.reduce((all, share) => all + share, 0);
  return shares.map((share) => share / sum);
}

function belowT(t: number, degreesOfFreedom: number): number {
  const tail = twoSidedP(Math.abs(t), degreesOfFreedom) / 2;
  return t > 0 ? 1 - tail : tail;
}

/**
 * Two-sided levels at which Student's t is matched to the mixture over ρ. The first suits a single decision, the second
 * a decision that is one of ten.
 */
const MATCHED = [0.95, 0.995] as const;

/** The t distribution with the same median as the mixture over ρ, and the same width at both levels of `MATCHED`. */
function asStudent(
  below: (log: number) => number,
  fits: readonly Fit[],
  most: number,
): Variance & { readonly value: number } {
  const far = 1e4 * Math.max(...fits.map(({ error }) => error));
  const [low, high] = [
    Math.min(...fits.map(({ log }) => log)) - far,
    Math.max(...fits.map(({ log }) => log)) + far,
  ];
  const quantile = (share: number): number => crossingOf((log) => below(log) - share, low, high);
  const median = quantile(0.5);
  const [near, wide] = MATCHED.map((level) =>
    Math.max(quantile((1 + level) / 2) - median, median - quantile((1 - level) / 2))
  );
  const ratioOf = (freedom: number): number =>
    tQuantile(MATCHED[1], freedom) / tQuantile(MATCHED[0], freedom);
  const degreesOfFreedom = wide / near > ratioOf(most)
    ? crossingOf((freedom) => wide / near - ratioOf(freedom), 1, most)
    : most;
  const error = near / tQuantile(MATCHED[0], degreesOfFreedom);
  return { value: Math.exp(median), variance: error ** 2, degreesOfFreedom };
}

function crossingOf(rising: (at: number) => number, low: number, high: number): number {
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (rising(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** More sessions than this are never advised. */
const MOST_SESSIONS = 100;

/**
 * How many sessions per side would settle the verdict with 80 % probability if the true ratio is the observed one; null
 * if even 100 would not.
 * @param room Distance from the ratio to the limit that decides the verdict, on a logarithmic scale.
 */
export function sessionsToDecide(
  { variance, degreesOfFreedom, sessions: { base, next } }: SessionContrast,
  room: number,
): number | null {
  const ofOneEach = variance / (1 / base + 1 / next) * 2;
  for (
    let count = Math.max(LEAST_A_SIDE, Math.min(base, next) + 1);
    count <= MOST_SESSIONS;
    count++
  ) {
    const errors = errorsFor(0.95, Math.max(degreesOfFreedom, 2 * (count - 1)));
    if (errors * Math.sqrt(ofOneEach / count) <= room) return count;
  }
  return null;
}
