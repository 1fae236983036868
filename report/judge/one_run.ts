/**
 * Judges a share of the requests of one run against a limit. A run counts for as many requests as it has clusters, by
 * the dispersion of its intervals, and decides only if it would have ten clusters at the limit: see
 * `runner/stats/dependence/clustered_share.ts`. Conclusions that hold however requests depend on each other can be
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

/** Counts the requests of interest in an interval, and all requests among which they are counted. */
type CountIn = (point: IntervalPoint) => readonly [count: number, of: number];

/**
 * How a share of the requests depends on time, over the complete intervals of the steady part, or of the whole run if that
 * part is too short: a warm-up is one cluster. Null if the run is too short to show it.
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
  /** Number of independent intervals with the same information about the run's own percentile. */
  readonly effective: number;
  /**
   * For a run whose windows wander: the seconds that it must last to show that it keeps its level at its own
   * percentile. 0 if it shows that already; the dispersion then includes all effects of the wandering level on the
   * share of slow requests. Null for any other run, because a drift, a jump or a swing is not such a level.
   */
  readonly levelAfterS: number | null;
  /** What to expect of a longer run, judging by this one. */
  readonly expected: readonly Expected[];
}

/** A percentile is not used if more than this many times its share of requests reach it, because many are equal. */
const MOST_TIES = 3;

/**
 * The dispersion of the requests whose latency is beyond a limit. It is measured at the limit and at the run's own
 * percentile, beyond which there are always enough requests: waits in a queue come in clusters that are equally large at
 * both. Null if the run is too short to show clusters.
 * @param isBeyond Whether a latency is beyond the limit; null for times that are not kept by interval, for which the
 * requests' latencies at the own percentile are used.
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
      // A short run has too few clusters of its slowest requests to show their size, but many clusters beyond its median.
      // In a queue, one size follows from the other.
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
 * The dispersion of failed requests by the intervals in which they ended. Requests that were never sent are in no
 * interval and count as one burst, like everything that the results do not keep by interval.
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

/** How a share of requests is judged. */
export interface ShareTerms {
  /** The allowed share. */
  readonly limit: number;
  readonly allowed: Allowed;
  readonly level: number;
  readonly found: (share: Range) => Found;
  /** What the advised number of further requests assumes about them. */
  readonly like: "without a failure" | "like these" | null;
}

interface OneRunTerms extends ShareTerms {
  readonly run: JudgedRun;
  /** The dispersion of the requests that the share counts; null if the run is too short to show it. */
  readonly dispersion: Dispersion & { readonly expected?: readonly Expected[] } | null;
}

/** Judges a share of one run. @param sure The requests that certainly count; `most` includes all that may count. */
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
  // If no cluster was seen, all clusters are presumed to have the same size, and the interval alone tells how many
  // requests would rule out the limit.
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

  /** The outcome that holds however requests depend on each other. */
  function anyway(found: Found, reason: Reason): Evidence {
    const p = probabilityAtMost(sure, limit);
    const outcome: Outcome = sideOf(exactly(value), allowed);
    return p <= SIGNIFICANCE
      ? tested(found, { outcome, p, remedy: reason })
      : undecided(found, reason);
  }
}
