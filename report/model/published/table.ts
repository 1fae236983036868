/** Published and measured figures side by side, a row each, in the order of the file. */
import type { Published } from "../../../runner/result/result.ts";
import type { Range } from "../runs/figure_range.ts";
import {
  type ColumnOf,
  NONE,
  numberCell,
  type Table,
  type TableCell,
  tableOf,
  textCell,
} from "../tables/table.ts";
import {
  type DisplayUnit,
  formatInterval,
  formatPercent,
  sizeUnit,
  timeUnit,
} from "../numbers/units.ts";
import { isFar } from "./differences.ts";
import { isBase, type MatchedRow } from "./rows.ts";

interface Layout {
  readonly caption: string;
  readonly unit: Published["unit"];
  readonly isRelative: boolean;
  readonly notes: readonly string[];
}

export function publishedTable(
  rows: readonly MatchedRow[],
  { caption, unit: kind, isRelative, notes }: Layout,
): Table {
  const unit = columnUnit(kind, rows.flatMap((row) => [row.published, row.measured.value]));
  const several = new Set(rows.map(({ at }) => at.scenario)).size > 1;
  const cell = (range: Range & { readonly isAtLeast?: boolean }): TableCell =>
    rangeCell(range, unit);
  return tableOf({ caption, notes }, rows, [
    {
      label: "Target",
      kind: "name",
      cell: ({ at: { cell: { label, color } } }) => ({ text: label, color }),
    },
    ...(several ? [scenarioColumn] : []),
    {
      label: "Published",
      unit: unit.name,
      cell: ({ published }) => cell({ value: published, interval: null }),
    },
    { label: "Measured", unit: unit.name, cell: ({ measured }) => cell(measured) },
    ...(isRelative ? relativeColumns : []),
    { label: "Measured ÷ published", unit: "×", cell: quotientCell },
  ]);
}

const scenarioColumn: ColumnOf<MatchedRow> = {
  label: "Scenario",
  kind: "text",
  cell: ({ at }) => textCell(at.scenario),
};

const TIMES: DisplayUnit = { name: "×", size: 1, decimals: 6 };

const relativeColumns: readonly ColumnOf<MatchedRow>[] = [
  { label: "Published, relative", unit: "×", cell: ({ ofPublished }) => numberCell(ofPublished) },
  {
    label: "Measured, relative",
    unit: "×",
    cell: (row) => boundCell(row, rangeCell(row.ofMeasured, TIMES)),
  },
];

/** The base is itself by itself, which says nothing. */
function quotientCell(row: MatchedRow): TableCell {
  const { quotient } = row;
  if (quotient === null || isBase(row)) return NONE;
  // Over 0 there is no number.
  const plain = quotient.value === Infinity
    ? { text: "∞", value: Infinity }
    : rangeCell(quotient, TIMES);
  const cell = boundCell(row, plain);
  return isFar(row) ? { ...cell, alarming: true } : cell;
}

/** A lower bound over a number is one, too; over another bound it may be anything. */
function boundCell({ measured, base }: MatchedRow, cell: TableCell): TableCell {
  if (base?.measured.isAtLeast ?? false) return { ...cell, weak: true };
  return measured.isAtLeast ? { ...cell, text: `≥ ${cell.text}` } : cell;
}

function rangeCell(
  { value, interval, isAtLeast = false }: Range & { readonly isAtLeast?: boolean },
  unit: DisplayUnit,
): TableCell {
  const plain = unit === SHARE ? { text: formatPercent(value), value } : numberCell(value, unit);
  const cell = isAtLeast ? { ...plain, text: `≥ ${plain.text}` } : plain;
  if (interval === null || interval.low === interval.high) return cell;
  const most = unit === SHARE ? 1 : Infinity;
  const [low, high] = [interval.low, interval.high].map((end) => Math.min(most, Math.max(0, end)));
  return { ...cell, below: formatInterval({ low, high }, unit) };
}

const SHARE: DisplayUnit = { name: "%", size: 0.01, decimals: 2 };

/** One unit for what is published and what is measured. */
export function columnUnit(kind: Published["unit"], values: readonly number[]): DisplayUnit {
  switch (kind) {
    case "ms":
      return timeUnit(values);
    case "bytes":
      return sizeUnit(values);
    case "bytesPerSec":
      return perSecond(sizeUnit(values));
    case "share":
      return SHARE;
    case "cores":
      return { name: "cores", size: 1, decimals: 6 };
    case "perSec":
      return { name: "requests/s", size: 1, decimals: 6 };
  }
}

function perSecond(unit: DisplayUnit): DisplayUnit {
  return { ...unit, name: `${unit.name}/s` };
}
