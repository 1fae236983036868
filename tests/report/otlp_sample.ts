/** Results whose metrics are looked at. */
import { encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import type { Results, Run } from "../../runner/result/result.ts";
import { resultsFixture } from "./fixture.ts";
import { exportMetricsServiceRequest, type ExportRequest } from "./otlp_schema.ts";

export function read(texts: readonly string[]): ExportRequest[] {
  return texts.map((text) => exportMetricsServiceRequest.parse(JSON.parse(text)));
}

export function twoCells(timeoutRatio = 0): Results {
  return resultsFixture({
    cells: [10, 50].map((connections) => ({
      target: "hono",
      scenario: "static",
      parameters: { connections, "set.cache": true, "set.delay": "50ms" },
      connections,
      medianMs: 5,
      runs: 2,
      duration: 1,
      timeoutRatio,
    })),
  });
}

/** A run of 1,000 fast responses and `bounds` lower bounds of 5 s. */
export function runOf(bounds: number, change: Partial<Run> = {}): Results {
  const results = twoCells();
  const [run] = results.runs;
  const [all, censored] = [new Histogram(), new Histogram()];
  for (let at = 1; at <= 1_000; at++) all.record(1_000 + at);
  for (let at = 0; at < bounds; at++) {
    all.record(5_000_000);
    censored.record(5_000_000);
  }
  const changed: Run = {
    ...run,
    histogram: encodeHistogram(all.toSparse()),
    ...bounds > 0 && { censoredHistogram: encodeHistogram(censored.toSparse()) },
    latency: {
      ...run.latency,
      count: all.count,
      censored: bounds,
      min: 1.001,
      max: all.maxUs / 1_000,
      mean: all.meanUs / 1_000,
    },
    status: { "200": 1_000 },
    requests: { due: 1_000 + bounds, completed: 1_000, failed: bounds, unfinished: 0, dropped: 0 },
    errors: bounds === 0 ? {} : { timeout: bounds },
    ...change,
  };
  return { ...results, runs: [changed] };
}
