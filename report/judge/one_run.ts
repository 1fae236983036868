/**
 * Judges a share of one run's requests, such as the slow or failed ones, against a limit. Requests close together in
 * time are alike, so a run counts only for as many requests as it has clusters, whose size is estimated from how the
 * share varies between intervals. The run decides only if it would have ten clusters at the limit: see
 * `runner/stats/dependence/clustered_share.ts`. A conclusion that holds however requests depend on each other can be
 * drawn from any run.
 */
import {
  pooledShare,
  type Proportion,
  requestsToDecide,
  shareP,
} from "../../runner/stats/confidence/proportion_interval.ts";
import {
  clustered,
  clustersOf,
  type Dispersion,
  type Expected,
  largestDispersion,
  LEAST_CLUSTERS,
  presumedDispersion,
  probabilityAtMost,
  timesForClusters,
} from "../../runner/stats/dependence/clustered_share.ts";
import {
  type Dependence,
  dependenceIn,
  dispersionOf,
  intervalsToTell,
  LEAST_DEPENDENT,
  uncertaintyOf,
  whyUnclear,
} from "../../runner/stats/dependence/ratio_series.ts";
import { clusteringOf } from "../../runner/stats/capacity/queue.ts";
import { SIGNIFICANCE } from "../../runner/stats/comparison/verdict.ts";
import { countBeyond, decodeInterval } from "../../runner/stats/histogram/hdr.ts";
import type { IntervalPoint } from "../figures/intervals.ts";
import { poolLatency } from "../figures/pool.ts";
import type { JudgedRun, Range } from "../figures/range.ts";
import type { Allowed, Found, Outcome, Reason } from "./reasons.ts";
import { type Evidence, exactly, sideOf, tested, undecided } from "./rules.ts";
import { loadSecondsFor } from "./slices.ts";

/** The number of requests of interest in an interval, and the number of all requests among which they are counted. */
type CountIn = (point: IntervalPoint) => readonly [count: number, of: number];

/**
 * How a share of the requests varies over time in the steady part, or in the whole run if the steady part is too short.
 * Only complete intervals count. The steady part is preferred because a warm-up forms one cluster. Null if the run is
 * too short.
 */
function dependenceOf({ timeline, warmup }: JudgedRun, countIn: CountIn): Dependence | null {
  const { intervalS, points } = timeline;
  const whole = points.filter(({ endS }, i) =>
    endS - (points[i - 1]?.endS ?? 0) > 0.99 * intervalS
  );
  const fromS = warmup?.steadyFromS ?? 0;
  const steady = whole.filter(({ endS }) => endS > fromS + intervalS / 2);
  const chosen = steady.length >= LEAST_DEPENDENT ? steady : whole;
  if (chosen.length < LEAST_DEPENDENT) return null;
  const counts = chosen.map(countIn);
  return dependenceIn({
    amounts: Float64Array.from(counts, ([count]) => count),
    of: Float64Array.from(counts, ([, of]) => of),
  });
}

interface LatencyDispersion extends Dispersion {
  /**
   * Number of independent intervals that would give the same information about the share of requests at or above the
   * run's own percentile.
   */
  readonly effective: number;
  /**
   * For a run whose level wanders: how many seconds it must last to show that it keeps a constant level at its own
   * percentile. It is 0 if the run shows that already; the dispersion then covers all effects of the wandering on the
   * share of slow requests. Null for any other run, because with a drift, a jump or a swing there is no constant level.
   */
  readonly levelAfterS: number | null;
  /** The dispersion to expect of a longer run, predicted from this run at the limit and at its percentiles. */
  readonly expected: readonly Expected[];
}

/**
 * The run's own percentile is ignored if the share of requests that reach it is more than this many times the expected
 * share, because many latencies are equal.
 */
const MOST_TIES = 3;

/**
 * The dispersion of the requests with a latency beyond a limit. It is measured at the limit and at the run's own
 * percentile, beyond which there are always enough requests. Waits in a queue form clusters that are about equally
 * large at both. Null if the run is too short to show clusters.
 * @param isBeyond Whether a latency is beyond the limit. Null for times that results do not keep for each interval;
 * only the latencies at the run's own percentile are then used.
 */
export function latencyDispersion(
  run: JudgedRun,
  percentile: number,
  isBeyond: ((ms: number) => boolean) | null,
): LatencyDispersion | null {
  const pooled = poolLatency([run]);
  const dependenceAt = (isAt: (ms: number) => boolean, isClipped: boolean): Dependence | null =>
    dependenceOf(run, (point) => {
      const held = decodeInterval(point);
      return [countBeyond(held, isClipped ? point.max : Infinity, isAt), held.count];
    });
  const beyondOwn = (percentile: number): Dependence | null => {
    const { value } = pooled.percentile(percentile);
    return dependenceAt((ms) => ms >= value, false);
  };
  const own = beyondOwn(percentile);
  if (own === null) return null;
  const { count } = run.latency;
  const isTied = own.ratio > MOST_TIES * (100 - percentile) / 100;
  const atLimit = isBeyond && dependenceAt(isBeyond, true);
  const known = [isTied ? null : own, atLimit];
  const seen = largestDispersion(known, count);
  const expected = (one: Dependence | null): Expected[] =>
    one === null ? [] : expectedOf(one, count);
  return {
    ...seen ?? presumedDispersion({ count: 0, of: count }, null),
    effective: own.effective,
    levelAfterS: run.warmup?.unsettled === "wander" ? levelAfterS(run, own) : null,
    expected: seen === null ? [] : [
      ...known.flatMap(expected),
      // A short run has too few clusters of its slowest requests to show how large they are, but it
      // has many clusters beyond the median. In a queue, the size of the clusters beyond one
      // percentile follows from the size beyond another.
      ...expected(beyondOwn(50)).map(({ ratio, effective }) => ({
        ratio: clusteringOf((100 - percentile) / 100) / clusteringOf(0.5) * ratio,
        effective,
      })),
    ],
  };
}

function levelAfterS({ timeline }: JudgedRun, own: Dependence): number | null {
  const unclear = whyUnclear(own);
  if (unclear === null) return 0;
  return unclear === "not-stationary" ? null : intervalsToTell(own) * timeline.intervalS;
}

function expectedOf(dependence: Dependence, requests: number): Expected[] {
  const ratio = dispersionOf(dependence, requests);
  const { effective } = dependence;
  return ratio === null ? [] : [{ ratio: ratio / uncertaintyOf(effective), effective }];
}

/**
 * The dispersion of failed requests, by the intervals in which they ended. Failures that results do not assign to an
 * interval, such as requests that were never sent, count as one burst.
 */
export function failureDispersion(
  run: JudgedRun,
  failures: Proportion,
  isByInterval: boolean,
): Dispersion {
  const ended = dependenceOf(run, ({ completed, failed, wrong = 0 }) => [
    failed + wrong,
    completed + failed,
  ]);
  const seen = isByInterval ? largestDispersion([ended], failures.of) : null;
  const { dropped } = run.requests;
  if (seen === null || dropped === 0) return presumedDispersion(failures, seen);
  const ratio = Math.max(seen.ratio, dropped ** 2 / Math.max(1, failures.count));
  return presumedDispersion(failures, { ...seen, ratio });
}

/** What a share of requests is compared with, and how the result is worded. */
export interface ShareTerms {
  /** The allowed share. */
  readonly limit: number;
  readonly allowed: Allowed;
  readonly level: number;
  readonly found: (share: Range) => Found;
  /**
   * The assumption about further requests under which the advised number of them would decide; null if the advice
   * states no assumption.
   */
  readonly like: "without a failure" | "like these" | null;
}

interface OneRunTerms extends ShareTerms {
  readonly run: JudgedRun;
  /** The dispersion of the requests counted in the share; null if the run is too short to show it. */
  readonly dispersion: Dispersion & { readonly expected?: readonly Expected[] } | null;
}

/**
 * Judges the share of one run's requests against a limit.
 * @param sure The requests that certainly count; `most` also includes those that may count.
 */
export function oneRunEvidence(
  { sure, most }: Readonly<Record<"sure" | "most", Proportion>>,
  { run, dispersion: known, limit, allowed, level, found, like }: OneRunTerms,
): Evidence {
  const value = sure.count / sure.of;
  if (known === null) {
    const seconds = loadSecondsFor(LEAST_DEPENDENT * run.timeline.intervalS, run);
    return anyway(found({ value, interval: null }), { code: "short-run", seconds });
  }
  const [least, highest] = [clustered(sure, known), clustered(most, known)];
  const interval = {
    low: pooledShare([least], level).low,
    high: pooledShare([highest], level).high,
  };
  const outcome = sideOf(interval, allowed);
  const clusters = clustersOf(sure, known, limit);
  const range = { value, interval };
  const perCluster = known.ratio / Math.min(limit, 1 - limit);
  const loadedS = loadSecondsFor(run.elapsedS, run);
  const secondsOf = (requests: number): number => loadedS * requests / sure.of;
  // If the dispersion was presumed because no cluster was seen, no number of clusters is required,
  // because the interval alone tells how many requests would rule out the limit.
  const isNone = like !== null && known.degreesOfFreedom === Infinity;
  const needed = isNone ? 0 : LEAST_CLUSTERS;
  if (clusters < needed) {
    const { expected = [] } = known;
    const seconds = expected.length === 0
      ? secondsOf(needed * perCluster)
      : loadedS * Math.max(...expected.map((one) => timesForClusters(sure, one, limit)));
    return anyway(found(range), { code: "few-clusters", clusters, needed, seconds });
  }
  const requests = Math.max(requestsToDecide([least], limit, level), needed * perCluster);
  const isMore = value > limit;
  return tested(found(range), {
    outcome,
    p: shareP([isMore ? least : highest], limit),
    remedy: { code: "more-requests", requests, seconds: secondsOf(requests), like },
  });

  /**
   * The outcome that holds regardless of how the requests depend on each other; inconclusive for `reason` if there is
   * none.
   */
  function anyway(found: Found, reason: Reason): Evidence {
    const p = probabilityAtMost(sure, limit);
    const outcome: Outcome = sideOf(exactly(value), allowed);
    return p <= SIGNIFICANCE
      ? tested(found, { outcome, p, remedy: reason })
      : undecided(found, reason);
  }
}
