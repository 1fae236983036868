/** The intervals of a load as its result has them. */
import { ERRORS } from "./outcome.ts";
import type { Measurement } from "./result.ts";
import { encodeHistogram } from "./stats/hdr.ts";
import { valueAtPercentile } from "./stats/histogram.ts";
import type { Interval } from "./timeline.ts";

type Point = Measurement["timeline"]["points"][number];

/** @param elapsedUs End of the run: the last interval may be shorter than the others. */
export function pointsOf(
  intervals: readonly Interval[],
  { intervalMs, elapsedUs }: { readonly intervalMs: number; readonly elapsedUs: number },
): Point[] {
  return intervals.map((interval, index) => {
    const latency = interval.latency.whole();
    const at = (percentile: number): number => valueAtPercentile(latency, percentile) / 1_000;
    return {
      t: Math.min((index + 1) * intervalMs * 1_000, elapsedUs) / 1e6,
      completed: interval.completed,
      failed: interval.failed,
      ...(interval.failed > 0 && { errors: errorsOf(interval) }),
      ...(interval.wrong > 0 && { wrong: interval.wrong }),
      bytes: interval.bytesIn,
      p50: at(50),
      p75: at(75),
      p90: at(90),
      p99: at(99),
      max: latency.maxUs / 1_000,
      histogram: latency.count === 0 ? "" : encodeHistogram(latency),
    };
  });
}

/** Those that there were, by kind. */
function errorsOf({ errors }: Interval): Point["errors"] {
  return Object.fromEntries(
    ERRORS.map((kind, i) => [kind, errors[i]] as const).filter(([, count]) => count > 0),
  );
}
