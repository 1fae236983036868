/** Published and measured figures side by side, a row each, in the order of the file. */
import type { Published } from "../../../runner/result/result.ts";
import {
  type ColumnOf,
  NONE,
  numberCell,
  type Table,
  type TableCell,
  tableOf,
  textCell,
} from "../../subjects/tables/table.ts";
import {
  type DisplayUnit,
  formatInterval,
  formatPercent,
  GLUE,
  sizeUnit,
  timeUnit,
} from "../../writing/units.ts";
import { isBase, type MatchedRow } from "./rows.ts";
import { formatRatio, percentText } from "../../writing/ratios.ts";
import { median } from "../../writing/spread.ts";
import { counted } from "../../writing/words.ts";
import { figureRangeText } from "../../writing/figure_text.ts";
import type { Range } from "../../figures/range.ts";

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
      cell: (row) => marked(row, cell({ value: row.published, interval: null })),
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
  {
    label: "Published, relative",
    unit: "×",
    cell: (row) => marked(row, numberCell(row.ofPublished)),
  },
  {
    label: "Measured, relative",
    unit: "×",
    cell: (row) => boundCell(row, rangeCell(row.ofMeasured, TIMES)),
  },
];

/** `< `, `> ` or `~ ` before a published figure that is a bound, or about that; "" otherwise. */
export function boundMark({ bound }: Pick<MatchedRow, "bound">): string {
  return bound === null ? "" : `${bound}${GLUE}`;
}

function marked(row: MatchedRow, cell: TableCell): TableCell {
  return row.bound === null ? cell : { ...cell, text: `${boundMark(row)}${cell.text}` };
}

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
    case "count":
      return { name: "", size: 1, decimals: 6 };
    case "perSec":
      return { name: "requests/s", size: 1, decimals: 6 };
  }
}

function perSecond(unit: DisplayUnit): DisplayUnit {
  return { ...unit, name: `${unit.name}/s` };
}

// Which measured figures are far from the published ones, by a rule that the report states.

/**
 * Farther than this is called a difference that matters. A quarter is more than most changes of compiler,
 * kernel and patch version make, and less than what a reader would choose one server over another for.
 */
export const FAR_RATIO = 1.25;

export const RULE =
  `A difference matters, and is marked, where the whole 95 % interval of the measured figure lies more than ${
    percentText(FAR_RATIO - 1)
  } from the published one (above ${FAR_RATIO} × or below ${
    1 / FAR_RATIO
  } ×); with a single run, where the figure itself does. Whatever is surely not 0 is that far from 0.`;

/** Far, and surely so; a lower bound can only be too high, and what is under a published bound is as published. */
export function isFar(row: MatchedRow): boolean {
  const { quotient, measured, base, bound } = row;
  if (quotient === null || isBase(row)) return false;
  const { low, high } = quotient.interval ?? { low: quotient.value, high: quotient.value };
  return (low > FAR_RATIO && bound !== ">" && !(base?.measured.isAtLeast ?? false)) ||
    (high < 1 / FAR_RATIO && bound !== "<" && !measured.isAtLeast);
}

/** Those that matter, the farthest first. */
export function farRows(rows: readonly MatchedRow[]): MatchedRow[] {
  return rows.filter(isFar).sort(byDistance);
}

/** Two that are infinitely far keep their order. */
function byDistance(a: MatchedRow, b: MatchedRow): number {
  const [one, other] = [distanceOf(a), distanceOf(b)];
  return one === other ? 0 : other - one;
}

function distanceOf({ quotient }: MatchedRow): number {
  return Math.abs(Math.log(quotient?.value ?? 1));
}

/** `static, express`; without the scenario where there is one only. */
export type NameOf = (row: Pick<MatchedRow, "at">) => string;

/** How many matter, and the farthest; without a full stop. */
export function farSentence(rows: readonly MatchedRow[], nameOf: NameOf): string {
  const compared = rows.filter((row) => !isBase(row));
  if (compared.length === 0) return "";
  const far = farRows(rows);
  const margin = percentText(FAR_RATIO - 1);
  if (far.length === 0) return `No figure is surely more than ${margin} from the published one`;
  const [farthest] = far;
  const [verb, ones] = far.length === 1 ? ["is", "one"] : ["are", "ones"];
  const farthestText = `${nameOf(farthest)} at ${quotientText(farthest)}`;
  return `${far.length} of ${
    counted(compared.length, "figure")
  } ${verb} surely more than ${margin} ` +
    `from the published ${ones}, the farthest ${farthestText}`;
}

/** Where the figures lie as a whole: of all there is one reason, of the machine or of what all are divided by. */
export function middleSentence(rows: readonly MatchedRow[], relative: string | null): string {
  const quotients = rows.flatMap((row) =>
    row.quotient === null || isBase(row) ? [] : [row.quotient.value]
  );
  if (quotients.length < FEWEST_FOR_MIDDLE) return "";
  const middle = median(quotients);
  if (middle === 0 || !Number.isFinite(middle)) return "";
  const text = `Half of all figures lie above ${formatRatio(middle, null)} the published ones`;
  if (relative === null) return `${text}, half below`;
  return farRows(rows).length >= quotients.length / 2
    ? `${text}, half below: perhaps it is ${relative} that differs, by which all are divided`
    : "";
}

const FEWEST_FOR_MIDDLE = 3;

/** `static, gin: measured 1.20× [1.15, 1.25] where 2.31× was published, 0.52× [0.50, 0.54] as much`. */
export function differenceText(row: MatchedRow, unit: Published["unit"], nameOf: NameOf): string {
  const { base, ofPublished, ofMeasured } = row;
  const text = (range: Range): string =>
    base === null ? figureRangeText(range, unit) : formatRatio(range.value, range.interval);
  const published = boundMark(row) + text({ value: ofPublished, interval: null });
  const measured = `${row.measured.isAtLeast ? "≥ " : ""}${text(ofMeasured)}`;
  return `${nameOf(row)}: measured ${measured} where ${published} was published, ${
    quotientText(row)
  } as much`;
}

function quotientText({ quotient }: MatchedRow): string {
  return quotient === null ? "–" : formatRatio(quotient.value, quotient.interval);
}
