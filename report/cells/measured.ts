/**
 * The common shape of all measurements, from which every report is made: the runs of an experiment, or the single run
 * of `bench`, which has no experiment.
 */
import type { Measurement, Results, Run, Threshold } from "../../runner/result/result.ts";

/** Keys that every measurement has, whichever command made it. */
type Always = "runs" | "machine" | "version" | "seed" | "startedAt" | "finishedAt";

/** The results of an experiment already have this shape; `measuredAlone` converts a single measurement to it. */
export type MeasuredRuns = Pick<Results, Always> & Partial<Omit<Results, Always>> & {
  readonly bench?: BenchCommand;
};

export interface BenchCommand {
  readonly args: readonly string[];
  readonly thresholds: readonly Threshold[];
}

/**
 * A single measurement in the shape of an experiment with one run.
 * @param alone The data that is not in the measurement's file.
 */
export function measuredAlone(
  measurement: Measurement,
  alone: Omit<MeasuredRuns, "runs" | "version">,
): MeasuredRuns {
  const { version } = measurement;
  return { ...alone, version, runs: [runAlone(measurement, alone.startedAt)] };
}

/** The single measurement as a run, with the URL's origin as its target and the URL's path as its scenario. */
export function runAlone(measurement: Measurement, startedAt: string): Run {
  const url = URL.parse(measurement.url); // null if part of the URL is masked as secret
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

/** Title of a report: the experiment's title, or else its name; the URL for a single measurement. */
export function titleOf({ experiment, runs }: MeasuredRuns): string {
  return experiment?.title ?? experiment?.name ?? runs[0]?.url ?? "";
}

export function thresholdsOf({ experiment, bench }: MeasuredRuns): readonly Threshold[] {
  return experiment?.thresholds ?? bench?.thresholds ?? [];
}
