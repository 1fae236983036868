/** What became of the requests: every one that was due is in one of the columns. */
import { type ErrorKind, ERRORS, wrongResponsesOf } from "../../../runner/result/outcome.ts";
import { sum } from "../../writing/spread.ts";
import { formatCount, formatMs } from "../../writing/units.ts";
import { counted } from "../../writing/words.ts";
import type { Finding } from "../../blocks.ts";
import type { CellRuns } from "../../cells/cells.ts";
import {
  cellColumn,
  type ColumnOf,
  countCell,
  errorCell,
  shareCell,
  type Table,
  tableOf,
  targetColumn,
  textCell,
} from "./table.ts";

export const ERROR_WORDS: Record<ErrorKind, string> = {
  connect: "Not connected",
  timeout: "Timed out",
  reset: "Reset",
  closed: "Closed early",
  protocol: "Not HTTP",
  tls: "TLS failed",
  dns: "Name not found",
};

/** Whether requests ended in more ways than one. */
export function areMixed(cells: readonly CellRuns[]): boolean {
  const runs = cells.flatMap((cell) => cell.runs);
  return runs.some(({ requests: { due, completed } }) => due !== completed) ||
    sum(runs, wrongResponsesOf) > 0 || notesOf(cells).length > 1 ||
    new Set(runs.flatMap(({ status }) => Object.keys(status))).size > 1;
}

export function outcomesTable(scenario: string, cells: readonly CellRuns[]): Table {
  const statuses = [
    ...new Set(cells.flatMap(({ runs }) => runs.flatMap((run) => Object.keys(run.status)))),
  ]
    .sort();
  const errors = ERRORS.filter((kind) => cells.some((cell) => errorsOf(cell, kind) > 0));
  return tableOf({ caption: `Outcomes of ${scenario}`, notes: notesOf(cells) }, cells, [
    targetColumn,
    column("Due", (run) => run.requests.due),
    ...statuses.map((status) => column(`Status ${status}`, (run) => run.status[status] ?? 0)),
    errorColumn("Wrong responses", wrongResponsesOf),
    ...errors.map((kind) => errorColumn(ERROR_WORDS[kind], (run) => run.errors[kind] ?? 0)),
    column("Unfinished", (run) => run.requests.unfinished),
    ...(cells.some(hasDropped) ? [errorColumn("Never sent", (run) => run.requests.dropped)] : []),
    {
      label: "Errors",
      unit: "%",
      cell: ({ errorRatio }) => errorCell(shareCell(errorRatio)),
    },
  ]);
}

const NOTE =
  "Unfinished requests were still in flight at the end. Wrong responses are whole responses that an " +
  "expectation of the scenario refused, or, without one, those outside 2xx and 3xx; they are among the statuses. " +
  "Errors are the wrong responses, the failed requests and those never sent, as a share of all but the unfinished.";

function notesOf(cells: readonly CellRuns[]): string[] {
  const long = cells.flatMap(({ runs }) => runs).flatMap(({ drain, elapsedS }) =>
    drain !== undefined && isLongDrain(drain.durationS, elapsedS) ? [drain] : []
  );
  const completed = sum(long, (drain) => drain.completed);
  if (completed === 0) return [NOTE];
  const wait = formatMs(1_000 * Math.max(...long.map(({ durationS }) => durationS)));
  const requests = counted(completed, "request");
  return [
    NOTE,
    `${requests} completed in the up to ${wait} after the deadline, while nothing new was sent; no rate counts them.`,
  ];
}

type CountOf = (run: CellRuns["runs"][number]) => number;

function column(label: string, of: CountOf): ColumnOf<CellRuns> {
  return { label, cell: ({ runs }) => countCell(sum(runs, of)) };
}

function errorColumn(label: string, of: CountOf): ColumnOf<CellRuns> {
  return { label, cell: ({ runs }) => errorCell(countCell(sum(runs, of))) };
}

function errorsOf({ runs }: CellRuns, kind: ErrorKind): number {
  return sum(runs, ({ errors }) => errors[kind] ?? 0);
}

function hasDropped({ runs }: CellRuns): boolean {
  return runs.some(({ requests }) => requests.dropped > 0);
}

/** More reasons than this say no more. */
const REASONS_PER_CELL = 8;

interface ReasonCount {
  readonly cell: CellRuns;
  readonly text: string;
  readonly count: number;
}

/** A breach of the protocol that no request failed of. */
export const UNSOLICITED_TEXT = "connections closed: unsolicited bytes came on them";

/** Why requests failed, in the words of what refused them; no rows when nothing went wrong. */
export function reasonsTable(scenario: string, cells: readonly CellRuns[]): Table {
  return tableOf({ caption: `Errors of ${scenario}` }, cells.flatMap(reasonsOf), [
    cellColumn,
    { label: "Times", cell: ({ count }) => countCell(count) },
    { label: "Reason", kind: "text", cell: ({ text }) => textCell(text) },
  ]);
}

/** The same for a terminal, in which a table would lose its last column, the reason, first. */
export function reasonFindings(cells: readonly CellRuns[]): Finding[] {
  return cells.flatMap(reasonsOf).map(({ cell: { label }, count, text }) => ({
    code: "reason",
    text: `${formatCount(count)} × ${label}: ${text}`,
  }));
}

function reasonsOf(cell: CellRuns): ReasonCount[] {
  const counts = new Map<string, number>();
  for (const { reasons } of cell.runs) {
    for (const [text, count] of Object.entries(reasons)) {
      counts.set(text, (counts.get(text) ?? 0) + count);
    }
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const rest = sum(sorted.slice(REASONS_PER_CELL), ([, count]) => count);
  const unsolicited = sum(cell.runs, ({ unsolicited = 0 }) => unsolicited);
  return [
    ...sorted.slice(0, REASONS_PER_CELL).map(([text, count]) => ({ cell, text, count })),
    ...(rest > 0 ? [{ cell, text: "other reasons", count: rest }] : []),
    ...(unsolicited > 0 ? [{ cell, text: UNSOLICITED_TEXT, count: unsolicited }] : []),
  ];
}

// The wait after the deadline for requests in flight, while nothing new is sent.

/** A wait shorter than this share of the run explains no figure of it. */
const WORTH_A_WORD = 0.01;

/** @param durationS Of the wait. @param elapsedS Of the run, up to its deadline. */
export function isLongDrain(durationS: number, elapsedS: number): boolean {
  return durationS > WORTH_A_WORD * elapsedS;
}
