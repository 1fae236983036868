/**
 * Treats each request of a mix, flow or page (a step) as a scenario of its own. So tables, claims and thresholds, which
 * read the figures of cells, can also read those of a step. The figures of a step are of whole runs, even if the
 * experiment discards a part.
 */
import { stepPath } from "../../../base/figures/steps.ts";
import type { StepFigures } from "../../../runner/result/step.ts";
import type { Results, Run } from "../../../runner/result/result.ts";
import { groupRuns, type ScenarioRuns } from "../../cells/cells.ts";

/** The steps of every scenario, as scenarios named `checkout.pay`. */
export function stepScenarios(
  scenarios: readonly ScenarioRuns[],
  { experiment, startedAt }: Partial<Pick<Results, "experiment" | "startedAt">>,
): ScenarioRuns[] {
  const runs = scenarios.flatMap(({ cells }) =>
    cells.flatMap(({ parts }) => parts.flatMap(({ whole }) => stepRuns(whole)))
  );
  return groupRuns({
    runs,
    ...experiment && { experiment: { ...experiment, scenarios: {}, discard: 0, figures: "whole" } },
    ...startedAt !== undefined && { startedAt },
  });
}

const made = new WeakMap<Run, readonly Run[]>();

/** The steps of a run as runs of their own. They are made only once for each run. */
function stepRuns(run: Run): readonly Run[] {
  const known = made.get(run);
  if (known !== undefined) return known;
  const runs = (run.steps ?? []).map((step) => stepRun(run, step));
  made.set(run, runs);
  return runs;
}

const NO_TIMES: Run["service"] = {
  count: 0,
  min: 0,
  mean: 0,
  stdev: 0,
  max: 0,
  percentiles: { "50": 0, "75": 0, "90": 0, "95": 0, "99": 0, "99.9": 0, "99.99": 0 },
};

/**
 * The run as if it had sent only the requests of this step. Facts that are known only for the whole run are left out.
 */
function stepRun(run: Run, step: StepFigures): Run {
  const { requests, wrong, errors, status, rate, latency, histogram, censoredHistogram } = step;
  const { streams, sockets } = step;
  const { intervalS } = run.timeline;
  const { percentiles, max } = latency;
  return {
    ...run,
    scenario: stepPath(run.scenario, step.name),
    ...{ requests, errors, status, rate, latency, histogram, censoredHistogram, streams, sockets },
    checks: { passed: requests.completed - wrong, failed: wrong },
    reasons: {},
    statusLatency: undefined,
    instances: undefined,
    cache: undefined,
    steps: undefined,
    grpc: undefined,
    drain: undefined,
    service: NO_TIMES,
    firstByte: NO_TIMES,
    connect: NO_TIMES,
    histograms: {},
    sessions: null,
    slowest: undefined,
    capacity: undefined,
    resources: [],
    parts: undefined,
    timeline: {
      intervalS,
      points: [{
        endS: run.elapsedS,
        completed: Math.round(rate * run.elapsedS),
        failed: requests.failed,
        bytes: 0,
        p50: percentiles["50"],
        p75: percentiles["75"],
        p90: percentiles["90"],
        p99: percentiles["99"],
        max,
        histogram,
        censoredHistogram,
      }],
    },
  };
}
