/** What the requests of a trial say about a rule, interval by interval. */
import type { Objective } from "../../scenarios/claims/objective.ts";
import type { Measurement } from "../result/result.ts";
import type { TrialSlice } from "../stats/capacity/slices.ts";
import { countBeyond, decodeSparse } from "../stats/histogram/hdr.ts";

type TimedRequests = Pick<Measurement, "timeline"> & {
  readonly requests: Pick<Measurement["requests"], "dropped">;
};

/** By interval of the timeline. Requests that were still open within the limit are on neither side. */
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
      return { requests: ended, beyond: wrong + lost, beyondHalf: ended };
    }
    const all = sidesOfLimit(histogram, isBeyond);
    const open = sidesOfLimit(censoredHistogram, isBeyond);
    const within = all.within - open.within;
    const requests = Math.max(completed + failed, within + all.beyond);
    const beyondHalf = requests - (all.withinHalf - open.withinHalf);
    return { requests, beyond: requests - within, beyondHalf };
  });
}

function sidesOfLimit(
  encoded: string,
  isBeyond: (ms: number) => boolean,
): { within: number; beyond: number; withinHalf: number } {
  if (encoded === "") return { within: 0, beyond: 0, withinHalf: 0 };
  const histogram = decodeSparse(encoded);
  const { count, maxUs } = histogram;
  const [beyond, beyondHalf] = [1, 2].map((times) =>
    countBeyond(histogram, maxUs / 1_000, (ms) => isBeyond(times * ms))
  );
  return { within: count - beyond, beyond, withinHalf: count - beyondHalf };
}
