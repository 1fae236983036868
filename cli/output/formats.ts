/** The output formats of experiment results, and the page of a single measurement. */
import { describeMachine } from "../../base/system/describe.ts";
import { renderCsv, renderIntervalsCsv } from "../../report/render/csv.ts";
import { renderHistogramLog } from "../../report/render/histogram_log.ts";
import { renderJunit, resultsSuite } from "../../report/render/junit.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { otlpRequests } from "../../report/render/otlp.ts";
import { verdictsJson } from "../../report/findings/claim_sentences.ts";
import type { GateOutcome } from "../../report/findings/threshold_sentences.ts";
import { conclusionJson } from "../../report/subjects/verdict/conclusion.ts";
import { type ReportModel, reportModel } from "../../report/model.ts";
import type { Grouped } from "../../report/cells/cells.ts";
import { type BenchCommand, measuredAlone } from "../../report/cells/measured.ts";
import { type Trend, trendsOf } from "../../report/subjects/trend.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import { jsonText } from "../../report/writing/json.ts";
import { together } from "../../report/writing/markdown.ts";
import type { Written } from "../../report/writing/written.ts";
import { hashSettings } from "../../runner/experiment/provenance.ts";
import type { Measurement, Results } from "../../runner/result/result.ts";
import type { MetricsSender, Renderers } from "../flags/output_flags.ts";
import { sendMetrics } from "./otlp.ts";
import { terminalOptions } from "../terminal/terminal.ts";

export interface ResultForms extends Renderers {
  /** Sends the metrics of all experiments. */
  readonly otlp: MetricsSender;
  readonly models: readonly ReportModel[];
  /** @param hasToldMissing Whether the progress output has already named the missing measurements and their reasons. */
  readonly summary: (hasToldMissing: boolean) => readonly Written<"terminal">[];
  /** A trend for each experiment of which there are several results. */
  readonly trends: readonly Trend[];
  readonly gates: readonly GateOutcome[];
}

/**
 * @param all Results of one or more experiments. JSON, CSV and the histogram log contain only the first.
 * @param baseline Results that thresholds compare with; null if there are none.
 */
export function resultForms(
  all: readonly Results[],
  baseline: Grouped | null = null,
): ResultForms {
  const reported = all.map((results) => ({ results, model: reportModel(results, baseline) }));
  const models = reported.map(({ model }) => model);
  const trends = trendsOf(reported);
  const documents = [...trends.map(({ document }) => document), ...models];
  return {
    models,
    json: () => jsonText(concluded(all[0], models[0])),
    csv: () => renderCsv(models[0]),
    csvIntervals: () => renderIntervalsCsv(models[0]),
    markdown: () => together(documents.map(renderMarkdown)),
    junit: () => renderJunit(all.map((results, i) => resultsSuite(results, models[i]))),
    hlog: () => renderHistogramLog(all[0]),
    otlp: (to, signal) => sendMetrics(to, all.flatMap(otlpRequests), signal),
    trends,
    gates: models.flatMap(({ gates }) => gates),
    html: () => renderReportPage(documents),
    summary: (hasToldMissing) =>
      models.map((model) => renderSummary(model, terminalOptions(), hasToldMissing)),
  };
}

function concluded(results: Results, { card, claims }: ReportModel): unknown {
  return {
    ...results,
    conclusion: conclusionJson(card),
    ...claims.length > 0 && { verdicts: verdictsJson(claims) },
  };
}

/** Facts about a call of `bench` that the measurement itself does not contain. */
export interface BenchInvocation extends BenchCommand {
  readonly baseline: Grouped | null;
  /** The seed that was used, whether given or random. */
  readonly seed: number;
}

export function renderBenchPage(
  measurement: Measurement,
  { baseline, seed, args, thresholds }: BenchInvocation,
): Written<"html"> {
  const { url, load, elapsedS } = measurement;
  const finishedAt = new Date();
  const measured = measuredAlone(measurement, {
    bench: { args, thresholds },
    startedAt: new Date(finishedAt.getTime() - elapsedS * 1_000).toISOString(),
    finishedAt: finishedAt.toISOString(),
    machine: describeMachine(),
    seed,
    settings: hashSettings({ url, load }),
  });
  return renderReportPage([reportModel(measured, baseline)]);
}
