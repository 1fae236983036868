/** What the requests of a trial say about a rule, interval by interval. */
import type { Objective } from "../../scenarios/claims/objective.ts";
import type { Measurement } from "../result/result.ts";
import type { TrialSlice } from "../stats/capacity/slices.ts";
import { countBeyond, decodeSparse } from "../stats/histogram/hdr.ts";

type TimedRequests = Pick<Measurement, "timeline"> & {
  readonly requests: Pick<Measurement["requests"], "dropped">;
};

/**
 * By interval of the timeline. Requests that were still open within the limit are on neither side. Where more responses are
 * wrong than late, the interval is one of refusals: nobody is served by an error, however fast.
 */
export function slicesOf(
  { timeline, requests: { dropped } }: TimedRequests,
  { isBeyond }: Objective,
): TrialSlice[] {
  const last = timeline.points.length - 1;
  return timeline.points.map((point, i) => {
    const { completed, failed, wrong = 0, histogram, censoredHistogram = "" } = point;
    if (isBeyond === null) {
      const lost = failed + (i === last ? dropped : 0);
      const ended = completed + lost;
      return byOutcome(ended, wrong + lost);
    }
    const all = withinTimes(histogram, isBeyond);
    const open = withinTimes(censoredHistogram, isBeyond);
    const within = all.limit - open.limit;
    const requests = Math.max(completed + failed, within + all.count - all.limit);
    if (wrong + failed > requests - within) return byOutcome(requests, wrong + failed);
    return {
      requests,
      beyondQuarter: requests - (all.quarter - open.quarter),
      beyondHalf: requests - (all.half - open.half),
      beyond: requests - within,
      // One that was open before twice the limit is beyond the limit alone, as far as is known.
      beyondDouble: requests - (all.double - open.limit),
    };
  });
}

/** Without a limit of time. */
function byOutcome(requests: number, beyond: number): TrialSlice {
  return { requests, beyondQuarter: requests, beyondHalf: requests, beyond, beyondDouble: 0 };
}

/** Requests within parts of the limit and twice of it. */
interface WithinTimes {
  readonly count: number;
  readonly quarter: number;
  readonly half: number;
  readonly limit: number;
  readonly double: number;
}

function withinTimes(encoded: string, isBeyond: (ms: number) => boolean): WithinTimes {
  if (encoded === "") return { count: 0, quarter: 0, half: 0, limit: 0, double: 0 };
  const histogram = decodeSparse(encoded);
  const { count, maxUs } = histogram;
  const within = (times: number): number =>
    count - countBeyond(histogram, maxUs / 1_000, (ms) => isBeyond(ms / times));
  return {
    count,
    quarter: within(0.25),
    half: within(0.5),
    limit: within(1),
    double: within(2),
  };
}
