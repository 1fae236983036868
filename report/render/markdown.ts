/** The summary as GitHub-flavoured markdown, for a pull request or a job summary. */
import type { Measurement } from "../../runner/result/result.ts";
import type { AgentsModel } from "../subjects/agents/agents.ts";
import type { GateOutcome } from "../findings/gate_sentences.ts";
import type { CardModel } from "../subjects/verdict/conclusion.ts";
import { figureText, winnersTable } from "../subjects/verdict/card.ts";
import { measurementModel } from "../subjects/measurement.ts";
import { type Fact, group, shownIn } from "../blocks.ts";
import type { ReportModel } from "../model.ts";
import { thresholdBlocks, thresholds } from "../subjects/thresholds.ts";
import { blocksMarkdown, tableMarkdown, tableWithNotes } from "./markdown_blocks.ts";
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
import type { ScenarioTrend, TrendModel } from "../subjects/trend/trend.ts";

export function renderMarkdown({ title, lead, card, groups }: ReportModel): Written<"markdown"> {
  return documentOf(paragraphs([
    md`## ${title}`,
    ...blocksMarkdown(lead, 3),
    ...cardMarkdown(card),
    ...blocksMarkdown(shownIn("markdown", groups), 3),
  ]));
}

/** The thresholds as a table, or nothing. */
export function thresholdsMarkdown(gates: readonly GateOutcome[]): Markdown[] {
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
export function cardMarkdown(
  { sentence, notes, figure, winners, reliability, next }: Omit<CardModel, "claims">,
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

// A trend as markdown, before the reports of its results.

export function renderTrendMarkdown(
  { title, finding, warnings, scenarios, compared }: TrendModel,
): Written<"markdown"> {
  return documentOf(paragraphs([
    md`## ${title}`,
    md`**${finding}**`,
    ...warnings.map((warning) => md`${warning}`),
    ...scenarios.flatMap(scenarioTrendMarkdown),
    ...(compared === null ? [] : [md`### ${compared.caption}`, ...tableWithNotes(compared)]),
  ]));
}

function scenarioTrendMarkdown({ name, findings, table }: ScenarioTrend): Markdown[] {
  return [md`### Trend of ${name}`, bulletList(findings), ...tableWithNotes(table)];
}
