/** The report page of a single measurement: an experiment of one run. */
import type { Grouped } from "../report/cells.ts";
import { renderPage } from "../report/html/page.ts";
import { reportModel } from "../report/model.ts";
import { describeMachine } from "../runner/machine/describe.ts";
import { hashSettings } from "../runner/provenance.ts";
import type { Measurement, Results, Threshold } from "../runner/result.ts";
import { benchRun } from "./bench_run.ts";

export function renderBenchPage(
  measurement: Measurement,
  { thresholds, baseline }: { thresholds: Threshold[]; baseline: Grouped | null },
): string {
  return renderPage([reportModel(asResults(measurement, thresholds), baseline)]);
}

function asResults(measurement: Measurement, thresholds: Threshold[]): Results {
  const { version, url, elapsed } = measurement;
  const finishedAt = new Date();
  const startedAt = new Date(finishedAt.getTime() - elapsed * 1_000).toISOString();
  return {
    schema: "plateau.results/1",
    version,
    experiment: { name: "bench", title: url, thresholds },
    source: `plateau bench ${url}`,
    seed: 0,
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
