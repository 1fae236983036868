/** A trend as markdown, before the reports of its results. */
import { paragraphs, tableMarkdown } from "../markdown.ts";
import { escaped } from "../markdown_text.ts";
import type { ScenarioTrend, TrendModel } from "../trend.ts";

export function renderTrendMarkdown(
  { title, finding, warnings, scenarios, compared }: TrendModel,
): string {
  return paragraphs([
    `## ${escaped(title)}`,
    `**${escaped(finding)}**`,
    ...warnings.map((warning) => escaped(warning)),
    ...scenarios.flatMap(scenarioMarkdown),
    ...(compared === null ? [] : [
      `### ${escaped(compared.caption)}`,
      tableMarkdown(compared),
      ...compared.notes.map(escaped),
    ]),
  ]);
}

function scenarioMarkdown({ name, findings, table }: ScenarioTrend): string[] {
  return [
    `### Trend of ${escaped(name)}`,
    findings.map((finding) => `- ${escaped(finding)}`).join("\n"),
    tableMarkdown(table),
    ...table.notes.map(escaped),
  ];
}
