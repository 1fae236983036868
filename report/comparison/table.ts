/** Comparisons as a table: one row a pair, one column a figure. */
import { comparisonOf, type FigureComparison, type GroupComparison } from "../comparison.ts";
import { type ColumnOf, type Table, type TableCell, tableOf } from "../table.ts";
import { NONE, textCell } from "../tables/columns.ts";
import { COMPARED, type ComparedFigure } from "./group.ts";
import { figureName, percentText, ratioText } from "./words.ts";

export interface ComparedRow {
  readonly name: string;
  readonly color?: number;
  /** What it is held against; null where the name tells. */
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
    ...COMPARED.map(figureColumn),
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
    cell: ({ comparison }) => figureCell(comparisonOf(comparison, figure)),
  };
}

function figureCell(comparison: FigureComparison): TableCell {
  const { ratio, verdict } = comparison;
  if (ratio === null) return NONE;
  const text = `${ratioText(comparison)} ${verdict}`;
  return { text, value: ratio, ...(verdict === "worse" && { alarming: true }) };
}

/** What ratios and verdicts mean. */
export function notesOf(comparisons: readonly GroupComparison[]): string[] {
  const [{ marginRatio }] = comparisons;
  const isUnsure = comparisons.some(({ figures }) =>
    figures.some(({ verdict, interval }) => verdict === "inconclusive" && interval !== null)
  );
  const isSingle = comparisons.some(({ runs }) => Math.min(runs.base, runs.next) === 1);
  return [
    "A ratio is that of the target over the one it is held against, with its 95 % interval. " +
    `Equivalent: surely within ${
      percentText(marginRatio)
    }. Better and worse: beyond that, by the ` +
    "interval, by Holm's correction for so many comparisons, and by the exact Mann-Whitney test.",
    ...(isUnsure ? ["Inconclusive: there were not enough runs to tell."] : []),
    ...(isSingle
      ? ["One run says nothing about the next: such a ratio has no interval and no verdict."]
      : []),
  ];
}
