/** Comparisons as a table: one row a pair, one column a figure. */
import type { VerdictReason } from "../../../runner/stats/comparison/verdict.ts";
import { medianOf } from "../../../runner/stats/quantile.ts";
import { timeUnit } from "../../writing/units.ts";
import type { CellRuns } from "../../cells/cells.ts";
import {
  boundCell,
  type ColumnOf,
  errorCell,
  NONE,
  numberCell,
  shareCell,
  type Table,
  type TableCell,
  tableOf,
  textCell,
} from "./table.ts";
import { sessionStdevOf } from "../../judge/between.ts";
import {
  comparisonOf,
  type FigureComparison,
  type GroupComparison,
} from "../../judge/comparison.ts";
import { COMPARED, type ComparedFigure } from "../../judge/group.ts";
import { figureName, SESSIONS_TEXT, verdictWord } from "../../findings/judgements.ts";
import { percentText, ratioText } from "../../writing/ratios.ts";

export interface ComparedRow {
  readonly name: string;
  readonly color?: number;
  /** What it is held against; null where the name says it. */
  readonly base: string | null;
  readonly comparison: GroupComparison;
}

/** Null without rows. */
export function comparedTable(caption: string, rows: readonly ComparedRow[]): Table | null {
  if (rows.length === 0) return null;
  const isWithin = rows.some(({ base }) => base !== null);
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
  ]);
}

const againstColumn: ColumnOf<ComparedRow> = {
  label: "Against",
  kind: "text",
  cell: ({ base }) => textCell(base ?? ""),
};

function figureColumn(figure: ComparedFigure): ColumnOf<ComparedRow> {
  return {
    label: figure === "rate" ? "Requests/s" : figure === "mean" ? "Mean" : figureName(figure),
    kind: "text",
    cell: ({ comparison }) => figureCell(comparisonOf(comparison, figure), comparison),
  };
}

function figureCell(
  comparison: FigureComparison,
  { marginRatio }: GroupComparison,
): TableCell {
  const { ratio, verdict } = comparison;
  if (ratio === null) return NONE;
  const text = `${ratioText(comparison)} ${verdictWord(comparison, marginRatio)}`;
  return { text, value: ratio, ...(verdict === "worse" && { alarming: true }) };
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
  { reason: "sessions", note: SESSIONS_TEXT },
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

// Two results as a table: a row a cell, with the figures of both beside each other.

export interface SideRow {
  readonly name: string;
  readonly comparison: GroupComparison;
  readonly base: CellRuns;
  readonly next: CellRuns;
}

/** The ratio that decides comes after its figures. */
export function sideBySide(
  rows: readonly SideRow[],
  names: readonly string[],
): Table {
  return tableOf({ caption: "Both results side by side" }, rows, [
    { label: "Cell", kind: "name", cell: ({ name }) => textCell(name) },
    ...sideColumns("rate", rows, names),
    ...sideColumns(50, rows, names),
    ...sideColumns(99, rows, names),
    ...(rows.some(({ base, next }) => base.errorRatio + next.errorRatio > 0)
      ? (["base", "next"] as const).map((side): ColumnOf<SideRow> => ({
        label: `Errors, ${names[side === "base" ? 0 : 1]}`,
        unit: "%",
        cell: (row) => errorCell(shareCell(row[side].errorRatio)),
      }))
      : []),
  ]);
}

function sideColumns(
  figure: "rate" | 50 | 99,
  rows: readonly SideRow[],
  [base, next]: readonly string[],
): ColumnOf<SideRow>[] {
  const valuesOf = ({ comparison }: SideRow): FigureComparison => comparisonOf(comparison, figure);
  const unit = figure === "rate"
    ? undefined
    : timeUnit(rows.flatMap((row) => [valuesOf(row).base, valuesOf(row).next]));
  const name = figure === "rate" ? "Requests/s" : figureName(figure);
  const valueCell = (row: SideRow, side: "base" | "next"): TableCell => {
    const value = valuesOf(row)[side];
    if (!(value > 0)) return NONE;
    const isAtLeast = figure !== "rate" && row[side].latency.isAtLeast(figure);
    return boundCell(numberCell(value, unit), isAtLeast);
  };
  return [
    { label: `${name}, ${base}`, unit: unit?.name, cell: (row) => valueCell(row, "base") },
    { label: next, unit: unit?.name, cell: (row) => valueCell(row, "next") },
    {
      label: `${next} over ${base}`,
      kind: "text",
      cell: (row) => {
        const one = valuesOf(row);
        if (one.ratio === null) return NONE;
        return {
          text: ratioText(one),
          value: one.ratio,
          below: verdictWord(one, row.comparison.marginRatio),
          ...(one.verdict === "worse" && { alarming: true }),
        };
      },
    },
  ];
}
