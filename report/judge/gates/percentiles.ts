/**
 * Thresholds on percentiles of times. Of one run by how many requests took longer than the limit, with Wilson's
 * interval of their share: the p99 is below 50 ms where that share is surely below 1 %. The interval takes requests
 * as independent; within a run they come in queues and bursts, so that it is short where a few seconds make the
 * tail: only more runs show that. Of several runs by the interval over the runs, as long as there are requests
 * enough for the percentile to say anything, and no lower bound could move it across the limit.
 */
import {
  pooled,
  pooledShare,
  type Proportion,
  requestsToDecide,
  shareP,
} from "../../../runner/stats/confidence/proportion_interval.ts";
import { PERCENTILES, supportsPercentile } from "../../../runner/stats/quantile.ts";
import { formatCount } from "../../writing/units.ts";
import { FIGURES } from "../../figures/figures.ts";
import { percentileBounds } from "../../figures/pool.ts";
import {
  endlessText,
  holds,
  type LimitThreshold,
  type MeasuredFigure,
  overRuns,
  requestsText,
  tested,
  type TestedFigure,
  type ThresholdEvidence,
  type ThresholdOutcome,
  undecided,
} from "./evidence.ts";
import type { Distribution } from "../../../runner/result/result.ts";
import { countBeyond, decodeSparse } from "../../../runner/stats/histogram/hdr.ts";
import type { JudgedCell, JudgedRun } from "../../figures/range.ts";
import type { FigureName } from "../../../base/figures/figure.ts";

export function percentileEvidence(
  threshold: LimitThreshold,
  { of, percentile }: PercentileThreshold,
  { cell, range, found }: MeasuredFigure,
): ThresholdEvidence {
  const shares = sharesOf(threshold, of, cell);
  const count = pooled(shares.sure).of;
  const isMovable = pooled(shares.most).count > pooled(shares.sure).count;
  const isSupported = supportsPercentile(count, percentile);
  if (isSupported && range.interval !== null) {
    const measured = { cell, range: { ...range, isAtLeast: false }, found };
    if (!isMovable) return overRuns(threshold, measured);
    const { value, atMost } = of === "latency"
      ? percentileBounds(cell.runs, percentile)
      : { value: 1, atMost: Infinity };
    const isSurelyBeyond = share(shares.sure) > allowedOf(percentile);
    return overBounds(threshold, measured, { mostRatio: atMost / value, isSurelyBeyond });
  }
  const test = shareTest(threshold, {
    ...shares,
    allowed: allowedOf(percentile),
    level: cell.level,
  });
  if (test.outcome === "fail") return tested(found, test);
  if (!isSupported) return undecided(found, neededText(percentile, count));
  // Without the bounds it would be decided, so they are what is in the way.
  const without = shareTest(threshold, {
    sure: shares.sure,
    most: shares.sure,
    allowed: allowedOf(percentile),
    level: cell.level,
  });
  return test.outcome === "inconclusive" && without.outcome !== "inconclusive"
    ? undecided(found, endlessText(cell.runs))
    : tested(found, test);
}

interface OpenPercentile {
  /** The most that the percentile can be over what it is estimated to be. */
  readonly mostRatio: number;
  /** Whether it is beyond the limit even with every lower bound as a value. */
  readonly isSurelyBeyond: boolean;
}

/** Where lower bounds may make it larger, its interval reaches as much further up; down it is what it is at the least. */
function overBounds(
  threshold: LimitThreshold,
  measured: MeasuredFigure,
  open: OpenPercentile,
): ThresholdEvidence {
  const { cell: { runs }, range, found } = measured;
  const { interval } = range;
  const evidence = overRuns(threshold, measured);
  if (interval === null || evidence.outcome === "inconclusive") return evidence;
  const reaching = { ...range, interval: { ...interval, high: interval.high * open.mostRatio } };
  const isLasting =
    overRuns(threshold, { ...measured, range: reaching }).outcome === evidence.outcome;
  const isLarge = (evidence.outcome === "fail") === isBelow(threshold);
  return isLasting && (!isLarge || open.isSurelyBeyond)
    ? evidence
    : undecided(found, endlessText(runs));
}

function isBelow({ relation }: LimitThreshold): boolean {
  return relation === "<" || relation === "<=";
}

function share(runs: readonly Proportion[]): number {
  const { count, of } = pooled(runs);
  return count / of;
}

/** 0.01 for p99, without the dust of 1 − 0.99. */
function allowedOf(percentile: number): number {
  return Number(((100 - percentile) / 100).toPrecision(12));
}

/** As many as `supportsPercentile` needs. */
function neededText(percentile: number, count: number): string {
  const needed = Math.ceil(1_000 / Math.min(percentile, 100 - percentile) * (1 - 1e-9));
  return `p${percentile} needs ${formatCount(needed)} requests, ${
    formatCount(count)
  } were measured`;
}

interface Shares {
  /** Of each run: requests beyond the limit, surely and at the most. */
  readonly sure: readonly Proportion[];
  readonly most: readonly Proportion[];
}

function sharesOf(
  { relation, limit }: LimitThreshold,
  of: PercentileThreshold["of"],
  { runs }: JudgedCell,
): Shares {
  // Below 50 ms, and not below it or above it.
  const beyond = relation === "<" || relation === ">=" ? ">=" : ">";
  const isBeyond = (ms: number): boolean => holds(ms, beyond, limit);
  const filled = runs.filter((run) => run[of].count > 0);
  const counts = filled.map((run) => beyondOf(of, run, { ms: limit, isBeyond }));
  return { sure: counts.map(({ sure }) => sure), most: counts.map(({ most }) => most) };
}

interface ShareTest extends Shares {
  /** Share of the requests that may lie beyond a percentile's limit. */
  readonly allowed: number;
  readonly level: number;
}

function shareTest(
  threshold: LimitThreshold,
  { sure, most, allowed, level }: ShareTest,
): TestedFigure {
  const isFew = pooledShare(most, level).high <= allowed;
  const isMany = pooledShare(sure, level).low > allowed;
  const [few, many]: ThresholdOutcome[] = isBelow(threshold) ? ["pass", "fail"] : ["fail", "pass"];
  return {
    outcome: isFew ? few : isMany ? many : "inconclusive",
    p: shareP(isBelow(threshold) ? sure : most, allowed),
    remedy: requestsText(requestsToDecide(sure, allowed, level)),
  };
}

// How many requests of a run took longer than a limit: what a percentile is held against it by. The p99 is
// below 50 ms where less than 1 % of the requests take as long.

export interface Beyond {
  /** Requests that surely took longer: lower bounds as what they are at the least. */
  readonly sure: Proportion;
  /** The same if every lower bound below the limit turned out to lie beyond it. */
  readonly most: Proportion;
}

/** A percentile of a distribution of times. */
export interface PercentileThreshold {
  readonly of: typeof OF_REQUESTS[number];
  /** 0–100. */
  readonly percentile: number;
}

/** Null for other figures. */
export function percentileIn(figure: FigureName): PercentileThreshold | null {
  const { distribution, statistic } = FIGURES[figure];
  const of = OF_REQUESTS.find((one) => one === distribution);
  return of === undefined || typeof statistic !== "number" ? null : { of, percentile: statistic };
}

const OF_REQUESTS = ["latency", "service", "firstByte", "connect"] as const;

export interface PercentileLimit {
  readonly ms: number;
  /** True for the limit itself, too, or not, and for all that is longer. */
  readonly isBeyond: (ms: number) => boolean;
}

export function beyondOf(
  of: PercentileThreshold["of"],
  run: JudgedRun,
  limit: PercentileLimit,
): Beyond {
  const { count } = run[of];
  const sure = of === "latency"
    ? countBeyond(decodeSparse(run.histogram), run.latency.max, limit.isBeyond)
    : count * shareBeyond(run[of], limit);
  const most = sure + Math.min(count - sure, openBounds(of, run, limit));
  return { sure: { count: sure, of: count }, most: { count: most, of: count } };
}

/** Lower bounds below the limit; as many as there may be, where only their number is known. */
function openBounds(of: PercentileThreshold["of"], run: JudgedRun, limit: PercentileLimit): number {
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
