/**
 * The latencies that a frozen server must show, by arithmetic alone. Requests arrive evenly, are answered
 * after A ms, and wait while the server is stopped for F ms:
 *
 * - one that arrives t ms into the freeze is read at its end: F − t + A
 * - one that arrives t ms before the freeze, t < A, is answered at its end: t + F
 * - any other: A
 *
 * At 1,000/s for 10 s with F = 1,000 and A = 10, more than x ms (20 ≤ x ≤ 1,000) take the 1,010 − x requests
 * that arrive early enough in the freeze and the 10 just before it: 1,020 − x of 10,000. So percentile p is
 * 1,020 − 100 · (100 − p) ms: p99 = 920, p95 = 520, p90 = 20; and p50 = 10.
 *
 * The thaw finds 1,000 requests, and no server answers them all at once. The server notes how far apart its
 * answers are then, `workMs`; the last are late by 1,000 times that, and p90 is one of the last.
 */

import type { Noted } from "../stage/witness.ts";

export interface Freeze {
  readonly ratePerSec: number;
  readonly durationMs: number;
  readonly answerMs: number;
  /** Start of the freeze, since the start of the load. */
  readonly fromMs: number;
  readonly frozenMs: number;
  /** Least time between two answers. */
  readonly workMs: number;
}

/** Ascending. A request in flight at the end counts with the time that it has taken so far. */
export function expectedLatenciesMs(freeze: Freeze): number[] {
  const { ratePerSec, durationMs, answerMs, fromMs, frozenMs, workMs } = freeze;
  const thawed = (ms: number): number =>
    ms >= fromMs && ms < fromMs + frozenMs ? fromMs + frozenMs : ms;
  const latenciesMs: number[] = [];
  for (let n = 0, answeredMs = 0; n < durationMs * ratePerSec / 1_000; n++) {
    const dueMs = n * 1_000 / ratePerSec;
    answeredMs = Math.max(thawed(thawed(dueMs) + answerMs), answeredMs + workMs);
    latenciesMs.push(Math.min(answeredMs, durationMs) - dueMs);
  }
  return latenciesMs.sort((a, b) => a - b);
}

/** The smallest value that `percentile` per cent do not exceed: the nearest rank, as histograms have it. */
export function percentileOf(ascending: readonly number[], percentile: number): number {
  return ascending[Math.ceil(ascending.length * percentile / 100) - 1];
}

/** Least time between answers: the mean over the first `count` answers to what was read after the longest pause. */
export function workMsOf(notes: readonly Noted[], count: number): number {
  const pauses = notes.slice(1).map(({ readMs }, i) => readMs - notes[i].readMs);
  const first = 1 + pauses.indexOf(Math.max(...pauses));
  const last = Math.min(first + count, notes.length) - 1;
  return (notes[last].answeredMs - notes[first].answeredMs) / (last - first);
}
