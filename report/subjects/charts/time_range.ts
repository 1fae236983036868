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
import { type DisplayUnit, formatNumber, timeUnitNamed } from "../../writing/units.ts";
import { axisOver, compact, type Rows, type Xy, type XySeries } from "../../chart.ts";
import type { CellSteps, PackedStep } from "./packing.ts";

/** Seconds since the start of each run. */
export interface TimeRange {
  readonly fromS: number;
  readonly toS: number;
}

export interface RangePercentile {
  readonly ms: number;
  /** False if too few requests lie beyond the percentile. */
  readonly isSupported: boolean;
  /** Whether the true values of lower bounds may make it larger. */
  readonly isAtLeast: boolean;
}

export interface RangeFigures {
  /** Completed requests per second: the mean over runs; null if no step lies in the range. */
  readonly ratePerSec: number | null;
  readonly completed: number;
  readonly failed: number;
  /** Number of latencies that are lower bounds. */
  readonly censored: number;
  /** In the order requested; null without a request. */
  readonly percentiles: readonly (RangePercentile | null)[];
}

/** Tolerance for rounding when deciding whether a step lies within the range. */
const ROUNDING_S = 1e-4;

/** The steps of a run within the range; null means the whole run. */
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
  const sample = sampleOf(within.flat(), clock);
  const rates = within.map((steps) =>
    sum(steps, ({ completed }) => completed) / sum(steps, ({ seconds }) => seconds)
  );
  return {
    ratePerSec: rates.length === 0 ? null : mean(rates),
    completed: sum(within.flat(), ({ completed }) => completed),
    failed: sum(within.flat(), ({ failed }) => failed),
    censored: sample.bounds.count,
    percentiles: percentiles.map((p) => {
      const { count } = sample.all;
      if (count === 0) return null;
      const { value, isAtLeast } = boundedPercentile(sample, p);
      return { ms: value, isSupported: supportsPercentile(count, p), isAtLeast };
    }),
  };
}

function sampleOf(steps: readonly PackedStep[], clock: Sample["clock"]): Sample {
  const all = sumOfSparse(steps.map(({ latency }) => latency));
  const bounds = sumOfSparse(steps.map(({ bounds }) => bounds));
  return { clock, all, bounds, ended: withoutBounds(all, bounds) };
}

// How slow the slowest requests are: the latency that one in so many requests exceeds, over all runs of a cell and for
// each run. A curve ends where fewer than ten requests lie beyond.

const MOST_DECADES = 6;
const TAIL_STEPS_PER_DECADE = 12;

/** One request in so many, 1/(1 − p): from the median on, in equal steps of a logarithmic axis. */
const ODDS = [
  2,
  ...Array.from(
    { length: MOST_DECADES * TAIL_STEPS_PER_DECADE },
    (_, i) => 10 ** ((i + 1) / TAIL_STEPS_PER_DECADE),
  ).filter((odds) => odds > 2),
];

/** The latencies of some requests. */
interface Latencies {
  readonly count: number;
  percentile(p: number): { readonly value: number; readonly isAtLeast: boolean };
}

interface TailOfCell {
  readonly label: string;
  readonly color: number;
  readonly latency: Latencies;
  /** The latencies of each run. */
  readonly runs: readonly Latencies[];
}

/** Null if no cell has enough requests for a curve. */
export function tailsOf(cells: readonly TailOfCell[], unit: DisplayUnit): Xy | null {
  const valuesOf = (latency: Latencies) =>
    ODDS.map((odds) => 100 * (1 - 1 / odds)).filter((p) => supportsPercentile(latency.count, p))
      .map((p) => latency.percentile(p));
  const series = cells.flatMap(({ label, color, latency, runs }): XySeries[] => {
    const curve = valuesOf(latency);
    if (curve.length < 2) return [];
    const lineOf = (of: typeof curve): XySeries => ({
      ...{ label, color, draw: "line" },
      values: of.map(({ value }) => compact(value / unit.size)),
    });
    const boundsFrom = curve.findIndex(({ isAtLeast }) => isAtLeast);
    const single = runs.length > 1 ? runs.map((run) => lineOf(valuesOf(run))) : [];
    return [
      { ...lineOf(curve), ...boundsFrom >= 0 && { boundsFrom } },
      ...single.filter(({ values }) => values?.length).map((line) => ({
        ...line,
        isFaint: true as const,
      })),
    ];
  });
  if (series.length === 0) return null;
  const odds = ODDS.slice(0, Math.max(...series.map(({ values = [] }) => values.length)));
  const last = odds[odds.length - 1];
  const decades = Array.from({ length: MOST_DECADES }, (_, i) => 10 ** (i + 1))
    .filter((decade) => decade < last * 1.001);
  return {
    kind: "xy",
    alt: `Latency that one in a given number of requests exceeds: ${
      series.filter(({ isFaint }) => !isFaint).map(({ label }) => label).join("; ")
    }`,
    size: "medium",
    // Percentiles, each tick ten times as rare as the previous one.
    x: {
      ...{ unit: "", scale: "log", min: odds[0], max: compact(last) },
      ticks: [2, ...decades].map((at) => ({ at, text: `p${percentText(at)}` })),
    },
    at: odds.map(compact),
    places: odds.map((odd) => `p${percentText(odd)}: one in ${formatNumber(odd)} takes longer`),
    y: axisOver(unit.name, series.flatMap(({ values = [] }) => values), { logFrom: 1, room: 1.1 }),
    series,
  };
}

/** A percentage with as many decimals as the share beyond it needs. */
function percentText(odds: number): string {
  const decimals = Math.max(0, Math.ceil(Math.log10(odds)) - 1);
  return String(Number((100 * (1 - 1 / odds)).toFixed(decimals)));
}

// The charts of a scenario for a part of its runs: the same bars and curves, with other figures.

/** A named cell, with the runs that are considered. */
export interface NamedSteps extends TimedSteps {
  readonly label: string;
  /** The repetition of each run. */
  readonly repetitions: readonly number[];
}

/** A selected part of the runs. */
export interface SelectedPart {
  readonly range: TimeRange | null;
  /** `2–5 s of run 1`. */
  readonly what: string;
  /** Cells of all targets, with only the chosen runs. */
  readonly cells: readonly NamedSteps[];
}

export function rangeBars(chart: Rows, { cells, range, what }: SelectedPart): Rows {
  const rows = chart.rows.flatMap((row) => {
    const cell = cells.find(({ label }) => label === row.label);
    const value = cell && rangeFigures(cell, range, []).ratePerSec;
    if (!cell || !value) return [];
    const runs = cell.runs.flatMap((steps, i) => {
      const { ratePerSec } = rangeFigures({ ...cell, runs: [steps] }, range, []);
      return ratePerSec === null ? [] : [{ repetition: cell.repetitions[i], value: ratePerSec }];
    });
    return [{ ...row, value, runs, text: formatNumber(value) }];
  });
  const values = rows.flatMap(({ value, runs }) => [value, ...runs.map((run) => run.value)]);
  const texts = rows.map(({ label, text }) => `${label} ${text}`);
  return {
    ...chart,
    alt: `Requests per second, ${what}: ${texts.join(", ")}`,
    axis: axisOver(chart.axis.unit, values, { room: 1.03 }),
    rows,
  };
}

/** The tail chart of a selected part, on the axis of the whole runs, or on a wider one. */
export function rangeTails(chart: Xy, { cells, range, what }: SelectedPart): Xy {
  const { y, at = [] } = chart;
  const latenciesOf = (runs: CellSteps, clock: Sample["clock"]): Latencies => {
    const sample = sampleOf(runs.flatMap((steps) => stepsWithin(steps, range)), clock);
    return { count: sample.all.count, percentile: (p) => boundedPercentile(sample, p) };
  };
  const shown = chart.series.filter(({ isFaint }) => !isFaint).flatMap(({ label, color }) => {
    const cell = cells.find((one) => one.label === label);
    return cell && typeof color === "number" ? [{ ...cell, color }] : [];
  });
  const part = tailsOf(
    shown.map(({ label, color, clock, runs }) => ({
      ...{ label, color, latency: latenciesOf(runs, clock) },
      runs: runs.map((run) => latenciesOf([run], clock)),
    })),
    timeUnitNamed(y.unit),
  );
  const series = (part?.series ?? []).map((one) => ({
    ...one,
    values: one.values?.slice(0, at.length),
  }));
  const last = series.filter(({ isFaint }) => !isFaint)
    .map(({ label, values }) => `${label} ${values?.at(-1)} ${y.unit}`);
  return {
    ...chart,
    alt: `Latency that one in a given number of requests exceeds, ${what}; at the end ${
      last.join(", ")
    }`,
    y: { ...y, min: Math.min(y.min, part?.y.min ?? y.min), max: Math.max(y.max, part?.y.max ?? 0) },
    series,
  };
}
