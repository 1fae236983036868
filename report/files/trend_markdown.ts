/** A trend as markdown, before the reports of its results. */
import { tableWithNotes } from "./markdown.ts";
import type { ScenarioTrend, TrendModel } from "../model/trend/trend.ts";
import { documentOf, list, type Markdown, md, paragraphs } from "../writing/markdown.ts";
import type { Written } from "../writing/written.ts";

export function renderTrendMarkdown(
  { title, finding, warnings, scenarios, compared }: TrendModel,
): Written<"markdown"> {
  return documentOf(paragraphs([
    md`## ${title}`,
    md`**${finding}**`,
    ...warnings.map((warning) => md`${warning}`),
    ...scenarios.flatMap(scenarioMarkdown),
    ...(compared === null ? [] : [md`### ${compared.caption}`, ...tableWithNotes(compared)]),
  ]));
}

function scenarioMarkdown({ name, findings, table }: ScenarioTrend): Markdown[] {
  return [md`### Trend of ${name}`, list(findings), ...tableWithNotes(table)];
}
