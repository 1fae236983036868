/** The summed counts of several workers, for a whole run or for one agent's part of it. */
import { boundedDistributionOf, type BoundedTimes, productLimit } from "./bounded_times.ts";
import type { WorkerReport } from "../load/worker/messages.ts";
import type { WorkerTotals } from "../load/recording/totals.ts";
import { messageLaws } from "./message_laws.ts";
import type { Distribution, Measurement } from "../result/result.ts";
import { CACHE_USES, type ServedGroup, STATUS_CLASSES } from "../result/distribution.ts";
import { withoutBounds } from "../stats/histogram/censoring.ts";
import { encodeHistogram } from "../stats/histogram/hdr.ts";
import {
  type Histogram,
  mergeHistograms,
  type SparseHistogram,
  sumOfSparse,
} from "../stats/histogram/histogram.ts";
import { PERCENTILES } from "../stats/quantile.ts";
import { ERRORS } from "../result/outcome.ts";

/** Times other than latency; the histogram of latency comes from the timeline. */
const TIMES = ["service", "firstByte", "connect"] as const;
type Times = "firstByte" | "connect";

export function sumOf<Part>(parts: readonly Part[], of: (part: Part) => number): number {
  return parts.reduce((whole, part) => whole + of(part), 0);
}

export function requestsOf(totals: readonly WorkerTotals[]): Measurement["requests"] {
  return {
    due: sumOf(totals, ({ due }) => due),
    completed: sumOf(totals, ({ completed }) => completed),
    failed: sumOf(totals, ({ failed }) => failed),
    unfinished: sumOf(totals, ({ unfinished }) => unfinished),
    dropped: sumOf(totals, ({ dropped }) => dropped),
  };
}

/** Requests completed by the deadline, which is what a rate counts. */
export function completedInTime(totals: readonly WorkerTotals[]): number {
  return sumOf(totals, ({ completed, drain }) => completed - drain.completed);
}

export function timesOf(totals: readonly WorkerTotals[], times: Times): Distribution {
  return distributionOf(mergeHistograms(totals.map((part) => part[times])));
}

/** Non-empty histograms of times, so that percentiles of several runs can be computed from added counts. */
export function histogramsOf(
  reports: readonly WorkerReport[],
): NonNullable<Measurement["histograms"]> {
  const all = [
    ...TIMES.map((times) =>
      [times, mergeHistograms(reports.map(({ totals }) => totals[times]))] as const
    ),
    ["sessionLength", mergeHistograms(reports.map(({ sessions }) => sessions.length))] as const,
  ];
  return Object.fromEntries(
    all.filter(([, { count }]) => count > 0)
      .map(([times, histogram]) => [times, encodeHistogram(histogram.toSparse())]),
  );
}

/**
 * Service times. They are estimated by the product limit even in an open loop, because in both kinds of loop the
 * observation of a sent request is cut off at a given time, no matter how long the request takes.
 */
export function serviceOf(totals: readonly WorkerTotals[]): Measurement["service"] {
  const merged = (of: (part: WorkerTotals) => SparseHistogram): SparseHistogram =>
    mergeHistograms(totals.map(of)).toSparse();
  const times = {
    all: merged(({ service }) => service),
    censored: merged(({ serviceCensored }) => serviceCensored),
  };
  return boundedDistributionOf(times, productLimit);
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

export function statusOf(totals: readonly WorkerTotals[]): Measurement["status"] {
  const status: Measurement["status"] = {};
  for (const part of totals) {
    part.status.forEach((count, code) => {
      if (count > 0) status[code] = (status[code] ?? 0) + count;
    });
  }
  return status;
}

/**
 * Figures by status class, instance and cache status.
 * @param latency Latencies of all responses. Those of 2xx are computed by subtracting the latencies of the other
 * classes.
 */
export function servedOf(
  totals: readonly WorkerTotals[],
  latency: BoundedTimes,
): Pick<Measurement, "statusLatency" | "instances" | "cache"> {
  const groups = groupsOf(totals);
  const named = <Name extends string>(names: readonly Name[], before = "") =>
    names.flatMap((name) => {
      const times = groups.get(`${before}${name}`);
      return times === undefined ? [] : [[name, groupOf(times)] as const];
    });
  const ok = [...groups].filter(([group]) => group.endsWith("xx"))
    .reduce(
      (rest, [, times]) => withoutBounds(rest, times),
      withoutBounds(latency.all, latency.censored),
    );
  if (ok.count > 0) groups.set("2xx", ok);
  const areAll = (name: string) => (groups.get(name)?.count ?? 0) === latency.all.count;
  const instances = [...groups].flatMap(([group, times]) =>
    group.startsWith("instance ") ? [{ instance: Number(group.slice(9)), ...groupOf(times) }] : []
  );
  const cache = named(CACHE_USES, "cache ");
  return {
    ...!areAll("2xx") && !areAll("1xx") && {
      statusLatency: Object.fromEntries(named(STATUS_CLASSES)),
    },
    ...instances.length > 0 && {
      instances: instances.sort((a, b) => a.instance - b.instance),
    },
    ...cache.length > 0 && { cache: Object.fromEntries(cache) },
  };
}

/** Histograms by group, of all workers together. */
function groupsOf(totals: readonly WorkerTotals[]): Map<string, SparseHistogram> {
  const parts = Map.groupBy(totals.flatMap(({ groups }) => [...groups]), ([group]) => group);
  return new Map([...parts].map(([group, times]) => [
    group,
    sumOfSparse(times.map(([, part]) => part)),
  ]));
}

function groupOf(times: SparseHistogram): ServedGroup {
  return {
    latency: distributionOf(mergeHistograms([times])),
    histogram: encodeHistogram(times),
  };
}

/** Number of failed requests by reason, over all workers, the most frequent first. */
export function reasonsOf(totals: readonly WorkerTotals[]): Measurement["reasons"] {
  const reasons = new Map<string, number>();
  for (const part of totals) {
    for (const [reason, count] of part.reasons) {
      reasons.set(reason, (reasons.get(reason) ?? 0) + count);
    }
  }
  return Object.fromEntries([...reasons].sort((a, b) => b[1] - a[1]));
}

// The counts must obey a law: due = completed + failed + unfinished + dropped, and all other counts
// agree with that.

/** Sums over all intervals. */
export interface IntervalCounts {
  /** Requests completed, summed over the seconds of the intervals. */
  readonly seconds: number;
  /** Number of latencies. */
  readonly values: number;
  /** Number of latencies that are lower bounds. */
  readonly bounds: number;
}

/** The first law that the workers' counts break, and how; null if they add up. */
export function breachOf(
  totals: readonly WorkerTotals[],
  intervals: IntervalCounts,
): string | null {
  const { due, completed, failed, unfinished, dropped } = requestsOf(totals);
  const statuses = sumOf(totals, ({ status }) => sum(status));
  const errors = sumOf(totals, ({ errors }) => sum(errors));
  const timeouts = sumOf(totals, ({ errors }) => errors[ERRORS.indexOf("timeout")]);
  const late = sumOf(totals, ({ drain }) => drain.completed);
  const bounds = timeouts + unfinished + dropped;
  const fates = completed + failed + unfinished + dropped;
  const laws: (readonly [string, number, number])[] = [
    ["due = completed + failed + unfinished + dropped", due, fates],
    ["the counts by status must sum to the completed requests", statuses, completed],
    ["the counts by error must sum to the failed requests", errors, failed],
    [
      "the counts by second must sum to the requests completed by the deadline",
      intervals.seconds,
      completed - late,
    ],
    [
      "latency must have a value for each completed, timed out, unfinished or dropped request",
      intervals.values,
      completed + bounds,
    ],
    [
      "latency by class of status must have a value for each status outside 2xx",
      ...classedOf(totals),
    ],
    [
      "latency must have a lower bound for each timed out, unfinished or dropped request",
      intervals.bounds,
      bounds,
    ],
    ...messageLaws(totals),
  ];
  const [broken] = laws.filter(([, left, right]) => left !== right);
  if (broken === undefined) return null;
  const [law, left, right] = broken;
  return `${law}, but ${left} is not ${right}`;
}

/**
 * The number of latencies grouped by status class, and the number of responses with such a status, both without 2xx.
 */
function classedOf(totals: readonly WorkerTotals[]): [number, number] {
  const classes = totals.flatMap(({ groups }) => [...groups])
    .filter(([group]) => group.endsWith("xx"));
  return [
    sum(classes.map(([, { count }]) => count)),
    sumOf(totals, ({ status }) => sum(status) - sum(status.subarray(200, 300))),
  ];
}

function sum(counts: Iterable<number>): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}
