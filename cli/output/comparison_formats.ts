/** The output formats of a comparison, and its exit code. */
import { EXIT } from "../../base/errors.ts";
import { comparisonJson, comparisonSuite } from "../../report/render/comparison.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import { renderJunit } from "../../report/render/junit.ts";
import type { ResultsComparison } from "../../report/subjects/comparison/comparison.ts";
import { comparedDocument } from "../../report/subjects/comparison/document.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import type { Written } from "../../report/writing/written.ts";
import { jsonText } from "../../report/writing/json.ts";
import type { Renderers } from "../flags/output_flags.ts";
import { hostname } from "../terminal/process.ts";
import { terminalOptions } from "../terminal/terminal.ts";

export const COMPARISON_EXIT = {
  pass: EXIT.done,
  fail: EXIT.failedCheck,
  inconclusive: EXIT.inconclusive,
} as const;

interface ComparisonForms extends Renderers<"json" | "markdown" | "junit" | "html"> {
  readonly summary: () => Written<"terminal">;
}

/** @param comparison A comparison of at least one cell. */
export function comparisonForms(comparison: ResultsComparison): ComparisonForms {
  const document = comparedDocument(comparison);
  return {
    json: () => jsonText(comparisonJson(comparison), 2),
    markdown: () => renderMarkdown(document),
    html: () => renderReportPage([document]),
    summary: () => renderSummary(document, terminalOptions()),
    junit: () => {
      const when = { startedAt: new Date().toISOString(), hostname: hostname() };
      return renderJunit([comparisonSuite(comparison, when)]);
    },
  };
}
