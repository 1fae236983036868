/**
 * The latencies that must be reported for a server that freezes, by arithmetic alone. Requests arrive evenly and are
 * answered after A ms, but wait while the server is stopped for F ms:
 *
 * - a request that arrives t ms into the freeze is read when the freeze ends, and takes F − t + A
 * - a request that arrives t ms before the freeze, t < A, is answered when the freeze ends, and takes t + F
 * - any other request takes A
 *
 * For example, take 1,000 requests/s for 10 s with F = 1,000 and A = 10. For 20 ≤ x ≤ 1,000, the requests that take
 * more than x ms are the 1,010 − x that arrive early enough in the freeze and the 10 that arrive just before it: 1,020
 * − x of 10,000. So percentile p is 1,020 − 100 · (100 − p) ms: p99 = 920, p95 = 520, p90 = 20; and p50 = 10.
 *
 * A freeze that lasts beyond the end of the load gives the same latencies, because requests that are then in flight are
 * waited for. With only c connections, only the first c requests that arrive during such a freeze are sent by the end
 * of the load, and the others never. Of a request that arrives t ms before the end and is never sent, it is only known
 * that it would have taken more than t.
 *
 * When the freeze ends, 1,000 requests are waiting, and no server answers them all at once. The time between its
 * answers, `workMs`, is taken from what the server noted. The last answers are late by 1,000 times `workMs`, and one of
 * them determines p90.
 */

import type { Noted } from "../stage/witness.ts";

export interface Freeze {
  readonly ratePerSec: number;
  readonly durationMs: number;
  readonly answerMs: number;
  /** When the freeze begins, in milliseconds since the start of the load. */
  readonly fromMs: number;
  readonly frozenMs: number;
  /** The least time between two answers. */
  readonly workMs: number;
  readonly connections: number;
}

/**
 * The latencies that a report should have, in ascending order. A request that was never sent counts with the time for
 * which it had waited when the load ended.
 */
export function expectedLatenciesMs(freeze: Freeze): number[] {
  const { durationMs } = freeze;
  return exchangesOf(freeze).map(({ dueMs, sentMs, answeredMs }) =>
    (sentMs < durationMs ? answeredMs : durationMs) - dueMs
  ).sort((a, b) => a - b);
}

/** The latencies if every request had eventually been sent, in ascending order. */
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

/** The nearest-rank percentile: the smallest value that at least `percentile` per cent of the values do not exceed. */
export function percentileOf(ascending: readonly number[], percentile: number): number {
  return ascending[Math.ceil(ascending.length * percentile / 100) - 1];
}

/**
 * The least time between two answers, estimated as the mean over the first `count` answers to the requests that were
 * read after the longest pause.
 */
export function workMsOf(notes: readonly Noted[], count: number): number {
  const pauses = notes.slice(1).map(({ readMs }, i) => readMs - notes[i].readMs);
  const first = 1 + pauses.indexOf(Math.max(...pauses));
  const last = Math.min(first + count, notes.length) - 1;
  return (notes[last].answeredMs - notes[first].answeredMs) / (last - first);
}
