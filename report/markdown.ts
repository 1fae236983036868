/** The summary as GitHub-flavoured markdown, for a pull request or a job summary. */
import type { Measurement } from "../runner/result.ts";
import { measurementFacts } from "./measurement.ts";
import type { ReportModel, ScenarioModel } from "./model.ts";
import type { Table } from "./table.ts";
import { harmless } from "./terminal/text.ts";

export function renderMarkdown(model: ReportModel): string {
  return paragraphs([
    `## ${escaped(model.title)}`,
    model.facts.map(({ label, text }) => `${label}: ${escaped(text)}`).join(" · "),
    ...model.warnings.map((text) => `**${escaped(text)}**`),
    ...model.scenarios.map(scenarioMarkdown),
    ...missingMarkdown(model),
  ]);
}

export function renderMeasurementMarkdown(measurement: Measurement): string {
  const rows = measurementFacts(measurement).map(({ label, text }) =>
    `| ${label} | ${escaped(text)} |`
  );
  return paragraphs([
    `## ${escaped(measurement.url)}`,
    ["| | |", "|---|---:|", ...rows].join("\n"),
  ]);
}

function scenarioMarkdown({ name, request, answer, tables }: ScenarioModel): string {
  const heading = request ? `### ${escaped(name)}: ${escaped(request)}` : `### ${escaped(name)}`;
  return [
    heading,
    `**${escaped(answer.verdict)}**${escaped(answer.detail && `: ${answer.detail}`)}`,
    tableMarkdown(tables.summary),
  ].join("\n\n");
}

function tableMarkdown({ columns, rows }: Table): string {
  return [
    line(columns.map(({ label, unit }) => unit ? `${label}, ${unit}` : label)),
    line(columns.map(({ kind }) => kind === "number" ? "---:" : "---")),
    ...rows.map((row) => line(row.map(({ text, weak }) => escaped(weak ? `(${text})` : text)))),
  ].join("\n");
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

function paragraphs(parts: readonly string[]): string {
  return parts.filter(Boolean).join("\n\n") + "\n";
}

/** Text that no markdown renderer takes for markup, a link or a mention. */
function escaped(text: string): string {
  return harmless(text)
    .replace(/[\\`*_{}[\]()#+!|~$]/g, "\\$&")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("@", "&#64;")
    .replace(/:\/\//g, "&#58;//");
}
