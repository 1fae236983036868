/** The forms of an experiment's results. */
import type { Grouped } from "../report/cells.ts";
import { renderCsv } from "../report/csv.ts";
import type { GateOutcome } from "../report/gates.ts";
import { renderPage } from "../report/html/page.ts";
import { renderJunit, resultsSuite } from "../report/junit.ts";
import { renderMarkdown } from "../report/markdown.ts";
import { reportModel } from "../report/model.ts";
import { renderSummary } from "../report/terminal/summary.ts";
import type { Results } from "../runner/result.ts";
import type { Renderers } from "./outputs.ts";
import { terminalOptions } from "./terminal.ts";

export interface ResultForms extends Renderers {
  readonly summary: () => string;
  /** What became of the thresholds. */
  readonly gates: readonly GateOutcome[];
}

/**
 * @param all One or more experiments; JSON and CSV hold only the first.
 * @param baseline What thresholds compare with; null: nothing.
 */
export function resultForms(
  all: readonly Results[],
  baseline: Grouped | null = null,
): ResultForms {
  const models = all.map((results) => reportModel(results, baseline));
  return {
    json: () => JSON.stringify(all[0]) + "\n",
    csv: () => renderCsv(models[0]),
    markdown: () => models.map(renderMarkdown).join("\n"),
    junit: () => renderJunit(all.map((results, i) => resultsSuite(results, models[i]))),
    gates: models.flatMap(({ gates }) => gates.outcomes),
    html: () => renderPage(models),
    summary: () => models.map((model) => renderSummary(model, terminalOptions())).join(""),
  };
}
