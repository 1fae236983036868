/**
 * What the workers told → one `Measurement`. Every figure of the result file is made here, and the law
 * that nothing leaves the data is checked here, after every run.
 */
import type { WorkerReport } from "./load/job.ts";
import type { WorkerTotals } from "./load/recorder.ts";
import { ERRORS } from "./outcome.ts";
import { type Distribution, type Measurement, PERCENTILES } from "./result.ts";
import { encodeHistogram } from "./stats/hdr.ts";
import { type Histogram, mergeHistograms } from "./stats/histogram.ts";
import { classifyRun } from "./stats/steady_state.ts";
import { perSecondOf } from "./stats/per_second.ts";
import type { Timeline } from "./timeline.ts";
import { evidenceOf, type Stage } from "./trust/evidence.ts";
import { judge } from "./trust/judging.ts";

/** What is known before the load starts, in the result's own words. */
export type Asked = Pick<Measurement, "version" | "url" | "driver" | "load">;

/** A measurement before its generator is judged. */
type Measured = Omit<Measurement, "generator" | "histogram">;

export function assemble(
  asked: Asked,
  reports: readonly WorkerReport[],
  told: { timeline: Timeline; intervalMs: number; stage: Stage },
): Measurement {
  const totals = reports.map((report) => report.totals);
  const sum = (of: (part: WorkerTotals) => number): number =>
    totals.reduce((whole, part) => whole + of(part), 0);
  const elapsedUs = Math.max(...reports.map((report) => report.elapsedUs));
  const elapsed = elapsedUs / 1e6;
  const latency = told.timeline.latency();
  const completed = sum((part) => part.completed);
  const bytesIn = sum((part) => part.bytesIn);
  const merged = (of: "service" | "firstByte" | "connect"): Distribution =>
    distributionOf(mergeHistograms(totals.map((part) => part[of])));
  const timeline = {
    interval: told.intervalMs / 1_000,
    points: told.timeline.points(elapsedUs),
  };
  const measured: Measured = {
    schema: "plateau.bench/1",
    ...asked,
    elapsed,
    requests: {
      due: sum((part) => part.due),
      completed,
      failed: sum((part) => part.failed),
      unfinished: sum((part) => part.unfinished),
      dropped: sum((part) => part.dropped),
    },
    status: statusOf(totals),
    errors: Object.fromEntries(
      ERRORS.map((kind, index) => [kind, sum((part) => part.errors[index])]),
    ),
    reasons: reasonsOf(totals),
    checks: { passed: sum((part) => part.checksPassed), failed: sum((part) => part.checksFailed) },
    reconnects: sum((part) => part.reconnects),
    rate: elapsed > 0 ? completed / elapsed : 0,
    bytes: {
      in: bytesIn,
      out: sum((part) => part.bytesOut),
      inPerSecond: elapsed > 0 ? bytesIn / elapsed : 0,
    },
    latency: {
      clock: asked.load.kind === "closed" ? "sent" : "intended",
      ...distributionOf(latency),
      censored: sum((part) => part.censored),
      fastest: completed > 0 ? Math.min(...totals.map((part) => part.fastestUs)) / 1_000 : 0,
    },
    service: merged("service"),
    firstByte: merged("firstByte"),
    connect: merged("connect"),
    perSecond: {
      requests: perSecondOf(bySecond(totals, elapsed, (part) => part.secondCompleted)),
      bytes: perSecondOf(bySecond(totals, elapsed, (part) => part.secondBytes)),
    },
    timeline,
    warmup: asked.load.kind === "phases" ? null : warmupOf(timeline),
    sessions: reports.some(({ sessions }) => sessions.created > 0) ? sessionsOf(reports) : null,
  };
  checkConservation(measured);
  const { sharesMachine } = told.stage;
  const evidence = evidenceOf(reports, elapsedUs, told.stage);
  return {
    ...measured,
    generator: { ...evidence, ...judge({ evidence, run: measured, sharesMachine }) },
    histogram: encodeHistogram(latency.toSparse()),
  };
}

function warmupOf({ interval, points }: Measurement["timeline"]): Measurement["warmup"] {
  const { label, steadyFrom } = classifyRun(points.map(({ t, completed, p50 }, index) => ({
    seconds: t - index * interval,
    completed,
    median: completed === 0 ? null : p50,
  })));
  return { label, steadyFrom: steadyFrom === null ? null : steadyFrom * interval };
}

function sessionsOf(reports: readonly WorkerReport[]): Measurement["sessions"] {
  const sum = (of: (part: WorkerReport["sessions"]) => number): number =>
    reports.reduce((whole, { sessions }) => whole + of(sessions), 0);
  const created = sum((part) => part.created);
  const completed = sum((part) => part.completed);
  const failed = sum((part) => part.failed);
  const length = mergeHistograms(reports.map(({ sessions }) => sessions.length));
  const unfinished = created - completed - failed;
  return { created, completed, failed, unfinished, length: distributionOf(length) };
}

export function distributionOf(times: Histogram): Distribution {
  const percentiles = Object.fromEntries(
    PERCENTILES.map((percentile) => [percentile, times.valueAtPercentile(percentile) / 1_000]),
  ) as Distribution["percentiles"];
  return {
    count: times.count,
    min: times.count === 0 ? 0 : times.minUs / 1_000,
    mean: times.meanUs / 1_000,
    stdev: times.stdevUs / 1_000,
    max: times.maxUs / 1_000,
    percentiles,
  };
}

function statusOf(totals: readonly WorkerTotals[]): Measurement["status"] {
  const status: Measurement["status"] = {};
  for (const part of totals) {
    part.status.forEach((count, code) => {
      if (count > 0) status[code] = (status[code] ?? 0) + count;
    });
  }
  return status;
}

function reasonsOf(totals: readonly WorkerTotals[]): Measurement["reasons"] {
  const reasons = new Map<string, number>();
  for (const part of totals) {
    for (const [reason, count] of part.reasons) {
      reasons.set(reason, (reasons.get(reason) ?? 0) + count);
    }
  }
  return Object.fromEntries([...reasons].sort((a, b) => b[1] - a[1]));
}

/** Sums over the workers for each whole second of the run; the last, partial one is no sample. */
function bySecond(
  totals: readonly WorkerTotals[],
  elapsed: number,
  of: (part: WorkerTotals) => readonly number[],
): number[] {
  return Array.from(
    { length: Math.floor(elapsed + 1e-9) },
    (_, second) => totals.reduce((sum, part) => sum + (of(part)[second] ?? 0), 0),
  );
}

/** Law 1: nothing leaves the data. A breach is a defect of Plateau. */
function checkConservation({ requests, status, errors, latency }: Measured): void {
  const { due, completed, failed, unfinished, dropped } = requests;
  const total = (counts: Record<string, number>): number =>
    Object.values(counts).reduce((sum, count) => sum + count, 0);
  const laws: [string, number, number][] = [
    [
      "due = completed + failed + unfinished + dropped",
      due,
      completed + failed + unfinished + dropped,
    ],
    ["the statuses sum to completed", total(status), completed],
    ["the errors sum to failed", total(errors), failed],
    [
      "latency counts completed, timed out and unfinished",
      latency.count,
      completed + (errors.timeout ?? 0) + unfinished,
    ],
  ];
  for (const [law, left, right] of laws) {
    if (left !== right) {
      throw new Error(`The measurement does not add up: ${law}, but ${left} is not ${right}`);
    }
  }
}
