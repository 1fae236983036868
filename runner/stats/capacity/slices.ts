/** A trial cut into slices of time → the share of requests beyond a limit, and how much they come in clusters. Pure. */
import type { TrialShare } from "./crossing.ts";

/** Requests that ended in one slice of a trial. */
export interface TrialSlice {
  readonly requests: number;
  /** Of them, beyond the limit. */
  readonly beyond: number;
  /** Of them, beyond half the limit; all where the rule has no limit of time. */
  readonly beyondHalf: number;
}

/** A trial starts with an idle server: its first part is no sample, unless it ended early. */
const STARTING = 0.1;
/** Groups of fewer slices show nothing of a variance. */
const FEWEST_GROUPS = 6;

interface TimedSlices {
  readonly ratePerSec: number;
  readonly sliceS: number;
  /** Whether the trial ended before its time, as its outcome was certain. */
  readonly isCutShort: boolean;
}

/** @param slices In the order of time. */
export function shareOfTrial(
  slices: readonly TrialSlice[],
  { ratePerSec, sliceS, isCutShort }: TimedSlices,
): TrialShare {
  const counted = isCutShort ? slices : slices.slice(Math.ceil(slices.length * STARTING));
  const { requests, beyond, beyondHalf } = sumOfSlices(counted);
  const dispersion = dispersionOf(counted);
  return { ratePerSec, requests, beyond, beyondHalf, dispersion, seconds: counted.length * sliceS };
}

/**
 * Variance of the requests beyond over that of independent ones: the largest over groups of 1, 2, 4 … slices, as waits that
 * last longer than a group make it seem too small (batch means: G. S. Fishman, 1978). Null where none or all are beyond,
 * or the slices are too few.
 */
export function dispersionOf(slices: readonly TrialSlice[]): number | null {
  let most: number | null = null;
  for (let groups = slices; groups.length >= FEWEST_GROUPS; groups = inPairs(groups)) {
    const found = dispersionOfGroups(groups);
    if (found !== null) most = Math.max(most ?? 0, found);
  }
  return most;
}

function inPairs(slices: readonly TrialSlice[]): TrialSlice[] {
  const pairs: TrialSlice[] = [];
  for (let i = 0; i + 1 < slices.length; i += 2) pairs.push(sumOfSlices(slices.slice(i, i + 2)));
  return pairs;
}

function sumOfSlices(slices: readonly TrialSlice[]): TrialSlice {
  let [requests, beyond, beyondHalf] = [0, 0, 0];
  for (const slice of slices) {
    requests += slice.requests;
    beyond += slice.beyond;
    beyondHalf += slice.beyondHalf;
  }
  return { requests, beyond, beyondHalf };
}

function dispersionOfGroups(groups: readonly TrialSlice[]): number | null {
  const { requests, beyond } = sumOfSlices(groups);
  const share = beyond / requests;
  if (!(share > 0 && share < 1)) return null;
  const squares = groups.reduce((sum, one) => sum + (one.beyond - share * one.requests) ** 2, 0);
  return squares * groups.length / (groups.length - 1) / (requests * share * (1 - share));
}

/** Of what the whole trial may have beyond: from so many times as many on, no rest of it can make the trial good. */
const CERTAIN_TIMES = 6;
/** Fewer may be a hiccup of the start. */
const CERTAIN_REQUESTS = 50;

/** So many requests beyond the limit decide the trial, whatever the others do. */
export function certainlyBroken(allowed: number, plannedRequests: number): number {
  return Math.max(CERTAIN_TIMES * allowed * plannedRequests, CERTAIN_REQUESTS);
}
