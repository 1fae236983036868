/** What went wrong, the slowest requests, which instance served the responses, and the time to connect. */
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
import { type Block, type Finding, type Form, group, list, table, text } from "../../blocks.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { figureOf, FIGURES, timesIn } from "../../figures/figures.ts";
import { histogramRange } from "../../figures/range.ts";
import { sum } from "../../writing/spread.ts";
import {
  formatCount,
  formatMs,
  formatNumber,
  formatShare,
  GLUE,
  sizeUnit,
  timeUnit,
} from "../../writing/units.ts";
import { counted, listed } from "../../writing/words.ts";
import type { ReportContext, ScenarioContext } from "../subject.ts";
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
import { errorsOf } from "../../figures/errors.ts";

// Outcomes of the requests. Each request that was due has exactly one outcome; only wrong responses
// are counted twice, because they are also counted by status.

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

/**
 * Whether a table of the requests' outcomes is worth showing: some requests were not completed, got a wrong response or
 * were completed in a long wait after the deadline, or there are several statuses.
 */
function areMixed(cells: readonly CellRuns[]): boolean {
  const runs = cells.flatMap((cell) => cell.runs);
  return runs.some(({ requests: { due, completed } }) => due !== completed) ||
    sum(runs, wrongResponsesOf) > 0 || drainNotes(runs).length > 0 || statusesOf(runs).length > 1;
}

function outcomesTable(scenario: string, cells: readonly CellRuns[]): Table {
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

/**
 * Notes on the drain, that is, the wait after the deadline for requests in flight, during which nothing new is sent.
 */
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

/** A drain shorter than this share of the run explains none of the run's figures. */
const WORTH_A_WORD = 0.01;

/**
 * Whether a drain may explain figures. @param durationS Duration of the drain. @param elapsedS Duration of the run up
 * to its deadline.
 */
export function isLongDrain(durationS: number, elapsedS: number): boolean {
  return durationS > WORTH_A_WORD * elapsedS;
}

const REASONS_PER_CELL = 8;

/** A protocol violation that made no request fail. */
export const UNSOLICITED_TEXT = "connections closed because unsolicited bytes arrived on them";

/** Why requests failed, with the error messages; empty if nothing went wrong. */
function reasonFindings({ label, runs }: CellRuns): Finding[] {
  const byText = Map.groupBy(
    runs.flatMap(({ reasons }) => Object.entries(reasons)),
    ([text]) => text,
  );
  const sorted = [...byText].map(([text, all]) => ({ text, count: sum(all, ([, count]) => count) }))
    .sort((a, b) => b.count - a.count);
  return [
    ...sorted.slice(0, REASONS_PER_CELL),
    { text: "other reasons", count: sum(sorted.slice(REASONS_PER_CELL), ({ count }) => count) },
    { text: UNSOLICITED_TEXT, count: sum(runs, ({ unsolicited = 0 }) => unsolicited) },
  ].filter(({ count }) => count > 0)
    .map(({ text, count }) => ({
      code: "reason",
      text: `${formatCount(count)} × ${label}: ${text}`,
    }));
}

// The slowest requests: when each was due and when it was sent, how long it took, and how it ended.

/** Number of slowest requests shown for each cell. Each run's results keep as many. */
const SLOWEST_SHOWN = 10;

type SlowestRequest = NonNullable<Run["slowest"]>[number];

interface Slow extends OfCell {
  readonly repetition: number;
  readonly request: SlowestRequest;
}

function slowestTable(scenario: string, cells: readonly CellRuns[]): Table {
  const rows = cells.flatMap(slowestOfCell);
  const unit = timeUnit(rows.map(({ request }) => request.latency));
  const isOpen = rows.some(({ request: { sentS, dueS } }) => sentS !== dueS);
  const latencyIn = ({ request: { outcome, latency } }: Slow): Measured => ({
    value: latency,
    isAtLeast: outcome === "timeout" || outcome === "unfinished",
  });
  const hasBound = rows.some((row) => latencyIn(row).isAtLeast);
  const notes = hasBound ? [SLOWEST, AT_LEAST] : [SLOWEST];
  return tableOf({ caption: `Slowest requests of ${scenario}`, notes }, rows, [
    column.cell,
    column.number("Run", ({ repetition }) => repetition, "count"),
    column.number("Latency", latencyIn, unit),
    ...isOpen
      // Shows how long a request waited for a connection, because its latency includes this wait.
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

const SLOWEST =
  `The ${SLOWEST_SHOWN} slowest requests of all runs of a target; results.json has the slowest of each run. Times count from the start of the run.`;
const AT_LEAST =
  "≥: the request timed out, or was in flight when the run ended, and would have taken at least this long.";

function endText({ outcome, status }: SlowestRequest): string {
  if (outcome === "completed") return `status ${status}`;
  if (outcome === "wrong") return `status ${status}, wrong response`;
  return outcome === "timeout" ? "timed out" : "unfinished";
}

/** The slowest requests over all runs of the cell. They are exact, because each run keeps as many as are shown. */
function slowestOfCell(cell: CellRuns): Slow[] {
  return cell.runs.flatMap(({ repetition, slowest = [] }) =>
    slowest.map((request) => ({ cell, repetition, request }))
  )
    .sort((a, b) => b.request.latency - a.request.latency)
    .slice(0, SLOWEST_SHOWN);
}

function waitMs({ dueS, sentS }: SlowestRequest): number | null {
  return sentS === null ? null : (sentS - dueS) * 1_000;
}

/** A column of times with all their digits. */
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

// The responses in groups: by the instance that served them, by class of status, and by cache
// status. There is a row for each group of a cell.

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
  /** The group in each run that has responses in it. */
  readonly groups: readonly GroupOfRun[];
}

interface GroupKind {
  readonly caption: string;
  readonly head: string;
  readonly note: string;
  readonly groupsOf: (run: Run) => readonly GroupOfRun[];
}

/**
 * Responses by class of status, by instance and by cache, and the virtual users' sessions. Tables without rows are left
 * out.
 */
export function served({ cells, roomy }: ScenarioContext): Block[] {
  // If every response was a 2xx, there is only one class, which needs no table.
  const hasClasses = cells.some(({ runs }) =>
    runs.some(({ statusLatency }) => statusLatency !== undefined)
  );
  return [...hasClasses ? [CLASSES] : [], ...OTHERS].map((kind) =>
    table(groupTable(kind, cells), { isCaptioned: true, forms: ["page", "markdown", ...roomy] })
  );
}

const CLASSES: GroupKind = {
  caption: "Latency by class of status",
  head: "Class",
  note: "Latency of the completed responses by class of status, without requests that timed out.",
  // A run with only 2xx responses is included, too, because another run may have other statuses.
  groupsOf: (run) => STATUS_CLASSES.flatMap((name) => keptIn(run, name)),
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
      CACHE_USES.flatMap((name) => cache[name] ? [groupOf(name, cache[name])] : []),
  },
  {
    caption: "Sessions",
    head: "Of",
    note:
      "The length of a session is the time from the arrival of a virtual user to the end of the last step.",
    groupsOf: (run) => keptIn(run, "session").filter(({ times }) => times.count > 0),
  },
];

function keptIn(run: Run, name: Parameters<typeof timesIn>[1]): GroupOfRun[] {
  const kept = timesIn(run, name);
  return kept === null ? [] : [{ name, ...kept }];
}

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
  const extreme = (of: "min" | "max") => ({ groups }: GroupRow): number | null =>
    groups.length === 0 ? null : Math[of](...groups.map(({ times }) => times[of]));
  const notes = [`${note} The figures are of whole runs; nothing is discarded here.`];
  return tableOf({ caption, notes }, rows, [
    column.cell,
    column.text(head, ({ name }) => name),
    column.number("Count", ({ count }) => count, "count"),
    column.number("Share", ({ share }) => share, "share"),
    column.number("Min", extreme("min"), unit),
    column.number("Mean", (row) => pooled(row, "mean"), unit),
    ...([50, 95, 99] as const).map((p) =>
      column.number<GroupRow>(`p${p}`, (row) => pooled(row, p), unit)
    ),
    column.number("Max", extreme("max"), unit),
  ]);
}

/** The figure from the added histograms of all runs or, for a single run, the value in its results. */
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

// Times to connect and amounts of data, as oha shows them in its details.

/** Times to connect and amounts of data; empty if there was neither a connection nor a response. */
export function connections({ name, cells }: ScenarioContext): Block[] {
  const valuesOf = (figure: FigureName): number[] =>
    cells.flatMap((cell) => figureOf(figure, cell)?.value ?? []);
  const [times, sizes] = [valuesOf("connect.mean"), valuesOf("size")];
  if (times.length + sizes.length === 0) return [];
  const isConnected = times.length > 0;
  const time = timeUnit(times);
  const perSecond = sizeUnit(valuesOf("bytes"));
  const isOld = cells.some(({ runs }) =>
    runs.length > 1 &&
    runs.some(({ connect, histograms }) => connect.count > 0 && histograms?.connect === undefined)
  );
  const caption = `Connections and responses of ${name}`;
  const notes = [CONNECTIONS, ...isOld ? [OLD_NOTE] : [], ...tlsNotes(cells)];
  const rows = cells.map((cell) => ({ cell }));
  const figure = (label: string, name: FigureName, format: Format): ColumnOf<OfCell> =>
    column.number(label, ({ cell }) => figureOf(name, cell), format);
  const whole = tableOf({ caption, notes }, rows, [
    column.cell,
    column.number("Connections opened", ({ cell }) => isConnected ? openedIn(cell) : null, "count"),
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
}

const CONNECTIONS =
  "Connecting includes the name look-up and the dial; its figures are those of the connections of all runs together. The size of a response is everything that was received, including status line and headers, " +
  "averaged over the completed responses.";
const OLD_NOTE =
  "Some of these runs were saved without a histogram of connect times. Percentiles are therefore those of the median run " +
  "(with a 95 % interval if there are at least six runs), and the mean is the mean of the runs' means.";

function openedIn({ runs }: CellRuns): number {
  return sum(runs, ({ connect }) => connect.count);
}

/** For each cell with TLS, which version and cipher it used. */
function tlsNotes(cells: readonly CellRuns[]): string[] {
  return cells.flatMap(({ label, runs }) => {
    const use = mergeTls(runs.map(({ tls }) => tls));
    return use === null ? [] : [`TLS of ${label}: ${tlsText(use)}.`];
  });
}

/** For example `openssl 3.0.19; TLSv1.3, TLS_AES_256_GCM_SHA384, http/1.1: 50 full handshakes`. */
export function tlsText({ by, handshakes }: TlsUse): string {
  const agreed = handshakes.map(({ version, cipher, alpn, full, resumed }) => {
    const resumedText = resumed === 0 ? "" : `, ${formatCount(resumed)} resumed`;
    const what = [version, cipher, alpn ?? "no ALPN"].join(", ");
    return `${what}: ${counted(full, "full handshake")}${resumedText}`;
  });
  return [by, ...agreed].join("; ");
}

// What went wrong in each scenario, when and why, and which requests took longest.

export function errors({ scenarios }: ReportContext): Block[] {
  const found = scenarios.map((scenario) => ({
    ...scenario,
    findings: errorFindings(scenario.cells),
  }));
  return [
    { ...text("flawless", flawlessText(found)), forms: ["page", "terminal"] },
    ...found.map(({ findings, ...scenario }, i) =>
      group(scenario.name, [
        list(findings),
        ...inDetail(scenario, findings.length > 0),
      ], { id: String(i + 1), depth: findings.length > 0 ? "detail" : "everything" })
    ),
  ];
}

/** @param isFaulty Whether anything went wrong. If not, a terminal does not show the outcomes of all requests. */
function inDetail({ name, cells, roomy }: ScenarioContext, isFaulty: boolean): Block[] {
  const forms: readonly Form[] = isFaulty ? ["page", ...roomy] : ["page"];
  return [group("", [
    ...areMixed(cells) ? [table(outcomesTable(name, cells), { isCaptioned: true, forms })] : [],
    list(cells.flatMap(reasonFindings), { title: "Errors", forms: ["page", "markdown", ...roomy] }),
    group("Slowest requests", [
      table(slowestTable(name, cells), { fold: "The slowest requests as a table" }),
    ]),
  ], { depth: "everything" })];
}

/** If more cells than this have errors, the others are only in the table. */
const MOST_CELLS = 6;

/** A sentence for each cell in which something went wrong; empty if nothing did. */
function errorFindings(cells: readonly CellRuns[]): Finding[] {
  const countOf = ({ runs }: CellRuns): number => errorsOf(runs).count;
  const faulty = cells.filter((cell) => countOf(cell) > 0);
  // In the order of the cells. If there are too many, only those with the most errors are named,
  // beginning with the most.
  const named = faulty.length <= MOST_CELLS
    ? faulty
    : faulty.toSorted((a, b) => countOf(b) - countOf(a)).slice(0, MOST_CELLS);
  return named.map((cell) => ({ code: "errors", text: errorText(cell) }));
}

/** One sentence for all scenarios without errors; "" if every scenario has some. */
function flawlessText(
  scenarios: readonly { readonly name: string; readonly findings: readonly Finding[] }[],
): string {
  const flawless = scenarios.filter(({ findings }) => findings.length === 0);
  if (flawless.length === 0) return "";
  const text = "o request failed, none was left unsent, and no response was wrong.";
  if (flawless.length === scenarios.length) return `N${text}`;
  return `In ${listed(flawless.map(({ name }) => name), "and")} n${text}`;
}

/**
 * The ways in which a request can go wrong, as worded in the report, each with a function that counts such requests in
 * a run.
 */
const KINDS: readonly (readonly [word: string, count: (run: Run) => number])[] = [
  ...ERRORS.map((kind) =>
    [ERROR_WORDS[kind].toLowerCase(), ({ errors }: Run) => errors[kind] ?? 0] as const
  ),
  ["wrong responses", wrongResponsesOf],
  ["never sent", ({ requests }) => requests.dropped],
];

/**
 * For example `express: 1.2 % of 30,000 requests went wrong (timed out 120, wrong responses 240), between 0.2 and 2.9 s
 * of a run.`
 */
function errorText({ label, runs, errorRatio }: CellRuns): string {
  const counts = KINDS.map(([word, count]) => ({ word, count: sum(runs, count) }))
    .filter(({ count }) => count > 0).map(({ word, count }) => `${word} ${formatCount(count)}`);
  return `${label}: ${formatShare(errorRatio)} of ${
    formatCount(errorsOf(runs).of)
  } requests went wrong (${counts.join(", ")})${whenText(runs)}.`;
}

/** From the beginning of the first to the end of the last interval with an error in any run; "" if unknown. */
function whenText(runs: readonly Run[]): string {
  const spans = runs.flatMap(({ timeline: { intervalS, points } }) =>
    points.filter((point) => point.failed + (point.wrong ?? 0) > 0)
      .map(({ endS }) => [Math.max(0, endS - intervalS), endS])
  );
  if (spans.length === 0) return "";
  const from = spans.reduce((least, [start]) => Math.min(least, start), Infinity);
  const to = spans.reduce((most, [, end]) => Math.max(most, end), 0);
  return `, between ${formatNumber(from, 2)} and ${formatNumber(to, 2)}${GLUE}s of a run`;
}
