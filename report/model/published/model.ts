/** `published` of an experiment × results → what the report says about it: a model for each table. */
import type { Published } from "../../../runner/result/result.ts";
import { type Asked, askedPairs } from "../method/declared_values.ts";
import type { ScenarioRuns } from "../runs/cells.ts";
import type { ScatterChart } from "../charts/charts.ts";
import { namedCells, nameOf as placeOf } from "../runs/match.ts";
import { formatRatio } from "../comparison/words.ts";
import { figureText } from "../runs/figure_range.ts";
import { repeatedOf } from "../runs/repeated.ts";
import type { Table } from "../tables/table.ts";
import { counted } from "../numbers/words.ts";
import { scatterOf } from "./chart.ts";
import {
  differenceText,
  farRows,
  farSentence,
  middleSentence,
  type NameOf,
  RULE,
} from "./differences.ts";
import { orderSentence, ordersOf, orderTable } from "./order.ts";
import {
  type ComparedRow,
  type PlacedCell,
  placedCells,
  type PublishedRows,
  publishedRows,
} from "./rows.ts";
import { publishedTable } from "./table.ts";

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
  results: Asked,
): PublishedModel[] {
  const { experiment } = results;
  const tables = [experiment.published ?? []].flat();
  if (tables.length === 0) return [];
  const asked = askedPairs(results);
  const cells = placedCells(namedCells(scenarios), asked, repeatedOf(results).level);
  const known = {
    asked,
    targets: Object.keys(Object(experiment.targets)),
    scenarios: Object.keys(Object(experiment.scenarios)),
  };
  return tables.map((table) => publishedModel(table, publishedRows(table, cells, known)));
}

function publishedModel(table: Published, found: PublishedRows): PublishedModel {
  const { rows, isRelative } = found;
  const { figure, unit, confounders } = table;
  const title = [table.source ?? "", figure].filter(Boolean).join(": ");
  const severalScenarios = new Set(rows.map(({ at }) => at.scenario)).size > 1;
  const nameOf: NameOf = ({ at }) => severalScenarios ? placeOf(at) : at.cell.label;
  const orders = ordersOf(figure, rows);
  const relative = isRelative ? table.relative : null;
  const sentences = [
    orderSentence(orders),
    farSentence(rows, nameOf),
    middleSentence(rows, relative),
  ];
  const notes = [relativeNote(table, found), RULE].filter(Boolean);
  return {
    title,
    finding: sentences.filter(Boolean).map((sentence) => `${sentence}.`).join(" "),
    differences: differencesOf(rows, (row) => differenceText(row, unit, nameOf)),
    confounders,
    missing: missingText(found),
    chart: scatterOf(rows, { alt: altOf(title, rows.length), unit, relative, nameOf }),
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
  rows: readonly ComparedRow[],
  textOf: (row: ComparedRow) => string,
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

/** What was divided by, with what it is here and there: the machines' part, as far as one cell can tell. */
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
    : ` itself: ${figureText({ value: value.published, interval: null }, unit)} published, ${
      figureText(value.measured, unit)
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
