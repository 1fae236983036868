/**
 * The one shape of a measurement, from which every report is made: the runs of an experiment, or the single run of
 * `bench`, which has no experiment around it.
 */
import type { Measurement, Results, Run, Threshold } from "../../runner/result/result.ts";

/** Keys that every measurement has, whichever command made it. */
type Always = "runs" | "machine" | "version" | "seed" | "startedAt" | "finishedAt";

/** The results of an experiment have this shape; a single measurement gets it from `measuredAlone`. */
export type MeasuredRuns = Pick<Results, Always> & Partial<Omit<Results, Always>> & {
  readonly bench?: BenchCommand;
};

/** The command line of `bench`. */
export interface BenchCommand {
  readonly args: readonly string[];
  readonly thresholds: readonly Threshold[];
}

/** A single measurement, as one run of one cell. @param alone The data that the file does not contain. */
export function measuredAlone(
  measurement: Measurement,
  alone: Omit<MeasuredRuns, "runs" | "version">,
): MeasuredRuns {
  const { version } = measurement;
  return { ...alone, version, runs: [runAlone(measurement, alone.startedAt)] };
}

/** The single run: its target is the origin of the URL, its scenario the path. */
export function runAlone(measurement: Measurement, startedAt: string): Run {
  const url = URL.parse(measurement.url); // null if part of the URL is secret
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

/** Title of a report: the question of the experiment, or else its name; for a single measurement its URL. */
export function titleOf({ experiment, runs }: MeasuredRuns): string {
  return experiment?.title ?? experiment?.name ?? runs[0]?.url ?? "";
}

export function thresholdsOf({ experiment, bench }: MeasuredRuns): readonly Threshold[] {
  return experiment?.thresholds ?? bench?.thresholds ?? [];
}
