/**
 * Turns blocks into lines of a terminal, with one function for each kind of block, whatever the block is about. Most
 * figures are reduced to their findings.
 */
import {
  type Block,
  type Finding,
  type Group,
  saidOnce,
  shownIn,
  type Text,
} from "../../blocks.ts";
import type { Trust } from "../../../runner/result/generator.ts";
import { type Table, WEAK_NOTE } from "../../subjects/tables/table.ts";
import {
  type Style,
  type TerminalOptions,
  type TextLine,
  writtenLines,
} from "../../writing/terminal.ts";
import type { Written } from "../../writing/written.ts";
import { padEnd, widthOf, wrapped } from "../../writing/columns.ts";
import { BLANK, lineOf, paragraphLines } from "./line.ts";
import { histogramLines } from "./latency.ts";
import { tableLines } from "./table.ts";

/** The whole output of a command. */
export function renderBlocks(
  blocks: readonly Block[],
  options: TerminalOptions,
): Written<"terminal"> {
  const lines = blocksLines(saidOnce(shownIn("terminal", blocks), null), options);
  return writtenLines(lines[0] === BLANK ? lines.slice(1) : lines, options);
}

export function blocksLines(blocks: readonly Block[], options: TerminalOptions): TextLine[] {
  return shownIn("terminal", blocks).flatMap((block) => blockLines(block, options));
}

function blockLines(block: Block, options: TerminalOptions): TextLine[] {
  const { width } = options;
  switch (block.kind) {
    case "text":
      return findingLines(block, width, TONES[block.tone]);
    case "list": {
      const { title, items, fold } = block;
      const style = fold && LEVELS[fold];
      if (title === "") return items.flatMap((item) => findingLines(item, width, style));
      return [
        ...paragraphLines(title, width, style),
        ...items.flatMap((item) => findingLines(item, width - 2, style))
          .map((line) => [{ text: "  " }, ...line]),
      ];
    }
    case "facts": {
      const labels = Math.max(...block.facts.map(({ label }) => widthOf(label))) + 2;
      return block.facts.flatMap(({ label, text }) =>
        wrapped(text, Math.max(1, width - labels)).map((line, i) =>
          lineOf(padEnd(i === 0 ? label : "", labels) + line)
        )
      );
    }
    case "table":
      return [
        ...block.isCaptioned ? [BLANK, lineOf(block.table.caption, "cyan")] : [],
        ...tableLines(withoutZeros(block.table), options),
        // All other notes are left out, because they would take more room than the table.
        ...block.table.notes.filter((note) => note === WEAK_NOTE)
          .flatMap((note) => paragraphLines(note, width, TONES.note)),
      ];
    case "figure": {
      // Histograms are drawn; other figures are replaced by their findings.
      const drawn = block.panels.flatMap(({ chart }) =>
        chart.kind === "xy" && chart.ridges ? histogramLines(chart, options) : []
      );
      if (drawn.length > 0) return drawn;
      return block.findings.flatMap((finding) => findingLines(finding, width));
    }
    case "flames":
      return [];
    case "verbatim":
      return block.text.split("\n").map((line) => lineOf(`    ${line}`, "dim"));
    case "alternatives":
      return block.blocks.flatMap((inner) => blockLines(inner, options));
    case "group": {
      const head = headLines(block, width);
      const lines = block.blocks.flatMap((inner) => blockLines(inner, options));
      return [...head, ...head.length > 0 && lines[0] === BLANK ? lines.slice(1) : lines];
    }
  }
}

const TONES: Readonly<Record<Text["tone"], Style | undefined>> = {
  plain: undefined,
  verdict: "bold",
  note: "dim",
  reading: "dim",
  warning: "yellow",
};

const LEVELS: Readonly<Record<Trust, Style>> = {
  valid: "green",
  suspect: "yellow",
  invalid: "red",
};

const OUTCOMES: Readonly<Record<NonNullable<Finding["outcome"]>, Style>> = {
  good: "green",
  bad: "red",
  open: "yellow",
};

/** The lines of a finding. Backticks are removed, because a terminal has no separate font for code. */
function findingLines({ text, outcome }: Finding, width: number, style?: Style): TextLine[] {
  const own = outcome === undefined ? style : OUTCOMES[outcome];
  return paragraphLines(text.replaceAll("`", ""), width, own);
}

/** Removes columns of numbers that are 0 in every row. */
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

/** The heading of a group, with its aside if there is room on the same line. */
function headLines({ title, aside }: Group, width: number): TextLine[] {
  if (title === "") return [];
  const isRoom = aside !== "" && widthOf(title) + widthOf(aside) + 2 <= width;
  return isRoom
    ? [BLANK, [{ text: title, style: "cyan" }, { text: `  ${aside}`, style: "dim" }]]
    : [BLANK, ...wrapped(title, width).map((line) => lineOf(line, "cyan"))];
}
