/** Blocks → lines of a terminal: each kind of block once, whatever subject it belongs to. Of figures it shows what they found. */
import type { Block, Text } from "../../blocks.ts";
import type { Style, TerminalOptions, TextLine } from "../../writing/terminal.ts";
import { BLANK, HANGING, indented, lineOf, paragraphLines } from "./line.ts";
import { tableLines } from "./table.ts";

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
      return [
        ...(block.title === "" ? [] : paragraphLines(block.title, width)),
        ...findingLines(block.items, options),
      ];
    case "facts":
      return block.facts.flatMap(({ label, text }) =>
        paragraphLines(`${label}: ${text}`, width, HANGING)
      );
    case "table":
      return tableLines(block.table, options);
    case "figure":
      return findingLines(block.findings, options);
    case "verbatim":
      return block.text.split("\n").map((line) => lineOf(`    ${line}`, "dim"));
    case "group":
      return [
        ...(block.title === "" ? [] : [BLANK, headLine(block.title, block.aside)]),
        ...blocksLines(block.blocks, options),
      ];
  }
}

const STYLES: Readonly<Record<Text["tone"], Style | undefined>> = {
  plain: undefined,
  verdict: "bold",
  note: "dim",
  warning: "yellow",
};

function headLine(title: string, aside: string): TextLine {
  const head = lineOf(title, "cyan");
  return aside === "" ? head : [...head, { text: "  " }, { text: aside, style: "dim" }];
}

function findingLines(
  findings: readonly { readonly text: string }[],
  { width }: TerminalOptions,
): TextLine[] {
  return findings.flatMap(({ text }) =>
    paragraphLines(withoutTicks(text), width - 2, HANGING).map(indented)
  );
}

/** A terminal has no code type. */
function withoutTicks(text: string): string {
  return text.replaceAll("`", "");
}
