/**
 * A trial cut into slices of time → the shares of requests beyond a limit and parts of it, and how much they come in
 * clusters. Pure.
 */
import { LEVELS, relaxationS, type Rule } from "./queue.ts";

/** Requests that ended in one slice of a trial. */
export interface TrialSlice {
  readonly requests: number;
  /**
   * How many of them were beyond each part of the limit in `LEVELS`. For rules about outcomes these are equal, and none
   * is beyond twice the limit.
   */
  readonly beyond: readonly number[];
}

/** Requests beyond one part of the limit. */
export interface LevelShare {
  readonly beyond: number;
  /** Variance of `beyond` over that of independent requests; null where it can't be known. */
  readonly dispersion: number | null;
}

/** What one trial shows of one rule. */
export interface TrialShare {
  readonly ratePerSec: number;
  /** The seconds of the trial that count. */
  readonly seconds: number;
  /** Seconds at its start that are left out. */
  readonly startS: number;
  readonly requests: number;
  /** One entry for each part of the limit in `LEVELS`. */
  readonly levels: readonly LevelShare[];
}

/** Groups of fewer slices show nothing of a variance. */
const FEWEST_GROUPS = 6;

interface TimedSlices {
  readonly ratePerSec: number;
  readonly sliceS: number;
  /** How much of its beginning is not a sample, because a trial starts with an idle server. */
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

/** Requests of a part of a run, and how many of them are beyond a limit. */
export interface CountedSlice {
  readonly requests: number;
  readonly beyond: number;
}

/**
 * Variance of the requests beyond over that of independent ones: the largest over groups of 1, 2, 4 … slices, as waits that
 * last longer than a group make it seem too small (batch means: G. S. Fishman, 1978). Null where none or all are beyond,
 * or the slices are too few.
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

/** A trial is lost once this many times as many requests are beyond the limit as the whole trial may have. */
const CERTAIN_TIMES = 6;
/** Fewer requests beyond the limit may be a hiccup of the start. */
const CERTAIN_REQUESTS = 50;
/**
 * A cluster of a queue near its capacity lasts for a relaxation time, so this many relaxation times tell an overload
 * from it.
 */
const CERTAIN_RELAXATIONS = 4;
/** Part of the trial that is long enough for that, even if the relaxation times are longer. */
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
