/**
 * The steady part of a series of segments: where it begins to stay near its final level, and whether the earlier
 * segments lead there. A series that wanders from level to level has no steady part, though it also ends on a level.
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
  /** `returns`: the series comes back to a level that it had left; `late`: it changes after three quarters. */
  readonly why: Unrest | "returns" | "late";
  /** Change of a straight line from the first to the last value, if that is the reason. */
  readonly driftRatio: number | null;
  /** Values per cycle, if that is the reason. */
  readonly cyclePeriod: number | null;
}

export interface SteadyPart {
  /** Index of the steady part's first value in the series. */
  readonly from: number;
  /** Level of the steady part. */
  readonly level: number;
  /** Values before the steady part, in order. */
  readonly before: readonly number[];
  readonly flatness: Flatness;
}

/** The steady part begins within this share of the run, or there is none. */
const LATEST_START_RATIO = 0.75;
/** Step in which later starts are tried, as a share of the run. */
const START_STEP_RATIO = 0.025;
/** A drift continues after the first segment with at least this share of the overall slope. */
const LEAST_GOES_ON = 0.25;
/** An excursion shorter than this share of the run counts as a long outlier. */
const EXCURSION_RATIO = 0.1;

/** Facts about a series besides its segments. */
interface SeriesFacts {
  /** Number of intervals. */
  readonly length: number;
  /** All values, including outliers, because the tops of a sine look like outliers. */
  readonly all: readonly number[];
  /** Levels that differ by less are the same. */
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

/** Keeps only the facts that explain the reason. */
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
 * Where a steady part may begin: with each segment near the last level, or later, since a slow approach has no step. A
 * series with a single level is steady from its beginning.
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
 * The segments at the end that are near the level of the last: each is compared with the median of the values after it.
 * Excursions that are short in total are ignored like outliers.
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

/** Whether the series, on its way to the steady part, reverses twice or is at that part's level earlier. */
function wanders(before: readonly Segment[], final: number, flatRatio: number): boolean {
  const levels = [...before.map(({ level }) => level), final];
  const steps = levels.slice(1).map((level, i) => level - levels[i])
    .filter((change) => Math.abs(change) > flatRatio);
  const turns = steps.filter((change, i) => i > 0 && change * steps[i - 1] < 0).length;
  return turns > 1 || before.some(({ level }) => Math.abs(level - final) <= flatRatio);
}

/**
 * Whether a straight line explains the series as well as its steps do (G. Schwarz, 1978): a step has three parameters,
 * its level, its moment and its noise, because the first seconds of a server are often wilder than the rest.
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
