/** Outcomes of the requests, the slowest of them, which instance served them, and the time to connect. */
import type { FigureName } from "../../../base/figures/figure.ts";
import {
  CACHE_USES,
  type ServedGroup,
  STATUS_CLASSES,
} from "../../../runner/result/distribution.ts";
import { type ErrorKind, ERRORS, wrongResponsesOf } from "../../../runner/result/outcome.ts";
import type { Distribution, Run } from "../../../runner/result/result.ts";
import { mergeTls, type TlsUse } from "../../../runner/result/tls.ts";
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import { type Finding, table } from "../../blocks.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { figureOf, FIGURES, timesIn } from "../../figures/figures.ts";
import { histogramRange } from "../../figures/range.ts";
import { sum } from "../../writing/spread.ts";
import { formatCount, formatMs, sizeUnit, timeUnit } from "../../writing/units.ts";
import { counted } from "../../writing/words.ts";
import type { ScenarioContext, Subject } from "../subject.ts";
import * as column from "./column.ts";
import {
  type ColumnOf,
  type Format,
  type Measured,
  NONE,
  type OfCell,
  type Table,
  tableOf,
} from "./table.ts";

// Outcomes of the requests: each due request is in one of the columns.

export const ERROR_WORDS: Record<ErrorKind, string> = {
  connect: "Not connected",
  timeout: "Timed out",
  reset: "Reset",
  closed: "Closed early",
  protocol: "Not HTTP",
  tls: "TLS failed",
  dns: "Name not found",
  script: "Script failed",
};

/** Whether requests had more than one outcome. */
export function areMixed(cells: readonly CellRuns[]): boolean {
  const runs = cells.flatMap((cell) => cell.runs);
  return runs.some(({ requests: { due, completed } }) => due !== completed) ||
    sum(runs, wrongResponsesOf) > 0 || drainNotes(runs).length > 0 || statusesOf(runs).length > 1;
}

export function outcomesTable(scenario: string, cells: readonly CellRuns[]): Table {
  const runs = cells.flatMap((cell) => cell.runs);
  const count = (label: string, of: (run: Run) => number): ColumnOf<OfCell> =>
    column.number(label, ({ cell }) => sum(cell.runs, of), "count");
  const fault = (label: string, of: (run: Run) => number): ColumnOf<OfCell> =>
    column.errors(label, ({ cell }) => sum(cell.runs, of));
  const caption = `Outcomes of ${scenario}`;
  const rows = cells.map((cell) => ({ cell }));
  return tableOf({ caption, notes: [OUTCOMES, ...drainNotes(runs)] }, rows, [
    column.cell,
    count("Due", (run) => run.requests.due),
    ...statusesOf(runs).map((code) => count(`Status ${code}`, ({ status }) => status[code] ?? 0)),
    fault("Wrong responses", wrongResponsesOf),
    ...ERRORS.map((kind) =>
      column.rare(fault(ERROR_WORDS[kind], ({ errors }) => errors[kind] ?? 0))
    ),
    count("Unfinished", (run) => run.requests.unfinished),
    column.rare(fault("Never sent", (run) => run.requests.dropped)),
    column.errors("Errors", ({ cell }) => cell.errorRatio, "share"),
  ]);
}

function statusesOf(runs: readonly Run[]): string[] {
  return [...new Set(runs.flatMap(({ status }) => Object.keys(status)))].sort();
}

const OUTCOMES =
  "Unfinished requests were still in flight at the end. Wrong responses are whole responses that an " +
  "expectation of the scenario refused, or, without an expectation, responses outside 2xx and 3xx; they are also counted by status. " +
  "Errors are the wrong responses, the failed requests and those never sent, as a share of all requests but the unfinished.";

/** Notes on the drain: the wait after the deadline for requests in flight, while nothing new is sent. */
function drainNotes(runs: readonly Run[]): string[] {
  const long = runs.flatMap(({ drain, elapsedS }) =>
    drain !== undefined && isLongDrain(drain.durationS, elapsedS) ? [drain] : []
  );
  const completed = sum(long, (drain) => drain.completed);
  if (completed === 0) return [];
  const wait = formatMs(1_000 * Math.max(...long.map(({ durationS }) => durationS)));
  const requests = counted(completed, "request");
  return [
    `${requests} completed within ${wait} after the deadline, while nothing new was sent; no rate counts them.`,
  ];
}

/** A drain shorter than this share of the run does not explain any of its figures. */
const WORTH_A_WORD = 0.01;

/** Whether a drain may explain figures. @param durationS Its duration. @param elapsedS The run's, up to its deadline. */
export function isLongDrain(durationS: number, elapsedS: number): boolean {
  return durationS > WORTH_A_WORD * elapsedS;
}

const REASONS_PER_CELL = 8;

interface ReasonCount extends OfCell {
  readonly text: string;
  readonly count: number;
}

/** A protocol violation that made no request fail. */
export const UNSOLICITED_TEXT = "connections closed because unsolicited bytes arrived on them";

/** Why requests failed, with the error messages; empty if nothing went wrong. */
export function reasonFindings(cells: readonly CellRuns[]): Finding[] {
  return cells.flatMap(reasonsOf).map(({ cell: { label }, count, text }) => ({
    code: "reason",
    text: `${formatCount(count)} × ${label}: ${text}`,
  }));
}

function reasonsOf(cell: CellRuns): ReasonCount[] {
  const byText = Map.groupBy(
    cell.runs.flatMap(({ reasons }) => Object.entries(reasons)),
    ([text]) => text,
  );
  const sorted = [...byText].map(([text, all]) => ({ text, count: sum(all, ([, count]) => count) }))
    .sort((a, b) => b.count - a.count);
  return [
    ...sorted.slice(0, REASONS_PER_CELL),
    { text: "other reasons", count: sum(sorted.slice(REASONS_PER_CELL), ({ count }) => count) },
    { text: UNSOLICITED_TEXT, count: sum(cell.runs, ({ unsolicited = 0 }) => unsolicited) },
  ].filter(({ count }) => count > 0).map((reason) => ({ cell, ...reason }));
}

// The slowest requests: when each was due and sent, how long it took, and how it ended.

/** Number of slowest requests shown for each cell; each run keeps as many. */
const SLOWEST_SHOWN = 10;

type SlowestRequest = NonNullable<Run["slowest"]>[number];

interface Slow extends OfCell {
  readonly repetition: number;
  readonly request: SlowestRequest;
}

export function slowestTable(scenario: string, cells: readonly CellRuns[]): Table {
  const rows = cells.flatMap(slowestOfCell);
  const unit = timeUnit(rows.map(({ request }) => request.latency));
  const isOpen = rows.some(({ request: { sentS, dueS } }) => sentS !== dueS);
  const hasBound = rows.some(({ request }) => isLowerBound(request));
  const notes = [
    `The ${SLOWEST_SHOWN} slowest requests of all runs of a target; results.json has the slowest of each run. Times count from the start of the run.`,
    ...hasBound
      ? [
        "≥: the request timed out, or was in flight when the run ended, and would have taken at least this long.",
      ]
      : [],
  ];
  return tableOf({ caption: `Slowest requests of ${scenario}`, notes }, rows, [
    column.cell,
    column.number("Run", ({ repetition }) => repetition, "count"),
    column.number("Latency", ({ request }) => ({
      value: request.latency,
      isAtLeast: isLowerBound(request),
    }), unit),
    ...isOpen
      // Shows how long a request waited for a connection: the server is not always to blame for a slow one.
      ? [moment("Due at", "s", ({ dueS }) => dueS), moment("Sent after", "ms", waitMs)]
      : [moment("Sent at", "s", ({ sentS }) => sentS)],
    column.text("Request", ({ request }) => request.request ?? "never sent"),
    column.number("Connection", ({ request }) => request.connection, "count"),
    column.text("Outcome", ({ request }) => ({
      text: endText(request),
      alarming: request.outcome === "wrong" || request.outcome === "timeout",
    })),
  ]);
}

function endText({ outcome, status }: SlowestRequest): string {
  if (outcome === "completed") return `status ${status}`;
  if (outcome === "wrong") return `status ${status}, wrong response`;
  return outcome === "timeout" ? "timed out" : "unfinished";
}

/** The slowest requests over all runs of the cell; exact, because each run keeps its own. */
function slowestOfCell(cell: CellRuns): Slow[] {
  return cell.runs.flatMap(({ repetition, slowest = [] }) =>
    slowest.map((request) => ({ cell, repetition, request }))
  )
    .sort((a, b) => b.request.latency - a.request.latency)
    .slice(0, SLOWEST_SHOWN);
}

function isLowerBound({ outcome }: SlowestRequest): boolean {
  return outcome === "timeout" || outcome === "unfinished";
}

function waitMs({ dueS, sentS }: SlowestRequest): number | null {
  return sentS === null ? null : (sentS - dueS) * 1_000;
}

/** A time with all its digits. */
function moment(
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

// Which instance served the responses, with which class of status and cache status: a row for each of these groups in a
// cell.

interface GroupOfRun {
  readonly name: string;
  readonly times: Distribution;
  readonly histogram: string | undefined;
}

interface GroupRow extends OfCell {
  readonly name: string;
  readonly count: number;
  /** Share of the cell's responses that are in this group. */
  readonly share: number;
  /** Groups that have responses. */
  readonly groups: readonly GroupOfRun[];
}

interface GroupKind {
  readonly caption: string;
  readonly head: string;
  readonly note: string;
  readonly groupsOf: (run: Run) => readonly GroupOfRun[];
}

/**
 * Responses by class of status, by instance and by cache, and the virtual users' sessions; without anything that no
 * response mentions.
 */
export const served: Subject<ScenarioContext> = {
  id: "served",
  title: "Kinds of responses",
  depth: "everything",
  build: ({ cells, roomy }) => {
    // If every response was a 2xx, there is only one class.
    const hasClasses = cells.some(({ runs }) =>
      runs.some(({ statusLatency }) => statusLatency !== undefined)
    );
    return [...hasClasses ? [CLASSES] : [], ...OTHERS].map((kind) =>
      table(groupTable(kind, cells), { isCaptioned: true, forms: ["page", "markdown", ...roomy] })
    );
  },
};

const CLASSES: GroupKind = {
  caption: "Latency by class of status",
  head: "Class",
  note: "Latency of the completed responses by class of status, without requests that timed out.",
  // Included for a run with only 2xx responses, too, if another run has others.
  groupsOf: (run) =>
    STATUS_CLASSES.flatMap((name) => {
      const kept = timesIn(run, name);
      return kept === null ? [] : [{ name, ...kept }];
    }),
};

const OTHERS: readonly GroupKind[] = [
  {
    caption: "Instances",
    head: "Instance",
    note:
      "The balancer names the instance in the x-instance header. Instances that join later have the higher numbers.",
    groupsOf: ({ instances = [] }) =>
      instances.map((group) => groupOf(String(group.instance), group)),
  },
  {
    caption: "Cache",
    head: "x-cache",
    note:
      "The x-cache header of a response says whether a cache had it; stale responses were served from the cache, too.",
    groupsOf: ({ cache = {} }) =>
      CACHE_USES.flatMap((name) => {
        const group = cache[name];
        return group === undefined ? [] : [groupOf(name, group)];
      }),
  },
  {
    caption: "Sessions",
    head: "Of",
    note:
      "The length of a session is the time from the arrival of a virtual user to the end of the last step.",
    groupsOf: (run) => {
      const kept = timesIn(run, "session");
      return kept === null || kept.times.count === 0 ? [] : [{ name: "session", ...kept }];
    },
  },
];

function groupOf(name: string, { latency, histogram }: ServedGroup): GroupOfRun {
  return { name, times: latency, histogram };
}

function groupTable(
  { caption, head, note, groupsOf }: GroupKind,
  cells: readonly CellRuns[],
): Table {
  const rows = cells.flatMap((cell): GroupRow[] => {
    const all = cell.runs.flatMap(groupsOf);
    const countIn = (groups: readonly GroupOfRun[]): number =>
      sum(groups, ({ times }) => times.count);
    return [...Map.groupBy(all, ({ name }) => name)].map(([name, own]) => {
      const count = countIn(own);
      const groups = own.filter(({ times }) => times.count > 0);
      return { cell, name, count, share: count / Math.max(1, countIn(all)), groups };
    });
  });
  const unit = timeUnit(rows.flatMap(({ groups }) => groups.map(({ times }) => times.mean)));
  const extreme = (label: string, of: "min" | "max"): ColumnOf<GroupRow> =>
    column.number(
      label,
      ({ groups }) =>
        groups.length === 0 ? null : Math[of](...groups.map(({ times }) => times[of])),
      unit,
    );
  const notes = [`${note} The figures are of whole runs; nothing is discarded here.`];
  return tableOf({ caption, notes }, rows, [
    column.cell,
    column.text(head, ({ name }) => name),
    column.number("Count", ({ count }) => count, "count"),
    column.number("Share", ({ share }) => share, "share"),
    extreme("Min", "min"),
    column.number("Mean", (row) => pooled(row, "mean"), unit),
    ...([50, 95, 99] as const).map((p) =>
      column.number<GroupRow>(`p${p}`, (row) => pooled(row, p), unit)
    ),
    extreme("Max", "max"),
  ]);
}

/** The sum of all runs' histograms; for a single run, the figure in its results. */
function pooled(
  { cell: { level }, groups, count }: GroupRow,
  figure: "mean" | 50 | 95 | 99,
): Measured | null {
  const values = groups.map(({ times }) =>
    figure === "mean" ? times.mean : times.percentiles[figure]
  );
  const range = count === 0 ? null : histogramRange(figure, groups, { values, level });
  return range && { ...range, isWeak: figure !== "mean" && !supportsPercentile(count, figure) };
}

// Times to connect, and amounts of data, as in oha's details.

/** Times to connect and amounts of data; empty if no connection was made, and there was no response. */
export const connections: Subject<ScenarioContext> = {
  id: "connections",
  title: "Connections and responses",
  depth: "everything",
  build: ({ name, cells }) => {
    const valuesOf = (figure: FigureName): number[] =>
      cells.flatMap((cell) => figureOf(figure, cell)?.value ?? []);
    const [times, sizes] = [valuesOf("connect.mean"), valuesOf("size")];
    if (times.length + sizes.length === 0) return [];
    const isConnected = times.length > 0;
    const time = timeUnit(times);
    const perSecond = sizeUnit(valuesOf("bytes"));
    const isOld = cells.some(({ runs }) => runs.length > 1 && runs.some(hasNoHistogram));
    const caption = `Connections and responses of ${name}`;
    const notes = [CONNECTIONS, ...isOld ? [OLD_NOTE] : [], ...tlsNotes(cells)];
    const rows = cells.map((cell) => ({ cell }));
    const figure = (label: string, name: FigureName, format: Format): ColumnOf<OfCell> =>
      column.number(label, ({ cell }) => figureOf(name, cell), format);
    const whole = tableOf({ caption, notes }, rows, [
      column.cell,
      column.number(
        "Connections opened",
        ({ cell }) => isConnected ? openedIn(cell) : null,
        "count",
      ),
      figure("Connect, mean", "connect.mean", time),
      figure("Min", "connect.min", time),
      figure("p50", "connect.p50", time),
      column.number("p99", ({ cell }) => {
        const range = figureOf("connect.p99", cell);
        return range && { ...range, isWeak: !FIGURES["connect.p99"].supported(openedIn(cell)) };
      }, time),
      figure("Max", "connect.max", time),
      figure("Size per response", "size", sizeUnit(sizes)),
      figure("Received", "bytes", { ...perSecond, name: `${perSecond.name}/s` }),
    ]);
    return [table(whole, { forms: ["page", "markdown"] })];
  },
};

const CONNECTIONS =
  "Connecting includes the name look-up and the dial; its figures are those of the connections of all runs together. The size of a response is everything that was received, including status line and headers, " +
  "averaged over the completed responses.";
const OLD_NOTE =
  "Some of these runs were saved without a histogram of connect times. Percentiles are therefore those of the median run " +
  "(with a 95 % interval if there are at least six runs), and the mean is the mean of the runs' means.";

function openedIn({ runs }: CellRuns): number {
  return sum(runs, ({ connect }) => connect.count);
}

function hasNoHistogram({ connect, histograms }: CellRuns["runs"][number]): boolean {
  return connect.count > 0 && histograms?.connect === undefined;
}

/** Which TLS was used, for each cell with TLS. */
function tlsNotes(cells: readonly CellRuns[]): string[] {
  return cells.flatMap(({ label, runs }) => {
    const use = mergeTls(runs.map(({ tls }) => tls));
    return use === null ? [] : [`TLS of ${label}: ${tlsText(use)}.`];
  });
}

/** `openssl 3.0.19; TLSv1.3, TLS_AES_256_GCM_SHA384, http/1.1: 50 full handshakes`. */
export function tlsText({ by, handshakes }: TlsUse): string {
  const agreed = handshakes.map(({ version, cipher, alpn, full, resumed }) => {
    const resumedText = resumed === 0 ? "" : `, ${formatCount(resumed)} resumed`;
    const what = [version, cipher, alpn ?? "no ALPN"].join(", ");
    return `${what}: ${counted(full, "full handshake")}${resumedText}`;
  });
  return [by, ...agreed].join("; ");
}
