/** Two results held against each other, in the forms that people read. */
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import type { ResultsComparison } from "../../report/subjects/comparison/comparison.ts";
import { comparedDocument } from "../../report/subjects/comparison/document.ts";

/** With spaces that may break. */
export function comparedText(comparison: ResultsComparison, width = 400): string {
  const options = { width, color: false, unicode: true };
  return renderSummary(comparedDocument(comparison), options).replaceAll("\u00a0", " ");
}

export function comparedMarkdown(comparison: ResultsComparison): string {
  return renderMarkdown(comparedDocument(comparison)).replaceAll("\u00a0", " ");
}

export function comparedPage(comparison: ResultsComparison): string {
  return renderReportPage([comparedDocument(comparison)]);
}
