/**
 * Cuts a trial into slices of time, and computes the shares of requests beyond the limit and its multiples (`LEVELS`),
 * and how clustered those requests are. Pure.
 */
import { LEVELS, relaxationS, type Rule } from "./queue.ts";

/** Requests that ended in one slice of a trial. */
export interface TrialSlice {
  readonly requests: number;
  /**
   * How many of these requests are beyond each level in `LEVELS`. For a rule without a time limit, failed requests
   * count at all levels up to the limit and at none above it.
   */
  readonly beyond: readonly number[];
}

/** Requests beyond one of the `LEVELS`, which are multiples of the limit. */
export interface LevelShare {
  readonly beyond: number;
  /**
   * Variance of `beyond`, divided by the variance that independent requests would have; null if it can't be estimated.
   */
  readonly dispersion: number | null;
}

/** The evidence of one trial about one rule. */
export interface TrialShare {
  readonly ratePerSec: number;
  /** The seconds of the trial that count, without its start. */
  readonly seconds: number;
  /** Seconds at the start of the trial that do not count. */
  readonly startS: number;
  readonly requests: number;
  /** One entry for each level in `LEVELS`. */
  readonly levels: readonly LevelShare[];
}

/** With fewer groups of slices than this, a variance can't be estimated. */
const FEWEST_GROUPS = 6;

interface TimedSlices {
  readonly ratePerSec: number;
  readonly sliceS: number;
  /** Seconds at the start that do not count, because the server is idle at first or recovers from an overload. */
  readonly startS: number;
}

/** @param slices In order of time. */
export function shareOfTrial(
  slices: readonly TrialSlice[],
  { ratePerSec, sliceS, startS }: TimedSlices,
): TrialShare {
  const left = Math.ceil(startS / sliceS);
  const counted = slices.slice(left);
  return {
    ratePerSec,
    seconds: counted.length * sliceS,
    startS: left * sliceS,
    requests: counted.reduce((sum, { requests }) => sum + requests, 0),
    levels: LEVELS.map((_, level) => {
      const counts = counted.map(({ requests, beyond }) => ({ requests, beyond: beyond[level] }));
      return { beyond: sumOf(counts).beyond, dispersion: dispersionOf(counts) };
    }),
  };
}

/** Requests in part of a run, and how many of them are beyond a limit. */
export interface CountedSlice {
  readonly requests: number;
  readonly beyond: number;
}

/**
 * Variance of the number of requests beyond a limit, divided by the variance that independent requests would have. The
 * largest value for groups of 1, 2, 4 … slices counts, because a group that is shorter than a spell of late requests
 * makes the variance seem too small (batch means: G. S. Fishman, 1978). Null if all or none of the requests are beyond
 * the limit, or if there are too few slices.
 */
export function dispersionOf(slices: readonly CountedSlice[]): number | null {
  let most: number | null = null;
  for (let groups = slices; groups.length >= FEWEST_GROUPS; groups = inPairs(groups)) {
    const found = dispersionOfGroups(groups);
    if (found !== null) most = Math.max(most ?? 0, found);
  }
  return most;
}

function inPairs(slices: readonly CountedSlice[]): CountedSlice[] {
  const pairs: CountedSlice[] = [];
  for (let i = 0; i + 1 < slices.length; i += 2) pairs.push(sumOf([slices[i], slices[i + 1]]));
  return pairs;
}

function sumOf(slices: readonly CountedSlice[]): CountedSlice {
  let [requests, beyond] = [0, 0];
  for (const slice of slices) {
    requests += slice.requests;
    beyond += slice.beyond;
  }
  return { requests, beyond };
}

function dispersionOfGroups(groups: readonly CountedSlice[]): number | null {
  const { requests, beyond } = sumOf(groups);
  const share = beyond / requests;
  if (!(share > 0 && share < 1)) return null;
  let squares = 0;
  for (const one of groups) squares += (one.beyond - share * one.requests) ** 2;
  return squares * groups.length / (groups.length - 1) / (requests * share * (1 - share));
}

/**
 * A trial has certainly failed once the requests beyond the limit are this many times the number allowed for the whole
 * trial.
 */
const CERTAIN_TIMES = 6;
/**
 * A trial never fails early with fewer requests beyond the limit than this, because they may be a hiccup at the start.
 */
const CERTAIN_REQUESTS = 50;
/**
 * Near capacity, a cluster of late requests lasts for about one relaxation time. So if requests keep being late for this
 * many relaxation times, the target is overloaded.
 */
const CERTAIN_RELAXATIONS = 4;
/** If requests keep being late for this part of a trial, the target is overloaded, even if relaxation times are longer. */
const CERTAIN_PART = 1 / 6;

/**
 * The number of requests beyond the limit with which a trial has certainly failed, even if no other request is beyond
 * it.
 */
export function certainlyBroken(
  rule: Rule,
  { ratePerSec, plannedS }: { readonly ratePerSec: number; readonly plannedS: number },
): number {
  const clusterS = CERTAIN_RELAXATIONS * relaxationS(ratePerSec, rule);
  const lateS = Math.max(
    CERTAIN_TIMES * rule.allowed * plannedS,
    Math.min(clusterS, CERTAIN_PART * plannedS),
  );
  return Math.max(lateS * ratePerSec, CERTAIN_REQUESTS);
}
