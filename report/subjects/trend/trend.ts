/** Several results of one experiment → how its figures went over commits or days, and what changed. */
import { trustOfRuns } from "../../findings/trust.ts";
import {
  type ComparedCell,
  comparedName,
  compareResults,
  type ResultsComparison,
  sentenceOf,
} from "../compared_results.ts";
import { comparedTable } from "../tables/compared.ts";
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
import type { CellRuns } from "../../cells/cells.ts";
import { percentileOf } from "../../figures/pool.ts";
import { percentileCell } from "../tables/latency_cells.ts";
import { formatMoment, timeUnit } from "../../writing/units.ts";
import { decisiveOf, type FigureComparison } from "../../judge/comparison.ts";
import { changesOf, type TrendChange, trendChangeText } from "./changes.ts";
import { SESSIONS_TEXT } from "../../findings/judgements.ts";
import { doubtSentences } from "../../findings/trust.ts";
import { counted, unique } from "../../writing/words.ts";

export interface TrendModel {
  /** `caching over 3 results`. */
  readonly title: string;
  /** The oldest result against the newest, in a sentence. */
  readonly finding: string;
  /** Why the results may not be comparable. */
  readonly warnings: readonly string[];
  readonly scenarios: readonly ScenarioTrend[];
  /** Where figures changed their level, cell by cell, from the oldest. */
  readonly changes: readonly TrendChange[];
  /** Results of the cell that has most. */
  readonly longest: number;
  /** The newest result over the oldest; null when they share no cell. */
  readonly compared: Table | null;
}

export interface ScenarioTrend {
  readonly name: string;
  /** A sentence for each change, and for each cell that differs between the oldest and the newest. */
  readonly findings: readonly string[];
  readonly series: readonly { readonly label: string; readonly color: number }[];
  readonly drawings: readonly Drawing[];
  readonly table: Table;
}

/** One for each experiment and kind of machine that several of the results are of, where they have cells in common. */
export function trendsOf(all: readonly Reported[]): TrendModel[] {
  return [...Map.groupBy(all, ({ results }) => results.experiment.name)].flatMap(
    ([name, ofExperiment]) => {
      const byMachine = [...Map.groupBy(ofExperiment, machineOf)];
      return byMachine.flatMap(([machine, reported]) => {
        const points = trendPoints(reported);
        const series = seriesOf(points);
        const title = byMachine.length === 1 ? name : `${name} on ${machine}`;
        return series.length === 0 ? [] : [trendOf(title, points, series)];
      });
    },
  );
}

/** What makes figures comparable; hosts of a pool that are alike are one. */
function machineOf({ results: { machine } }: Reported): string {
  const { cpu, cores, os, arch } = machine;
  return [cpu, counted(cores, "core"), os, arch].join(", ");
}

function trendOf(
  name: string,
  points: readonly TrendPoint[],
  series: readonly TrendSeries[],
): TrendModel {
  const [first, last] = [points[0], points[points.length - 1]];
  const comparison = compareResults(first.results, last.results);
  const changes = series.flatMap((one) => changesOf(one, points));
  return {
    title: `${name} over ${points.length} results`,
    finding: trendFinding(comparison, points),
    warnings: trendDoubts(comparison, points),
    changes,
    longest: Math.max(...series.map(({ cells }) => cells.filter(Boolean).length)),
    scenarios: [...Map.groupBy(series, ({ scenario }) => scenario)].map(([scenario, own]) => ({
      name: scenario,
      findings: [
        ...changes.filter((change) => change.scenario === scenario).map(trendChangeText),
        ...changeFindings(comparison, own),
      ],
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
      cell: ({ cell: { rate, interval } }) => withInterval(numberCell(rate.mean), interval("rate")),
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

// What a trend comes to, in sentences: the oldest result against the newest, and where the change came.

type EndsChange = "worse" | "better" | "differs" | "the same" | "unsure";

/** `From 0123456 to 89abcde: of 3 cells 1 is worse, 1 is better, 1 is the same.` */
export function trendFinding(
  { cells, marginRatio }: ResultsComparison,
  points: readonly TrendPoint[],
): string {
  const ends = `From ${points[0].label} to ${points[points.length - 1].label}`;
  if (cells.length === 0) return `${ends} there is nothing to compare: they share no cell.`;
  const changes = cells.map(changeOf);
  const parts = PHRASES.flatMap(({ change, singular, plural }) => {
    const count = changes.filter((one) => one === change).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? singular : plural}`];
  });
  const within = Math.round(marginRatio * 1_000) / 10;
  const why = changes.includes("differs") ? ` ${SESSIONS_TEXT}` : "";
  return `${ends}, of ${counted(cells.length, "cell")}: ${parts.join(", ")}. ` +
    `Only differences in requests/s or p99 count that are surely larger than ${within} %.${why}`;
}

const PHRASES: readonly { change: EndsChange; singular: string; plural: string }[] = [
  { change: "worse", singular: "is worse", plural: "are worse" },
  { change: "better", singular: "is better", plural: "are better" },
  {
    change: "differs",
    singular: "differs in these two sessions",
    plural: "differ in these two sessions",
  },
  { change: "the same", singular: "is the same", plural: "are the same" },
  {
    change: "unsure",
    singular: "is inconclusive",
    plural: "are inconclusive",
  },
];

/** Worse in one figure outweighs better in the other, as in `plateau compare`. */
export function changeOf({ comparison }: ComparedCell): EndsChange {
  const changes = decisiveOf(comparison).map(changeIn);
  return PHRASES.map(({ change }) => change)
    .find((change) => change !== "the same" && changes.includes(change)) ?? "the same";
}

function changeIn({ verdict, reason }: FigureComparison): EndsChange {
  if (verdict === "equivalent") return "the same";
  if (verdict !== "inconclusive") return verdict;
  return reason === "sessions" ? "differs" : "unsure";
}

const HEADS: ReadonlyMap<EndsChange | undefined, string> = new Map([
  ["worse", "Worse"],
  ["better", "Better"],
  ["differs", "Differs in these two sessions"],
]);

/** A sentence for each cell of a scenario that the newest result has otherwise than the oldest. */
export function changeFindings(
  { cells }: ResultsComparison,
  series: readonly TrendSeries[],
): string[] {
  return series.flatMap((one) => {
    const cell = cells.find(({ scenario, next }) =>
      scenario === one.scenario && next === one.label
    );
    const change = cell && changeOf(cell);
    const head = HEADS.get(change);
    if (cell === undefined || head === undefined) return [];
    // Where responses were wrong, how fast they came is no reason.
    const why = cell.errors === "" ? "" : `; ${cell.errors}`;
    return [`${head}: ${sentenceOf(cell)}${why}.`];
  });
}

/** Why the results may not be comparable, a sentence each. */
export function trendDoubts(
  { differences }: ResultsComparison,
  points: readonly TrendPoint[],
): string[] {
  return unique([
    ...points.flatMap(({ label, model }) =>
      doubtSentences(label, trustOfRuns(model.context.results.runs))
    ),
    ...differences.map((difference) => `Not measured alike, first and newest: ${difference}`),
  ]);
}
