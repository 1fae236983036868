/** Published figures compared with measured ones: how similar they are, which differ, and a table. */
import type { Published } from "../../runner/result/result.ts";
import { type Block, type Finding, FORMS, group, list, table, text } from "../blocks.ts";
import type { Range } from "../figures/range.ts";
import {
  boundMark,
  differenceSentence,
  FAR_RULE,
  missingSentence,
  publishedFinding,
  relativeNote,
} from "../findings/published_sentences.ts";
import { type JudgedTable, judgePublished, type MatchedRow } from "../judge/published.ts";
import { type DisplayUnit, PERCENT, sizeUnit, timeUnit } from "../writing/units.ts";
import { counted } from "../writing/words.ts";
import type { ReportContext } from "./subject.ts";
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

export function published({ asWritten, results }: ReportContext): Block[] {
  return judgePublished(asWritten, results).map((judged, i) => tableGroup(judged, i === 0));
}

/** The most differences that are listed. The table marks all of them. */
const MOST_DIFFERENCES = 8;

/**
 * A table of published figures, with findings. @param isFirst Whether this is the first table, whose group alone states
 * which differences matter.
 */
function tableGroup(judged: JudgedTable, isFirst: boolean): Block {
  const { table: { source = "", figure, confounders }, far } = judged;
  const title = [source, figure].filter(Boolean).join(": ");
  const differences = far.map((row): Finding => ({
    code: "published.difference",
    text: differenceSentence(row, judged),
  }));
  const more = far.length - MOST_DIFFERENCES;
  const rest = {
    code: "published.difference",
    text: `${counted(more, "more difference")} ${more === 1 ? "is" : "are"} marked in the table.`,
  };
  const caption = `Published and measured, ${title}`;
  const notes = [relativeNote(judged), ...isFirst ? [FAR_RULE] : []];
  return group(title, [
    { ...text("published.likeness", publishedFinding(judged)), forms: FORMS },
    list([...differences.slice(0, MOST_DIFFERENCES), ...more > 0 ? [rest] : []], {
      title: "Differences that matter",
    }),
    list(
      confounders.map((text) => ({ code: "published.confounder", text })),
      { title: "Other differences" },
    ),
    table(publishedTable(judged, { caption, notes })),
    { ...text("published.missing", missingSentence(judged), "note"), forms: FORMS },
  ]);
}

/** Published and measured figures side by side, with a row for each pair, in the order of the file. */
function publishedTable(
  { table: { unit: kind }, rows, isRelative }: JudgedTable,
  about: { readonly caption: string; readonly notes: readonly string[] },
): Table {
  const unit = columnUnit(kind, rows.flatMap((row) => [row.published, row.measured.value]));
  const format = kind === "share" ? kind : unit;
  const isOfSeveral = new Set(rows.map(({ cell }) => cell.scenario)).size > 1;
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
        column.number(
          "Measured, relative",
          (row: MatchedRow) => openIn(row, row.ofMeasured),
          TIMES,
        ),
      ]
      : [],
    { label: "Measured ÷ published", unit: "×", cell: quotientCell },
  ]);
}

const TIMES = unitNamed("×");

/**
 * The ratio of the measured to the published figure. Empty for the base row, by which all rows of a relative table are
 * divided.
 */
function quotientCell(row: MatchedRow): TableCell {
  const { quotient, isFar } = row;
  if (quotient === null) return NONE;
  // The ratio to a published 0 is infinite.
  const cell = quotient.value === Infinity
    ? { text: "∞", value: Infinity }
    : measuredCell(openIn(row, quotient), TIMES);
  return { ...cell, ...isFar && { alarming: true } };
}

/**
 * A ratio to the base. It is a lower bound if the measured figure is one. But if the base's figure is a lower bound,
 * the true ratio may be lower, so the ratio is marked as weak, not as a lower bound.
 */
function openIn({ measured, base }: MatchedRow, range: Range): Measured {
  const isWeak = base?.measured.isAtLeast ?? false;
  return { ...range, isWeak, isAtLeast: measured.isAtLeast && !isWeak };
}

/** One unit for all values, published and measured. */
function columnUnit(kind: Published["unit"], values: readonly number[]): DisplayUnit {
  if (kind === "ms") return timeUnit(values);
  if (kind === "share") return PERCENT;
  const size = sizeUnit(values);
  if (kind === "bytes") return size;
  if (kind === "bytesPerSec") return { ...size, name: `${size.name}/s` };
  return unitNamed({ cores: "cores", count: "", perSec: "requests/s" }[kind]);
}
