/** The forms of a comparison, and the exit code that it ends with. */
import { EXIT } from "../../base/errors.ts";
import {
  comparisonJson,
  comparisonSuite,
  renderComparisonMarkdown,
} from "../../report/render/comparison.ts";
import { renderJunit } from "../../report/render/junit.ts";
import type { ResultsComparison } from "../../report/subjects/compared_results.ts";
import { renderComparisonPage } from "../../report/render/html/compared_page.ts";
import { jsonText } from "../../report/writing/json.ts";
import type { Renderers } from "../flags/output_flags.ts";
import { hostname } from "../terminal/process.ts";

export const COMPARISON_EXIT = {
  pass: EXIT.done,
  fail: EXIT.failedCheck,
  inconclusive: EXIT.inconclusive,
} as const;

export function comparisonForms(
  comparison: ResultsComparison,
): Renderers<"json" | "markdown" | "junit" | "html"> {
  return {
    json: () => jsonText(comparisonJson(comparison), 2),
    markdown: () => renderComparisonMarkdown(comparison),
    html: () => renderComparisonPage(comparison),
    junit: () => {
      const when = { startedAt: new Date().toISOString(), hostname: hostname() };
      return renderJunit([comparisonSuite(comparison, when)]);
    },
  };
}
