/**
 * Computes how often the rows of tables were used. A use is a request or, in flows and for unique rows, a session, even
 * one that ended before it sent its row. The order of rows is fixed before a load, so the number of requests or
 * sessions that each worker began is enough. Only unique rows belong to virtual users, so for them, workers count the
 * sessions of each user during the load. Pure.
 */
import type { Script } from "../../scenarios/request/script.ts";
import type { TableUse } from "../../scenarios/request/values.ts";
import type { WorkerReport } from "../load/worker/messages.ts";
import type { Measurement } from "../result/result.ts";

type Begun = Pick<WorkerReport, "sessions" | "totals">;

/** @param reports Reports of all workers, in the order of the workers. */
export function rowUseOf(
  script: Script,
  reports: readonly Begun[],
): Pick<Measurement, "rows"> {
  const { tables = [] } = script;
  if (tables.length === 0) return {};
  const uses = script.kind === "flow"
    ? usesOf(reports, script.users.length)
    : usesOfSequence(script.sequence, script.requests.length, reports);
  return { rows: tables.map((table) => useOf(table, uses, reports)) };
}

function useOf(
  { values, file, rows, rowOf }: TableUse,
  uses: Float64Array,
  reports: readonly Begun[],
): NonNullable<Measurement["rows"]>[number] {
  const table = { values: [...values], file, rows };
  if (rowOf === null) {
    const used = reports.reduce((sum, { sessions }) => sum + sessions.places, 0);
    return {
      ...table,
      used,
      mostUsed: Math.max(...reports.map((one) => one.sessions.mostOfPlace)),
    };
  }
  const ofRows = new Float64Array(rows);
  for (const [variant, row] of rowOf.entries()) if (row >= 0) ofRows[row] += uses[variant];
  return {
    ...table,
    used: ofRows.reduce((sum, count) => sum + Number(count > 0), 0),
    mostUsed: ofRows.reduce((most, count) => Math.max(most, count), 0),
  };
}

function usesOfSequence(
  sequence: ArrayLike<number>,
  requests: number,
  reports: readonly Begun[],
): Float64Array {
  const uses = new Float64Array(requests);
  usesOf(reports, sequence.length).forEach((count, at) => uses[sequence[at]] += count);
  return uses;
}

/**
 * How often each entry of the sequence (a turn) was used: each of n workers takes every n-th turn, and starts over when
 * it reaches the end.
 */
function usesOf(reports: readonly Begun[], turns: number): Float64Array {
  const uses = new Float64Array(turns);
  for (const [worker, report] of reports.entries()) {
    const begun = begunBy(report);
    for (let taken = 0, at = worker % turns; taken < Math.min(begun, turns); taken++) {
      // After `turns` turns of its own, a worker is back at its first.
      uses[at] += Math.floor((begun - taken - 1) / turns) + 1;
      at = (at + reports.length) % turns;
    }
  }
  return uses;
}

/**
 * Number of sessions that began or, without sessions, of requests that were not dropped. Dropped requests come last in
 * the order of rows, so they use none.
 */
function begunBy({ sessions, totals: { completed, failed, unfinished } }: Begun): number {
  return sessions.created > 0 ? sessions.created : completed + failed + unfinished;
}
