/**
 * The one shape of a measurement, of which every report is made: the runs of an experiment, or the single
 * run of `bench`, which has no experiment around it.
 */
import type { Measurement, Results, Run, Threshold } from "../../runner/result/result.ts";

/** Keys that every measurement has, whichever command made it. */
type Always = "runs" | "machine" | "version" | "seed" | "startedAt" | "finishedAt";

/** The results of an experiment are one; a measurement alone has what `measuredAlone` gives it. */
export type MeasuredRuns = Pick<Results, Always> & Partial<Omit<Results, Always>> & {
  readonly bench?: BenchCommand;
};

/** The command line of `bench`. */
export interface BenchCommand {
  readonly args: readonly string[];
  readonly thresholds: readonly Threshold[];
}

/** A single measurement: one run of one cell. @param alone What its file does not hold. */
export function measuredAlone(
  measurement: Measurement,
  alone: Omit<MeasuredRuns, "runs" | "version">,
): MeasuredRuns {
  const { version } = measurement;
  return { ...alone, version, runs: [runAlone(measurement, alone.startedAt)] };
}

/** Its target is the origin of its URL, its scenario the path. */
export function runAlone(measurement: Measurement, startedAt: string): Run {
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

/** The name of the experiment, or of the command. */
export function nameOfMeasured({ experiment }: MeasuredRuns): string {
  return experiment?.name ?? "bench";
}

/** The question of the experiment, where it has one; the URL of a measurement alone. */
export function titleOf({ experiment, runs }: MeasuredRuns): string {
  return experiment?.title ?? experiment?.name ?? runs[0]?.url ?? "";
}

export function thresholdsOf({ experiment, bench }: MeasuredRuns): readonly Threshold[] {
  return experiment?.thresholds ?? bench?.thresholds ?? [];
}
