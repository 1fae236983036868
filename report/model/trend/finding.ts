/** What a trend comes to, in sentences: the oldest result against the newest, and where the change came. */
import { comparisonOf, type FigureComparison } from "../comparison/comparison.ts";
import { DECISIVE } from "../comparison/group.ts";
import { type ComparedCell, type ResultsComparison, sentenceOf } from "../compared_results.ts";
import { SESSIONS_TEXT } from "../comparison/words.ts";
import { formatRatio } from "../comparison/ratios.ts";
import { doubtSentences } from "../findings/trust.ts";
import { figureOfCell } from "../sweeps/charts.ts";
import { counted, unique } from "../numbers/words.ts";
import type { TrendPoint, TrendSeries } from "./series.ts";

type TrendChange = "worse" | "better" | "differs" | "the same" | "unsure";

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

const PHRASES: readonly { change: TrendChange; singular: string; plural: string }[] = [
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
export function changeOf({ comparison }: ComparedCell): TrendChange {
  const changes = DECISIVE.map((figure) => changeIn(comparisonOf(comparison, figure)));
  return PHRASES.map(({ change }) => change)
    .find((change) => change !== "the same" && changes.includes(change)) ?? "the same";
}

function changeIn({ verdict, reason }: FigureComparison): TrendChange {
  if (verdict === "equivalent") return "the same";
  if (verdict !== "inconclusive") return verdict;
  return reason === "sessions" ? "differs" : "unsure";
}

const HEADS: ReadonlyMap<TrendChange | undefined, string> = new Map([
  ["worse", "Worse"],
  ["better", "Better"],
  ["differs", "Differs in these two sessions"],
]);

/** A sentence for each cell of a scenario that changed, and where most of it came from. */
export function changeFindings(
  { cells }: ResultsComparison,
  series: readonly TrendSeries[],
  points: readonly TrendPoint[],
): string[] {
  return series.flatMap((one) => {
    const cell = cells.find(({ scenario, next }) =>
      scenario === one.scenario && next === one.label
    );
    const change = cell && changeOf(cell);
    const head = HEADS.get(change);
    if (cell === undefined || head === undefined) return [];
    // Where responses were wrong, how fast they came is no reason.
    const why = cell.errors === "" ? stepText(cell, one, points) : `; ${cell.errors}`;
    return [`${head}: ${sentenceOf(cell)}${why}.`];
  });
}

/** Of the figure that changed so. With two results there is one step only. */
function stepText(
  cell: ComparedCell,
  { cells }: TrendSeries,
  points: readonly TrendPoint[],
): string {
  const { comparison } = cell;
  const change = changeOf(cell);
  const figure = DECISIVE.find((one) => changeIn(comparisonOf(comparison, one)) === change);
  if (figure === undefined) return "";
  const { ratio } = comparisonOf(comparison, figure);
  const known = cells.flatMap((cell, at) => cell === null ? [] : [{ cell, at }]);
  if (ratio === null || known.length < 3) return "";
  const steps = known.slice(1).map(({ cell, at }, i) => ({
    ratio: figureOfCell(cell, figure) / figureOfCell(known[i].cell, figure),
    at,
  }));
  const most = steps.reduce((best, step) =>
    ratio < 1 ? step.ratio < best.ratio ? step : best : step.ratio > best.ratio ? step : best
  );
  const what = figure === "rate" ? "requests/s" : "p99";
  return `; the largest step of ${what}, ${formatRatio(most.ratio, null)}, came with ${
    points[most.at].label
  }`;
}

/** Why the results may not be comparable, a sentence each. */
export function trendDoubts(
  { differences }: ResultsComparison,
  points: readonly TrendPoint[],
): string[] {
  return unique([
    ...points.flatMap(({ label, model: { trust } }) => doubtSentences(label, trust)),
    ...differences.map((difference) => `Not measured alike, first and newest: ${difference}`),
  ]);
}
