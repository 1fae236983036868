/**
 * Finds cells that fall short of the requirements: too many of their requests fail, get a wrong response or are never
 * sent, or they complete fewer requests than arrive. Such a cell is not ranked with cells that keep up, even if its
 * latencies are similar, because a fast error is not a success, and a backlog only grows.
 */
import type { Measurement, Run } from "../../runner/result/result.ts";
import { mean, sum } from "../writing/spread.ts";
import { isAtLimit } from "../figures/capacity.ts";
import type { CellRuns } from "../cells/cells.ts";
import { wrongResponsesOf } from "../../runner/result/outcome.ts";
import { errorRatioOf } from "../figures/errors.ts";
import { loadSecondsFor } from "./slices.ts";

/** A target with a larger share of wrong or failed requests does not compete, because a fast error is not a success. */
export const TOLERATED_WRONG_RATIO = 0.01;

/**
 * Share of a cell's requests that count as errors, from 0 to 1. It is 1 for a cell without requests. Dropped requests
 * of a capacity search do not count: see `judgedRuns`.
 */
export function judgedErrorRatio(runs: readonly Measurement[]): number {
  return errorRatioOf(judgedRuns(runs)) ?? 1;
}

/**
 * For a capacity search, removes the dropped requests. They count as late there, and the rules of the search limit
 * them.
 */
export function judgedRuns<R extends Measurement>(runs: readonly R[]): readonly R[] {
  if (!isAtLimit({ runs })) return runs;
  return runs.map((run) => ({ ...run, requests: { ...run.requests, dropped: 0 } }));
}

export function hasTooManyErrors({ runs }: Pick<ServedRuns, "runs">): boolean {
  return judgedErrorRatio(runs) > TOLERATED_WRONG_RATIO;
}

/**
 * The most runs per side for which the exact test is fast (20 ms); its cost grows with the fourth power of their
 * number.
 */
export const MOST_COUNTED = 40;

/**
 * Share of the offered requests that may be incomplete at the deadline, not counting requests which are in flight at
 * that time.
 */
const TOLERATED_SHORT_RATIO = 0.02;

export interface Shortfall {
  readonly label: string;
  /** The most frequent reason why requests did not succeed. */
  readonly kind: "silent" | "timeout" | "failed" | "wrong" | "dropped" | "slow";
  /** Share of requests with this problem, from 0 to 1; for `slow`, the share that was not completed in time. */
  readonly ratio: number;
  /** Requests/s that were due, and requests/s that were completed by the deadline. */
  readonly offeredPerSec: number;
  readonly servedPerSec: number;
}

/** A cell's runs, or a single measurement. */
interface ServedRuns extends Pick<CellRuns, "label" | "latency"> {
  readonly runs: readonly (Measurement & Partial<Pick<Run, "slices">>)[];
}

type ServedRun = ServedRuns["runs"][number];

/**
 * Requests due in the measured time. For a run in slices, this is a share of `due`, which also includes the parts that
 * are cut off from the slices.
 */
function dueOf(run: ServedRun): number {
  const loadedS = loadSecondsFor(run.elapsedS, run);
  return loadedS === 0 ? run.requests.due : run.requests.due * run.elapsedS / loadedS;
}

/**
 * Requests completed before the deadline. For a run in slices, all completed requests that were due in the measured
 * parts count, because a side finishes its requests in flight while it rests.
 */
function servedOf({ requests, drain, slices }: ServedRun): number {
  return slices === undefined
    ? requests.completed - (drain?.completed ?? 0)
    : sum(slices.items.completed, (count) => count);
}

/** How a cell falls short; null if it meets the requirements. */
export function shortfallOf({ label, runs, latency }: ServedRuns): Shortfall | null {
  const seconds = sum(runs, ({ elapsedS }) => elapsedS) || 1;
  const offeredPerSec = sum(runs, dueOf) / seconds;
  const servedPerSec = sum(runs, servedOf) / seconds;
  const short = { label, offeredPerSec, servedPerSec };
  if (runs.every(({ requests }) => requests.completed === 0)) {
    return { ...short, kind: "silent", ratio: 1 };
  }
  if (hasTooManyErrors({ runs })) return { ...short, ...commonestError(judgedRuns(runs)) };
  if (!isOpen({ runs }) || isAtLimit({ runs }) || offeredPerSec === 0) return null;
  // Even a server that keeps up has requests in flight at the deadline: as many as arrive during
  // one latency.
  const runS = mean(runs.map(({ elapsedS }) => elapsedS));
  const inFlightRatio = runS > 0 ? latency.percentile(50).value / 1_000 / runS : 0;
  const ratio = 1 - servedPerSec / offeredPerSec;
  const isShort = ratio > TOLERATED_SHORT_RATIO + inFlightRatio;
  return isShort ? { ...short, kind: "slow", ratio } : null;
}

export function competing(cells: readonly CellRuns[]): CellRuns[] {
  return cells.filter((cell) => shortfallOf(cell) === null);
}

/** Whether requests arrive at a given rate, rather than whenever a connection is free. */
export function isOpen({ runs }: Pick<ServedRuns, "runs">): boolean {
  return runs.every(({ load }) => load.kind !== "closed");
}

function commonestError(runs: readonly Measurement[]): Pick<Shortfall, "kind" | "ratio"> {
  const failed = sum(runs, ({ requests }) => requests.failed);
  const timeout = sum(runs, ({ errors }) => errors.timeout ?? 0);
  const dropped = sum(runs, ({ requests }) => requests.dropped);
  const wrong = sum(runs, wrongResponsesOf);
  const ended = sum(runs, ({ requests }) => requests.completed) + failed + dropped;
  const counts = [
    { kind: "timeout", count: timeout },
    { kind: "failed", count: failed - timeout },
    { kind: "dropped", count: dropped },
    { kind: "wrong", count: wrong },
  ] as const;
  const most = counts.reduce((most, one) => one.count > most.count ? one : most);
  return { kind: most.kind, ratio: most.count / ended };
}
