/** Several results of one experiment → how its figures went over commits or days, and what changed. */
import { comparedName, compareResults, type ResultsComparison } from "../compared_results.ts";
import { comparedTable } from "../comparison/table.ts";
import type { Drawing } from "../sweeps/charts.ts";
import {
  countCell,
  errorCell,
  numberCell,
  shareCell,
  type Table,
  tableOf,
  textCell,
  withInterval,
} from "../tables/table.ts";
import {
  type Reported,
  seriesOf,
  trendDrawings,
  type TrendPoint,
  trendPoints,
  type TrendSeries,
} from "./series.ts";
import { changeFindings, trendDoubts, trendFinding } from "./finding.ts";
import type { CellRuns } from "../runs/cells.ts";
import { percentileOf } from "../runs/pool.ts";
import { percentileCell } from "../tables/percentiles.ts";
import { formatMoment, timeUnit } from "../numbers/units.ts";

export interface TrendModel {
  /** `caching over 3 results`. */
  readonly title: string;
  /** The oldest result against the newest, in a sentence. */
  readonly finding: string;
  /** Why the results may not be comparable. */
  readonly warnings: readonly string[];
  readonly scenarios: readonly ScenarioTrend[];
  /** The newest result over the oldest; null when they share no cell. */
  readonly compared: Table | null;
}

export interface ScenarioTrend {
  readonly name: string;
  /** A sentence for each cell that changed. */
  readonly findings: readonly string[];
  readonly series: readonly { readonly label: string; readonly color: number }[];
  readonly drawings: readonly Drawing[];
  readonly table: Table;
}

/** One for each experiment that several of the results are of, where they have cells in common. */
export function trendsOf(all: readonly Reported[]): TrendModel[] {
  return [...Map.groupBy(all, ({ results }) => results.experiment.name)].flatMap(
    ([name, reported]) => {
      const points = trendPoints(reported);
      const series = seriesOf(points);
      return series.length === 0 ? [] : [trendOf(name, points, series)];
    },
  );
}

function trendOf(
  name: string,
  points: readonly TrendPoint[],
  series: readonly TrendSeries[],
): TrendModel {
  const [first, last] = [points[0], points[points.length - 1]];
  const comparison = compareResults(first.results, last.results);
  return {
    title: `${name} over ${points.length} results`,
    finding: trendFinding(comparison, points),
    warnings: trendDoubts(comparison, points),
    scenarios: [...Map.groupBy(series, ({ scenario }) => scenario)].map(([scenario, own]) => ({
      name: scenario,
      findings: changeFindings(comparison, own, points),
      series: own.map(({ label, color }) => ({ label, color })),
      drawings: trendDrawings(points, own),
      table: trendTable(scenario, points, own),
    })),
    compared: comparedOf(comparison, [first.label, last.label]),
  };
}

function comparedOf(
  { cells }: ResultsComparison,
  [base, next]: readonly [string, string],
): Table | null {
  return comparedTable(
    `${next} against ${base}`,
    cells.map((cell) => ({ name: comparedName(cell), base: null, comparison: cell.comparison })),
  );
}

// A trend in numbers: one row a cell and result.

interface TrendRow {
  readonly series: TrendSeries;
  readonly point: TrendPoint;
  readonly cell: CellRuns;
}

/** @param series Those of one scenario. */
export function trendTable(
  scenario: string,
  points: readonly TrendPoint[],
  series: readonly TrendSeries[],
): Table {
  const rows = series.flatMap((one) =>
    one.cells.flatMap((cell, i): TrendRow[] =>
      cell === null ? [] : [{ series: one, point: points[i], cell }]
    )
  );
  const unit = timeUnit(rows.map(({ cell }) => percentileOf(cell.latency, 99)));
  const notes = points.some(({ isDirty }) => isDirty)
    ? ["A + after a commit: files that git tracks differed from it."]
    : [];
  return tableOf({ caption: `Trend of ${scenario}`, notes }, rows, [
    {
      label: "Target",
      kind: "name",
      cell: ({ series: { label, color } }) => ({ text: label, color }),
    },
    { label: "Result", kind: "text", cell: ({ point }) => textCell(point.label) },
    {
      label: "At",
      kind: "text",
      cell: ({ point: { results } }) => textCell(formatMoment(results.startedAt)),
    },
    {
      label: "Requests/s",
      cell: ({ cell: { rate, confidence } }) =>
        withInterval(numberCell(rate.mean), confidence.intervals.rate),
    },
    { label: "p99", unit: unit.name, cell: ({ cell }) => percentileCell(cell, 99, unit) },
    {
      label: "Errors",
      unit: "%",
      cell: ({ cell: { errorRatio: wrongRatio } }) => errorCell(shareCell(wrongRatio)),
    },
    { label: "Runs", cell: ({ cell: { runs } }) => countCell(runs.length) },
  ]);
}
