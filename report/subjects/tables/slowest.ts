/** The slowest requests of a scenario: when each was due and sent, how long it took, and how it ended. */
import type { Run } from "../../../runner/result/result.ts";
import type { Finding } from "../../blocks.ts";
import type { CellRuns } from "../../cells/cells.ts";
import {
  cellColumn,
  type ColumnOf,
  countCell,
  NONE,
  numberCell,
  type Table,
  tableOf,
  textCell,
} from "./table.ts";
import { type DisplayUnit, formatMs, formatNumber, GLUE, timeUnit } from "../../writing/units.ts";

/** So many of each cell are shown; each run keeps as many. */
const SLOWEST_SHOWN = 10;

type SlowestRequest = NonNullable<Run["slowest"]>[number];

interface Slow {
  readonly cell: CellRuns;
  readonly repetition: number;
  readonly request: SlowestRequest;
}

/** Of runs that have kept them. */
export function slowestTable(scenario: string, cells: readonly CellRuns[]): Table {
  const rows = cells.flatMap(slowestOfCell);
  const unit = timeUnit(rows.map(({ request }) => request.latency));
  const isOpen = rows.some(({ request: { sentS, dueS } }) => sentS !== dueS);
  return tableOf(
    { caption: `Slowest requests of ${scenario}`, notes: notesOf(rows) },
    rows,
    columnsOf(unit, isOpen),
  );
}

/** Of all its runs; exact, as each of them keeps its own. */
function slowestOfCell(cell: CellRuns): Slow[] {
  return cell.runs.flatMap(({ repetition, slowest = [] }) =>
    slowest.map((request) => ({ cell, repetition, request }))
  )
    .sort((a, b) => b.request.latency - a.request.latency)
    .slice(0, SLOWEST_SHOWN);
}

function columnsOf(unit: DisplayUnit, isOpen: boolean): ColumnOf<Slow>[] {
  return [
    cellColumn,
    { label: "Run", cell: ({ repetition }) => countCell(repetition) },
    { label: "Latency", unit: unit.name, cell: ({ request }) => latencyCell(request, unit) },
    ...(isOpen ? [column("Due at", "s", ({ dueS }) => dueS), sentColumn] : [
      column("Sent at", "s", ({ sentS }) => sentS),
    ]),
    {
      label: "Request",
      kind: "text",
      cell: ({ request }) => textCell(request.request ?? "never sent"),
    },
    { label: "Connection", cell: ({ request }) => countCell(request.connection) },
    { label: "Outcome", kind: "text", cell: ({ request }) => outcomeCell(request) },
  ];
}

function latencyCell(
  { latency, outcome }: SlowestRequest,
  unit: DisplayUnit,
): ReturnType<typeof numberCell> {
  const cell = numberCell(latency, unit);
  return isLowerBound(outcome) ? { ...cell, text: `≥${GLUE}${cell.text}` } : cell;
}

function isLowerBound(outcome: SlowestRequest["outcome"]): boolean {
  return outcome === "timeout" || outcome === "unfinished";
}

function column(
  label: string,
  unit: string,
  of: (request: SlowestRequest) => number | null,
): ColumnOf<Slow> {
  return {
    label,
    unit,
    cell: ({ request }) => {
      const value = of(request);
      return value === null ? NONE : { text: value.toFixed(3), value };
    },
  };
}

/** How long it waited for a connection: a slow one is not always the server's. */
const sentColumn = column(
  "Sent after",
  "ms",
  ({ dueS, sentS }) => sentS === null ? null : (sentS - dueS) * 1_000,
);

function outcomeCell({ outcome, status }: SlowestRequest): ReturnType<typeof textCell> {
  switch (outcome) {
    case "completed":
      return textCell(`status ${status}`);
    case "wrong":
      return { text: `status ${status}, wrong response`, alarming: true };
    case "timeout":
      return { text: "timed out", alarming: true };
    case "unfinished":
      return textCell("unfinished");
  }
}

function notesOf(rows: readonly Slow[]): string[] {
  const hasBound = rows.some(({ request }) => isLowerBound(request.outcome));
  return [
    `The ${SLOWEST_SHOWN} slowest of all runs of a target; results.json has those of each run. Moments count from the start of the run.`,
    ...(hasBound
      ? [
        "≥: timed out, or in flight when the run ended: it would have taken at least this long.",
      ]
      : []),
  ];
}

/** Of more cells than these only the slowest are shown. */
const MOST_FINDINGS = 6;

export function slowestFindings(cells: readonly CellRuns[]): Finding[] {
  const byCell = cells.map(slowestOfCell).filter(({ length }) => length > 0);
  if (byCell.length <= MOST_FINDINGS) return byCell.map(findingOf);
  const latencyOf = ([first]: readonly Slow[]): number => first.request.latency;
  return [...byCell].sort((a, b) => latencyOf(b) - latencyOf(a)).slice(0, MOST_FINDINGS)
    .map(findingOf);
}

/** `hono: 213 ms, due 1.30 s into run 2; 8 of its 10 slowest were due in the first second of a run.` */
function findingOf(slow: readonly Slow[]): Finding {
  const [{ cell, repetition, request }] = slow;
  const bound = isLowerBound(request.outcome) ? "at least " : "";
  const begun = cell.runs[0].latency.clock === "intended" ? "due" : "sent";
  const when = `${begun} ${formatNumber(request.dueS, 3)}${GLUE}s into run ${repetition}`;
  const text = `${cell.label}: ${bound}${formatMs(request.latency)}, ${when}`;
  const early = slow.filter(({ request: { dueS } }) => dueS < EARLY_S).length;
  const isShort = cell.runs.some(({ elapsedS }) => elapsedS < LONG_S);
  if (isShort || slow.length < SLOWEST_SHOWN || early * 2 <= slow.length) {
    return { code: "slowest", text: `${text}.` };
  }
  const many = early === slow.length ? "all" : `${early} of`;
  return {
    code: "slowest-early",
    text: `${text}; ${many} its ${slow.length} slowest were ${begun} in the first second of a run.`,
  };
}

const EARLY_S = 1;
/** In shorter runs half of the slowest are in the first second by chance. */
const LONG_S = 4;
