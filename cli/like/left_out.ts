/** What tools leave out of their figures or put into them, in the numbers of a measurement. */
import { formatCount, formatMs } from "../../report/units.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { decodeHistogram } from "../../runner/stats/histogram/hdr.ts";

/** One sentence, or none where there is nothing. @param how Such as `wrk would have left out of its latencies`. */
export function leftOut(how: string, ...parts: readonly string[]): string[] {
  const there = parts.filter((part) => part !== "");
  if (there.length === 0) return [];
  const last = there.slice(-1);
  const list = there.length > 1 ? [there.slice(0, -1).join(", "), ...last].join(" and ") : last[0];
  return [`${how} ${list}`];
}

/** "3 requests that timed out", or "" for none. */
function counted(count: number, one: string, many: string): string {
  return count === 0 ? "" : `${formatCount(count)} ${count === 1 ? one : many}`;
}

export const timedOut = ({ errors }: Measurement): string =>
  counted(errors.timeout ?? 0, "request that timed out", "requests that timed out");
export const failedElse = ({ requests, errors }: Measurement): string => {
  const count = requests.failed - (errors.timeout ?? 0);
  return counted(count, "request that failed otherwise", "requests that failed otherwise");
};
/** Those that were waited for, too: of them who failed is among the failed. */
export const inFlight = ({ requests, drain }: Measurement): string => {
  const count = requests.unfinished + (drain?.completed ?? 0);
  return counted(count, "request in flight at the end", "requests in flight at the end");
};

/** Answers of the first seconds, where the run lasted longer. */
export function answersBefore({ timeline, elapsedS }: Measurement, seconds: number): number {
  if (elapsedS <= seconds) return 0;
  return timeline.points.filter(({ endS }) => endS <= seconds)
    .reduce((sum, { completed }) => sum + completed, 0);
}

/** @param tool What it is called. */
export function redirected(tool: string, { status }: Measurement): string[] {
  const count = ["301", "302", "303", "307", "308"]
    .reduce((sum, code) => sum + (status[code] ?? 0), 0);
  return leftOut(
    `${tool} would have asked again, and timed both as one, where`,
    counted(count, "answer was a redirect", "answers were redirects"),
  );
}

/** Where the median is less than a millisecond, that says little. @param tool What it is called. */
export function wholeMilliseconds(tool: string, { latency }: Measurement): string {
  const median = latency.percentiles["50"];
  const here = latency.count > 0 && median < 1 ? `; the median here is ${formatMs(median)}` : "";
  return `${tool} tells times in whole milliseconds${here}`;
}

/**
 * Samples that a correction adds which expects a request on each connection every `stepMs`: for an
 * answer that took longer one each of the time less one step, less two, …, as HdrHistogram's
 * `recordValueWithExpectedInterval` has it.
 */
export function addedSamples({ histogram, load }: Measurement, stepMs: number): number {
  if (!(stepMs > 0) || histogram === "") return 0;
  let added = 0;
  decodeHistogram(histogram).forEachBucket((_, highUs, count) => {
    const ms = highUs / 1_000;
    if (ms < load.timeout) added += count * Math.max(0, Math.floor(ms / stepMs) - 1);
  });
  return added;
}

/** @param tool What it is called. */
export function added(tool: string, count: number): string[] {
  const samples = counted(count, "sample that nobody measured", "samples that nobody measured");
  return leftOut(`${tool} would have added about`, samples)
    .map((sentence) => `${sentence}, to correct for requests that waited`);
}
