/**
 * The effects of a queue near its capacity on the requests of a trial: how long the queue remembers, and how long its
 * late requests stay together. In heavy traffic the wait of a queue is a reflected Brownian motion (J. F. C. Kingman,
 * 1961; J. M. Harrison, 1985), whose tail is exponential. Times are seconds. Pure.
 */

/** A rule: at most the share `allowed` of all requests takes longer than `limitS`. */
export interface Rule {
  /** The allowed share, above 0. */
  readonly allowed: number;
  /** The limit in seconds; 0 if the rule has no time limit. */
  readonly limitS: number;
}

/**
 * Parts of the limit beyond which requests are counted, the limit itself first; the last one shows how heavy the tail
 * is.
 */
export const LEVELS = [1, 1 / 2, 1 / 4, 2] as const;

/**
 * The relaxation time of the queue whose capacity under the rule is this rate: 4·µ/(µ − λ)², where µ − λ =
 * ln(1/allowed)/limit. After two relaxation times a queue that began idle is about as long as usual.
 */
export function relaxationS(ratePerSec: number, { allowed, limitS }: Rule): number {
  if (limitS === 0) return 0;
  const left = -Math.log(allowed) / limitS;
  return 4 * (ratePerSec + left) / left ** 2;
}

/**
 * Assumed seconds between clusters of refusals until some are seen: without a time limit, theory says nothing about
 * them.
 */
const REFUSALS_S = 10;

/**
 * How long requests beyond a level stay together, in relaxation times τ. If a share s of requests is beyond it, the
 * share of T seconds that a reflected Brownian motion spends beyond it has a variance of s·(1 − s·(1 + ln(1/s)))·τ/T,
 * while the share among n independent requests has one of s·(1 − s)/n.
 *
 * @param share The share of requests beyond the level, above 0 and below 1.
 */
export function clusteringOf(share: number): number {
  return (1 - share * (1 - Math.log(share))) / (1 - share);
}

/**
 * Seconds from one independent cluster of requests beyond a part of the limit to the next, at the capacity: about the
 * relaxation time over the share of such requests, if that is small.
 *
 * @param share The share of requests beyond that part.
 */
export function clusterEveryS(ratePerSec: number, rule: Rule, share: number): number {
  if (rule.limitS === 0) return REFUSALS_S;
  const lasts = relaxationS(ratePerSec, rule) * clusteringOf(share);
  return Math.max(lasts, 1 / ratePerSec) / share;
}
