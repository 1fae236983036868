/**
 * Who gets the next request. One file a member, one line in `registry.ts`;
 * `tests/targets/cluster_policies_test.ts` runs the same suite over all of them. Pure: randomness is an
 * argument.
 */

/** What a policy sees of an instance. */
export interface Busy {
  /** Requests that it has and whose answers have not ended. */
  readonly inFlight: number;
}

export interface Policy {
  /** Index of the instance that gets the next request. @param instances At least one; may grow. */
  pick(instances: readonly Busy[]): number;
}

/** A number from 0 to below 1. */
export type Draw = () => number;
