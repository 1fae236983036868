/** A comparison of two results for people, and for pull requests. */
import {
  cellName,
  type ComparedCell,
  type ResultsComparison,
  sentenceOf,
} from "../model/compared_results.ts";
import { comparisonOf } from "../model/comparison/comparison.ts";
import { isDecisive } from "../model/comparison/group.ts";
import { comparedTable, notesOf } from "../model/comparison/table.ts";
import { figureName, ratioText, verdictText, verdictWord } from "../model/comparison/words.ts";
import { gatesTable } from "../model/gates/table.ts";
import { formatMs, formatNumber } from "../model/numbers/units.ts";
import type { Table } from "../model/tables/table.ts";
import { BLANK, HANGING, indented, lineOf, paragraph } from "../terminal/line.ts";
import { outcomeLines } from "../terminal/verdicts.ts";
import { documentOf, lines, md, paragraphs } from "../writing/markdown.ts";
import { type Line, type TerminalOptions, writtenLines } from "../writing/terminal.ts";
import type { Written } from "../writing/written.ts";
import { gatesMarkdown, tableWithNotes } from "./markdown.ts";

/** With a line break at its end. */
export function renderComparison(
  comparison: ResultsComparison,
  options: TerminalOptions,
): Written<"terminal"> {
  const { cells, gates } = comparison;
  const notes = cells.length === 0 ? [] : notesOf(cells.map(({ comparison }) => comparison));
  const lines = [
    ...doubtsOf(comparison).flatMap((doubt) =>
      paragraph(doubt, options.width, { ...HANGING, style: "yellow" })
    ),
    ...cells.flatMap((cell) => cellLines(cell, options)),
    BLANK,
    ...notes.flatMap((note) => paragraph(note, options.width)),
    ...(gates.length > 0 ? [BLANK, lineOf("Thresholds", "cyan")] : []),
    ...outcomeLines(gates, options),
  ];
  return writtenLines(lines, options);
}

export function renderComparisonMarkdown(comparison: ResultsComparison): Written<"markdown"> {
  const { cells, gates } = comparison;
  const table = tableOfAll(comparison);
  const items = cells.map((cell) => md`- ${sentenceOf(cell)}: ${findingsOf(cell).join("; ")}`);
  return documentOf(paragraphs([
    md`## Comparison`,
    ...doubtsOf(comparison).map((doubt) => md`**${doubt}**`),
    lines(items),
    ...(table ? tableWithNotes(table) : []),
    ...gatesMarkdown({ table: gatesTable(gates), note: "" }),
  ]));
}

/** What makes the comparison doubtful, or smaller than it might be. */
function doubtsOf({ differences, untrusted, onlyBase, onlyNext }: ResultsComparison): string[] {
  return [
    ...differences.map((difference) => `Warning: not measured alike: ${difference}`),
    ...untrusted.map((text) => `Warning: ${text}`),
    ...(onlyBase.length === 0 ? [] : [`Only in BASE: ${onlyBase.join("; ")}`]),
    ...(onlyNext.length === 0 ? [] : [`Only in NEW: ${onlyNext.join("; ")}`]),
  ];
}

/** What the figures that decide say, and whether answers were wrong. */
function findingsOf({ comparison, fault }: ComparedCell): string[] {
  const { marginRatio } = comparison;
  const rate = comparisonOf(comparison, "rate");
  const p99 = comparisonOf(comparison, 99);
  if (fault !== "") return [`${rate.verdict}: ${fault}`];
  return [
    `${formatNumber(rate.base)} → ${formatNumber(rate.next)} requests/s: ${
      verdictText(rate, marginRatio)
    }`,
    `p99 ${formatMs(p99.base)} → ${formatMs(p99.next)}: ${verdictText(p99, marginRatio)}`,
  ];
}

/** `mean 0.41× [0.25, 0.67] better, p50 …`: the figures that do not decide. */
function othersOf({ comparison: { figures } }: ComparedCell): string {
  return figures
    .filter(({ figure }) => !isDecisive(figure))
    .map((one) => `${figureName(one.figure)} ${ratioText(one)} ${verdictWord(one)}`)
    .join(", ");
}

function cellLines(cell: ComparedCell, { width }: TerminalOptions): Line[] {
  return [
    BLANK,
    ...paragraph(sentenceOf(cell), width, HANGING),
    ...[...findingsOf(cell), othersOf(cell)].flatMap((text) =>
      paragraph(text, width - 2, HANGING).map(indented)
    ),
  ];
}

function tableOfAll({ cells }: ResultsComparison): Table | null {
  return comparedTable(
    "Ratios, new over base",
    cells.map((cell) => ({ name: cellName(cell), base: null, comparison: cell.comparison })),
  );
}
