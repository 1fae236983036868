/**
 * How many requests took longer than a limit: what a percentile of one run is held against it by. The p99 is below
 * 50 ms where less than 1 % of the requests take as long, surely so by Wilson's interval of their share. It takes
 * requests as independent; within a run they come in queues and bursts, so that it is short where a few seconds make
 * the tail: only more runs show that.
 */
import type { Distribution, Relation } from "../../runner/result/result.ts";
import {
  pooledShare,
  type Proportion,
  requestsToDecide,
  shareP,
} from "../../runner/stats/confidence/proportion_interval.ts";
import { countBeyond, decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import { PERCENTILES } from "../../runner/stats/quantile.ts";
import type { FigureName } from "../../base/figures/figure.ts";
import { FIGURES } from "../figures/figures.ts";
import type { JudgedRun } from "../figures/range.ts";
import type { Outcome, Reason } from "./found.ts";
import { allowedBy, isAllowed, isBelow } from "./rules.ts";

const OF_REQUESTS = ["latency", "service", "firstByte", "connect"] as const;

/** A percentile of a distribution of times. */
export interface PercentileOf {
  readonly of: typeof OF_REQUESTS[number];
  /** 0–100. */
  readonly percentile: number;
}

/** Null for other figures. */
export function percentileIn(figure: FigureName): PercentileOf | null {
  const { distribution, statistic } = FIGURES[figure];
  const of = OF_REQUESTS.find((one) => one === distribution);
  return of === undefined || typeof statistic !== "number" ? null : { of, percentile: statistic };
}

export interface Limit {
  readonly relation: Relation;
  /** In the unit of the figure. */
  readonly limit: number;
}

/** Of each run: requests beyond the limit, surely and at the most, with every lower bound below it as beyond. */
export interface Shares {
  readonly sure: readonly Proportion[];
  readonly most: readonly Proportion[];
}

export function sharesBeyond(
  { relation, limit }: Limit,
  of: PercentileOf["of"],
  runs: readonly JudgedRun[],
): Shares {
  // Below 50 ms, and not below it or above it.
  const beyond = allowedBy(relation === "<" || relation === ">=" ? ">=" : ">", limit);
  const isBeyond = (ms: number): boolean => isAllowed(ms, beyond);
  const counts = runs.filter((run) => run[of].count > 0)
    .map((run) => beyondOf(of, run, { ms: limit, isBeyond }));
  return { sure: counts.map(({ sure }) => sure), most: counts.map(({ most }) => most) };
}

/** Share of the requests that may lie beyond a percentile's limit: 0.01 for p99, without the dust of 1 − 0.99. */
export function allowedShare(percentile: number): number {
  return Number(((100 - percentile) / 100).toPrecision(12));
}

export interface Tested {
  readonly outcome: Outcome;
  /** Two-sided, of the figure being at the limit. */
  readonly p: number;
  readonly remedy: Reason;
}

export function shareTest(
  { relation }: Limit,
  { sure, most }: Shares,
  { allowed, level }: { readonly allowed: number; readonly level: number },
): Tested {
  const isFew = pooledShare(most, level).high <= allowed;
  const isMany = pooledShare(sure, level).low > allowed;
  const isShort = isBelow(relation);
  return {
    outcome: isFew || isMany ? isFew === isShort ? "held" : "broken" : "inconclusive",
    p: shareP(isShort ? sure : most, allowed),
    remedy: {
      code: "more-requests",
      requests: requestsToDecide(sure, allowed, level),
      like: null,
    },
  };
}

interface PercentileLimit {
  readonly ms: number;
  /** True for the limit itself, too, or not, and for all that is longer. */
  readonly isBeyond: (ms: number) => boolean;
}

function beyondOf(
  of: PercentileOf["of"],
  run: JudgedRun,
  limit: PercentileLimit,
): { readonly sure: Proportion; readonly most: Proportion } {
  const { count } = run[of];
  const sure = of === "latency"
    ? countBeyond(decodeSparse(run.histogram), run.latency.max, limit.isBeyond)
    : count * shareBeyond(run[of], limit);
  const most = sure + Math.min(count - sure, openBounds(of, run, limit));
  return { sure: { count: sure, of: count }, most: { count: most, of: count } };
}

/** Lower bounds below the limit; as many as there may be, where only their number is known. */
function openBounds(of: PercentileOf["of"], run: JudgedRun, limit: PercentileLimit): number {
  const { latency: { censored, max }, requests: { dropped }, censoredHistogram } = run;
  // What was never sent has no service time.
  if (of === "service") return Math.max(0, censored - dropped);
  if (of !== "latency") return 0;
  if (censoredHistogram === undefined) return censored;
  return censored - countBeyond(decodeSparse(censoredHistogram), max, limit.isBeyond);
}

/**
 * Where the results keep no histogram: between the percentiles that they keep, along a straight line from the
 * logarithm of one's share to that of the next, as tails fall about exponentially.
 */
function shareBeyond(
  { count, min, max, percentiles }: Distribution,
  limit: PercentileLimit,
): number {
  const points = [
    { ms: min, share: 1 },
    ...PERCENTILES.map((p) => ({ ms: percentiles[`${p}`], share: (100 - p) / 100 })),
    { ms: max, share: 1 / count },
  ].filter(({ share }) => share * count >= 1);
  const next = points.findIndex(({ ms }) => limit.isBeyond(ms));
  if (next === -1) return 0;
  if (next === 0) return 1;
  const [from, to] = [points[next - 1], points[next]];
  const part = (limit.ms - from.ms) / (to.ms - from.ms);
  return from.share * (to.share / from.share) ** part;
}
