/**
 * Chooses how long slices are, how much of their beginning is left out (the cut), by how much their measured part is
 * shifted, and how long the pause between them is. All of this follows from a trial, a short load in slices without a
 * cut, which shows how each target recovers from its rest, and how long its requests in flight take. Pure.
 */
import { TargetError } from "../../base/errors.ts";
import type { SliceLengths } from "../../scenarios/pace/slices.ts";
import { meanOf } from "../stats/quantile.ts";

/** The trial's slices are measured from their beginning, and have a pause between them that few requests outlast. */
export const TRIAL = { sliceMs: 100, binMs: 5, pauseMs: 25, pairs: 10 } as const;

/** How long the trial takes. */
export const TRIAL_MS = 2 * TRIAL.pairs * (TRIAL.sliceMs + TRIAL.pauseMs);

/** How one side, which is one of the two targets, responded in the trial. */
export interface TrialSide {
  /**
   * Requests completed in each step of `TRIAL.binMs`. The steps divide the side's slices, one slice after the other.
   */
  readonly completed: readonly number[];
  /** Number of requests that completed at any time. */
  readonly requests: number;
  /** Median latency of the side's requests, milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/**
 * The longest cut, because a longer one would waste time. The shortest cut is one step of the trial, which can't
 * resolve less.
 */
const MOST_CUT_MS = 40;
/** The shortest pause: a timer must be able to hit it, and requests in flight must end within it. */
const LEAST_PAUSE_MS = 4;
/**
 * The longest pause, as a share of a slice. There are always a few slow requests, and waiting for all of them would
 * waste time.
 */
const MOST_PAUSE_SHARE = 0.5;
/**
 * How many requests in sequence a slice must have time for: if its measured part is shifted by one request, that part
 * still holds two.
 */
const LEAST_ROUNDS = 3;
/**
 * The least length of a slice, as a multiple of the cut, because the cut would take too large a part of a shorter
 * slice.
 */
const LEAST_CUTS = 5;
/**
 * The usual length of a slice. If slices are short and many, a burst of another program on the machine begins or ends
 * within only a few of them.
 */
const SHORTEST_SLICE_MS = 50;
/** In longer slices, another busy program on the machine would no longer affect both sides alike. */
const LONGEST_SLICE_MS = 1_000;
/**
 * How far the rate at the beginning of a slice may be below the rate of the slice's second half without harm, as a
 * share of the rate of the second half.
 */
const HARMLESS_SHARE = 0.02;
/** If a step of the trial is slower by at most this many standard errors, that may be chance. */
const STANDARD_ERRORS = 2.5;

export class NoSlicesError extends TargetError {
  /** @param why The reason, without a full stop. */
  constructor(targets: string, readonly why: string) {
    super(
      `Cannot measure ${targets} in slices: ${why}. Measure one target after the other instead: leave out order: slices, ` +
        "use ab --order blocks, or run bench for each URL",
    );
  }
}

/** The lengths of slices for these targets; or, as a text, why slices are impossible. */
export function lengthsOf(sides: readonly TrialSide[]): SliceLengths | string {
  const p50Ms = Math.max(...sides.map((side) => side.p50Ms));
  if (sides.some(({ requests }) => requests === 0)) {
    return "a target completed no request";
  }
  if (LEAST_ROUNDS * p50Ms > LONGEST_SLICE_MS) {
    const mostMs = Math.floor(LONGEST_SLICE_MS / LEAST_ROUNDS);
    return `requests take ${
      Math.ceil(p50Ms)
    } ms, but slices are for requests of at most ${mostMs} ms`;
  }
  const cutMs = Math.max(...sides.map(({ completed }) => cutMsOf(completed)));
  const shiftMs = Math.ceil(p50Ms);
  const sliceMs = Math.max(SHORTEST_SLICE_MS, cutMs + LEAST_ROUNDS * shiftMs, LEAST_CUTS * cutMs);
  const pauseMs = pauseMsOf(sides, sliceMs);
  return {
    ...{ sliceUs: 1_000 * sliceMs, cutUs: 1_000 * cutMs },
    ...{ shiftUs: 1_000 * shiftMs, pauseUs: 1_000 * pauseMs },
  };
}

/** The pause is as long as nearly all requests take, because one may have been sent at the very end of a slice. */
function pauseMsOf(sides: readonly TrialSide[], sliceMs: number): number {
  const longestMs = Math.ceil(Math.max(...sides.map(({ p99Ms }) => p99Ms))) + 1;
  return Math.min(MOST_PAUSE_SHARE * sliceMs, Math.max(LEAST_PAUSE_MS, longestMs));
}

/**
 * How long after the start of a slice a side stays slower than in the slice's second half. The two rates are compared
 * within each slice, because another program on the machine slows down whole slices.
 */
export function cutMsOf(completed: readonly number[]): number {
  const bins = TRIAL.sliceMs / TRIAL.binMs;
  const slices = Array.from(
    { length: Math.floor(completed.length / bins) },
    (_, slice) => completed.slice(slice * bins, (slice + 1) * bins),
  );
  const most = MOST_CUT_MS / TRIAL.binMs;
  let slow = 1;
  while (slow < most && isSlower(slices, slow)) slow++;
  return slow * TRIAL.binMs;
}

function isSlower(slices: readonly (readonly number[])[], bin: number): boolean {
  const lacks = slices.flatMap((counts) => {
    const level = meanOf(counts.slice(counts.length / 2));
    return level > 0 ? [1 - counts[bin] / level] : [];
  });
  const lack = meanOf(lacks);
  const squares = lacks.reduce((sum, one) => sum + (one - lack) ** 2, 0);
  const error = Math.sqrt(squares / (lacks.length - 1) / lacks.length);
  return lack > HARMLESS_SHARE && lack > STANDARD_ERRORS * error;
}
