/**
 * How a queue near its capacity affects the requests of a trial: how long the queue remembers its past, and how long
 * its late requests stay together. In heavy traffic the wait in a queue is a reflected Brownian motion (J. F. C.
 * Kingman, 1961; J. M. Harrison, 1985), whose stationary distribution has an exponential tail. Times are in seconds.
 * Pure.
 */

/**
 * A rule: at most the share `allowed` of all requests may take longer than `limitS`. If the rule has no time limit, at
 * most that share may fail.
 */
export interface Rule {
  /** Above 0. */
  readonly allowed: number;
  /** In seconds; 0 if the rule has no time limit. */
  readonly limitS: number;
}

/**
 * Multiples of a rule's time limit. The requests that take longer are counted for each multiple. The limit itself comes
 * first; twice the limit, which comes last, shows how heavy the tail is.
 */
export const LEVELS = [1, 1 / 2, 1 / 4, 2] as const;

/**
 * The relaxation time of a queue whose capacity under the rule is `ratePerSec`: 4·µ/(µ − λ)², where λ is `ratePerSec`,
 * µ is the rate at which the queue is served, and µ − λ = ln(1/allowed)/limit. A queue that began idle has about its
 * usual length after two relaxation times. The result is 0 if the rule has no time limit.
 */
export function relaxationS(ratePerSec: number, { allowed, limitS }: Rule): number {
  if (limitS === 0) return 0;
  const left = -Math.log(allowed) / limitS;
  return 4 * (ratePerSec + left) / left ** 2;
}

/**
 * Assumed seconds between clusters of failed requests if the rule has no time limit, because queueing theory can't
 * predict failures. The more clusters are seen in trials, the less this assumption counts.
 */
const REFUSALS_S = 10;

/**
 * How long requests beyond a level stay together, in relaxation times τ. If a share s of requests is beyond the level,
 * the share of T seconds that a reflected Brownian motion spends beyond it has the variance s·(1 − s·(1 +
 * ln(1/s)))·τ/T; the same share among n independent requests has the variance s·(1 − s)/n.
 *
 * @param share The share of requests beyond the level, above 0 and below 1.
 */
export function clusteringOf(share: number): number {
  return (1 - share * (1 - Math.log(share))) / (1 - share);
}

/**
 * Mean time in seconds between independent clusters of slow requests, for a target that is loaded at its capacity. If
 * slow requests are rare, this is about the relaxation time divided by their share.
 *
 * @param share The share of slow requests. Any latency may be the limit above which they are slow, not only that of the
 * rule.
 */
export function clusterEveryS(ratePerSec: number, rule: Rule, share: number): number {
  if (rule.limitS === 0) return REFUSALS_S;
  const lasts = relaxationS(ratePerSec, rule) * clusteringOf(share);
  return Math.max(lasts, 1 / ratePerSec) / share;
}
