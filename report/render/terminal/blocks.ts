/** Blocks → lines of a terminal: each kind of block once, whatever subject it belongs to. Of figures it shows what they found. */
import type { Block, Figure, Finding, Group, List, TableBlock, Text } from "../../blocks.ts";
import type { Table } from "../../subjects/tables/table.ts";
import type { Style, TerminalOptions, TextLine } from "../../writing/terminal.ts";
import { widthOf } from "../../writing/columns.ts";
import { BLANK, HANGING, indented, lineOf, paragraphLines } from "./line.ts";
import { histogramLines } from "./latency.ts";
import { tableLines } from "./table.ts";
import { TRUST_STYLES } from "./verdicts.ts";

export function blocksLines(blocks: readonly Block[], options: TerminalOptions): TextLine[] {
  return blocks.flatMap((block) => blockLines(block, options));
}

function blockLines(block: Block, options: TerminalOptions): TextLine[] {
  const { width } = options;
  switch (block.kind) {
    case "text":
      return paragraphLines(withoutTicks(block.text), width, {
        ...HANGING,
        style: STYLES[block.tone],
      });
    case "list":
      return listLines(block, options);
    case "facts":
      return block.facts.flatMap(({ label, text }) =>
        paragraphLines(`${label}: ${text}`, width, HANGING)
      );
    case "table":
      return tableBlockLines(block, options);
    case "figure":
      return figureLines(block, options);
    case "flames":
      return [];
    case "alternatives":
      return blocksLines(block.blocks, options);
    case "verbatim":
      return block.text.split("\n").map((line) => lineOf(`    ${line}`, "dim"));
    case "group":
      return [
        ...headLines(block, options),
        ...blocksLines(block.blocks, options),
      ];
  }
}

function listLines({ title, items, fold }: List, options: TerminalOptions): TextLine[] {
  const style = fold === undefined ? undefined : TRUST_STYLES[fold];
  const head = title === "" ? [] : paragraphLines(title, options.width, { style });
  // A finding of its own is a paragraph, as on the page.
  return title === "" && items.length === 1 && items[0].outcome === undefined
    ? paragraphLines(withoutTicks(items[0].text), options.width, HANGING)
    : [...head, ...findingLines(items, options, style)];
}

/** A histogram is drawn, and shows what was found in it; of other figures what was found is said. */
function figureLines({ panels, findings }: Figure, options: TerminalOptions): TextLine[] {
  const drawn = panels.flatMap(({ chart }) =>
    chart.kind === "xy" && chart.mostRidges !== undefined ? histogramLines(chart, options) : []
  );
  return drawn.length > 0 ? drawn : findingLines(findings, options);
}

/** Each outcome in its colour; a column of nothing but zeros has no room. */
function tableBlockLines({ table, isCaptioned }: TableBlock, options: TerminalOptions): TextLine[] {
  return [
    ...isCaptioned ? [BLANK, lineOf(table.caption, "cyan")] : [],
    ...tableLines(withoutZeros(table), options),
  ];
}

/** Without the columns that are 0 for every target. */
function withoutZeros(table: Table): Table {
  const kept = table.columns.flatMap(({ kind }, i) =>
    kind !== "number" || table.rows.some((row) => row[i].value !== 0) ? [i] : []
  );
  return {
    ...table,
    columns: kept.map((i) => table.columns[i]),
    rows: table.rows.map((row) => kept.map((i) => row[i])),
  };
}

const STYLES: Readonly<Record<Text["tone"], Style | undefined>> = {
  plain: undefined,
  verdict: "bold",
  note: "dim",
  reading: "dim",
  warning: "yellow",
};

const OUTCOME_STYLES: Readonly<Record<NonNullable<Finding["outcome"]>, Style>> = {
  good: "green",
  bad: "red",
  open: "yellow",
};

function headLines({ title, aside }: Group, { width }: TerminalOptions): TextLine[] {
  if (title === "") return [];
  const head = paragraphLines(title, width, { style: "cyan" });
  const last = head[head.length - 1];
  const isRoom = aside !== "" && widthOf(title) + widthOf(aside) + 2 <= width;
  return isRoom
    ? [BLANK, ...head.slice(0, -1), [...last, { text: "  " }, { text: aside, style: "dim" }]]
    : [BLANK, ...head];
}

function findingLines(
  findings: readonly Finding[],
  { width }: TerminalOptions,
  style?: Style,
): TextLine[] {
  return findings.flatMap(({ text, outcome }) =>
    outcome === undefined
      ? paragraphLines(withoutTicks(text), width - 2, { ...HANGING, style }).map(indented)
      : paragraphLines(withoutTicks(text), width, { ...HANGING, style: OUTCOME_STYLES[outcome] })
  );
}

/** A terminal has no code type. */
function withoutTicks(text: string): string {
  return text.replaceAll("`", "");
}
