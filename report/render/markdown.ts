/** Documents as GitHub-flavoured markdown, for a pull request or a job summary. */
import type { Measurement } from "../../runner/result/result.ts";
import type { AgentsModel } from "../subjects/agents/agents.ts";
import type { GateOutcome } from "../findings/gate_sentences.ts";
import type { CardModel } from "../subjects/verdict/conclusion.ts";
import { figureText, winnersTable } from "../subjects/verdict/card.ts";
import { measurementModel } from "../subjects/measurement.ts";
import { type Block, type Fact, group, shownIn, type Text } from "../blocks.ts";
import type { Document } from "../document.ts";
import type { Table, TableCell } from "../subjects/tables/table.ts";
import { thresholdBlocks, thresholds } from "../subjects/thresholds.ts";
import type { TrustModel } from "../findings/trust.ts";
import {
  bulletList,
  documentOf,
  lines,
  type Markdown,
  md,
  paragraphs,
  row,
  rule,
} from "../writing/markdown.ts";
import type { Written } from "../writing/written.ts";

export function renderMarkdown({ title, lead, card, groups }: Document): Written<"markdown"> {
  return documentOf(paragraphs([
    md`## ${title}`,
    ...blocksMarkdown(shownIn("markdown", lead), 3),
    ...card === null ? [] : cardMarkdown(card),
    ...blocksMarkdown(shownIn("markdown", groups), 3),
  ]));
}

/** The thresholds as a table, or nothing. */
function thresholdsMarkdown(gates: readonly GateOutcome[]): Markdown[] {
  const said = group(thresholds.title, thresholdBlocks(gates));
  return blocksMarkdown(shownIn("markdown", [said]), 3);
}

export function renderMeasurementMarkdown(
  measurement: Measurement,
  gates: readonly GateOutcome[] = [],
): Written<"markdown"> {
  const model = measurementModel(measurement);
  const { trust, facts, statuses, errors } = model;
  const percentiles = model.percentiles.map(({ label, text, weak }) => ({
    label,
    text: weak ? `(${text})` : text,
  }));
  return documentOf(paragraphs([
    md`## ${model.url}`,
    bold(model.unanswered),
    ...trustMarkdown(trust),
    md`Load: ${model.load}`,
    factsMarkdown("", "", facts),
    factsMarkdown("Percentile", "Latency", percentiles),
    ...(statuses.length === 0 ? [] : [factsMarkdown("Status code", "Responses", statuses)]),
    ...(errors.length === 0 ? [] : [factsMarkdown("Error", "Times", errors)]),
    ...model.notes.map(plain),
    ...agentsMarkdown(model.agents),
    ...thresholdsMarkdown(gates),
  ]));
}

/** The verdict with its figure and its winners, and whether it can be relied on; then what to do next. */
function cardMarkdown(
  { sentence, notes, figure, winners, reliability, next }: CardModel,
): Markdown[] {
  const table = winnersTable(winners);
  return [
    bold(sentence),
    ...notes.map(plain),
    ...(figure === null || sentence === "" ? [] : [plain(figureText(figure))]),
    ...(table === null ? [] : tableWithNotes(table)),
    ...(reliability === null ? [] : [plain(reliability.sentence)]),
    ...next.map(({ text }) => plain(`Next: ${text}`)),
  ];
}

function factsMarkdown(label: string, text: string, facts: readonly Fact[]): Markdown {
  const rows = facts.map((fact) => row([fact.label, fact.text]));
  return lines([row([label, text]), rule(["text", "number"]), ...rows]);
}

function trustMarkdown({ level, text, reasons }: TrustModel): Markdown[] {
  return [md`**${level}**: ${text}`, bulletList(reasons)];
}

function agentsMarkdown(agents: AgentsModel | null): Markdown[] {
  if (agents === null) return [];
  const { findings, table } = agents;
  return [md`#### Agents`, bulletList(findings), tableMarkdown(table)];
}

function plain(text: string): Markdown {
  return md`${text}`;
}

function bold(text: string): Markdown {
  return text === "" ? md`` : md`**${text}**`;
}

// Each kind of block once, whatever subject it belongs to. Of figures it holds what they found.

/** @param level Of headings in it. */
function blocksMarkdown(blocks: readonly Block[], level: number): Markdown[] {
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

function tableWithNotes(table: Table): Markdown[] {
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
