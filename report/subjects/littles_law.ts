/**
 * Little's law as a check of closed loops: on average, the number of requests under way is the rate times the mean
 * latency. A virtual user that pauses between requests, or that dials a connection, has no request under way, so these
 * times are added to the latency.
 */
import type { Run } from "../../runner/result/result.ts";
import { type Block, type Finding, list, table } from "../blocks.ts";
import type { CellRuns } from "../cells/cells.ts";
import { mean, sum } from "../writing/spread.ts";
import { formatCount, formatNumber, timeUnit } from "../writing/units.ts";
import { counted } from "../writing/words.ts";
import type { ScenarioContext } from "./subject.ts";
import * as column from "./tables/column.ts";
import { type Table, tableOf } from "./tables/table.ts";

export function littlesLaw({ name, cells }: ScenarioContext): Block[] {
  const rows = cells.flatMap(rowOf);
  return [list(rows.map(findingOf)), table(lawTable(name, rows))];
}

/** Values are means over the runs of the cell. */
interface Row {
  readonly cell: CellRuns;
  /** Number of requests that are under way if all connections are fully used. */
  readonly slots: number;
  readonly ratePerSec: number;
  readonly latencyMs: number;
  /** Time that a virtual user pauses between two requests. */
  readonly thinkMs: number;
  /** Rate × (latency + time to dial + think time). */
  readonly concurrency: number;
  readonly ratio: number;
}

/**
 * The row of a cell. Empty if Little's law can't be checked: for an open loop (whose latencies begin when a request is
 * due, even if it still waits for a connection), or if the number of connections changes, if no request completed, or
 * if too many sessions were cut off.
 */
function rowOf(cell: CellRuns): Row[] {
  const slots = slotsOf(cell.runs[0]);
  if (slots === null || cell.rate.mean === 0 || !cell.runs.every(hasWholeSessions)) return [];
  const concurrency = mean(
    cell.runs.map((run) => run.rate * (run.latency.mean + dialMsOf(run) + thinkMsOf(run)) / 1_000),
  );
  return [{
    ...{ cell, slots, concurrency },
    ratePerSec: cell.rate.mean,
    latencyMs: cell.latency.mean,
    thinkMs: mean(cell.runs.map(thinkMsOf)),
    ratio: concurrency / slots,
  }];
}

/**
 * Number of requests that all connections together can have under way; null for an open loop, or if the number of
 * connections changes.
 */
function slotsOf({ load }: Run): number | null {
  return load.kind === "closed" && load.stages === undefined
    ? load.connections * load.pipeline
    : null;
}

/** Think time below this share of the mean latency is taken for the generator's own time, and ignored. */
const LEAST_SHARE = 0.01;

/**
 * Think time per request: the time in a session during which no request is under way, divided by the number of
 * requests.
 */
function thinkMsOf(run: Run): number {
  const { sessions, requests, latency } = run;
  if (sessions === null || sessions.completed === 0 || requests.completed === 0) return 0;
  const perRequestMs = sessions.length.mean * sessionsIn(sessions) / requests.completed;
  const thinkMs = perRequestMs - latency.mean - dialMsOf(run);
  return thinkMs > LEAST_SHARE * latency.mean ? thinkMs : 0;
}

/**
 * Number of sessions in the run. A session that the end of the run cut off counts as half, because on average it had
 * sent half of its requests.
 */
function sessionsIn({ completed, unfinished }: NonNullable<Run["sessions"]>): number {
  return completed + unfinished / 2;
}

/**
 * Whether few sessions were cut off. Users that begin together are all cut off at the same point of a session, which
 * may be far from its middle. So if many sessions were cut off, think time is unknown.
 */
function hasWholeSessions({ sessions }: Run): boolean {
  return sessions === null || sessions.unfinished / 2 <= TOLERANCE * sessionsIn(sessions);
}

/** Time to dial per request. It is long only if connections are closed and redialed. */
function dialMsOf({ connect, requests }: Run): number {
  return requests.completed === 0 ? 0 : connect.mean * connect.count / requests.completed;
}

/**
 * A relative difference of up to this much means nothing, because requests are cut off at the ends of a run, and clocks
 * advance in steps.
 */
const TOLERANCE = 0.1;

function findingOf(row: Row): Finding {
  const { cell: { label }, slots, concurrency, ratio } = row;
  const held = `${label}: rate × latency is ${formatNumber(concurrency)} of ${
    counted(slots, "request")
  } at once`;
  return Math.abs(ratio - 1) <= TOLERANCE
    ? { code: "littles-law.holds", text: `${held}, as Little's law says.` }
    : { code: "littles-law.broken", text: `${held}. ${meaningOf(row)}` };
}

function meaningOf({ cell: { runs }, slots, latencyMs, ratio }: Row): string {
  const missed = sum(runs, ({ requests }) => requests.failed + requests.dropped);
  if (missed > 0) {
    return `${
      formatCount(missed)
    } requests failed or were never sent: no rate counts them, and of latencies only time-outs are known.`;
  }
  const elapsedS = mean(runs.map((run) => run.elapsedS));
  if (ratio > 1 || latencyMs > TOLERANCE * 1_000 * elapsedS) {
    return `Requests take long compared with a run of ${
      formatNumber(elapsedS)
    } s, whose rate leaves out those that end after it.`;
  }
  const opened = mean(runs.map(({ connect }) => connect.count));
  const connections = mean(runs.map(({ load }) => load.connections));
  const rest = formatNumber(slots * (1 - ratio));
  return opened > 0 && opened < connections
    ? `Only ${formatCount(Math.round(opened))} of ${
      formatCount(connections)
    } connections were opened.`
    : `The rest, ${rest} connections' worth of time, was lost between requests in the generator.`;
}

const NOTES = [
  "In a closed loop each connection has one request under way at any time, so rate × (mean latency + time to dial + think time) is the number of connections (times the pipeline). If the product is smaller, connections spent some of the time without a request whose latency is known.",
  "J. D. C. Little: A Proof for the Queuing Formula L = λW. Operations Research 9 (1961), 383–387.",
];

function lawTable(scenario: string, rows: readonly Row[]): Table {
  const unit = timeUnit(rows.map(({ latencyMs }) => latencyMs));
  return tableOf({ caption: `Little's law in ${scenario}`, notes: NOTES }, rows, [
    column.cell,
    column.number("At once", ({ slots }) => slots),
    column.number("Requests/s", ({ ratePerSec }) => ratePerSec),
    column.number("Mean latency", ({ latencyMs }) => latencyMs, unit),
    column.rare(column.number("Think time", ({ thinkMs }) => thinkMs, unit)),
    column.number("Rate × latency", ({ concurrency }) => concurrency),
    column.number("Ratio", ({ ratio }) => ratio),
  ]);
}
