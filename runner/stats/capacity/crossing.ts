/**
 * At which rate does the share of requests beyond a limit cross what a rule allows? Each trial gives a noisy share at its
 * rate. Its odds grow about as a power of ρ/(1 − ρ), the utilization over what is left: waits do as well, whatever their
 * tail. So the crossing and the steepness have a likelihood over all trials, and the steepness, which nobody wants to know,
 * is summed out. Rates within the range are alike probable before; a steepness below that of a queue is less so. Pure.
 *
 * Where the rule has no limit of time, the server may refuse what it cannot take, and nothing else: then the share is the part
 * of the rate that it does not serve, and no power.
 *
 * Requests of a queue are late in clusters, not one by one. A trial counts for as many independent requests as it has
 * clusters (quasi-likelihood: R. W. M. Wedderburn, 1974).
 */
import { isWithoutLimit, tailOf, type TrialShare } from "./slices.ts";

/** Probabilities of the crossing over a grid of rates. */
export interface Crossing {
  /** Logarithms of rates, evenly spaced. */
  readonly logRates: Float64Array;
  /** Probability that the crossing is at most that rate. */
  readonly cumulative: Float64Array;
}

/** A share that is farther above what is allowed, by this factor, only shows on which side its rate is; as far below. */
const NEAR = 8;
/** No trial counts for more clusters: servers change from trial to trial, and no share is quite a power of the rate. */
const MOST_CLUSTERS = 10;
/** Until enough clusters were seen: in so many seconds the allowed share makes one. */
const UNKNOWN_CLUSTER_S = 20;
const ENOUGH_CLUSTERS = 4;
/** Powers of ρ/(1 − ρ): from that of the heaviest tails, whose waits are as long as one request, to a cliff. */
const STEEPNESSES = Array.from({ length: 12 }, (_, i) => 1.6 ** i);
/** Below the steepness of a queue, probabilities fall as a normal density of its logarithm does, down to a floor. */
const BELOW_QUEUE = { stdev: 0.3, floor: 0.04 };
/** So many clusters of a heavy tail count as one: most trials lack the rare large ones, and so does their dispersion. */
const HEAVY_CLUSTERS = 3;
/** The peak is known to some percent only: no more of it counts as used. */
const MOST_UTILIZATION = 0.94;
const POINTS = 240;
const SMALLEST_SHARE = 1e-12;
const MOST_LOG_ODDS = 50;

interface RateRange {
  readonly low: number;
  readonly high: number;
}

/** What is known of a crossing before any trial. */
interface CrossingTerms {
  /** Share that the rule allows, above 0. */
  readonly allowed: number;
  /** Rates outside of which the crossing is not. */
  readonly range: RateRange;
  /** The most that the server completed in a closed loop. */
  readonly peakPerSec: number;
  /** Of a long trial, seconds: one of less than half of it may be too short for a queue to grow. */
  readonly longS: number;
}

export function crossingOf(
  trials: readonly TrialShare[],
  { allowed, range, peakPerSec, longS }: CrossingTerms,
): Crossing {
  const tail = tailOf(trials, allowed);
  const weighed = weighedOf(trials, { allowed, peakPerSec, longS, isHeavy: tail < 1 });
  const [from, to] = [Math.log(range.low), Math.log(range.high)];
  const logRates = Float64Array.from(
    { length: POINTS },
    (_, i) => from + (to - from) * (i + 0.5) / POINTS,
  );
  const mayRefuse = trials.every(isWithoutLimit);
  const logs = logRates.map((crossing) => {
    const utilization = Math.exp(crossing) / peakPerSec;
    const ofQueue = tail * steepnessOfQueue(utilization, allowed);
    return logLikelihood(weighed, [
      ...powersOf(utilization, { allowed, ofQueue }),
      ...mayRefuse ? [refusalsOf(utilization, allowed)] : [],
    ]);
  });
  const most = logs.reduce((a, b) => Math.max(a, b), -Infinity);
  let sum = 0;
  const sums = logs.map((log) => sum += Math.exp(log - most));
  return { logRates, cumulative: sums.map((value) => value / sum) };
}

/** The rate that the crossing does not exceed with this probability. */
export function rateAt({ logRates, cumulative }: Crossing, probability: number): number {
  const found = cumulative.findIndex((value) => value >= probability);
  const i = found === -1 ? cumulative.length - 1 : found;
  const before = i === 0 ? 0 : cumulative[i - 1];
  const part = cumulative[i] > before ? (probability - before) / (cumulative[i] - before) : 0.5;
  return Math.exp(logRates[i] + (part - 0.5) * (logRates[1] - logRates[0]));
}

/** A trial by its clusters. */
interface WeighedTrial {
  /** Its rate over the peak. */
  readonly utilization: number;
  readonly position: number;
  /** Clusters beyond the limit, and as many times more within it as requests are. */
  readonly beyond: number;
  readonly within: number;
  /** Shares from which on, down and up, any other would explain the trial as well. */
  readonly least: number;
  readonly most: number;
}

interface Weighing extends Pick<CrossingTerms, "allowed" | "peakPerSec" | "longS"> {
  /** Whether the tail of the latencies is. */
  readonly isHeavy: boolean;
}

/**
 * A trial begins with an idle server, and one too short for the queue to grow shows too small a share: of a short one,
 * more than is allowed means "at least so many".
 */
function weighedOf(
  trials: readonly TrialShare[],
  { allowed, peakPerSec, longS, isHeavy }: Weighing,
): WeighedTrial[] {
  const { clusterS: found, isKnown } = clustersOf(trials, allowed);
  const clusterS = Math.max(found, isKnown ? 0 : UNKNOWN_CLUSTER_S) *
    (isHeavy ? HEAVY_CLUSTERS : 1);
  const longest = Math.min(longS, Math.max(...trials.map(({ seconds }) => seconds)));
  return trials.filter(({ requests }) => requests > 0).map((trial) => {
    const { ratePerSec, requests, beyond, seconds } = trial;
    const share = beyond / requests;
    const near = Math.min(share, NEAR * allowed, 0.9);
    const isAtLeast = share > near || (share > allowed && seconds < longest / 2);
    // Clusters that the allowed share would have made.
    const expected = Math.min(seconds / clusterS, MOST_CLUSTERS, requests * allowed);
    const most = Math.max(MOST_CLUSTERS, expected * near / allowed);
    const seen = Math.min(expected * share / allowed, most);
    const utilization = ratePerSec / peakPerSec;
    return {
      utilization,
      position: positionOf(utilization),
      beyond: seen,
      within: near > 0 ? seen * (1 - near) / near : expected / allowed,
      least: share < allowed / NEAR ? share : 0,
      most: isAtLeast ? near : 1,
    };
  });
}

/**
 * Seconds in which the allowed share makes one cluster: one figure for all trials, lest those with few requests beyond, and
 * so with little dispersion, weigh more than the others. Not known before some clusters were seen.
 */
export function clustersOf(
  trials: readonly TrialShare[],
  allowed: number,
): { readonly clusterS: number; readonly isKnown: boolean } {
  let [sum, weight, seen] = [0, 0, 0];
  for (const { beyond, requests, dispersion, seconds } of trials) {
    if (dispersion === null || beyond > requests * allowed * NEAR) continue;
    sum += beyond * dispersion * seconds / (requests * allowed);
    weight += beyond;
    seen += beyond / Math.max(1, dispersion);
  }
  return { clusterS: weight === 0 ? 0 : sum / weight, isKnown: seen >= ENOUGH_CLUSTERS };
}

/** The logarithm of ρ/(1 − ρ), and a power of the rate where the peak is not known well enough for it. */
function positionOf(utilization: number): number {
  const known = Math.min(utilization, MOST_UTILIZATION);
  return Math.log(known / (1 - known)) + Math.log(utilization / known) / (1 - MOST_UTILIZATION);
}

/**
 * In heavy traffic the share beyond a limit is exp(−κ·(1 − ρ)), whatever the variances (J. F. C. Kingman, 1961). So where
 * it is what is allowed, its power of ρ/(1 − ρ) is ln(1/allowed)·ρ. A limit on rates is steeper; heavy tails are less.
 */
function steepnessOfQueue(utilization: number, allowed: number): number {
  return -Math.log(allowed) * Math.min(utilization, MOST_UTILIZATION);
}

/** Probability before any trial, up to a factor. */
function logPrior(steepness: number, ofQueue: number): number {
  if (steepness >= ofQueue) return 0;
  const { stdev, floor } = BELOW_QUEUE;
  const below = Math.log(ofQueue / steepness) / stdev;
  return Math.log(floor + (1 - floor) * Math.exp(-(below ** 2) / 2));
}

/** How the share grows with the rate. */
interface ShareGrowth {
  /** Logarithm of its probability before any trial, up to a factor. */
  readonly logPrior: number;
  readonly shareOf: (trial: WeighedTrial) => number;
}

interface PowerTerms {
  readonly allowed: number;
  /** Steepness of a queue. */
  readonly ofQueue: number;
}

/** Of a crossing: one for each steepness. */
function powersOf(crossing: number, { allowed, ofQueue }: PowerTerms): ShareGrowth[] {
  const [from, atCrossing] = [positionOf(crossing), logOdds(allowed)];
  return STEEPNESSES.map((steepness) => ({
    logPrior: logPrior(steepness, ofQueue),
    shareOf: ({ position }) => {
      const odds = Math.exp(Math.min(atCrossing + steepness * (position - from), MOST_LOG_ODDS));
      return odds / (1 + odds);
    },
  }));
}

/** As probable before any trial as a power. */
function refusalsOf(crossing: number, allowed: number): ShareGrowth {
  const servedAtMost = (1 - allowed) * crossing;
  return { logPrior: 0, shareOf: ({ utilization }) => 1 - servedAtMost / utilization };
}

/** Of a crossing: the mean over all growths, weighed by their probability before any trial. */
function logLikelihood(trials: readonly WeighedTrial[], growths: readonly ShareGrowth[]): number {
  const priors = growths.map(({ logPrior }) => logPrior);
  const logs = growths.map(({ logPrior, shareOf }) => {
    let log = logPrior;
    for (const trial of trials) {
      const { beyond, within, least, most } = trial;
      const share = Math.min(
        Math.max(shareOf(trial), least, SMALLEST_SHARE),
        most,
        1 - SMALLEST_SHARE,
      );
      log += beyond * Math.log(share) + within * Math.log1p(-share);
    }
    return log;
  });
  // Else a crossing with more probable growths would itself be more probable before any trial.
  return logSumOf(logs) - logSumOf(priors);
}

function logSumOf(logs: readonly number[]): number {
  const highest = Math.max(...logs);
  return highest + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - highest), 0));
}

function logOdds(share: number): number {
  return Math.log(share / (1 - share));
}
