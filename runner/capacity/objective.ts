/**
 * A rule that a capacity holds within, as the share of requests that may miss it: the p99 is below 50 ms where less than
 * 1 % of the requests take as long. A request that ended in an error, or was never sent, had no response within any limit.
 */
import type { Threshold } from "../../scenarios/claims/threshold.ts";
import type { Measurement } from "../result/result.ts";
import type { TrialSlice } from "../stats/capacity/slices.ts";
import { countBeyond, decodeSparse } from "../stats/histogram/hdr.ts";

export interface Objective {
  readonly text: string;
  /** Share of the requests that may miss it, above 0. */
  readonly allowed: number;
  /** By latency: whether a request of so many ms misses it. Null: by its outcome alone. */
  readonly isBeyond: ((latencyMs: number) => boolean) | null;
  /** The time in `isBeyond`, ms; 0 where there is none. */
  readonly limitMs: number;
}

/** Stands for "none at all", which no finite trial can show. */
const NONE = 1e-6;
const PERCENTILE = /^p([\d.]+)$/;

/** Null where no share of requests decides the rule. */
export function objectiveOf(rule: Threshold): Objective | null {
  if (rule.against !== "limit") return null;
  const { text, figure, relation, limit } = rule;
  const isBelow = relation === "<" || relation === "<=";
  const [, percentile] = PERCENTILE.exec(figure) ?? [];
  if (percentile !== undefined && isBelow) {
    return {
      text,
      allowed: Number(((100 - Number(percentile)) / 100).toPrecision(12)),
      isBeyond: relation === "<" ? (ms) => ms >= limit : (ms) => ms > limit,
      limitMs: limit,
    };
  }
  const allowed = figure === "success" && !isBelow
    ? Number((1 - limit).toPrecision(12))
    : figure === "errors" && isBelow
    ? limit
    : null;
  if (allowed === null || allowed >= 1) return null;
  return { text, allowed: Math.max(allowed, NONE), isBeyond: null, limitMs: 0 };
}

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
      return { requests: completed + lost, beyond: wrong + lost };
    }
    const all = sidesOfLimit(histogram, isBeyond);
    const open = sidesOfLimit(censoredHistogram, isBeyond);
    const within = all.within - open.within;
    const requests = Math.max(completed + failed, within + all.beyond);
    return { requests, beyond: requests - within };
  });
}

function sidesOfLimit(
  encoded: string,
  isBeyond: (ms: number) => boolean,
): { within: number; beyond: number } {
  if (encoded === "") return { within: 0, beyond: 0 };
  const histogram = decodeSparse(encoded);
  const beyond = countBeyond(histogram, histogram.maxUs / 1_000, isBeyond);
  return { within: histogram.count - beyond, beyond };
}
