/**
 * Several results of one experiment as a document: its figures over commits or days, when they changed, and how the
 * newest result compares with the oldest.
 */
import {
  LEAST_VALUES,
  levelChangesOf,
  type SeriesLevels,
} from "../../runner/stats/trend/level_changes.ts";
import type { Results } from "../../runner/result/result.ts";
import { type Block, figure, type Group, group, list, table, text } from "../blocks.ts";
import type { CellRuns } from "../cells/cells.ts";
import { cellPlace, cellsOf } from "../cells/match.ts";
import type { Axis } from "../chart.ts";
import type { Document } from "../document.ts";
import { percentileOf } from "../figures/pool.ts";
import { figureInProse } from "../findings/judgements.ts";
import { doubtSentences, trustOfRuns } from "../findings/trust.ts";
import { DEFAULT_MARGIN_RATIO } from "../judge/comparison.ts";
import type { ThresholdOutcome } from "../judge/thresholds.ts";
import { type ComparedFigure, DECISIVE, decisiveFor, figureOf, groupOf } from "../judge/group.ts";
import type { ReportModel } from "../model.ts";
import { formatRatio } from "../writing/ratios.ts";
import { formatMoment, timeUnit } from "../writing/units.ts";
import { counted, unique } from "../writing/words.ts";
import { comparedCard } from "./comparison/card.ts";
import { compareResults, type ResultsComparison } from "./comparison/comparison.ts";
import { differenceList, ratios, sideBySide } from "./comparison/document.ts";
import { groupsOf, type Subject } from "./subject.ts";
import { figureAxis, figurePoint, shownFigures } from "./sweeps/charts.ts";
import * as column from "./tables/column.ts";
import { type Table, tableOf } from "./tables/table.ts";

interface Reported {
  readonly results: Results;
  readonly model: ReportModel;
}

export interface Trend {
  readonly document: Document;
  /**
   * For example `caching over 3 results: …`, followed by a sentence that compares the newest result with the oldest.
   */
  readonly finding: string;
  /** Changes of level, cell by cell, with each cell's oldest change first. */
  readonly changes: readonly TrendChange[];
  /** The largest number of results that any figure has. */
  readonly longest: number;
}

interface TrendPoint extends Reported {
  /** Label in charts and tables: the commit or, if that does not identify the result, the time. */
  readonly label: string;
}

/** The same cell in each of the results. */
interface TrendSeries {
  readonly scenario: string;
  readonly label: string;
  readonly color: number;
  /** One entry for each result, in the order of `points`; null if the result lacks the cell. */
  readonly cells: readonly (CellRuns | null)[];
}

interface MeasuredTrend {
  readonly title: string;
  /** Results with the oldest first. */
  readonly points: readonly TrendPoint[];
  readonly series: readonly TrendSeries[];
  readonly figures: readonly FigureSeries[];
}

interface TrendContext extends MeasuredTrend {
  /** Comparison of the newest result with the oldest. */
  readonly comparison: ResultsComparison;
}

/** A trend for each experiment and kind of machine that has several results with cells in common. */
export function trendsOf(all: readonly Reported[]): Trend[] {
  const measured = [...Map.groupBy(all, ({ results }) => results.experiment.name)].flatMap(
    ([name, ofExperiment]) => {
      const byMachine = [...Map.groupBy(ofExperiment, machineOf)];
      return byMachine.flatMap(([machine, reported]): MeasuredTrend[] => {
        const points = pointsOf(reported);
        const series = seriesOf(points);
        const title = byMachine.length === 1 ? name : `${name} on ${machine}`;
        return series.length === 0 ? [] : [{ title, points, series, figures: figuresOf(series) }];
      });
    },
  );
  const figures = measured.flatMap((one) => one.figures);
  // A single exit code stands for the changes of all figures, so the tests of all figures are
  // corrected as one family.
  const levels = levelChangesOf(figures.map(({ known }) => known.map(({ value }) => value)), {
    marginRatio: DEFAULT_MARGIN_RATIO,
  });
  const byFigure = new Map(figures.map((figure, i) => [figure, levels[i]]));
  return measured.map((one) => trendOf(one, byFigure));
}

/**
 * A text that is equal for machines whose figures are comparable, so that identical hosts of a pool count as one
 * machine.
 */
function machineOf({ results: { machine } }: Reported): string {
  const { cpu, cores, os, arch } = machine;
  return [cpu, counted(cores, "core"), os, arch].join(", ");
}

function trendOf(measured: MeasuredTrend, levels: ReadonlyMap<FigureSeries, SeriesLevels>): Trend {
  const { points, series, figures } = measured;
  const [first, last] = [points[0], points[points.length - 1]];
  const names = [first.label, last.label] as const;
  const comparison = compareResults(first.results, last.results, { names });
  const card = comparison.cells.length === 0 ? null : comparedCard(comparison);
  const unshared = `${names.join(" and ")} share no cell, so they are not compared.`;
  const changes = figures.flatMap((one) => changesOf(one, levels.get(one), points));
  const correlations = figures.flatMap((one) => levels.get(one)?.correlation ?? []);
  const title = `${measured.title} over ${points.length} results`;
  return {
    finding: `${title}: ${card?.sentence ?? unshared}`,
    changes,
    longest: Math.max(0, ...figures.map(({ known }) => known.length)),
    document: {
      kind: "trend",
      name: "Trend",
      title,
      lead: [
        list(changes.map((change) => ({ code: "change", text: trendChangeText(change) }))),
        text("dependence", dependenceText(correlations, changes.length), "note"),
        text(
          "ends",
          card === null ? unshared : "The newest result compared with the oldest:",
          "note",
        ),
      ],
      card,
      groups: groupsOf(TREND, { ...measured, comparison }),
      colors: series.map(({ color }) => color),
      targets: [],
      scenarios: [],
    },
  };
}

const TREND: readonly Subject<TrendContext>[] = [
  ["about", "", "summary", doubts],
  scenarioTrends,
  ["cells", "Side by side", "summary", ({ comparison }) => sideBySide(comparison)],
  ["ratios", "Ratios", "summary", ({ comparison }) => ratios(comparison)],
];

function doubts({ points, comparison }: TrendContext): Block[] {
  return [
    ...points.flatMap(({ label, results: { runs } }) =>
      doubtSentences(label, trustOfRuns(runs)).map((doubt) => text("trust", doubt, "warning"))
    ),
    differenceList(comparison),
  ];
}

// The results in the order of time, with their labels.

function pointsOf(reported: readonly Reported[]): TrendPoint[] {
  const startedMs = ({ results }: Reported): number => Date.parse(results.startedAt);
  const inTime = reported.toSorted((a, b) => startedMs(a) - startedMs(b));
  const labels = labelsOf(inTime.map(({ results }) => results));
  return inTime.map((one, i) => ({ ...one, label: labels[i] }));
}

const HASH_LENGTH = 7;

/** A label for each result. All labels are different. */
function labelsOf(results: readonly Results[]): string[] {
  // Each is the commit, with a + if files differed from it, or "" if git knew no commit.
  const hashes = results.map(({ commit }) =>
    commit === null ? "" : commit.hash.slice(0, HASH_LENGTH) + (commit.dirty ? "+" : "")
  );
  const moments = results.map(({ startedAt }) => formatMoment(startedAt));
  const isDistinct = (texts: readonly string[]): boolean => unique(texts).length === texts.length;
  if (!hashes.includes("") && isDistinct(hashes)) return hashes;
  if (isDistinct(moments)) return moments;
  const both = results.map((_, i) => [hashes[i], moments[i]].filter(Boolean).join(" "));
  return isDistinct(both) ? both : both.map((text, i) => `${i + 1}: ${text}`);
}

/** The cells that are in at least two results, in the order of the newest result that has them. */
function seriesOf(points: readonly TrendPoint[]): TrendSeries[] {
  const placed = points.map(({ model: { scenarios } }) =>
    new Map(cellsOf(scenarios).map((cell) => [cellPlace(cell), cell]))
  );
  const places = unique(placed.toReversed().flatMap((cells) => [...cells.keys()]));
  return places.flatMap((place) => {
    const cells = placed.map((own) => own.get(place) ?? null);
    const known = cells.filter((cell) => cell !== null);
    if (known.length < 2) return [];
    const { scenario, label, color } = known[known.length - 1];
    return [{ scenario, label, color, cells }];
  });
}

// The figures of each scenario over the results: requests/s and p99 as lines, for which results are
// evenly spaced on the axis, and a table.

function scenarioTrends({ points, series }: TrendContext): Group[] {
  return [...Map.groupBy(series, ({ scenario }) => scenario)].map(([scenario, own], i) => {
    const values = trendTable(scenario, points, own);
    const drawn = figure(panelsOf(scenario, points, own), {
      legend: own.map(({ label, color }) => ({ label, color })),
      reading: i === 0 ? READING : "",
      values,
    });
    const blocks = [drawn, table(values, { forms: ["markdown"] })];
    return group(`Trend of ${scenario}`, blocks, { id: `s${i + 1}` });
  });
}

const READING =
  "Each point is the cell in one result, its whisker the 95 % confidence interval over its runs. A line joins them from the oldest to the newest, equally far apart whatever the time between. Hollow points had over 1 % wrong or failed responses, or too few requests for the percentile.";

/** Room beside the outermost points, as a share of the distance between two results. */
const PADDING = 0.2;

function panelsOf(
  scenario: string,
  points: readonly TrendPoint[],
  series: readonly TrendSeries[],
): Parameters<typeof figure>[0] {
  const cells = series.flatMap(({ cells }) => cells.flatMap((cell) => cell ?? []));
  const lines = series.length === 1 ? "one line" : `${series.length} lines`;
  return shownFigures(cells).filter(({ figure }) => figure !== 50).map((shown) => ({
    title: shown.title,
    chart: {
      kind: "xy",
      alt:
        `${shown.title} of ${scenario} over ${points.length} results, ${lines}. The table below has its values.`,
      size: "small",
      x: axisOfResults(points),
      y: figureAxis(cells, shown),
      series: series.map(({ label, color, cells }) => ({
        ...{ label, color, draw: "line" },
        points: cells.flatMap((cell, at) =>
          cell === null ? [] : [{ x: at, ...figurePoint(cell, shown, points[at].label) }]
        ),
      })),
    },
  }));
}

function axisOfResults(points: readonly TrendPoint[]): Axis {
  const areCommits = points.every(({ results: { commit }, label }) =>
    commit !== null && label.startsWith(commit.hash.slice(0, 4))
  );
  return {
    unit: "",
    title: areCommits ? "commit, from the oldest" : "result, from the oldest",
    scale: "linear",
    min: -PADDING,
    max: points.length - 1 + PADDING,
    ticks: points.map(({ label }, at) => ({ at, text: label })),
  };
}

/** A table with a row for each cell and result. */
function trendTable(
  scenario: string,
  points: readonly TrendPoint[],
  series: readonly TrendSeries[],
): Table {
  const rows = series.flatMap(({ label, color, cells }) =>
    cells.flatMap((cell, i) => cell === null ? [] : [{ label, color, point: points[i], cell }])
  );
  const unit = timeUnit(rows.map(({ cell }) => percentileOf(cell.latency, 99)));
  const notes = points.some(({ results: { commit } }) => commit?.dirty)
    ? ["A + after a commit means that tracked files differed from it."]
    : [];
  return tableOf({ caption: `Trend of ${scenario}`, notes }, rows, [
    column.name("Target", ({ label, color }) => ({ text: label, color })),
    column.text("Result", ({ point }) => point.label),
    column.text("At", ({ point: { results } }) => formatMoment(results.startedAt)),
    column.rate,
    column.percentile(99, unit),
    column.errors("Errors", ({ cell: { errorRatio } }) => errorRatio, "share"),
    column.number("Runs", ({ cell: { runs } }) => runs.length, "count"),
  ]);
}

// The changes in the figures of a cell: between which results each change happened, and how large
// it is.

interface TrendChange extends Omit<FigureSeries, "known"> {
  /** Labels of the last result before the change and of the first result after it. */
  readonly between: readonly [before: string, after: string];
  /** The mean after the change divided by the mean before it, with its 95 % interval. */
  readonly ratio: { readonly value: number; readonly low: number; readonly high: number };
  readonly isWorse: boolean;
  /** Estimated correlation of consecutive results, after the changes of level have been removed. */
  readonly correlation: number;
}

/** One figure of a cell over the results. */
interface FigureSeries {
  readonly scenario: string;
  readonly label: string;
  readonly figure: ComparedFigure;
  /** The known values with the oldest first. `at` is the index of the result that has the value. */
  readonly known: readonly { readonly value: number; readonly at: number }[];
}

/**
 * Requests/s, p99 and CPU time per request of each cell, in this order. For a result in which a figure does not decide,
 * the figure has no value.
 */
function figuresOf(series: readonly TrendSeries[]): FigureSeries[] {
  return series.flatMap(({ scenario, label, cells }) => {
    const groups = cells.map((cell) => cell && groupOf(cell));
    return DECISIVE.map((figure): FigureSeries => ({
      ...{ scenario, label, figure },
      known: groups.flatMap((group, at) => {
        const isDecisive = group !== null && decisiveFor([group]).includes(figure);
        const value = isDecisive ? figureOf(group, figure) : 0;
        return value > 0 ? [{ value, at }] : [];
      }),
    }));
  });
}

function changesOf(
  { scenario, label, figure, known }: FigureSeries,
  levels: SeriesLevels | undefined,
  points: readonly TrendPoint[],
): TrendChange[] {
  return (levels?.changes ?? []).map(({ index, ratio }): TrendChange => ({
    ...{ scenario, label, figure, ratio, correlation: levels?.correlation ?? 0 },
    between: [points[known[index - 1].at].label, points[known[index].at].label],
    isWorse: (ratio.value < 1) === (figure === "rate"),
  }));
}

/** For example `Worse between 0123456 and 89abcde: static, express: requests/s 0.90× [0.88, 0.92].` */
export function trendChangeText(
  { scenario, label, figure, between, ratio, isWorse }: TrendChange,
): string {
  return `${isWorse ? "Worse" : "Better"} between ${between[0]} and ${between[1]}: ` +
    `${scenario}, ${label}: ${figureInProse(figure)} ${formatRatio(ratio.value, ratio)}.`;
}

/**
 * Explains that the search for changes took into account how results depend on each other: `Successive results
 * correlate by 0.1 to 0.4 …`; "" if no correlation was estimated.
 */
function dependenceText(correlations: readonly number[], changes: number): string {
  if (correlations.length === 0) return "";
  const [least, most] = [Math.min(...correlations), Math.max(...correlations)]
    .map((one) => one.toFixed(1));
  const by = least === most ? `about ${least}` : `${least} to ${most}`;
  const none = changes === 0 ? "No change is certain. " : "";
  const over = counted(correlations.length, "figure");
  return `${none}Successive results correlate by ${by} (0: not at all, 1: fully), as estimated over ${over}. The search for changes takes that into account.`;
}

/**
 * The outcome for a guard that fails on changes for the worse: `inconclusive` if no series of results is long enough to
 * show a change.
 */
export function trendOutcome(
  trends: readonly Pick<Trend, "changes" | "longest">[],
): ThresholdOutcome {
  if (trends.some(({ changes }) => changes.some(({ isWorse }) => isWorse))) return "fail";
  return trends.some(({ longest }) => longest >= LEAST_VALUES) ? "pass" : "inconclusive";
}
