/**
 * Whether a run reached a steady state, and when (after E. Barrett et al., "Virtual machine warmup blows hot and cold",
 * OOPSLA 2017). The series of intervals is cut into segments that are each on one level, and the last level is the
 * steady part if it lasts long enough. Nothing is presumed: a run may be flat from the start, warm up, slow down, or
 * never settle.
 */
import { FLAT_MS, FLAT_RATIO, type Flatness } from "./flatness.ts";
import { findFreezes, type Freezes } from "./freezes.ts";
import { medianOf } from "../quantile.ts";
import { MATERIAL_RATIO, type Segment, segmentSeries, slowStartOf } from "./segments.ts";
import { type SteadyPart, steadyPartOf, type Unsettled } from "./steady_part.ts";

/** Labels from the best to the worst. */
export const STEADY_LABELS = [
  "flat",
  "warm-up",
  "slowdown",
  "no-steady-state",
  "too-short",
] as const;
export type SteadyLabel = typeof STEADY_LABELS[number];

/** Least number of intervals with a value for a series to be judged: 5 s of 250 ms. */
export const LEAST_STEADY_INTERVALS = 20;

/** Consecutive intervals on one level. */
interface SteadySegment {
  /** Index of the segment's first interval. The segment ends where the next one begins. */
  readonly from: number;
  /** Median of the intervals' values without outliers, in the unit of the series. */
  readonly level: number;
}

interface SteadyState {
  readonly label: SteadyLabel;
  /** Index of the first interval of the steady part, which is 0 if flat; null if there is none. */
  readonly steadyFrom: number | null;
  /** In order; empty if the series is too short. */
  readonly segments: readonly SteadySegment[];
  /** Flatness of the steady part; null if there is none. */
  readonly flatness: Flatness | null;
  /** Null if there is a steady part, or if the series is too short to say. */
  readonly unsettled: Unsettled | null;
}

export interface RunInterval {
  readonly seconds: number;
  readonly completed: number;
  /** Median latency of the requests that ended in the interval; null if none did. */
  readonly medianMs: number | null;
}

/**
 * Why a run has no steady state. If its two series, latency and rate, have different reasons, the one that comes first
 * in this list counts.
 */
export const UNSETTLED_REASONS = [
  "freezes",
  "drift",
  "cycle",
  "levels",
  "returns",
  "wander",
  "late",
] as const satisfies readonly (Unsettled["why"] | "freezes")[];
export type UnsettledReason = typeof UNSETTLED_REASONS[number];

export interface RunSteadyState {
  /** The worse label of the two series; "no-steady-state" if there are several freezes. */
  readonly label: SteadyLabel;
  /** The later of the starts of the two series; null if the run has no steady part. */
  readonly steadyFrom: number | null;
  /**
   * How far the steady part strays from its level, in the series that strays farther; null if there is no steady part.
   */
  readonly withinRatio: number | null;
  /**
   * How far the latency strays from its level, in milliseconds, if the latency is so low that its variation comes from
   * the machine; otherwise null. If set, `withinRatio` is that of the rate alone.
   */
  readonly withinMs: number | null;
  /** Why the run has no steady state; null if it has one, or is too short to tell. */
  readonly unsettled: UnsettledReason | null;
  /**
   * Change along a straight line fitted to the series, relative to its start, if `unsettled` is "drift"; otherwise
   * null.
   */
  readonly driftRatio: number | null;
  /** Intervals per cycle, if `unsettled` is "cycle"; otherwise null. */
  readonly cyclePeriod: number | null;
  readonly freezes: Freezes | null;
  readonly latency: SteadyState;
  readonly rate: SteadyState;
}

/**
 * Labels a run by both its latency and its rate. Intervals shorter than the first, such as a truncated last one, are
 * left out.
 */
export function classifyRun(intervals: readonly RunInterval[]): RunSteadyState {
  const { whole, medians, rates } = seriesOf(intervals);
  const usualMs = medianOf(medians.filter((median) => median !== null));
  const latency = classifySeries(medians, "latency", Math.max(FLAT_RATIO, FLAT_MS / usualMs));
  const rate = classifySeries(rates, "rate");
  const freezes = findFreezes(whole, usualMs);
  const series = { freezes, latency, rate };
  if (freezes !== null && freezes.count > 1) {
    return { ...series, ...NEVER, label: "no-steady-state", unsettled: "freezes" };
  }
  const label = STEADY_LABELS[
    Math.max(...[latency, rate].map(({ label }) => STEADY_LABELS.indexOf(label)))
  ];
  if (latency.flatness === null || rate.flatness === null) {
    return {
      ...series,
      ...NEVER,
      label,
      ...(label === "too-short" ? {} : reasonOf(latency, rate)),
    };
  }
  return {
    ...series,
    ...NEVER,
    label,
    steadyFrom: Math.max(latency.steadyFrom ?? 0, rate.steadyFrom ?? 0),
    ...withinOf(latency.flatness, rate.flatness, usualMs),
  };
}

/** The segments that `classifyRun` would find, for callers that need nothing else. */
export function segmentsOf(
  intervals: readonly RunInterval[],
): { readonly latency: readonly SteadySegment[]; readonly rate: readonly SteadySegment[] } {
  const { medians, rates } = seriesOf(intervals);
  return {
    latency: levelsOf(medians, "latency")?.segments ?? [],
    rate: levelsOf(rates, "rate")?.segments ?? [],
  };
}

interface RunSeries {
  readonly whole: readonly RunInterval[];
  readonly medians: readonly (number | null)[];
  readonly rates: readonly number[];
}

function seriesOf(intervals: readonly RunInterval[]): RunSeries {
  const whole = intervals.filter(({ seconds }) => seconds > 0.99 * intervals[0].seconds);
  return {
    whole,
    medians: whole.map(({ medianMs }) => medianMs),
    rates: whole.map(({ seconds, completed }) => completed / seconds),
  };
}

function withinOf(
  latency: Flatness,
  rate: Flatness,
  usualMs: number,
): Pick<RunSteadyState, "withinRatio" | "withinMs"> {
  const withinMs = latency.withinRatio * usualMs;
  return latency.withinRatio > FLAT_RATIO && withinMs <= FLAT_MS
    ? { withinRatio: rate.withinRatio, withinMs }
    : { withinRatio: Math.max(latency.withinRatio, rate.withinRatio), withinMs: null };
}

const NEVER = {
  steadyFrom: null,
  withinRatio: null,
  withinMs: null,
  unsettled: null,
  driftRatio: null,
  cyclePeriod: null,
} as const;

function reasonOf(
  latency: SteadyState,
  rate: SteadyState,
): Pick<RunSteadyState, "unsettled" | "driftRatio" | "cyclePeriod"> {
  const reasons = [latency, rate].flatMap(({ unsettled }) => unsettled ?? []);
  const [{ why, driftRatio, cyclePeriod }] = reasons.sort((a, b) =>
    UNSETTLED_REASONS.indexOf(a.why) - UNSETTLED_REASONS.indexOf(b.why)
  );
  return {
    unsettled: why,
    driftRatio: driftRatio === null ? null : Math.expm1(driftRatio),
    cyclePeriod,
  };
}

/**
 * Labels one series. It is judged by its logarithm, on which noise is equally large at every level. Intervals without a
 * value (null) are skipped, but their time counts.
 *
 * @param values Median latency (above 0) or rate (0 or more) of each interval, in any unit.
 * @param flatRatio Levels that differ by no more than this count as the same.
 */
export function classifySeries(
  values: readonly (number | null)[],
  kind: "latency" | "rate",
  flatRatio = FLAT_RATIO,
): SteadyState {
  const levels = levelsOf(values, kind);
  if (levels === null) return TOO_SHORT;
  const { parts, segments, ratios, worse } = levels;
  const settled = steadyPartOf(parts, { length: values.length, all: ratios, flatRatio });
  if ("why" in settled) {
    const none = { steadyFrom: null, flatness: null };
    return { label: "no-steady-state", ...none, segments, unsettled: settled };
  }
  const { from: steadyFrom, flatness } = settled;
  return { label: labelOf(settled, worse), steadyFrom, segments, flatness, unsettled: null };
}

interface Levels {
  readonly parts: readonly Segment[];
  readonly segments: readonly SteadySegment[];
  readonly ratios: readonly number[];
  /** 1 if higher is worse (latency), −1 if lower is worse (rate). */
  readonly worse: 1 | -1;
}

/** Null if there are too few values, or if their median is 0. */
function levelsOf(values: readonly (number | null)[], kind: "latency" | "rate"): Levels | null {
  const present = [...values.keys()].filter((index) => values[index] !== null);
  const known = present.map((index) => Number(values[index]));
  const middle = medianOf(known);
  if (known.length < LEAST_STEADY_INTERVALS || middle === 0) return null;
  const ratios = known.map((value) => Math.log(Math.max(value / middle, LEAST_RATIO)));
  const worse = kind === "latency" ? 1 : -1;
  const parts = withSlowStart(segmentSeries(ratios), ratios, worse)
    .map((part) => ({
      ...part,
      from: part.from === 0 ? 0 : present[part.from],
      indexes: part.indexes.map((index) => present[index]),
    }));
  const segments = parts.map(({ from, level }) => ({
    from,
    level: middle * Math.exp(level),
  }));
  return { parts, segments, ratios, worse };
}

/** Smaller values are raised to this share of the median, because a rate of 0 has no logarithm. */
const LEAST_RATIO = 0.01;

const TOO_SHORT: SteadyState = {
  label: "too-short",
  steadyFrom: null,
  segments: [],
  flatness: null,
  unsettled: null,
};

/** Splits the first intervals off their segment if they are far worse than the rest of it. */
function withSlowStart(
  [first, ...rest]: readonly Segment[],
  ratios: readonly number[],
  worse: 1 | -1,
): Segment[] {
  const length = slowStartOf(ratios, first, worse);
  if (length === 0) return [first, ...rest];
  const values = ratios.slice(0, length);
  const isAfter = (_: unknown, i: number): boolean => first.indexes[i] >= length;
  return [
    { from: 0, level: medianOf(values), values, indexes: [...values.keys()] },
    {
      ...first,
      from: length,
      values: first.values.filter(isAfter),
      indexes: first.indexes.filter(isAfter),
    },
    ...rest,
  ];
}

/**
 * A warm-up ends on the best level, or on one that hardly differs from the best; a slowdown ends on a worse level.
 * @param worse 1 if higher is worse (latency), −1 if lower is worse (rate).
 */
function labelOf({ from, before, level }: SteadyPart, worse: 1 | -1): SteadyLabel {
  if (from === 0) return "flat";
  const wasBetter = before.some((other) => worse * (level - other) > MATERIAL_RATIO);
  return wasBetter ? "slowdown" : "warm-up";
}
