/**
 * From where a series of segments stays near where it ends, and whether what comes before is a way to there: a
 * series that wanders from level to level has none, though it, too, ends on one.
 */
import { driftOf } from "./drift.ts";
import { DRIFT_SHARE, type Flatness, flatnessOf } from "./flatness.ts";
import { medianOf } from "./quantile.ts";
import { LEAST_STDEV_RATIO, type Segment } from "./segments.ts";

/** Why a series has no steady part. */
export type Unsettled = "late" | "returns" | NonNullable<Flatness["unrest"]>;

export interface Settled {
  /** Index of the steady part's first value in the series. */
  readonly from: number;
  /** Of the steady part. */
  readonly level: number;
  /** Before it. */
  readonly before: readonly Segment[];
  readonly flatness: Flatness;
}

/** The steady part begins within this share of the run, or there is none. */
const LATEST_START_RATIO = 0.75;
/** How finely later starts are tried, as a share of the run. */
const START_STEP_RATIO = 0.025;
/** An excursion shorter than this share of the run is an outlier that took its time. */
const EXCURSION_RATIO = 0.1;

/** What is known of a series beside its segments. */
export interface SeriesFacts {
  /** Its values, outliers included. */
  readonly length: number;
  /** Levels that differ by less are one. */
  readonly flatRatio: number;
}

export function settlingOf(segments: readonly Segment[], facts: SeriesFacts): Settled | Unsettled {
  const { length, flatRatio } = facts;
  if (isOneLine(segments, flatRatio)) return "drift";
  const near = nearFrom(segments, facts);
  const before = segments.slice(0, near);
  if (wanders(before, medianOf(valuesOf(segments.slice(near))), flatRatio)) return "returns";
  let why: Unsettled = "late";
  for (const from of startsOf(segments.slice(near), length)) {
    const values = valuesOf(segments, from);
    const flatness = flatnessOf(values, flatRatio);
    if (flatness.unrest === null) return { from, level: medianOf(values), before, flatness };
    why = flatness.unrest;
  }
  return why;
}

function valuesOf(segments: readonly Segment[], from = 0): number[] {
  return segments.flatMap(({ indexes, values }) => values.filter((_, i) => indexes[i] >= from));
}

/**
 * Where a steady part may begin: with each of the segments near the last level, or later, as what nears its level
 * slowly has no step there. A series of one level begins with it.
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
 * The first segment from which all are near the level of the last: each is held against the median of those
 * behind it. Excursions that are short together are passed over.
 */
function nearFrom(segments: readonly Segment[], { length, flatRatio }: SeriesFacts): number {
  let first = segments.length - 1;
  let behind = [...segments[first].values];
  let excursions = 0;
  for (let i = first - 1; i >= 0; i--) {
    const { level, values } = segments[i];
    if (Math.abs(level - medianOf(behind)) <= flatRatio) {
      [first, behind] = [i, [...values, ...behind]];
      excursions = 0;
    } else {
      excursions += segments[i + 1].from - segments[i].from;
      if (excursions >= EXCURSION_RATIO * length) break;
    }
  }
  return first;
}

/** Whether the way to the steady part turns round twice, or was at its level before. */
function wanders(before: readonly Segment[], final: number, flatRatio: number): boolean {
  const levels = [...before.map(({ level }) => level), final];
  const steps = levels.slice(1).map((level, i) => level - levels[i])
    .filter((change) => Math.abs(change) > flatRatio);
  const turns = steps.filter((change, i) => i > 0 && change * steps[i - 1] < 0).length;
  return turns > 1 || before.some(({ level }) => Math.abs(level - final) <= flatRatio);
}

/**
 * Whether a straight line explains the series as well as its steps do (G. Schwarz, 1978): a step has its level, its
 * moment and its noise, as the first seconds of a server are often wilder than the rest.
 */
function isOneLine(segments: readonly Segment[], flatRatio: number): boolean {
  const values = valuesOf(segments);
  const { change, residualSquares } = driftOf(values);
  if (segments.length === 1 || Math.abs(change) <= DRIFT_SHARE * flatRatio) return false;
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
