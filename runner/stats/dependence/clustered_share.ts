/**
 * How precisely a single run shows the share of requests that are slow or fail. Such requests come in clusters, because
 * one queue, one pause or one restart affects many of them. So the number of clusters counts, not the number of
 * requests (J. N. K. Rao and A. J. Scott, "A simple method for the analysis of clustered binary data", Biometrics
 * 1992). Pure.
 */
import type { Proportion } from "../confidence/proportion_interval.ts";
import { type Dependence, dispersionOf, uncertaintyOf } from "./ratio_series.ts";

/** With fewer clusters than this, their sizes vary too much to estimate a variance. */
export const LEAST_CLUSTERS = 10;
/**
 * Assumed number of requests in a cluster if too few clusters were seen to estimate it. Failures are assumed to come in
 * bursts of this size, as when all connections of a pool break at once. Larger bursts are taken into account only if
 * they are seen.
 */
export const PRESUMED_BURST = 20;

/** Variance of a count relative to that of independent requests, and how well the variance is known. */
export interface Dispersion {
  readonly ratio: number;
  readonly degreesOfFreedom: number;
}

/** The largest dispersion that any of several shares shows; null if none shows one. */
export function largestDispersion(
  dependences: readonly (Dependence | null)[],
  requests: number,
): Dispersion | null {
  let largest: Dispersion | null = null;
  for (const dependence of dependences) {
    if (dependence === null) continue;
    const ratio = dispersionOf(dependence, requests);
    const { degreesOfFreedom } = dependence;
    if (ratio !== null && ratio > (largest?.ratio ?? 0)) largest = { ratio, degreesOfFreedom };
  }
  return largest;
}

/**
 * The dispersion of a count, with a presumed cluster size if too few clusters were seen.
 * @param seen Null if it is unknown when the counted requests occurred; all may then have occurred together.
 */
export function presumedDispersion(
  { count, of }: Proportion,
  seen: Dispersion | null,
): Dispersion {
  const rarer = Math.min(count, of - count);
  const known = seen ?? { ratio: Math.max(1, rarer), degreesOfFreedom: Infinity };
  return rarer >= LEAST_CLUSTERS * known.ratio || known.ratio >= PRESUMED_BURST
    ? known
    : { ratio: PRESUMED_BURST, degreesOfFreedom: Infinity };
}

export function clustered({ count, of }: Proportion, dispersion: Dispersion): Proportion {
  const { ratio, degreesOfFreedom } = dispersion;
  return { count, of, basis: { of: of / ratio, degreesOfFreedom } };
}

/**
 * Number of clusters of the rarer outcome: the observed number, or the number expected if the share were `limit`,
 * whichever is larger.
 */
export function clustersOf(
  { count, of }: Proportion,
  { ratio }: Dispersion,
  limit: number,
): number {
  const isRare = limit <= 0.5;
  const [seen, allowed] = [isRare ? count : of - count, of * Math.min(limit, 1 - limit)];
  return Math.max(seen, allowed) / ratio;
}

/**
 * What a longer run of the same kind is expected to show. `ratio` is the dispersion without the allowance for
 * uncertainty (`uncertaintyOf`).
 */
export interface Expected {
  readonly ratio: number;
  /** Number of independent intervals that give the same information as the run. */
  readonly effective: number;
}

/**
 * How many times longer a run must be to have `LEAST_CLUSTERS` clusters. The number of clusters grows with the length
 * x, while the allowance added to the dispersion, which is u for the present length, shrinks as u/x. So x solves
 * clusters · x = needed · (1 + u/x).
 */
export function timesForClusters(
  share: Proportion,
  { ratio, effective }: Expected,
  limit: number,
): number {
  const clusters = clustersOf(share, { ratio, degreesOfFreedom: Infinity }, limit);
  const added = uncertaintyOf(effective) - 1;
  const root = Math.sqrt(LEAST_CLUSTERS ** 2 + 4 * clusters * LEAST_CLUSTERS * added);
  return (LEAST_CLUSTERS + root) / (2 * clusters);
}

/**
 * An upper bound of the probability that a run shows so large a share if the true mean is `limit`, however its requests
 * depend on each other. It is the limit divided by the share (A. A. Markov's inequality).
 * @returns The bound for the rarer outcome; 1 for a share below the limit.
 */
export function probabilityAtMost({ count, of }: Proportion, limit: number): number {
  const isRare = limit <= 0.5;
  const seen = (isRare ? count : of - count) / of;
  return Math.min(1, Math.min(limit, 1 - limit) / seen);
}
