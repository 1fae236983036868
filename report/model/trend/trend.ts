/** Several results of one experiment → how its figures went over commits or days, and what changed. */
import { cellName, compareResults, type ResultsComparison } from "../compared_results.ts";
import { comparedTable } from "../comparison/table.ts";
import type { Drawing } from "../sweeps/charts.ts";
import type { Table } from "../tables/table.ts";
import { trendDrawings } from "./charts.ts";
import { changeFindings, trendDoubts, trendFinding } from "./finding.ts";
import { pointsOf, type Reported, seriesOf, type TrendPoint, type TrendSeries } from "./series.ts";
import { trendTable } from "./table.ts";

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
      const points = pointsOf(reported);
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
    cells.map((cell) => ({ name: cellName(cell), base: null, comparison: cell.comparison })),
  );
}
