/**
 * Thresholds on percentiles of times. Of one run by how many requests took longer than the limit, with Wilson's
 * interval of their share: the p99 is below 50 ms where that share is surely below 1 %. The interval takes requests
 * as independent; within a run they come in queues and bursts, so that it is short where a few seconds make the
 * tail: only more runs show that. Of several runs by the interval over the runs, as long as there are requests
 * enough for the percentile to say anything, and no lower bound could move it across the limit.
 */
import {
  type Counted,
  pooled,
  pooledShare,
  requestsToDecide,
  shareP,
} from "../../../runner/stats/confidence/proportion_interval.ts";
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import { formatCount } from "../numbers/units.ts";
import type { JudgedCell } from "../runs/figure_range.ts";
import { percentileBounds } from "../runs/pool.ts";
import { beyondOf, type Percentile } from "./beyond.ts";
import { type Evidence, holds, type Outcome, type Tested, tested, undecided } from "./evidence.ts";
import { type LimitThreshold, type Measured, overRuns } from "./over_runs.ts";
import { endlessText, requestsText } from "./remedies.ts";

export function percentileEvidence(
  threshold: LimitThreshold,
  { of, percentile }: Percentile,
  { cell, range, found }: Measured,
): Evidence {
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

interface Open {
  /** The most that the percentile can be over what it is estimated to be. */
  readonly mostRatio: number;
  /** Whether it is beyond the limit even with every lower bound as a value. */
  readonly isSurelyBeyond: boolean;
}

/** Where lower bounds may make it larger, its interval reaches as much further up; down it is what it is at the least. */
function overBounds(threshold: LimitThreshold, measured: Measured, open: Open): Evidence {
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

function share(runs: readonly Counted[]): number {
  const { count, of } = pooled(runs);
  return count / of;
}

/** 0.01 for p99, without the dust of 1 − 0.99. */
function allowedOf(percentile: number): number {
  return Number(((100 - percentile) / 100).toPrecision(12));
}

/** As many as `supportsPercentile` asks for. */
function neededText(percentile: number, count: number): string {
  const needed = Math.ceil(1_000 / Math.min(percentile, 100 - percentile) * (1 - 1e-9));
  return `p${percentile} needs ${formatCount(needed)} requests, ${
    formatCount(count)
  } were measured`;
}

interface Shares {
  /** Of each run: requests beyond the limit, surely and at the most. */
  readonly sure: readonly Counted[];
  readonly most: readonly Counted[];
}

function sharesOf(
  { relation, limit }: LimitThreshold,
  of: Percentile["of"],
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
): Tested {
  const isFew = pooledShare(most, level).high <= allowed;
  const isMany = pooledShare(sure, level).low > allowed;
  const [few, many]: Outcome[] = isBelow(threshold) ? ["pass", "fail"] : ["fail", "pass"];
  return {
    outcome: isFew ? few : isMany ? many : "inconclusive",
    p: shareP(isBelow(threshold) ? sure : most, allowed),
    remedy: requestsText(requestsToDecide(sure, allowed, level)),
  };
}
