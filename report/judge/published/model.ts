/** `published` of an experiment × results → what the report says about it: a model for each table. */
import type { Published } from "../../../runner/result/result.ts";
import { declaredPairs, type DeclaredSettings } from "../../subjects/method/declared_values.ts";
import type { ScenarioRuns } from "../../cells/cells.ts";
import { type Axis, compact, type ScatterChart } from "../../subjects/charts/charts.ts";
import { namedCells, nameOf as placeOf } from "../../cells/match.ts";
import { formatRatio } from "../../writing/ratios.ts";
import type { Table } from "../../subjects/tables/table.ts";
import { counted } from "../../writing/words.ts";
import {
  boundMark,
  columnUnit,
  differenceText,
  FAR_RATIO,
  farRows,
  farSentence,
  isFar,
  middleSentence,
  type NameOf,
  publishedTable,
  RULE,
} from "./table.ts";
import { orderSentence, ordersOf, orderTable } from "./order.ts";
import {
  isBase,
  isBound,
  type MatchedRow,
  type PlacedCell,
  placedCells,
  type PublishedRows,
  publishedRows,
} from "./rows.ts";
import { figureRangeText } from "../../writing/figure_text.ts";
import type { Range } from "../../figures/range.ts";

export interface PublishedModel {
  /** Where the figures stand, and which they are. */
  readonly title: string;
  /** How alike the order and the figures are. */
  readonly finding: string;
  /** The differences that matter, the farthest first, a sentence each; the rest counted. */
  readonly differences: readonly string[];
  /** What else was different where the figures were published, a sentence each. */
  readonly confounders: readonly string[];
  /** What is not in the table, and why; "" when all is. */
  readonly missing: string;
  /** Null for fewer than two cells. */
  readonly chart: ScatterChart | null;
  /** What the colours and the marks of the chart stand for. */
  readonly legend: {
    readonly series: readonly { readonly label: string; readonly color: number }[];
    readonly scenarios: readonly string[];
  };
  /** Null when nothing that was published was measured. */
  readonly table: Table | null;
  /** Rank correlations by scenario; null where there is one only. */
  readonly order: Table | null;
}

export function publishedModels(
  scenarios: readonly ScenarioRuns[],
  results: DeclaredSettings,
): PublishedModel[] {
  const { experiment } = results;
  const tables = [experiment?.published ?? []].flat();
  if (tables.length === 0) return [];
  const declared = declaredPairs(results);
  const cells = placedCells(namedCells(scenarios), declared);
  const known = {
    declared,
    targets: Object.keys(Object(experiment?.targets)),
    scenarios: Object.keys(Object(experiment?.scenarios)),
  };
  return tables.map((table, i) =>
    publishedModel(table, publishedRows(table, cells, known), i === 0 ? RULE : "")
  );
}

/** @param rule Which differences matter: said once, with the first table. */
function publishedModel(table: Published, found: PublishedRows, rule: string): PublishedModel {
  const { rows, isRelative } = found;
  const exact = rows.filter((row) => !isBound(row));
  const { figure, unit, confounders } = table;
  const title = [table.source ?? "", figure].filter(Boolean).join(": ");
  const severalScenarios = new Set(rows.map(({ at }) => at.scenario)).size > 1;
  const nameOf: NameOf = ({ at }) => severalScenarios ? placeOf(at) : at.cell.label;
  const orders = ordersOf(figure, exact);
  const relative = isRelative ? table.relative : null;
  const sentences = [
    orderSentence(orders),
    farSentence(rows, nameOf),
    middleSentence(exact, relative),
  ];
  const notes = [relativeNote(table, found), rule].filter(Boolean);
  return {
    title,
    finding: sentences.filter(Boolean).map((sentence) => `${sentence}.`).join(" "),
    differences: differencesOf(rows, (row) => differenceText(row, unit, nameOf)),
    confounders,
    missing: missingText(found),
    chart: scatterOf(exact, { alt: altOf(title, exact.length), unit, relative, nameOf }),
    legend: legendOf(rows.map(({ at }) => at)),
    table: rows.length === 0 ? null : publishedTable(rows, {
      caption: `Published and measured, ${title}`,
      unit,
      isRelative,
      notes,
    }),
    order: orderTable(orders),
  };
}

const MOST_DIFFERENCES = 8;

function differencesOf(
  rows: readonly MatchedRow[],
  textOf: (row: MatchedRow) => string,
): string[] {
  const far = farRows(rows);
  const more = far.length - MOST_DIFFERENCES;
  const named = far.slice(0, MOST_DIFFERENCES).map((row) => `${textOf(row)}.`);
  return more > 0 ? [...named, `${more} more are marked in the table.`] : named;
}

function altOf(title: string, cells: number): string {
  return `Measured against published, ${title}: ${
    counted(cells, "dot")
  } about the line of equality. The table below has the numbers.`;
}

function legendOf(cells: readonly PlacedCell[]): PublishedModel["legend"] {
  const series = new Map(cells.map(({ cell: { label, color } }) => [label, color]));
  const scenarios = [...new Set(cells.map(({ scenario }) => scenario))];
  return {
    series: [...series].map(([label, color]) => ({ label, color })),
    scenarios: scenarios.length > 1 ? scenarios : [],
  };
}

/** What was divided by, with what it is here and there: the machines' part, as far as one cell shows it. */
function relativeNote(
  { relative, unit }: Published,
  { rows, isRelative }: PublishedRows,
): string {
  if (relative === null) {
    return "Nothing is divided out: a faster or slower machine alone moves every figure.";
  }
  if (!isRelative) {
    return `Nothing could be divided by ${relative}, which is 0 or not measured for some row: a faster or slower machine alone moves every figure.`;
  }
  const bases = new Set(rows.map(({ base }) => base));
  const [base] = bases;
  const value = base === null || bases.size !== 1 ? null : base;
  const about = value === null
    ? ""
    : ` itself: ${figureRangeText({ value: value.published, interval: null }, unit)} published, ${
      figureRangeText(value.measured, unit)
    } here (${formatRatio(value.measured.value / value.published, null)})`;
  return `Relative figures are divided by those of ${relative}${about}.`;
}

const MOST_NAMED = 8;

function missingText({ missing }: PublishedRows): string {
  if (missing.length === 0) return "";
  const byReason = Map.groupBy(missing, ({ reason }) => reason);
  const groups = [...byReason].map(([reason, cells]) => {
    const named = cells.slice(0, MOST_NAMED).map(({ of }) => of);
    const more = cells.length - named.length;
    return `${[...named, ...(more === 0 ? [] : [`${more} more`])].join("; ")} (${reason})`;
  });
  return `Published, and not compared: ${groups.join("; ")}.`;
}

// Published against measured: on the line where both are equal, or off it.

interface ChartLook {
  readonly alt: string;
  readonly unit: Published["unit"];
  /** What both are divided by; null: nothing. */
  readonly relative: string | null;
  readonly nameOf: NameOf;
}

/** Null for fewer than two cells: a dot alone shows no more than its number. */
export function scatterOf(rows: readonly MatchedRow[], look: ChartLook): ScatterChart | null {
  if (rows.length < 2) return null;
  const scenarios = [...new Set(rows.map(({ at }) => at.scenario))];
  const unit = look.relative !== null
    ? { name: "×", size: 1 }
    : columnUnit(look.unit, valuesOf(rows));
  const axis = axisOf(rows, unit);
  const shown = (value: number): number => compact(value / unit.size);
  const end = (value: number): number => Math.min(axis.max, Math.max(axis.min, shown(value)));
  return {
    kind: "scatter",
    alt: look.alt,
    x: axis,
    y: axis,
    titles: ["published", "measured"].map((title) =>
      look.relative === null ? title : `${title} (${look.relative} = 1)`
    ),
    farRatio: FAR_RATIO,
    points: rows.map((row) => ({
      label: look.nameOf(row),
      color: row.at.cell.color,
      mark: scenarios.indexOf(row.at.scenario),
      x: shown(row.ofPublished),
      y: shown(row.ofMeasured.value),
      low: row.ofMeasured.interval && end(row.ofMeasured.interval.low),
      high: row.ofMeasured.interval && end(row.ofMeasured.interval.high),
      isFar: isFar(row),
      lines: linesOf(row, look),
    })),
  };
}

function valuesOf(rows: readonly MatchedRow[]): number[] {
  return rows.flatMap(({ ofPublished, ofMeasured }) => [ofPublished, ofMeasured.value]);
}

/** Beyond the outermost dots, so that none lies on the edge. */
const MARGIN_RATIO = 1.25;

/** Logarithmic, so that a factor is as long everywhere; not where a value is 0. */
function axisOf(
  rows: readonly MatchedRow[],
  { name: unit, size }: { readonly name: string; readonly size: number },
): Axis {
  const values = valuesOf(rows).map((value) => value / size);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least > 0
    ? { unit, scale: "log", min: compact(least / MARGIN_RATIO), max: compact(most * MARGIN_RATIO) }
    : { unit, scale: "linear", min: 0, max: compact(most * MARGIN_RATIO || 1) };
}

function linesOf(row: MatchedRow, { unit, relative }: ChartLook): string[] {
  const { ofPublished, ofMeasured, measured, quotient } = row;
  const text = (range: Range): string =>
    relative !== null ? formatRatio(range.value, range.interval) : figureRangeText(range, unit);
  return [
    `published ${boundMark(row)}${text({ value: ofPublished, interval: null })}`,
    `measured ${measured.isAtLeast ? "≥ " : ""}${text(ofMeasured)}`,
    ...(quotient === null || isBase(row)
      ? []
      : [`measured ÷ published ${formatRatio(quotient.value, quotient.interval)}`]),
  ];
}
