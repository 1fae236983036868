/** Events of a run, for the tests of what is shown of them. */
import { Histogram, type SparseHistogram } from "../../runner/stats/histogram/histogram.ts";
import type { Live } from "../../report/render/live_figures.ts";
import type { Starting } from "../../report/render/terminal/progress.ts";
import type { Progress } from "../../runner/result/progress.ts";
import { measurementFixture } from "./fixture.ts";

export const STARTING: Starting = {
  kind: "starting",
  order: 2,
  runs: 4,
  mayEndEarly: false,
  repetitions: 2,
  target: "hono",
  scenario: "static",
  repetition: 1,
  parameters: { connections: 50 },
  remainingMs: 12_000,
};

/** One of each. */
export function latencies(...timesMs: readonly number[]): SparseHistogram {
  const histogram = new Histogram();
  for (const ms of timesMs) histogram.record(ms * 1_000);
  return histogram.toSparse();
}

export const LIVE: Live = {
  kind: "live",
  url: "http://127.0.0.1:8080/static",
  elapsedMs: 1_500,
  durationMs: 3_000,
  ratePerSec: 12_345.6,
  p50Ms: 1.2,
  p99Ms: 4.56,
  failed: 0,
  latency: latencies(1, 1.1, 1.2, 1.3, 4.56),
  completed: 18_518,
  requests: null,
  workers: { count: 1, cpuRatio: 0.634, lateMs: 0.21 },
};

export const MEASURED: Extract<Progress, { kind: "measured" }> = {
  kind: "measured",
  order: 2,
  measurement: measurementFixture({ target: "", scenario: "static", medianMs: 2 }),
  remainingMs: 71_000,
};

export const MISSING: Extract<Progress, { kind: "missing" }> = {
  kind: "missing",
  missing: {
    target: "hono",
    scenario: "redis",
    parameters: {},
    repetition: null,
    kind: "skipped",
    reason: "there is no Redis",
    evidence: [],
  },
};
