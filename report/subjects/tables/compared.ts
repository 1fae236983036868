/** Comparisons as a table: one row a pair, one column a figure. */
import type { VerdictReason } from "../../../runner/stats/comparison/verdict.ts";
import { medianOf } from "../../../runner/stats/quantile.ts";
import { boundText, formatMs, formatNumber, formatShare } from "../../writing/units.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { type ColumnOf, NONE, type Table, tableOf, textCell } from "./table.ts";
import { sessionStdevOf } from "../../judge/between.ts";
import {
  comparisonOf,
  type FigureComparison,
  type GroupComparison,
} from "../../judge/comparison.ts";
import { COMPARED, type ComparedFigure } from "../../judge/group.ts";
import { figureName, verdictWord } from "../../findings/judgements.ts";
import { percentText, ratioText } from "../../writing/ratios.ts";

export interface ComparedRow {
  readonly name: string;
  readonly color?: number;
  /** What it is held against; null where the name says it. */
  readonly base: string | null;
  readonly comparison: GroupComparison;
  /** Both, where the table shows their own figures, too. */
  readonly cells?: readonly [base: CellRuns, next: CellRuns];
}

/** Null without rows. */
export function comparedTable(
  caption: string,
  rows: readonly ComparedRow[],
): Table | null {
  if (rows.length === 0) return null;
  const isWithin = rows.some(({ base }) => base !== null);
  const areWrong = rows.some(({ cells = [] }) => cells.some(({ errorRatio }) => errorRatio > 0));
  return tableOf({ caption, notes: notesOf(rows.map(({ comparison }) => comparison)) }, rows, [
    {
      label: isWithin ? "Target" : "Cell",
      kind: "name",
      cell: ({ name, color }) => ({ text: name, color }),
    },
    ...(isWithin ? [againstColumn] : []),
    ...COMPARED.filter((figure) =>
      figure !== "cpuPerRequest" ||
      rows.some(({ comparison }) => comparisonOf(comparison, figure).ratio !== null)
    ).map(figureColumn),
    ...areWrong ? [errorColumn] : [],
  ]);
}

const againstColumn: ColumnOf<ComparedRow> = {
  label: "Against",
  kind: "text",
  cell: ({ base }) => textCell(base ?? ""),
};

const errorColumn: ColumnOf<ComparedRow> = {
  label: "Errors",
  kind: "text",
  cell: ({ cells = [] }) => {
    const texts = cells.map(({ errorRatio }) => formatShare(errorRatio));
    return { text: texts.join(" → "), alarming: cells.some(({ errorRatio }) => errorRatio > 0) };
  },
};

function figureColumn(figure: ComparedFigure): ColumnOf<ComparedRow> {
  return {
    label: figure === "rate" ? "Requests/s" : figure === "mean" ? "Mean" : figureName(figure),
    kind: "text",
    cell: ({ comparison, cells }) => {
      const one = comparisonOf(comparison, figure);
      const { ratio, verdict } = one;
      const word = ratio === null ? "" : verdictWord(one, comparison.marginRatio);
      const text = cells === undefined ? `${ratioText(one)} ${word}` : ratioText(one);
      const below = cells && [valuesText(one, cells), word].filter(Boolean).join(": ");
      if (ratio === null) return { ...NONE, ...below && { below } };
      return {
        ...{ text, value: ratio },
        ...below && { below },
        ...verdict === "worse" && { alarming: true },
      };
    },
  };
}

/** `1,000 → 2,600`, `≥ 12.1 ms → 9.3 ms`: the figure of both sides. */
export function valuesText(
  { figure, base, next }: FigureComparison,
  cells: readonly [base: CellRuns, next: CellRuns],
): string {
  return [base, next].map((value, i) => {
    if (!(value > 0)) return NONE.text;
    const isAtLeast = typeof figure === "number" && cells[i].latency.isAtLeast(figure);
    return boundText(figure === "rate" ? formatNumber(value) : formatMs(value), isAtLeast);
  }).join(" → ");
}

/** What ratios and verdicts mean. */
export function notesOf(comparisons: readonly GroupComparison[]): string[] {
  const [{ marginRatio }] = comparisons;
  const all = comparisons.flatMap(({ figures }) => figures);
  const reasons = new Set(all.map(({ reason }) => reason));
  const isPaired = all.some(({ pairs }) => pairs !== null);
  const margin = percentText(marginRatio);
  const stdevs = all.flatMap(({ between }) =>
    between === null ? [] : sessionStdevOf(between) ?? []
  );
  return [
    "A ratio is that of the target over the one it is held against, with its 95 % interval" +
    `${isPaired ? ", by pairs of runs of one repetition" : ""}. Equivalent: all of the interval ` +
    `within ${margin}. Better and worse: all of it beyond, after Holm's correction for so many ` +
    `comparisons, and by the exact test of ${isPaired ? "pairs" : "runs"}.`,
    ...gainNote(all),
    ...(stdevs.length === 0 ? [] : [
      `Intervals hold by how much earlier sessions differ: up to ${
        percentText(Math.max(...stdevs))
      }, the standard deviation of a ratio.`,
    ]),
    ...NOTES.flatMap(({ reason, note }) => reasons.has(reason) ? [note] : []),
  ];
}

/** Less is within what chance makes of the variance of five pairs. */
const MATERIAL_GAIN = 1.3;

/** What pairs were worth, where it is worth a word. */
function gainNote(figures: readonly FigureComparison[]): string[] {
  const gains = figures.flatMap(({ figure, pairingGain }) =>
    figure === "rate" ? pairingGain ?? [] : []
  );
  const gain = medianOf(gains);
  if (gains.length === 0 || gain < MATERIAL_GAIN) return [];
  const times = Number(gain.toPrecision(2));
  const of = gains.length === 1 ? "" : `, the median of ${gains.length} comparisons`;
  return [
    `Pairs make the variance of the ratio of requests/s ${times} times smaller${of}: unpaired, it ` +
    `would take about ${times} times as many runs.`,
  ];
}

const NOTES: readonly { readonly reason: VerdictReason; readonly note: string }[] = [
  { reason: "few-runs", note: "Inconclusive: too few runs; more would decide." },
  {
    reason: "groups",
    note:
      "Where runs fall into two groups, no interval of so few covers the truth in 95 of 100 cases, " +
      "and there is no verdict.",
  },
  {
    reason: "one-run",
    note: "One run says nothing about the next: such a ratio has no interval and no verdict.",
  },
];
