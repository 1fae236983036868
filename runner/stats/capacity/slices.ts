/**
 * A trial cut into slices of time → the shares of requests beyond a limit and parts of it, and how clustered they are.
 * Pure.
 */
import { LEVELS, relaxationS, type Rule } from "./queue.ts";

/** Requests that ended in one slice of a trial. */
export interface TrialSlice {
  readonly requests: number;
  /**
   * Number of these requests beyond each part of the limit in `LEVELS`. For a rule about outcomes, these numbers are
   * equal, except that none is beyond twice the limit.
   */
  readonly beyond: readonly number[];
}

/** Requests beyond one part of the limit. */
export interface LevelShare {
  readonly beyond: number;
  /** Variance of `beyond` over that of independent requests; null if it can't be estimated. */
  readonly dispersion: number | null;
}

/** The evidence of one trial about one rule. */
export interface TrialShare {
  readonly ratePerSec: number;
  /** The seconds of the trial that count. */
  readonly seconds: number;
  /** Seconds at the start of the trial that are left out. */
  readonly startS: number;
  readonly requests: number;
  /** One entry for each part of the limit in `LEVELS`. */
  readonly levels: readonly LevelShare[];
}

/** A variance can't be estimated from fewer groups of slices. */
const FEWEST_GROUPS = 6;

interface TimedSlices {
  readonly ratePerSec: number;
  readonly sliceS: number;
  /** Seconds at the start that don't count, because a trial begins with an idle server. */
  readonly startS: number;
}

/** @param slices In the order of time. */
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
 * Variance of the number of requests beyond a limit over that of independent requests. It is the largest over groups of
 * 1, 2, 4 … slices, because waits that last longer than a group make it seem too small (batch means: G. S. Fishman,
 * 1978). Null if no requests or all are beyond, or if there are too few slices.
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

/** A trial has failed once the requests beyond the limit are this many times the number allowed for the whole trial. */
const CERTAIN_TIMES = 6;
/** Fewer requests beyond the limit may be a hiccup at the start. */
const CERTAIN_REQUESTS = 50;
/**
 * Near capacity, a cluster of late requests lasts for a relaxation time, so an overload is told from a cluster after
 * this many relaxation times.
 */
const CERTAIN_RELAXATIONS = 4;
/** Part of a trial that is long enough to distinguish an overload, even if relaxation times are longer. */
const CERTAIN_PART = 1 / 6;

/** The number of requests beyond the limit that decides a trial, whatever the other requests do. */
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
