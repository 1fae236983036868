/** The summary as GitHub-flavoured markdown, for a pull request or a job summary. */
import type { Measurement } from "../runner/result.ts";
import type { AgentsModel } from "./agents/model.ts";
import type { ClaimsModel } from "./claims/model.ts";
import type { GateOutcome } from "./gates.ts";
import type { GatesModel } from "./gates/model.ts";
import { gatesTable } from "./gates/table.ts";
import { measurementModel } from "./measurement.ts";
import { escaped } from "./markdown_text.ts";
import type { Fact } from "./method.ts";
import type { ReportModel, ScenarioModel } from "./model.ts";
import type { PublishedModel } from "./published/model.ts";
import type { StableModel } from "./stable.ts";
import type { SweepModel } from "./sweeps.ts";
import type { Table, TableCell } from "./table.ts";
import type { TrustModel } from "./trust.ts";

export function renderMarkdown(model: ReportModel): string {
  return paragraphs([
    `## ${escaped(model.title)}`,
    model.unanswered && `**${escaped(model.unanswered)}**`,
    model.verdict && `**${escaped(model.verdict)}**`,
    model.facts.map(({ label, text }) => `${label}: ${escaped(text)}`).join(" · "),
    ...(model.trust === null ? [] : trustMarkdown(model.trust)),
    escaped(model.repetitions),
    ...model.warnings.map((text) => `**${escaped(text)}**`),
    ...claimsMarkdown(model.claims),
    ...gatesMarkdown(model.gates),
    ...model.scenarios.map(scenarioMarkdown),
    ...model.sweeps.flatMap(sweepMarkdown),
    ...stableMarkdown(model.stable),
    ...model.published.flatMap(publishedMarkdown),
    ...missingMarkdown(model),
  ]);
}

export function renderMeasurementMarkdown(
  measurement: Measurement,
  gates: readonly GateOutcome[] = [],
): string {
  const model = measurementModel(measurement);
  const { trust, facts, statuses, errors } = model;
  const percentiles = model.percentiles.map(({ label, text, weak }) => ({
    label,
    text: weak ? `(${text})` : text,
  }));
  return paragraphs([
    `## ${escaped(model.url)}`,
    model.unanswered && `**${escaped(model.unanswered)}**`,
    ...trustMarkdown(trust),
    escaped(`Load: ${model.load}`),
    factsMarkdown("", "", facts),
    factsMarkdown("Percentile", "Latency", percentiles),
    ...(statuses.length === 0 ? [] : [factsMarkdown("Status code", "Answers", statuses)]),
    ...(errors.length === 0 ? [] : [factsMarkdown("Error", "Times", errors)]),
    ...model.notes.map(escaped),
    ...agentsMarkdown(model.agents),
    ...gatesMarkdown({ table: gatesTable(gates), note: "" }),
  ]);
}

function factsMarkdown(label: string, text: string, facts: readonly Fact[]): string {
  const rows = facts.map((fact) => line([escaped(fact.label), escaped(fact.text)]));
  return [line([label, text]), line(["---", "---:"]), ...rows].join("\n");
}

function trustMarkdown({ level, text, reasons }: TrustModel): string[] {
  const items = reasons.map((reason) => `- ${escaped(reason)}`);
  return [`**${level}**: ${escaped(text)}`, items.join("\n")];
}

function claimsMarkdown({ table, summary }: ClaimsModel): string[] {
  if (table === null) return [];
  return ["### Claims", `**${summary}**`, tableMarkdown(table), ...table.notes.map(escaped)];
}

/** The thresholds as a table, or nothing. */
export function gatesMarkdown({ table, note }: Pick<GatesModel, "table" | "note">): string[] {
  if (table === null) return [escaped(note)];
  return ["### Thresholds", tableMarkdown(table), ...[...table.notes, note].map(escaped)];
}

function scenarioMarkdown(scenario: ScenarioModel): string {
  const { name, request, load, answer, boundsNote, steadyFindings, tables } = scenario;
  const restless = steadyFindings.filter(({ isFlat }) => !isFlat);
  const heading = request ? `### ${escaped(name)}: ${escaped(request)}` : `### ${escaped(name)}`;
  return [
    heading,
    escaped(load && `Load: ${load}`),
    `**${escaped(answer.verdict)}**${escaped(answer.detail && `: ${answer.detail}`)}`,
    tableMarkdown(tables.summary),
    escaped(boundsNote),
    restless.map(({ text }) => `- ${escaped(text)}`).join("\n"),
    escaped(scenario.perCpuFinding),
    ...(scenario.faults.charts.length > 0 ? scenario.faults.findings.map(escaped) : []),
    ...(tables.compared ? [tableMarkdown(tables.compared)] : []),
    ...(tables.connections ? [tableMarkdown(tables.connections)] : []),
    ...agentsMarkdown(scenario.agents),
  ].filter(Boolean).join("\n\n");
}

function agentsMarkdown(agents: AgentsModel | null): string[] {
  if (agents === null) return [];
  const { findings, table } = agents;
  return [
    "#### Agents",
    findings.map((text) => `- ${escaped(text)}`).join("\n"),
    tableMarkdown(table),
  ];
}

export function tableMarkdown({ columns, rows }: Table): string {
  return [
    line(columns.map(({ label, unit }) => unit ? `${label}, ${unit}` : label)),
    line(columns.map(({ kind }) => kind === "number" ? "---:" : "---")),
    ...rows.map((row) => line(row.map((cell) => escaped(cellText(cell))))),
  ].join("\n");
}

function cellText({ text, weak, below }: TableCell): string {
  return [weak ? `(${text})` : text, below ?? ""].join(" ").trimEnd();
}

function sweepMarkdown({ scenario, figures, weights }: SweepModel): string[] {
  return [
    ...figures.flatMap(({ factor, findings }) => [
      `### ${escaped(`${scenario} by ${factor}`)}`,
      findings.map((finding) => `- ${escaped(finding)}`).join("\n"),
    ]),
    ...(weights === null ? [] : [
      `### What explains the differences in ${escaped(scenario)}`,
      tableMarkdown(weights.table),
    ]),
  ];
}

function stableMarkdown(stable: StableModel | null): string[] {
  if (stable === null) return [];
  const { finding, table } = stable;
  return [
    `### ${table.caption}`,
    escaped(finding),
    tableMarkdown(table),
    ...table.notes.map(escaped),
  ];
}

function publishedMarkdown(model: PublishedModel): string[] {
  const { title, finding, differences, confounders, missing, table } = model;
  return [
    `### Published beside measured: ${escaped(title)}`,
    escaped(finding),
    ...(table === null ? [] : [tableMarkdown(table), ...table.notes.map(escaped)]),
    escaped(missing),
    ...listMarkdown("Differences that matter:", differences),
    ...listMarkdown("What else was different there:", confounders),
  ];
}

function listMarkdown(heading: string, sentences: readonly string[]): string[] {
  const items = sentences.map((sentence) => `- ${escaped(sentence)}`);
  return items.length === 0 ? [] : [heading, items.join("\n")];
}

function missingMarkdown({ missing }: ReportModel): string[] {
  if (missing.length === 0) return [];
  const items = missing.map(({ what, kind, reason }) =>
    `- ${escaped(`${what}: ${kind}: ${reason}`)}`
  );
  return ["### Not measured", items.join("\n")];
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

export function paragraphs(parts: readonly string[]): string {
  return parts.filter(Boolean).join("\n\n") + "\n";
}
