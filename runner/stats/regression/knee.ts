/**
 * Where throughput stops growing. Operational analysis bounds it by two lines (P. J. Denning and J. P. Buzen, "The
 * operational analysis of queueing network models", ACM Computing Surveys 10, 1978): throughput grows with the load
 * until some resource is always busy, and then stays constant. The knee is where the lines meet.
 *
 * - As a function of the offered rate, both lines are known except for one number: the offered rate is served, y = x,
 *   up to the capacity c. The knee is c.
 * - As a function of anything else (connections, instances), growth need not be proportional: y = a·xᵇ up to a level.
 *   It is fitted by least squares of logarithms, because noise multiplies (`segmented_regression.ts`). A single point
 *   before the knee does not show b. In that case b = 1 is assumed, the largest possible, which gives the lowest knee.
 *   The curve of a real server bends instead of breaking, and no fit shows where between two measured values it bends,
 *   so the interval reaches to the values around the knee.
 *
 * Throughput that falls again beyond its peak counts as constant there, because the question is from where on more load
 * brings no more throughput. Intervals are over runs, by the draws of `bootstrap.ts`.
 */
import type { Estimate } from "../confidence/bootstrap.ts";
import { fitSegmentedLine, regression } from "./segmented_regression.ts";
import { stretchedDraws } from "../confidence/confidence_interval.ts";
import { meanOf, quantileOf } from "../quantile.ts";

export interface KneePoint {
  /** The load, above 0, such as offered requests per second or connections. */
  readonly at: number;
  /** Estimate of the throughput in requests per second. */
  readonly served: Pick<Estimate, "value" | "byRun" | "logStandardError" | "logDraws">;
}

interface KneeOptions {
  /** Whether `at` is an offered rate. It must be in the same unit as the throughput. */
  readonly isOffered: boolean;
  /** Default 0.95. */
  readonly confidence?: number;
}

export type Knee =
  | {
    readonly kind: "knee";
    readonly at: number;
    /** Null if any value of the load was measured only once. */
    readonly interval: { readonly low: number; readonly high: number } | null;
  }
  | {
    /**
     * - too-few: there are too few values to see a knee;
     * - grows: throughput grows to the end of the range;
     * - flat, falls: throughput is constant, or falls, from the start of the range;
     * - unsure: the runs differ too much to decide.
     */
    readonly kind: "too-few" | "grows" | "flat" | "falls" | "unsure";
  };

/** With fewer values of the load than this, a knee can't be distinguished from a curve. */
export const LEAST_VALUES = { offered: 3, other: 4 } as const;
/**
 * Throughput that falls short of the offered rate by less than this ratio shows no knee. Throughput that grows by less
 * than this ratio over the whole range counts as constant.
 */
const MATERIAL_RATIO = 1.05;
/**
 * The exponent below which throughput counts as constant. At this exponent, twice the load brings 10 % more throughput.
 */
const LEVEL_EXPONENT = Math.log2(1.1);
/** Beyond a knee, the exponent is at most this share of the exponent before it. */
const LEVEL_SHARE = 1 / 3;

/** The load at which growth ends, and the values between which it certainly ends. All are logarithms. */
type Corner = { readonly at: number; readonly low: number; readonly high: number };
type Find = (xs: readonly number[], ys: readonly number[]) => Corner | "grows" | "flat" | "falls";

/** @param points Ascending by `at`, without duplicates. */
export function kneeOf(
  points: readonly KneePoint[],
  { isOffered, confidence = 0.95 }: KneeOptions,
): Knee {
  const xs = points.map(({ at }) => Math.log(at));
  const ys = points.map(({ served }) => Math.log(served.value));
  if (points.length < (isOffered ? LEAST_VALUES.offered : LEAST_VALUES.other)) {
    return { kind: (isOffered ? null : withoutGrowth(ys)) ?? "too-few" };
  }
  const find = isOffered ? findCapacity : findBend;
  const found = find(xs, ys);
  if (typeof found === "string") return { kind: found };
  const at = Math.exp(found.at);
  const draws = points.map(({ served }) => stretchedDraws(served, confidence))
    .filter((draw) => draw !== null);
  if (draws.length < points.length) return { kind: "knee", at, interval: null };
  const interval = intervalAmong(cornersOf(xs, draws, find), confidence);
  return interval === null ? { kind: "unsure" } : { kind: "knee", at, interval };
}

/** The corner in each resample, in which all points are drawn together. */
function cornersOf(
  xs: readonly number[],
  draws: readonly Float64Array[],
  find: Find,
): ReturnType<Find>[] {
  return Array.from(
    { length: draws[0].length },
    (_, i) => find(xs, draws.map((draw) => Math.log(draw[i]))),
  );
}

/** Null if too many resamples have no corner. */
function intervalAmong(
  found: readonly ReturnType<Find>[],
  confidence: number,
): { low: number; high: number } | null {
  const corners = found.filter((corner) => typeof corner !== "string");
  if (corners.length < confidence * found.length) return null;
  const ends = (of: (corner: Corner) => number): number[] => corners.map(of).sort((a, b) => a - b);
  return {
    low: Math.exp(quantileOf(ends(({ low }) => low), (1 - confidence) / 2)),
    high: Math.exp(quantileOf(ends(({ high }) => high), (1 + confidence) / 2)),
  };
}

/** Finds the level c for which y = min(x, c) fits best. */
function findCapacity(xs: readonly number[], ys: readonly number[]): ReturnType<Find> {
  const last = xs.length - 1;
  if (ys[last] > xs[last] - Math.log(MATERIAL_RATIO)) return "grows";
  const most = envelopeOf(ys);
  const candidates = xs.map((x, first) => {
    const level = Math.max(xs[first - 1] ?? -Infinity, Math.min(x, meanOf(most.slice(first))));
    const squaredError = xs.reduce(
      (sum, x, i) => sum + (most[i] - Math.min(x, level)) ** 2,
      0,
    );
    return { level, squaredError };
  });
  const { level } = candidates.reduce((best, one) =>
    one.squaredError < best.squaredError ? one : best
  );
  return { at: level, low: level, high: level };
}

function findBend(xs: readonly number[], ys: readonly number[]): ReturnType<Find> {
  const shape = withoutGrowth(ys);
  if (shape !== null) return shape;
  const most = envelopeOf(ys);
  const fitted = fitSegmentedLine(xs, most, 1);
  if (fitted === null) return "grows";
  const { corner, slope, rising } = fitted;
  const beyond = regression(xs.slice(rising), most.slice(rising)).slope;
  if (beyond > Math.min(LEVEL_EXPONENT, slope * LEVEL_SHARE)) return "grows";
  // If the corner is at a measured value (apart from rounding), growth has certainly ended only at
  // the next value.
  const next = corner > xs[rising] - 1e-9 ? rising + 1 : rising;
  return { at: corner, low: xs[rising - 1], high: xs[next] };
}

/** The shape of a line without growth; null for a line that grows, or has fewer than two values. */
function withoutGrowth(ys: readonly number[]): "flat" | "falls" | null {
  if (ys.length < 2 || Math.max(...ys) - ys[0] >= Math.log(MATERIAL_RATIO)) return null;
  return ys[ys.length - 1] < ys[0] - Math.log(MATERIAL_RATIO) ? "falls" : "flat";
}

/**
 * The throughput at each load, or the highest at a lower load if that was materially higher. Always taking the highest
 * would mistake the luckiest of many noisy values for the level.
 */
function envelopeOf(ys: readonly number[]): number[] {
  let most = -Infinity;
  return ys.map((y) => {
    most = Math.max(most, y);
    return y < most - Math.log(MATERIAL_RATIO) ? most : y;
  });
}
