/** The forms of an experiment's results. */
import { renderCsv } from "../report/csv.ts";
import { renderPage } from "../report/html/page.ts";
import { renderMarkdown } from "../report/markdown.ts";
import { reportModel } from "../report/model.ts";
import { renderSummary } from "../report/terminal/summary.ts";
import type { Results } from "../runner/result.ts";
import type { Renderers } from "./outputs.ts";
import { terminalOptions } from "./terminal.ts";

/** @param all One or more experiments; JSON and CSV hold only the first. */
export function resultForms(
  all: readonly Results[],
): Renderers & { readonly summary: () => string } {
  const models = all.map(reportModel);
  return {
    json: () => JSON.stringify(all[0]) + "\n",
    csv: () => renderCsv(models[0]),
    markdown: () => models.map(renderMarkdown).join("\n"),
    html: () => renderPage(models),
    summary: () => models.map((model) => renderSummary(model, terminalOptions())).join(""),
  };
}
