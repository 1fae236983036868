/** The report page of a single measurement: an experiment of one run. */
import { describeMachine } from "../../base/system/describe.ts";
import { benchCommandOf } from "../../report/model/method/command.ts";
import { measuredSentences } from "../../report/model/method/method.ts";
import { reportModel } from "../../report/model/model.ts";
import type { Grouped } from "../../report/model/runs/cells.ts";
import { renderReportPage } from "../../report/page/page.ts";
import type { Written } from "../../report/writing/written.ts";
import { hashSettings } from "../../runner/experiment/provenance.ts";
import type { Measurement, Results, Threshold } from "../../runner/result/result.ts";
import { benchRun } from "../results/reading.ts";

/** Parts of the page that are not in the measurement. */
export interface BenchInvocation {
  readonly thresholds: readonly Threshold[];
  readonly baseline: Grouped | null;
  /** Those of the command, and the seed that it used. */
  readonly args: readonly string[];
  readonly seed: number;
}

export function renderBenchPage(
  measurement: Measurement,
  invocation: BenchInvocation,
): Written<"html"> {
  const results = asResults(measurement, invocation);
  return renderReportPage([{
    ...reportModel(results, invocation.baseline),
    method: measuredSentences(results.runs),
    command: benchCommandOf(invocation.args, invocation.seed),
  }]);
}

function asResults(measurement: Measurement, { thresholds, seed }: BenchInvocation): Results {
  const { version, url, elapsedS } = measurement;
  const finishedAt = new Date();
  const startedAt = new Date(finishedAt.getTime() - elapsedS * 1_000).toISOString();
  return {
    schema: "plateau.results/2",
    version,
    experiment: { name: "bench", title: url, thresholds: [...thresholds] },
    source: "",
    seed,
    machine: describeMachine(),
    commit: null,
    settings: hashSettings({ url, load: measurement.load }),
    redis: null,
    startedAt,
    finishedAt: finishedAt.toISOString(),
    state: "done",
    planned: 1,
    runs: [benchRun(measurement, startedAt)],
    missing: [],
  };
}
