/** The summary as GitHub-flavoured markdown, for a pull request or a job summary. */
import type { Measurement } from "../runner/result.ts";
import type { GateOutcome } from "./gates.ts";
import type { GatesModel } from "./gates/model.ts";
import { gatesTable } from "./gates/table.ts";
import { measurementFacts } from "./measurement.ts";
import type { ReportModel, ScenarioModel } from "./model.ts";
import type { Table, TableCell } from "./table.ts";
import { harmless } from "./terminal/text.ts";
import { type TrustModel, trustOf } from "./trust.ts";

export function renderMarkdown(model: ReportModel): string {
  return paragraphs([
    `## ${escaped(model.title)}`,
    model.facts.map(({ label, text }) => `${label}: ${escaped(text)}`).join(" · "),
    ...(model.trust === null ? [] : trustMarkdown(model.trust)),
    escaped(model.repetitions),
    ...model.warnings.map((text) => `**${escaped(text)}**`),
    ...gatesMarkdown(model.gates),
    ...model.scenarios.map(scenarioMarkdown),
    ...missingMarkdown(model),
  ]);
}

export function renderMeasurementMarkdown(
  measurement: Measurement,
  gates: readonly GateOutcome[] = [],
): string {
  const rows = measurementFacts(measurement).map(({ label, text }) =>
    `| ${label} | ${escaped(text)} |`
  );
  return paragraphs([
    `## ${escaped(measurement.url)}`,
    ...trustMarkdown(trustOf(measurement)),
    ["| | |", "|---|---:|", ...rows].join("\n"),
    ...gatesMarkdown({ table: gatesTable(gates), note: "" }),
  ]);
}

function trustMarkdown({ level, text, reasons }: TrustModel): string[] {
  const items = reasons.map((reason) => `- ${escaped(reason)}`);
  return [`**${level}**: ${escaped(text)}`, items.join("\n")];
}

/** The thresholds as a table, or nothing. */
export function gatesMarkdown({ table, note }: Pick<GatesModel, "table" | "note">): string[] {
  if (table === null) return [escaped(note)];
  return ["### Thresholds", tableMarkdown(table), ...[...table.notes, note].map(escaped)];
}

function scenarioMarkdown(scenario: ScenarioModel): string {
  const { name, request, answer, steadyFindings, tables } = scenario;
  const restless = steadyFindings.filter(({ isFlat }) => !isFlat);
  const heading = request ? `### ${escaped(name)}: ${escaped(request)}` : `### ${escaped(name)}`;
  return [
    heading,
    `**${escaped(answer.verdict)}**${escaped(answer.detail && `: ${answer.detail}`)}`,
    tableMarkdown(tables.summary),
    restless.map(({ text }) => `- ${escaped(text)}`).join("\n"),
    ...(tables.compared ? [tableMarkdown(tables.compared)] : []),
  ].filter(Boolean).join("\n\n");
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

/** Text that no markdown renderer takes for markup, a link or a mention. */
export function escaped(text: string): string {
  return harmless(text)
    .replace(/[\\`*_{}[\]()#+!|~$]/g, "\\$&")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("@", "&#64;")
    .replace(/:\/\//g, "&#58;//");
}
