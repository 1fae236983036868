/**
 * What a part of the runs of a cell says: requests per second and percentiles from their intervals, added up.
 * The page recomputes by this whatever somebody selects; it runs in the browser, so it imports nothing that
 * a browser lacks.
 */
import { withoutBounds } from "../../../runner/stats/histogram/censoring.ts";
import { sumOfSparse } from "../../../runner/stats/histogram/histogram.ts";
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import { mean, sum } from "../../writing/spread.ts";
import { boundedPercentile, type Sample } from "../../figures/lower_bounds.ts";
import { formatNumber, timeUnitNamed } from "../../writing/units.ts";
import { type Axis, compact, type Rows, type Xy, type XySeries } from "../../chart.ts";
import type { CellSteps, PackedStep } from "./packing.ts";

/** Seconds since the start of each run. */
export interface TimeRange {
  readonly fromS: number;
  readonly toS: number;
}

export interface RangePercentile {
  readonly ms: number;
  /** False when too few requests lie beyond it. */
  readonly isSupported: boolean;
  /** Whether requests of which is only known that they took longer could turn out to make it larger. */
  readonly isAtLeast: boolean;
}

export interface RangeFigures {
  /** Completed requests per second: the mean of the runs; null when no step lies in the range. */
  readonly ratePerSec: number | null;
  readonly completed: number;
  readonly failed: number;
  /** How many of the latencies are lower bounds. */
  readonly censored: number;
  /** In the order of the invocation; null without a request. */
  readonly percentiles: readonly (RangePercentile | null)[];
}

/** Steps count for the range when they lie in it, but for rounding. */
const ROUNDING_S = 1e-4;

/** The steps of a run that lie within the range; null is the whole run. */
export function stepsWithin(
  steps: readonly PackedStep[],
  range: TimeRange | null,
): readonly PackedStep[] {
  if (range === null) return steps;
  let endS = 0;
  return steps.filter(({ seconds }) => {
    endS += seconds;
    return endS - seconds > range.fromS - ROUNDING_S && endS < range.toS + ROUNDING_S;
  });
}

/** The steps of a cell, and the clock of their latencies. */
export interface TimedSteps {
  readonly clock: Sample["clock"];
  readonly runs: CellSteps;
}

/** @param percentiles 50–100. */
export function rangeFigures(
  { clock, runs }: TimedSteps,
  range: TimeRange | null,
  percentiles: readonly number[],
): RangeFigures {
  const within = runs.map((steps) => stepsWithin(steps, range)).filter(({ length }) => length > 0);
  const all = sumOfSparse(within.flat().map(({ latency }) => latency));
  const bounds = sumOfSparse(within.flat().map(({ bounds }) => bounds));
  const sample = { clock, all, bounds, ended: withoutBounds(all, bounds) };
  const rates = within.map((steps) =>
    sum(steps, ({ completed }) => completed) / sum(steps, ({ seconds }) => seconds)
  );
  return {
    ratePerSec: rates.length === 0 ? null : mean(rates),
    completed: sum(within.flat(), ({ completed }) => completed),
    failed: sum(within.flat(), ({ failed }) => failed),
    censored: bounds.count,
    percentiles: percentiles.map((p) => percentileOf(sample, p)),
  };
}

function percentileOf(sample: Sample, p: number): RangePercentile | null {
  const { count } = sample.all;
  if (count === 0) return null;
  const { value, isAtLeast } = boundedPercentile(sample, p);
  return { ms: value, isSupported: supportsPercentile(count, p), isAtLeast };
}

// The charts of a scenario for a part of its runs: the same bars and curves, of other figures.

const MOST_DECADES = 6;
const TAIL_STEPS_PER_DECADE = 12;

/** One request in so many: 1/(1 − p), from the median on in equal steps of a logarithmic axis. */
export const ODDS = [
  2,
  ...Array.from(
    { length: MOST_DECADES * TAIL_STEPS_PER_DECADE },
    (_, i) => 10 ** ((i + 1) / TAIL_STEPS_PER_DECADE),
  ).filter((odds) => odds > 2),
];

/** A cell by its name, with those of its runs that are looked at. */
export interface NamedSteps extends TimedSteps {
  readonly label: string;
  /** One for each of the runs. */
  readonly repetitions: readonly number[];
}

/** A selected part of the runs. */
export interface SelectedPart {
  readonly range: TimeRange | null;
  /** `2–5 s of run 1`. */
  readonly what: string;
  /** Of all targets, with the chosen runs. */
  readonly cells: readonly NamedSteps[];
}

export function rangeBars(chart: Rows, { cells, range, what }: SelectedPart): Rows {
  const rows = chart.rows.flatMap((row) => {
    const cell = cells.find(({ label }) => label === row.label);
    const rateOf = (runs: CellSteps): number | null =>
      cell ? rangeFigures({ ...cell, runs }, range, []).ratePerSec : null;
    const value = rateOf(cell?.runs ?? []);
    if (!cell || value === null) return [];
    const runs = cell.runs.flatMap((steps, i) => {
      const rate = rateOf([steps]);
      return rate === null ? [] : [{ repetition: cell.repetitions[i], value: rate }];
    });
    return [{ ...row, value, runs, text: formatNumber(value) }];
  });
  const most = Math.max(
    0,
    ...rows.flatMap(({ value, runs }) => [value, ...runs.map((run) => run.value)]),
  );
  const texts = rows.map(({ label, text }) => `${label} ${text}`);
  return {
    ...chart,
    alt: `Requests per second, ${what}: ${texts.join(", ")}`,
    axis: { ...chart.axis, max: most * 1.03 || 1 },
    rows,
  };
}

/** On the axis of the whole runs, or a wider one. */
export function rangeTails(chart: Xy, { cells, range, what }: SelectedPart): Xy {
  const { y, at = [] } = chart;
  const { size } = timeUnitNamed(y.unit);
  const percentiles = ODDS.slice(0, at.length).map((odds) => 100 * (1 - 1 / odds));
  const curveOf = (cell: TimedSteps): Pick<XySeries, "values" | "boundsFrom"> => {
    const all = rangeFigures(cell, range, percentiles).percentiles;
    const end = all.findIndex((one) => one === null || !one.isSupported);
    const curve = all.slice(0, end === -1 ? all.length : end);
    const boundsFrom = curve.findIndex((one) => one?.isAtLeast);
    return {
      values: curve.map((one) => compact((one?.ms ?? 0) / size)),
      ...boundsFrom !== -1 && { boundsFrom },
    };
  };
  const whole = chart.series.filter(({ isFaint }) => !isFaint);
  const series = whole.flatMap(({ label, color }): XySeries[] => {
    const cell = cells.find((one) => one.label === label);
    const line = { label, color, draw: "line" } as const;
    if (!cell) return [];
    return [
      { ...line, ...curveOf(cell) },
      ...(cell.runs.length > 1 ? cell.runs : []).map((steps): XySeries => ({
        ...line,
        isFaint: true,
        values: curveOf({ ...cell, runs: [steps] }).values,
      })),
    ];
  }).filter(({ values }) => values !== undefined && values.length > 0);
  const values = series.flatMap(({ values = [] }) => values.filter((value) => value !== null));
  const last = series.filter(({ isFaint }) => !isFaint)
    .map(({ label, values }) => `${label} ${values?.at(-1)} ${y.unit}`);
  return {
    ...chart,
    alt: `Latency that one in so many requests exceeds, ${what}; at the end ${last.join(", ")}`,
    y: {
      ...y,
      min: values.reduce((least, value) => Math.min(least, value), y.min),
      max: values.reduce((most, value) => Math.max(most, value), y.max),
    },
    series,
  };
}

// The latency axis of a figure of timelines; the page fits it anew to what somebody chooses to see.

/** Beyond this ratio of highest to lowest, a linear axis would press the low lines together. */
const LOG_FROM_RATIO = 12;

/** @param min Lowest and highest value, in the unit; 0 and less for none. */
export function latencyAxis(unit: string, min: number, max: number): Axis {
  if (!(max > 0)) return { unit, scale: "linear", min: 0, max: 1 };
  return min > 0 && max / min > LOG_FROM_RATIO
    ? { unit, scale: "log", min: compact(min * 0.9), max: compact(max * 1.1) }
    : { unit, scale: "linear", min: 0, max: compact(max * 1.05) };
}

/** From 0. */
export function linearAxis(unit: string, values: readonly number[]): Axis {
  const max = values.reduce((most, value) => Math.max(most, value), 0);
  return { unit, scale: "linear", min: 0, max: compact(max * 1.05) || 1 };
}
