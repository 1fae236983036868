/**
 * A trial cut into slices of time → the share of requests beyond a limit, how much they come in clusters, and how heavy the
 * tail is. Pure.
 */

/** Requests that ended in one slice of a trial. */
export interface TrialSlice {
  readonly requests: number;
  /** Of them, beyond the limit. */
  readonly beyond: number;
  /** Beyond a quarter, half and twice the limit; all, all and none where the rule has no limit of time. */
  readonly beyondQuarter: number;
  readonly beyondHalf: number;
  readonly beyondDouble: number;
}

/** Whether its rule has no limit of time, or nobody was as fast as half of it. */
export function isWithoutLimit(
  { beyondHalf, requests }: Pick<TrialSlice, "beyondHalf" | "requests">,
): boolean {
  return beyondHalf === requests;
}

/** What one trial shows of one rule. */
export interface TrialShare extends TrialSlice {
  readonly ratePerSec: number;
  /** Variance of `beyond` over that of independent requests; null where it can't be known. */
  readonly dispersion: number | null;
  /** How long it lasted. */
  readonly seconds: number;
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
  const dispersion = dispersionOf(counted);
  return { ratePerSec, ...sumOfSlices(counted), dispersion, seconds: counted.length * sliceS };
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
  const sum = { requests: 0, beyond: 0, beyondQuarter: 0, beyondHalf: 0, beyondDouble: 0 };
  for (const slice of slices) {
    sum.requests += slice.requests;
    sum.beyond += slice.beyond;
    sum.beyondQuarter += slice.beyondQuarter;
    sum.beyondHalf += slice.beyondHalf;
    sum.beyondDouble += slice.beyondDouble;
  }
  return sum;
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

/** Shares that fall by less of what they do in an exponential tail show a heavy one: more, while few clusters were seen. */
const HEAVY_TAIL = { many: 0.66, ofOne: 0.65 };
/** The fall beyond the limit rests on few clusters, and strays so many times more than that below half of it. */
const STRAYS_MORE = 8;
/** Fewer requests beyond say nothing of a tail. */
const ENOUGH_BEYOND = 20;
/** A trial with a larger share, by this factor, has the tail of an overload. */
const NEAR_TAIL = 3;

/**
 * How much less steeply the shares fall toward the limit than in an exponential tail, which has the root of the share
 * beyond half the limit. 1 unless the tail is heavy: then waits are as long as single requests, and not sums of many.
 *
 * Few clusters reach the limit, so that its own share says little of that. More reach a quarter and half of it; and those of
 * a heavy tail go on beyond the limit as before it, where a queue that is slow at times has few.
 */
export function tailOf(trials: readonly TrialShare[], allowed: number): number {
  const near = trials.filter((trial) => trial.beyond <= NEAR_TAIL * trial.requests * allowed);
  const { requests, beyondQuarter, beyondHalf, beyond, beyondDouble } = sumOfSlices(near);
  if (beyond < ENOUGH_BEYOND || isWithoutLimit({ beyondHalf, requests })) return 1;
  const below = 2 * Math.log(beyondQuarter / beyondHalf) / Math.log(requests / beyondHalf);
  const above = Math.log(beyond / Math.max(beyondDouble, 1)) / Math.log(requests / beyond);
  const clusters = near.reduce(
    (sum, one) => sum + (one.dispersion === null ? 0 : one.beyond / Math.max(one.dispersion, 1)),
    1,
  );
  const { many, ofOne } = HEAVY_TAIL;
  if (below * above ** (1 / STRAYS_MORE) >= many + ofOne / Math.sqrt(clusters)) return 1;
  return Math.min(2 * Math.log(beyondHalf / beyond) / Math.log(requests / beyond), 1);
}
