/**
 * Published figures compared with measured ones: how similar they are, which differ, a chart of one against the other,
 * and a table.
 */
import type { Published } from "../../runner/result/result.ts";
import {
  type Block,
  figure,
  type Finding,
  type Form,
  group,
  list,
  table,
  text,
} from "../blocks.ts";
import type { Range } from "../figures/range.ts";
import {
  boundMark,
  correlationText,
  differenceSentence,
  FAR_RULE,
  figureTexts,
  isDecisive,
  missingSentence,
  publishedFinding,
  quotientText,
  relativeNote,
  rowName,
  swapsText,
} from "../findings/published_sentences.ts";
import {
  type JudgedTable,
  judgePublished,
  type MatchedRow,
  type PublishedOrder,
} from "../judge/published.ts";
import { FAR_RATIO } from "../judge/rules.ts";
import { type DisplayUnit, PERCENT, sizeUnit, timeUnit } from "../writing/units.ts";
import { counted, unique } from "../writing/words.ts";
import { axisOver, compact, markOf, type Xy } from "../chart.ts";
import type { ReportContext, Subject } from "./subject.ts";
import * as column from "./tables/column.ts";
import {
  type Format,
  type Measured,
  measuredCell,
  NONE,
  type Table,
  type TableCell,
  tableOf,
  unitNamed,
} from "./tables/table.ts";

export const published: Subject<ReportContext> = {
  id: "published",
  title: "Published and measured",
  depth: "detail",
  build: ({ asWritten, results }) =>
    judgePublished(asWritten, results).map((judged, i) => tableGroup(judged, i === 0)),
};

/** The most differences that are listed; the table marks more. */
const MOST_DIFFERENCES = 8;
const MOST_IN_TERMINAL = 3;

/** @param isFirst Whether to state which differences matter, which is stated only once. */
function tableGroup(judged: JudgedTable, isFirst: boolean): Block {
  const { table: { source = "", figure: name, confounders }, exact, far, orders } = judged;
  const title = [source, name].filter(Boolean).join(": ");
  const forms: readonly Form[] = ["page", "terminal", "markdown"];
  const differences = far.map((row): Finding => ({
    code: "published.difference",
    text: differenceSentence(row, judged),
  }));
  const more = far.length - MOST_DIFFERENCES;
  const rest = { code: "published.difference", text: `${more} more are marked in the table.` };
  const lists = group("", [
    list([...differences.slice(0, MOST_DIFFERENCES), ...more > 0 ? [rest] : []], {
      title: "Differences that matter",
      forms: ["page", "markdown"],
    }),
    list(differences.slice(0, MOST_IN_TERMINAL), { forms: ["terminal"] }),
    list(
      confounders.map((text) => ({ code: "published.confounder", text })),
      { title: "Other differences" },
    ),
  ]);
  const caption = `Published and measured, ${title}`;
  const notes = [relativeNote(judged), ...isFirst ? [FAR_RULE] : []];
  return group(title, [
    { ...text("published.likeness", publishedFinding(judged)), forms },
    // A single dot shows no more than its number.
    exact.length < 2 ? lists : group("", [scatterOf(judged, title), lists], { layout: "halves" }),
    table(publishedTable(judged, { caption, notes })),
    { ...text("published.missing", missingSentence(judged), "note"), forms },
    ...orderTable(orders),
  ]);
}

const READING =
  "Each dot is a cell. Across: the published figure. Up: the measured figure, with its 95 % confidence interval. On the dashed line both are equal; in the grey band they differ by at most a quarter. The whole interval of a dot with a rim lies outside the band. Point at a dot for its name.";

function scenariosOf(rows: readonly MatchedRow[]): string[] {
  return unique(rows.map(({ cell }) => cell.scenario));
}

/** A chart of published against measured figures: on the line of equality, or off it. */
function scatterOf(
  { table: { unit: kind, relative }, exact, rows, isRelative }: JudgedTable,
  title: string,
): Block {
  const scenarios = scenariosOf(exact);
  const values = exact.flatMap(({ ofPublished, ofMeasured }) => [ofPublished, ofMeasured.value]);
  const unit = isRelative ? TIMES : columnUnit(kind, values);
  // Logarithmic, so that a factor is as long everywhere; not where a value is 0.
  const scaled = values.map((value) => value / unit.size);
  const axis = axisOver(unit.name, scaled, { logFrom: 0, room: ROOM });
  const shown = (value: number): number => compact(value / unit.size);
  const end = (value: number): number => Math.min(axis.max, Math.max(axis.min, shown(value)));
  const named = (what: string): string => isRelative ? `${what} (${relative} = 1)` : what;
  const chart: Xy = {
    kind: "xy",
    alt: `Measured against published, ${title}: ${
      counted(exact.length, "dot")
    } about the line of equality. The table below has the numbers.`,
    size: "large",
    x: { ...axis, title: named("published") },
    y: { ...axis, title: named("measured") },
    references: [{ kind: "equality", ratio: FAR_RATIO }],
    series: exact.map((row) => {
      const { cell, ofPublished, ofMeasured: { value, interval }, quotient, isFar } = row;
      const { published, measured } = figureTexts(row, isRelative ? null : kind);
      return {
        label: rowName(row, rows),
        color: cell.color,
        draw: "dots",
        points: [{
          x: shown(ofPublished),
          y: shown(value),
          low: interval && end(interval.low),
          high: interval && end(interval.high),
          mark: markOf(scenarios, cell.scenario),
          fill: isFar ? "ringed" : "pale",
          lines: [
            `published ${published}`,
            `measured ${measured}`,
            ...quotient === null ? [] : [`measured ÷ published ${quotientText(row)}`],
          ],
        }],
      };
    }),
  };
  const colors = new Map(exact.map(({ cell: { label, color } }) => [label, color]));
  return figure([{ chart }], {
    legend: [...colors].map(([label, color]) => ({ label, color })),
    marks: scenarios,
    reading: READING,
    forms: ["page"],
  });
}

/** Beyond the outermost dots, so that none lies on the edge. */
const ROOM = 1.25;

/** Published and measured figures side by side, a row each, in the order of the file. */
function publishedTable(
  { table: { unit: kind }, rows, isRelative }: JudgedTable,
  about: { readonly caption: string; readonly notes: readonly string[] },
): Table {
  const unit = columnUnit(kind, rows.flatMap((row) => [row.published, row.measured.value]));
  const format = kind === "share" ? kind : unit;
  const isOfSeveral = scenariosOf(rows).length > 1;
  const written = (row: MatchedRow, value: number, format: Format): TableCell => {
    const cell = measuredCell({ value }, format);
    return { ...cell, text: `${boundMark(row)}${cell.text}` };
  };
  return tableOf(about, rows, [
    column.cell,
    column.text("Scenario", ({ cell }) => isOfSeveral ? cell.scenario : ""),
    { label: "Published", unit: unit.name, cell: (row) => written(row, row.published, format) },
    column.number("Measured", ({ measured }) => measured, format),
    ...isRelative
      ? [
        {
          label: "Published, relative",
          unit: "×",
          cell: (row: MatchedRow) => written(row, row.ofPublished, "number"),
        },
        column.number<MatchedRow>(
          "Measured, relative",
          (row) => openIn(row, row.ofMeasured),
          TIMES,
        ),
      ]
      : [],
    { label: "Measured ÷ published", unit: "×", cell: quotientCell },
  ]);
}

const TIMES = unitNamed("×");

/** The ratio of measured to published; empty for the base, which is divided by itself. */
function quotientCell(row: MatchedRow): TableCell {
  const { quotient, isFar } = row;
  if (quotient === null) return NONE;
  // A ratio over 0 is not a number.
  const cell = quotient.value === Infinity
    ? { text: "∞", value: Infinity }
    : measuredCell(openIn(row, quotient), TIMES);
  return { ...cell, ...isFar && { alarming: true } };
}

/** Whether the ratio is a lower bound: a bound over a number is one, too, but over another bound nothing is known. */
function openIn({ measured, base }: MatchedRow, range: Range): Measured {
  const isWeak = base?.measured.isAtLeast ?? false;
  return { ...range, isWeak, isAtLeast: measured.isAtLeast && !isWeak };
}

/** One unit for both the published and the measured values. */
function columnUnit(kind: Published["unit"], values: readonly number[]): DisplayUnit {
  if (kind === "ms") return timeUnit(values);
  if (kind === "share") return PERCENT;
  const size = sizeUnit(values);
  if (kind === "bytes") return size;
  if (kind === "bytesPerSec") return { ...size, name: `${size.name}/s` };
  return unitNamed({ cores: "cores", count: "", perSec: "requests/s" }[kind]);
}

/** Empty if the finding says everything. */
function orderTable(orders: JudgedTable["orders"]): Block[] {
  const decisive = orders.filter(isDecisive);
  if (decisive.length < 2) return [];
  const correlation = (label: string, of: (order: PublishedOrder) => number) => ({
    label,
    cell: (order: PublishedOrder): TableCell => {
      const value = of(order);
      return Number.isNaN(value) ? NONE : { text: correlationText(value), value };
    },
  });
  const correlations = tableOf(
    { caption: "Rank correlation of published and measured" },
    decisive,
    [
      column.name("Scenario", ({ scenario }) => scenario || "all"),
      column.number("Cells", ({ cells }) => cells, "count"),
      correlation("Spearman’s ρ", ({ rho }) => rho),
      correlation("Kendall’s τ-b", ({ tau }) => tau),
      column.text(
        "Change places",
        ({ scenario, swaps }) =>
          scenario === "" ? "" : swaps.length === 0 ? "none" : swapsText(swaps, false),
      ),
    ],
  );
  return [table(correlations, { isCaptioned: true, forms: ["page"] })];
}
