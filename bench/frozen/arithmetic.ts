/**
 * The latencies that a frozen server must show, by arithmetic alone. Requests arrive evenly, are answered
 * after A ms, and wait while the server is stopped for F ms:
 *
 * - one that arrives t ms into the freeze is read at its end: F − t + A
 * - one that arrives t ms before the freeze, t < A, is answered at its end: t + F
 * - any other: A
 *
 * At 1,000/s for 10 s with F = 1,000 and A = 10, the requests that take more than x ms (20 ≤ x ≤ 1,000) are the
 * 1,010 − x that arrive early enough in the freeze and the 10 just before it: 1,020 − x of 10,000. So percentile p is
 * 1,020 − 100 · (100 − p) ms: p99 = 920, p95 = 520, p90 = 20; and p50 = 10.
 *
 * A freeze that lasts beyond the end of the load shows the same, because requests in flight then are waited for. With
 * no more than c connections only the first c requests that arrive in the freeze are sent by the end. The other
 * requests are never sent; of a request that arrives t ms before the end, it is only known that it takes more than t.
 *
 * After the freeze 1,000 requests wait, and no server answers them all at once. The server notes how far apart its
 * answers then are, `workMs`. The last answers are late by 1,000 times `workMs`, and p90 is one of them.
 */

import type { Noted } from "../stage/witness.ts";

export interface Freeze {
  readonly ratePerSec: number;
  readonly durationMs: number;
  readonly answerMs: number;
  /** The start of the freeze, since the start of the load. */
  readonly fromMs: number;
  readonly frozenMs: number;
  /** The least time between two answers. */
  readonly workMs: number;
  readonly connections: number;
}

/**
 * The latencies that a report should have, ascending. A request that was never sent counts with the time that it had
 * waited at the end.
 */
export function expectedLatenciesMs(freeze: Freeze): number[] {
  const { durationMs } = freeze;
  return exchangesOf(freeze).map(({ dueMs, sentMs, answeredMs }) =>
    (sentMs < durationMs ? answeredMs : durationMs) - dueMs
  ).sort((a, b) => a - b);
}

/** The latencies that would have occurred if every request had been sent in the end, ascending. */
export function trueLatenciesMs(freeze: Freeze): number[] {
  return exchangesOf(freeze).map(({ dueMs, answeredMs }) => answeredMs - dueMs)
    .sort((a, b) => a - b);
}

interface Exchange {
  readonly dueMs: number;
  readonly sentMs: number;
  readonly answeredMs: number;
}

function exchangesOf(freeze: Freeze): Exchange[] {
  const { ratePerSec, durationMs, answerMs, fromMs, frozenMs, workMs, connections } = freeze;
  const thawed = (ms: number): number =>
    ms >= fromMs && ms < fromMs + frozenMs ? fromMs + frozenMs : ms;
  const exchanges: Exchange[] = [];
  for (let n = 0; n < durationMs * ratePerSec / 1_000; n++) {
    const dueMs = n * 1_000 / ratePerSec;
    const sentMs = Math.max(dueMs, exchanges[n - connections]?.answeredMs ?? 0);
    const soonestMs = (exchanges[n - 1]?.answeredMs ?? 0) + workMs;
    const answeredMs = Math.max(thawed(thawed(sentMs) + answerMs), soonestMs);
    exchanges.push({ dueMs, sentMs, answeredMs });
  }
  return exchanges;
}

/** The smallest value that `percentile` per cent do not exceed: the nearest rank, as in histograms. */
export function percentileOf(ascending: readonly number[], percentile: number): number {
  return ascending[Math.ceil(ascending.length * percentile / 100) - 1];
}

/**
 * The least time between answers: the mean over the first `count` answers to requests that were read after the longest
 * pause.
 */
export function workMsOf(notes: readonly Noted[], count: number): number {
  const pauses = notes.slice(1).map(({ readMs }, i) => readMs - notes[i].readMs);
  const first = 1 + pauses.indexOf(Math.max(...pauses));
  const last = Math.min(first + count, notes.length) - 1;
  return (notes[last].answeredMs - notes[first].answeredMs) / (last - first);
}
