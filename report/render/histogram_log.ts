/**
 * The latencies of every interval as a histogram log for the tools of HdrHistogram, with a line for each interval and a
 * tag for each run. Lower bounds are included, so the lines of a run add up to its latency histogram. Comments in the
 * log state how many values are lower bounds, which requests have no latency, and what results of earlier versions
 * lack.
 */
import type { Measurement, Results, Run } from "../../runner/result/result.ts";
import { decodeInterval } from "../../runner/stats/histogram/hdr.ts";
import { sum } from "../writing/spread.ts";
import { formatCount } from "../writing/units.ts";
import { histogramLogOf, type TagPart } from "../writing/histogram_log.ts";
import type { Written } from "../writing/written.ts";

/** Includes all measured runs, in the order of measurement. */
export function renderHistogramLog(results: LoggedResults): Written<"hlog"> {
  const { version, experiment, startedAt, runs } = results;
  const startMs = Math.min(
    ...runs.map(startMsOf),
    ...runs.length > 0 ? [] : [Date.parse(startedAt)],
  );
  const tagged = "Tags are target/scenario/factor=value/repetition, each part percent-encoded";
  return histogramLogOf({
    startMs,
    comments: [...commentsOn(`experiment ${experiment.name}`, version), tagged],
    series: runs.map((run) => ({
      tag: tagOf(run),
      comments: [...run.loadStartedAt ? [] : [UNKNOWN_START], ...seriesComments(run)],
      startMs: startMsOf(run) - startMs,
      intervals: run.timeline.points,
    })),
  });
}

/** The log of a single measurement, which needs no tag. */
export function renderMeasurementHistogramLog(measurement: Measurement): Written<"hlog"> {
  const { url, version, loadStartedAt } = measurement;
  const unknown = loadStartedAt ? [] : ["The start of the load is unknown"];
  return histogramLogOf({
    startMs: loadStartedAt ? Date.parse(loadStartedAt) : 0,
    comments: commentsOn(url, version),
    series: [{
      tag: [],
      comments: [...unknown, ...seriesComments(measurement)],
      startMs: 0,
      intervals: measurement.timeline.points,
    }],
  });
}

const UNKNOWN_START =
  "the start of the load is unknown: times count from the start of the run, before its target was started";

interface LoggedResults extends Pick<Results, "version" | "startedAt" | "runs"> {
  readonly experiment: Pick<Results["experiment"], "name">;
}

function startMsOf({ loadStartedAt, startedAt }: Run): number {
  return Date.parse(loadStartedAt ?? startedAt);
}

function tagOf({ target, scenario, parameters, repetition }: Run): TagPart[] {
  const factors = Object.entries(parameters).map(([path, value]): TagPart => [
    path,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return [target, scenario, ...factors, String(repetition)];
}

function commentsOn(subject: string, version: string): string[] {
  return [
    `Latencies of ${subject}, measured by Plateau ${version}`,
    "Values are whole microseconds; Interval_Max is in milliseconds",
    "In a closed loop, latency counts from when a request was sent; in an open loop, from when it was due",
    "The last interval of a run also holds requests that ended after the deadline, and requests that were never sent",
  ];
}

function seriesComments(measurement: Measurement & Partial<Pick<Run, "slices">>): string[] {
  const { latency: { count, censored }, requests, errors, timeline, streams, sockets, slices } =
    measurement;
  const logged = sum(timeline.points, (point) => decodeInterval(point).count);
  const untimed = requests.failed - (errors.timeout ?? 0);
  const of = `${formatCount(count)} values`;
  const comments: readonly (readonly [isDue: boolean, text: string])[] = [
    [
      slices !== undefined,
      "This load took turns with another: times count only the measured parts of its own slices",
    ],
    [
      streams !== undefined || sockets !== undefined,
      "The latency of a stream or WebSocket is how long it lasted; the times of messages are in the results and in the CSV of intervals",
    ],
    [
      censored > 0,
      `${formatCount(censored)} of ${of} are lower bounds: these requests timed out, were ` +
      "unfinished or were never sent, and would have taken at least as long",
    ],
    [
      untimed > 0,
      `${
        formatCount(untimed)
      } requests failed otherwise than by a time-out, and therefore have no latency`,
    ],
    [
      logged < count,
      `${
        formatCount(count - logged)
      } of ${of} are in no interval of the results, and therefore not here`,
    ],
  ];
  return comments.flatMap(([isDue, text]) => isDue ? [text] : []);
}
