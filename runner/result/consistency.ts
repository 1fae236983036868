/**
 * Checks that the shape of a result file cannot express: that histograms are valid and hold as many values as are
 * counted beside them, that counts add up, that times are in order, and that no run is there twice. Without these
 * checks, a file that was cut, edited or made up would be shown as a measurement, or would make the report fail in the
 * middle. Pure.
 */
import type { StreamFigures } from "./messages.ts";
import type { Measurement, Results, Run } from "./result.ts";
import { cellKey } from "../../base/figures/cells.ts";
import { countIn, countOfInterval } from "../stats/histogram/hdr.ts";
import { messageOf } from "../../base/errors.ts";
import { beyond, isWithin } from "../../base/limits.ts";
import type { PathProblem } from "../../base/problems.ts";

export type Inconsistency = Pick<PathProblem, "path" | "message">;

/** By what share a percentile may exceed the maximum, because both are rounded. */
const ROUNDING = 1e-6;

/** A generator, so that callers can stop early: each histogram that can't be inflated costs 26 KB of memory. */
export function* inconsistenciesOf(result: Results | Measurement): Generator<Inconsistency> {
  if (!("runs" in result)) return yield* ofMeasurement(result);
  for (const [at, run] of result.runs.entries()) yield* inconsistenciesOfRun(run, at);
  yield* repeatedRuns(result.runs);
}

/** Inconsistencies within one run. @param at Index of the run among the runs. */
export function* inconsistenciesOfRun(run: Run, at: number): Generator<Inconsistency> {
  for (const { path, message } of ofMeasurement(run)) {
    yield { path: ["runs", at, ...path], message: `${message} (${runText(run)})` };
  }
}

function runText({ target, scenario, repetition }: Run): string {
  return `${target}, ${scenario}, repetition ${repetition}`;
}

export function repeatedRuns(runs: readonly Run[]): Inconsistency[] {
  const known = new Set<string>();
  return runs.flatMap((run, at) => {
    const name = JSON.stringify([cellKey(run), run.repetition]);
    if (!known.has(name)) return known.add(name) && [];
    return [{
      path: ["runs", at],
      message: `Cannot use results that hold one run twice (${runText(run)})`,
    }];
  });
}

function* ofMeasurement(measurement: Measurement): Generator<Inconsistency> {
  yield* ofCounts(measurement);
  yield* ofHistograms(measurement);
  yield* ofTimeline(measurement.timeline.points);
  const { max, percentiles } = measurement.latency;
  for (const [name, ms] of Object.entries(percentiles)) {
    if (ms <= max * (1 + ROUNDING)) continue;
    const message = `Cannot use a percentile of ${ms} ms: the highest latency is ${max} ms`;
    yield { path: ["latency", "percentiles", name], message };
  }
}

function* ofCounts(
  { requests, streams, sockets, steps = [], grpc }: Measurement,
): Generator<Inconsistency> {
  yield* ofMessages([], { streams, sockets });
  for (const [at, step] of steps.entries()) yield* ofMessages(["steps", at], step);
  const calls = Object.values(grpc?.status ?? {})
    .reduce((sum, count) => sum + count, grpc?.noStatus ?? 0);
  if (calls > requests.completed) {
    const message =
      `Cannot use counts that do not add up: ${calls} gRPC calls ended, but ${requests.completed} requests completed`;
    yield { path: ["grpc", "status"], message };
  }
  const { due, completed, failed, unfinished, dropped } = requests;
  const fates = completed + failed + unfinished + dropped;
  if (due === fates) return;
  const message = `Cannot use counts that do not add up: due is ${due}, but ` +
    `completed + failed + unfinished + dropped is ${fates}`;
  yield { path: ["requests", "due"], message };
}

/** Inconsistencies of the messages of a whole run, or of one of its steps. */
function* ofMessages(
  path: Inconsistency["path"],
  { streams, sockets }: Pick<Measurement, "streams" | "sockets">,
): Generator<Inconsistency> {
  if (streams !== undefined) {
    const { messages, events, ttfe, gap, tokens } = streams;
    yield* ofFates([...path, "streams"], messages);
    if (events !== messages.received) {
      const message =
        `Cannot use counts that do not add up: events is ${events}, but messages.received is ${messages.received}`;
      yield { path: [...path, "streams", "events"], message };
    }
    for (const [name, times] of Object.entries({ ttfe, gap, ...tokens && { ttft: tokens.ttft } })) {
      yield* ofHistogram([...path, "streams", name, "histogram"], times.histogram, times.count);
    }
  }
  if (sockets !== undefined) {
    const { messages, message: { histogram, count } } = sockets;
    yield* ofFates([...path, "sockets"], messages);
    yield* ofHistogram([...path, "sockets", "message", "histogram"], histogram, count);
  }
}

function* ofFates(
  path: Inconsistency["path"],
  { due, received, failed, unfinished, dropped }: StreamFigures["messages"],
): Generator<Inconsistency> {
  const fates = received + failed + unfinished + dropped;
  if (due === fates) return;
  const message = `Cannot use counts that do not add up: due is ${due}, but ` +
    `received + failed + unfinished + dropped is ${fates}`;
  yield { path: [...path, "messages", "due"], message };
}

/** Inconsistencies of the histograms of the whole run. */
function* ofHistograms(measurement: Measurement): Generator<Inconsistency> {
  const { latency, histogram, censoredHistogram, histograms, sessions } = measurement;
  const { service, firstByte, connect } = measurement;
  const lengths = sessions?.length;
  yield* ofHistogram(
    ["histogram"],
    histogram,
    latency.count,
    (text) => text === "" ? countIn(text) : countOfInterval(measurement),
  );
  yield* ofHistogram(["censoredHistogram"], censoredHistogram, latency.censored);
  yield* ofHistogram(["histograms", "service"], histograms?.service, service.count);
  yield* ofHistogram(["histograms", "firstByte"], histograms?.firstByte, firstByte.count);
  yield* ofHistogram(["histograms", "connect"], histograms?.connect, connect.count);
  yield* ofHistogram(
    ["histograms", "sessionLength"],
    histograms?.sessionLength,
    lengths?.count,
  );
  const { statusLatency = {}, instances = [], cache = {} } = measurement;
  for (const [name, groups] of Object.entries({ statusLatency, instances, cache })) {
    for (const [key, { latency, histogram }] of Object.entries(groups)) {
      yield* ofHistogram([name, key, "histogram"], histogram, latency.count);
    }
  }
}

/** @param count Expected number of values; undefined if the result does not have it. */
function* ofHistogram(
  path: Inconsistency["path"],
  histogram: string | undefined,
  count?: number,
  countOf = countIn,
): Generator<Inconsistency> {
  if (histogram === undefined) return;
  try {
    const held = countOf(histogram);
    if (count === undefined || held === count) return;
    const message =
      `Cannot use a histogram of ${held} values: by the count beside it, it should have ${count}`;
    yield { path, message };
  } catch (error) {
    yield { path, message: messageOf(error) };
  }
}

function* ofTimeline(points: Measurement["timeline"]["points"]): Generator<Inconsistency> {
  const path = ["timeline", "points"];
  if (!isWithin("intervals", points.length)) {
    return yield {
      path,
      message: `Cannot use this timeline: ${beyond("intervals", points.length)}`,
    };
  }
  for (const [at, point] of points.entries()) {
    const { endS, censoredHistogram } = point;
    if (!(endS > (points[at - 1]?.endS ?? -Infinity))) {
      yield {
        path: [...path, at, "endS"],
        message: `Cannot use ${endS} s: it is not after the end of the previous interval`,
      };
    }
    try {
      countOfInterval(point);
    } catch (error) {
      yield { path: [...path, at, "histogram"], message: messageOf(error) };
    }
    yield* ofHistogram([...path, at, "censoredHistogram"], censoredHistogram);
  }
}
