/** A single measurement as an experiment of one run, for what works on experiments. */
import type { Grouped } from "../../report/model/runs/cells.ts";
import type { Measurement, Results, Run } from "../../runner/result/result.ts";

export function benchRun(measurement: Measurement, startedAt: string): Run {
  const url = URL.parse(measurement.url); // null where a part of it is secret
  return {
    ...measurement,
    target: url?.origin ?? measurement.url,
    scenario: url?.pathname ?? "/",
    repetition: 1,
    order: 1,
    parameters: {},
    startUp: null,
    runtime: null,
    startedAt,
    resources: [],
  };
}

/** The runs of either kind of result. */
export function groupedOf(result: Results | Measurement): Grouped {
  if ("runs" in result) return result;
  const { url } = result;
  const startedAt = new Date(0).toISOString();
  return { experiment: { name: url }, runs: [benchRun(result, startedAt)] };
}
