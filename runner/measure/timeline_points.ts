/** Converts the intervals of a load to the timeline of its result. Loaded only after the measurement. */
import { INTERVAL_TIMES } from "../../base/figures/figure.ts";
import type { MessagePart } from "../load/recording/message_counts.ts";
import { ERRORS } from "../result/outcome.ts";
import type { Measurement } from "../result/result.ts";
import { encodeHistogram } from "../stats/histogram/hdr.ts";
import { estimateOf, productLimit } from "./bounded_times.ts";
import type { IntervalSum } from "./timeline.ts";

type MeasuredPoint = Measurement["timeline"]["points"][number];

interface Whole {
  readonly intervalMs: number;
  /** End of the run: the last interval may be shorter than the others. */
  readonly elapsedUs: number;
  readonly clock: Measurement["latency"]["clock"];
}

export function timelinePoints(
  intervals: readonly IntervalSum[],
  { intervalMs, elapsedUs, clock }: Whole,
): MeasuredPoint[] {
  const estimate = estimateOf(clock);
  return intervals.map((interval, index) => {
    const latency = interval.latency.whole();
    const censored = interval.censored.whole();
    const at = (percentile: number): number =>
      estimate({ all: latency, censored }, percentile) / 1_000;
    return {
      endS: Math.min((index + 1) * intervalMs * 1_000, elapsedUs) / 1e6,
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
      ...(censored.count > 0 && { censoredHistogram: encodeHistogram(censored) }),
      ...interval.messages !== null &&
        { messages: messagesOf(interval.messages.whole(), estimate) },
    };
  });
}

function messagesOf(
  { received, failed, ...times }: MessagePart,
  estimate: ReturnType<typeof estimateOf>,
): MeasuredPoint["messages"] {
  // The same estimates as for the whole run.
  const estimates = {
    ...{ ttfe: estimate, ttft: estimate },
    gap: productLimit,
    message: estimateOf("intended"),
  };
  const known = INTERVAL_TIMES.flatMap((of) => {
    const { all, censored } = times[of];
    if (all.count === 0) return [];
    const at = (percentile: number): number => estimates[of]({ all, censored }, percentile) / 1_000;
    return [[of, {
      ...{ p50: at(50), p99: at(99), histogram: encodeHistogram(all) },
      ...censored.count > 0 && { censoredHistogram: encodeHistogram(censored) },
    }]];
  });
  return { received, ...failed > 0 && { failed }, ...Object.fromEntries(known) };
}

/** Errors that occurred, by kind. */
function errorsOf({ errors }: IntervalSum): MeasuredPoint["errors"] {
  return Object.fromEntries(
    ERRORS.map((kind, i) => [kind, errors[i]] as const).filter(([, count]) => count > 0),
  );
}
