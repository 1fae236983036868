/**
 * The steady part of a series of segments: where the series begins to stay near its final level, and whether the
 * earlier segments lead there. A series that wanders from level to level has no steady part, although it too ends on
 * some level.
 */
import {
  cycleOf,
  type Drift,
  driftLimitOf,
  driftOf,
  type Flatness,
  flatnessOf,
  type Unrest,
} from "./flatness.ts";
import { medianOf } from "../quantile.ts";
import { LEAST_STDEV_RATIO, type Segment } from "./segments.ts";

export interface Unsettled {
  /**
   * returns: the series comes back to a level that it had left; late: it still changes after three quarters of the run.
   */
  readonly why: Unrest | "returns" | "late";
  /**
   * Change along a straight line fitted to the values, from the first to the last, if `why` is "drift"; otherwise null.
   */
  readonly driftRatio: number | null;
  /** Number of values per cycle, if `why` is "cycle"; otherwise null. */
  readonly cyclePeriod: number | null;
}

export interface SteadyPart {
  /** Index, in the series, of the first value of the steady part. */
  readonly from: number;
  readonly level: number;
  /** Levels of the segments before the steady part, in order. */
  readonly before: readonly number[];
  readonly flatness: Flatness;
}

/** A steady part must begin within this share of the run. */
const LATEST_START_RATIO = 0.75;
/** Distance between the starts that are tried for a steady part, as a share of the run. */
const START_STEP_RATIO = 0.025;
/**
 * A series counts as one drift only if the values after the first segment have at least this share of the overall
 * slope.
 */
const LEAST_GOES_ON = 0.25;
/** Excursions from the last level that take less than this share of the run in total are ignored like outliers. */
const EXCURSION_RATIO = 0.1;

/** What is known about a series besides its segments. */
interface SeriesFacts {
  /** Number of intervals, including those without a value. */
  readonly length: number;
  /** All values, including outliers, because the peaks of a sine look like outliers. */
  readonly all: readonly number[];
  /** Levels that differ by no more than this count as the same. */
  readonly flatRatio: number;
}

export function steadyPartOf(
  segments: readonly Segment[],
  facts: SeriesFacts,
): SteadyPart | Unsettled {
  const { length, all, flatRatio } = facts;
  const cycle = cycleOf(all);
  if (cycle !== null && cycle.amplitude > flatRatio) return unsettled("cycle", null, cycle.period);
  const line = driftOf(valuesOf(segments));
  if (isOneLine(segments, { ...line, flatRatio })) return unsettled("drift", line.change);
  const near = nearLast(segments, facts);
  const before = segments.filter(({ from }) => from < near[0].from);
  if (wanders(before, medianOf(valuesOf(near)), flatRatio)) return unsettled("returns");
  let best = unsettled("late");
  for (const from of startsOf(near, length)) {
    const values = valuesOf(near, from);
    const flatness = flatnessOf(values, flatRatio);
    if (flatness.unrest === null) {
      const passed = segments.filter((segment) => segment.from < from);
      return { from, level: medianOf(values), before: passed.map(({ level }) => level), flatness };
    }
    const { unrest, driftRatio, cyclePeriod } = flatness;
    best = unsettled(unrest, driftRatio, cyclePeriod);
  }
  return best;
}

/** Keeps only the figure that explains the reason. */
function unsettled(
  why: Unsettled["why"],
  drift: number | null = null,
  cyclePeriod: number | null = null,
): Unsettled {
  return {
    why,
    driftRatio: why === "drift" ? drift : null,
    cyclePeriod: why === "cycle" ? cyclePeriod : null,
  };
}

function valuesOf(segments: readonly Segment[], from = 0): number[] {
  return segments.flatMap(({ indexes, values }) => values.filter((_, i) => indexes[i] >= from));
}

/**
 * Where a steady part may begin: at each segment near the last level, and at further points after the first of these,
 * because a slow approach has no step. A series with only one level can be steady only from its beginning.
 */
function startsOf(near: readonly Segment[], length: number): number[] {
  const starts = near.map(({ from }) => from);
  const latest = LATEST_START_RATIO * length;
  if (starts[0] === 0 && near.length === 1) return starts;
  const step = Math.max(1, Math.round(START_STEP_RATIO * length));
  for (let from = starts[0] + step; from < latest; from += step) starts.push(from);
  return starts.filter((from) => from <= latest).sort((a, b) => a - b);
}

/**
 * The segments at the end of the series that are near the last level. Going backwards, each segment is compared with
 * the median of the values accepted so far. Other segments in between are ignored like outliers if they are short in
 * total.
 */
function nearLast(segments: readonly Segment[], { length, flatRatio }: SeriesFacts): Segment[] {
  let near = segments.slice(-1);
  let excursions = 0;
  for (let i = segments.length - 2; i >= 0 && excursions < EXCURSION_RATIO * length; i--) {
    if (Math.abs(segments[i].level - medianOf(valuesOf(near))) <= flatRatio) {
      near = [segments[i], ...near];
    } else {
      excursions += segments[i + 1].from - segments[i].from;
    }
  }
  return near;
}

/**
 * Whether the series, before its steady part, changes direction more than once, or was already at the level of the
 * steady part.
 */
function wanders(before: readonly Segment[], final: number, flatRatio: number): boolean {
  const levels = [...before.map(({ level }) => level), final];
  const steps = levels.slice(1).map((level, i) => level - levels[i])
    .filter((change) => Math.abs(change) > flatRatio);
  const turns = steps.filter((change, i) => i > 0 && change * steps[i - 1] < 0).length;
  return turns > 1 || before.some(({ level }) => Math.abs(level - final) <= flatRatio);
}

/**
 * Whether a straight line explains the series as well as steps do, by the Bayesian information criterion (G. Schwarz,
 * 1978). Each step has three parameters: its level, its time and its noise. The noise is one of them because the first
 * seconds of a server are often wilder than the rest.
 */
function isOneLine(
  segments: readonly Segment[],
  { change, residualSquares, flatRatio }: Drift & { readonly flatRatio: number },
): boolean {
  const values = valuesOf(segments);
  if (segments.length === 1 || Math.abs(change) <= driftLimitOf(flatRatio)) return false;
  const rest = valuesOf(segments.slice(1));
  const share = driftOf(rest).change / change;
  if (share < LEAST_GOES_ON * rest.length / values.length) return false;
  const floor = LEAST_STDEV_RATIO ** 2;
  const cost = (count: number, squares: number): number =>
    count * Math.log(Math.max(floor, squares / count));
  const ofLine = cost(values.length, residualSquares) + 3 * Math.log(values.length);
  const ofSteps = segments.reduce((sum, { values, level }) => {
    const squares = values.reduce((part, value) => part + (value - level) ** 2, 0);
    return sum + cost(values.length, squares);
  }, (3 * segments.length - 1) * Math.log(values.length));
  return ofLine <= ofSteps;
}
