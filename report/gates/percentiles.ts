/**
 * Thresholds on percentiles of times. Of one run by how many requests took longer than the limit, with Wilson's
 * interval of their share: the p99 is below 50 ms where that share is surely below 1 %. The interval takes requests
 * as independent; within a run they come in queues and bursts, so that it is short where a few seconds make the
 * tail: only more runs show that. Of several runs by the interval over the runs, as long as there are requests
 * enough for the percentile to say anything, and no lower bound could move it across the limit.
 */
import { supportsPercentile } from "../../runner/stats/percentiles.ts";
import {
  type Counted,
  pooled,
  pooledShare,
  requestsToDecide,
  shareP,
} from "../../runner/stats/pooled_share.ts";
import { formatCount } from "../units.ts";
import { beyondOf, type Percentile } from "./beyond.ts";
import { type Evidence, holds, type Outcome, type Tested, tested, undecided } from "./evidence.ts";
import { type LimitThreshold, overRuns } from "./over_runs.ts";
import type { FigureRange, JudgedCell } from "./range.ts";
import { endlessText, requestsText } from "./remedies.ts";

export function percentileEvidence(
  threshold: LimitThreshold,
  { of, percentile }: Percentile,
  { cell, range, found }: { cell: JudgedCell; range: FigureRange; found: string },
): Evidence {
  const shares = sharesOf(threshold, of, cell);
  const count = pooled(shares.sure).of;
  const isMovable = pooled(shares.most).count > pooled(shares.sure).count;
  const isSupported = supportsPercentile(count, percentile);
  if (isSupported && !isMovable && range.interval !== null) {
    return overRuns(threshold, { cell, range, found });
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
  { relation }: LimitThreshold,
  { sure, most, allowed, level }: ShareTest,
): Tested {
  const isFew = pooledShare(most, level).high <= allowed;
  const isMany = pooledShare(sure, level).low > allowed;
  const isBelow = relation === "<" || relation === "<=";
  const outcome: Outcome = isFew
    ? isBelow ? "pass" : "fail"
    : isMany
    ? isBelow ? "fail" : "pass"
    : "inconclusive";
  return {
    outcome,
    p: shareP(isBelow ? sure : most, allowed),
    remedy: requestsText(requestsToDecide(sure, allowed, level)),
  };
}
