/** Renders blocks and documents as GitHub-flavoured markdown, for a pull request or a job summary. */
import { type Block, group, saidOnce, shownIn } from "../blocks.ts";
import type { Document } from "../document.ts";
import type { Table, TableCell } from "../subjects/tables/table.ts";
import { cardBlocks } from "../subjects/verdict/conclusion.ts";
import {
  bulletList,
  documentOf,
  type Markdown,
  md,
  paragraphs,
  tableOf,
} from "../writing/markdown.ts";
import type { Written } from "../writing/written.ts";

export function renderMarkdown(
  { title, lead, card, groups, scenarios }: Document,
): Written<"markdown"> {
  const only = scenarios.length === 1 ? scenarios[0].name : null;
  const said = saidOnce(shownIn("markdown", groups), only);
  const verdict = card === null ? [] : cardBlocks(card);
  return renderBlocksMarkdown([group(title, [...lead, ...verdict, ...said])]);
}

/** Headings start at the second level, because the title of the page or pull request has the first. */
export function renderBlocksMarkdown(blocks: readonly Block[]): Written<"markdown"> {
  return documentOf(paragraphs(blocksMarkdown(shownIn("markdown", blocks), 2)));
}

// One function for each kind of block, whatever the block is about. Of figures, only the findings
// are included.

function blocksMarkdown(blocks: readonly Block[], level: number): Markdown[] {
  return blocks.flatMap((block) => blockMarkdown(block, level));
}

function blockMarkdown(block: Block, level: number): Markdown[] {
  switch (block.kind) {
    case "text": {
      const isStrong = block.tone === "verdict" || block.tone === "warning";
      return [isStrong ? md`**${block.text}**` : md`${block.text}`];
    }
    case "list":
      return block.title === "" && block.items.length === 1
        ? [md`${block.items[0].text}`]
        : [md`${block.title}`, bulletList(block.items.map(({ text }) => text))];
    case "facts":
      return [bulletList(block.facts.map(({ label, text }) => `${label}: ${text}`))];
    case "table":
      return [
        ...block.isCaptioned ? [md`**${block.table.caption}**`] : [],
        tableMarkdown(block.table),
        ...block.table.notes.map((note) => md`${note}`),
      ];
    case "figure":
      return block.findings.map(({ text }) => md`${text}`);
    case "flames":
      return [];
    case "alternatives":
      return blocksMarkdown(block.blocks, level);
    case "verbatim":
      return block.text.split("\n").map((line) => md`${line}`);
    case "group": {
      const { title, aside, blocks } = block;
      if (title === "") return blocksMarkdown(blocks, level);
      const heading = aside === "" ? title : `${title}: ${aside}`;
      return [headingMarkdown(heading, level), ...blocksMarkdown(blocks, level + 1)];
    }
  }
}

function headingMarkdown(text: string, level: number): Markdown {
  switch (level) {
    case 2:
      return md`## ${text}`;
    case 3:
      return md`### ${text}`;
    default:
      return md`#### ${text}`;
  }
}

export function tableMarkdown({ columns, rows }: Table): Markdown {
  const heads = columns.map(({ label, unit, kind }) => ({
    head: unit ? `${label}, ${unit}` : label,
    kind,
  }));
  const textOf = ({ text, weak, below = "" }: TableCell): string =>
    `${weak ? `(${text})` : text} ${below}`.trimEnd();
  return tableOf(heads, rows.map((cells) => cells.map(textOf)));
}
