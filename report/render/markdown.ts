/** The summary as GitHub-flavoured markdown, for a pull request or a job summary. */
import type { Measurement } from "../../runner/result/result.ts";
import type { AgentsModel } from "../subjects/agents/agents.ts";
import type { CapacityModel } from "../subjects/capacity_picture.ts";
import type { GateOutcome } from "../findings/gate_sentences.ts";
import type { CardModel } from "../subjects/verdict/conclusion.ts";
import { figureText, winnersTable } from "../subjects/verdict/card.ts";
import { measurementModel } from "../subjects/measurement.ts";
import { type Block, type Fact, group, shownIn } from "../blocks.ts";
import type { ReportModel, ScenarioModel } from "../model.ts";
import { claims } from "../subjects/claims.ts";
import type { SettlingModel } from "../subjects/charts/settling.ts";
import { thresholdBlocks, thresholds } from "../subjects/thresholds.ts";
import type { SweepModel } from "../subjects/sweeps/sweeps.ts";
import type { Table } from "../subjects/tables/table.ts";
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
import { remarksText, verdictSentence } from "../findings/judgements.ts";
import type { ScenarioTrend, TrendModel } from "../subjects/trend/trend.ts";

export function renderMarkdown(model: ReportModel): Written<"markdown"> {
  const { verdicts = [], others = [] } = Object.groupBy(
    model.groups,
    ({ id }) => id === claims.id || id === thresholds.id ? "verdicts" : "others",
  );
  return documentOf(paragraphs([
    md`## ${model.title}`,
    bold(model.unanswered),
    ...cardMarkdown(model.conclusion),
    md`${
      model.facts.map(({ label, text }, i) => md`${i === 0 ? null : md` · `}${label}: ${text}`)
    }`,
    ...(model.trust === null ? [] : trustMarkdown(model.trust)),
    md`${model.repetitions}`,
    ...model.warnings.map(bold),
    ...saidMarkdown(verdicts),
    ...model.scenarios.map(scenarioMarkdown),
    ...model.sweeps.flatMap(sweepMarkdown),
    ...stableMarkdown(model.settling),
    ...saidMarkdown(others),
  ]));
}

function saidMarkdown(blocks: readonly Block[]): Markdown[] {
  return blocksMarkdown(shownIn("markdown", blocks), 3);
}

/** The thresholds as a table, or nothing. */
export function thresholdsMarkdown(gates: readonly GateOutcome[]): Markdown[] {
  return saidMarkdown([group(thresholds.title, thresholdBlocks(gates))]);
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

function scenarioMarkdown(scenario: ScenarioModel): Markdown {
  const { name, request, load, summary, boundsNote, steadyFindings, tables } = scenario;
  const restless = steadyFindings.filter(({ isFlat }) => !isFlat);
  return paragraphs([
    request ? md`### ${name}: ${request}` : md`### ${name}`,
    plain(load && `Load: ${load}`),
    md`**${verdictSentence(summary.verdict)}.**`,
    plain(remarksText(summary)),
    tableMarkdown(tables.summary),
    plain(boundsNote),
    bulletList(restless.map(({ text }) => text)),
    plain(scenario.perCpuFinding),
    bulletList([
      ...scenario.bottlenecks.map((text) => `Bottleneck of ${text}`),
      ...scenario.runtimeFindings.map((text) => `Runtime of ${text}`),
    ]),
    ...(scenario.errors.charts.length > 0 ? scenario.errors.findings.map(plain) : []),
    ...(tables.compared ? [tableMarkdown(tables.compared)] : []),
    ...(tables.steps ? [bold(tables.steps.caption), tableMarkdown(tables.steps)] : []),
    ...(tables.connections ? [tableMarkdown(tables.connections)] : []),
    ...Object.values(tables.served).flatMap((table: Table | null) =>
      table === null ? [] : [bold(table.caption), tableMarkdown(table)]
    ),
    ...capacityMarkdown(scenario.capacity),
    ...agentsMarkdown(scenario.agents),
  ]);
}

function capacityMarkdown(capacity: CapacityModel | null): Markdown[] {
  if (capacity === null) return [];
  const { findings, breaking, tables } = capacity;
  return [
    md`#### Capacity`,
    bulletList(findings),
    ...[...(breaking === null ? [] : [breaking]), ...tables].flatMap((table) => [
      bold(table.caption),
      tableMarkdown(table),
    ]),
  ];
}

function agentsMarkdown(agents: AgentsModel | null): Markdown[] {
  if (agents === null) return [];
  const { findings, table } = agents;
  return [md`#### Agents`, bulletList(findings), tableMarkdown(table)];
}

function sweepMarkdown({ scenario, figures, weights }: SweepModel): Markdown[] {
  return [
    ...figures.flatMap(({ factor, findings }) => [
      md`### ${scenario} by ${factor}`,
      bulletList(findings),
    ]),
    ...(weights === null ? [] : [
      md`### Variance explained in ${scenario}`,
      tableMarkdown(weights.table),
    ]),
  ];
}

function stableMarkdown(stable: SettlingModel | null): Markdown[] {
  if (stable === null) return [];
  const { finding, table } = stable;
  return [md`### ${table.caption}`, plain(finding), ...tableWithNotes(table)];
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
