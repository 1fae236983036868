/** Blocks → markdown: each kind of block once, whatever subject it belongs to. Of figures it holds what they found. */
import type { Block, Text } from "../blocks.ts";
import type { Table, TableCell } from "../subjects/tables/table.ts";
import { bulletList, lines, type Markdown, md, row, rule } from "../writing/markdown.ts";

/** @param level Of headings in it. */
export function blocksMarkdown(blocks: readonly Block[], level: number): Markdown[] {
  return blocks.flatMap((block) => blockMarkdown(block, level));
}

function blockMarkdown(block: Block, level: number): Markdown[] {
  switch (block.kind) {
    case "text":
      return [textMarkdown(block)];
    case "list":
      return block.title === "" && block.items.length === 1
        ? [md`${block.items[0].text}`]
        : [md`${block.title}`, bulletList(block.items.map(({ text }) => text))];
    case "facts":
      return [bulletList(block.facts.map(({ label, text }) => `${label}: ${text}`))];
    case "table":
      return block.isCaptioned
        ? [md`**${block.table.caption}**`, ...tableWithNotes(block.table)]
        : tableWithNotes(block.table);
    case "figure":
      return block.findings.map(({ text }) => md`${text}`);
    case "flames":
      return [];
    case "alternatives":
      return blocksMarkdown(block.blocks, level);
    case "verbatim":
      return block.text.split("\n").map((line) => md`${line}`);
    case "group":
      return [
        ...(block.title === "" ? [] : [headingMarkdown(block.title, block.aside, level)]),
        ...blocksMarkdown(block.blocks, block.title === "" ? level : level + 1),
      ];
  }
}

function headingMarkdown(title: string, aside: string, level: number): Markdown {
  const text = aside === "" ? title : `${title}: ${aside}`;
  switch (level) {
    case 2:
      return md`## ${text}`;
    case 3:
      return md`### ${text}`;
    default:
      return md`#### ${text}`;
  }
}

function textMarkdown({ text, tone }: Text): Markdown {
  return tone === "verdict" || tone === "warning" ? md`**${text}**` : md`${text}`;
}

export function tableWithNotes(table: Table): Markdown[] {
  return [tableMarkdown(table), ...table.notes.map((note) => md`${note}`)];
}

export function tableMarkdown({ columns, rows }: Table): Markdown {
  return lines([
    row(columns.map(({ label, unit }) => unit ? `${label}, ${unit}` : label)),
    rule(columns.map(({ kind }) => kind === "number" ? kind : "text")),
    ...rows.map((cells) => row(cells.map(cellText))),
  ]);
}

function cellText({ text, weak, below }: TableCell): string {
  return [weak ? `(${text})` : text, below ?? ""].join(" ").trimEnd();
}
