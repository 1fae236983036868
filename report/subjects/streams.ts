/**
 * The messages of streams and WebSockets: their times, with a row for each kind; how many messages were due and how
 * they ended; and the WebSockets themselves. For a mix or flow, also for each request.
 */
import type { FigureOf } from "../../base/figures/figure.ts";
import { groupsOfThree } from "../../base/limits.ts";
import type { MessageTimes, SocketFigures, StreamFigures } from "../../runner/result/messages.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { supportsPercentile } from "../../runner/stats/quantile.ts";
import { decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import { EMPTY, mergeHistograms } from "../../runner/stats/histogram/histogram.ts";
import { type Block, figure, type Form, group, table, text } from "../blocks.ts";
import { type CellRuns, groupRuns, type ScenarioRuns } from "../cells/cells.ts";
import { runAlone } from "../cells/measured.ts";
import { legendOf } from "../chart.ts";
import { figureOf, messageTimes } from "../figures/figures.ts";
import { boundedPercentile, sampleOver } from "../figures/lower_bounds.ts";
import { densityOf, type DrawnTimes } from "./charts/density.ts";
import { stepScenarios } from "./steps/step_cells.ts";
import type { CsvRecord } from "../writing/csv.ts";
import { sum } from "../writing/spread.ts";
import { timeUnit } from "../writing/units.ts";
import type { ScenarioContext } from "./subject.ts";
import { histogramTable } from "./tables/histogram.ts";
import * as column from "./tables/column.ts";
import { type ColumnOf, type Measured, type OfCell, type Table, tableOf } from "./tables/table.ts";

/**
 * The times of messages that have distributions. Each entry is the name of the figure, words that say what the time is,
 * and the heading of the limit.
 */
const TIMES = [
  ["ttfe", "to the first message", "First messages within"],
  ["gap", "between messages", "Gaps within"],
  ["ttft", "to the first token", "First tokens within"],
  ["tpot", "per output token", "Streams within"],
  ["message", "of a message", "Messages within"],
] as const;
type Times = typeof TIMES[number][0];

/** A cell with streams or WebSockets, or one of the cell's requests that has any. */
interface MessageRow extends OfCell {
  /** The request's name, if several requests of a mix or flow have messages; "" for all requests together. */
  readonly step: string;
}

/** The messages of a scenario; empty if no response is a stream, and no request opens a WebSocket. */
export function streams(scenario: ScenarioContext): Block[] {
  const { name, cells, roomy } = scenario;
  const rows = rowsOf(scenario, scenario.results);
  if (rows.length === 0) return [];
  const forms = ["page", "markdown", ...roomy] as const;
  const streamed = rows.some(({ cell }) => streamsOf(cell).length > 0);
  const opened = rows.some(({ cell }) => socketsOf(cell).length > 0);
  return [
    ...distributions(cells, roomy),
    ...tablesOf(rows, name).map((one) => table(one, { forms })),
    text("streams", streamed ? NOTE : "", "note"),
    text("sockets", opened ? SOCKETS_NOTE : "", "note"),
  ];
}

const NOTE =
  "An open stream always waits for one message, its first or its next; that message is due. If a stream is cut off or left, its wait so far " +
  "is a lower bound of the gap. Messages that arrive in the same read have no time between them.";

const SOCKETS_NOTE =
  "The messages of a WebSocket are due on a schedule of its own, and their latency counts from when they were due. Messages that were in " +
  "flight at the end, timed out or were never sent count as lower bounds.";

/**
 * Each cell with messages. If several requests of a cell have messages, rows for these requests follow the cell's row.
 */
function rowsOf(
  scenario: ScenarioRuns,
  results: Parameters<typeof stepScenarios>[1],
): MessageRow[] {
  const whole = scenario.cells.filter(hasMessages);
  const steps = stepScenarios([scenario], results).flatMap(({ name, cells }) =>
    cells.filter(hasMessages).map((cell) => ({ cell, step: name.slice(scenario.name.length + 1) }))
  );
  return whole.flatMap((cell) => {
    const own = steps.filter((row) => row.cell.label === cell.label);
    return [{ cell, step: "" }, ...own.length > 1 ? own : []];
  });
}

function hasMessages(cell: CellRuns): boolean {
  return streamsOf(cell).length + socketsOf(cell).length > 0;
}

/** A chart for each kind of time that has values. */
function distributions(cells: readonly CellRuns[], roomy: readonly Form[]): Block[] {
  return TIMES.flatMap(([of, what, limit]) => {
    const drawn = cells.flatMap(({ label, color, runs }) => {
      const latency = drawnTimes(runs, of);
      return latency === null ? [] : [{ label, color, latency }];
    });
    const chart = densityOf(drawn, { what: `times ${what}`, limit });
    if (chart === null) return [];
    return [figure([{ title: `Time ${what}`, chart }], {
      id: `streams-${of}`,
      legend: legendOf(chart),
      reading: DISTRIBUTION,
      forms: of === "gap" || of === "message" ? ["page", ...roomy] : ["page"],
    })];
  });
}

/** The times of all runs together; null if there are none. */
function drawnTimes(runs: readonly Measurement[], of: Times): DrawnTimes | null {
  const parts = runs.flatMap((run) => {
    const { histogram, censoredHistogram } = messageTimes(run, of) ?? {};
    if (histogram === undefined) return [];
    const bounds = censoredHistogram === undefined ? EMPTY : decodeSparse(censoredHistogram);
    return [{ clock: clockOf(of, run), all: decodeSparse(histogram), bounds }];
  });
  if (parts.length === 0) return null;
  const sample = sampleOver(parts);
  return {
    count: sample.all.count,
    censored: sample.bounds.count,
    endedCount: sample.ended.count,
    ended: mergeHistograms([sample.ended]),
    percentile: (p) => boundedPercentile(sample, p),
  };
}

/**
 * The clock of the times in the results: they count from the actual moment of sending ("sent") or from the scheduled
 * one ("intended"). Gaps always have "sent", because the end of the load cuts them off in both kinds of loop. Messages
 * of a WebSocket always have "intended", because they are due at scheduled moments. Other times have the clock of the
 * latency.
 */
function clockOf(of: Times, { latency }: Pick<Measurement, "latency">): "sent" | "intended" {
  if (of === "gap") return "sent";
  return of === "message" ? "intended" : latency.clock;
}

const DISTRIBUTION =
  "The further left a curve, the shorter the times; the higher the curve, the more messages took about that long. Move the red line, or set its number, to read the share of all messages within it; a ≥ before the share means that waits that were cut off may lie within it, too. Such lower bounds are not drawn, nor are messages that arrived in the same read as the message before. The axis is logarithmic.";

export function measurementStreams(measurement: Measurement): Block[] {
  const rows = groupRuns({ runs: [runAlone(measurement, "")] })
    .flatMap((scenario) => rowsOf(scenario, {}));
  if (rows.length === 0) return [];
  const tables = tablesOf(rows, null).map((one) => table(one, { isCaptioned: true }));
  return [group("Messages", [...histograms(measurement), ...tables])];
}

/**
 * Histograms for a terminal, only of the times that most messages have: the time since the previous message, or a
 * WebSocket message's latency.
 */
function histograms(measurement: Measurement): Block[] {
  return TIMES.flatMap(([of, what]) => {
    const drawn = of === "gap" || of === "message" ? drawnTimes([measurement], of) : null;
    if (drawn === null || drawn.endedCount === 0) return [];
    const words = { caption: `Time ${what}`, of: "Messages" };
    return [table(histogramTable(drawn.ended, words), { isCaptioned: true, forms: ["terminal"] })];
  });
}

function streamsOf({ runs }: CellRuns): StreamFigures[] {
  return runs.flatMap(({ streams }) => streams ?? []);
}

function socketsOf({ runs }: CellRuns): SocketFigures[] {
  return runs.flatMap(({ sockets }) => sockets ?? []);
}

/** The tables of messages. @param scenario Null for a single measurement, whose rows don't have to name their cell. */
function tablesOf(rows: readonly MessageRow[], scenario: string | null): Table[] {
  const [of, within] = scenario === null ? ["", ""] : [` of ${scenario}`, ` in ${scenario}`];
  const named = scenario === null ? [] : [column.cell];
  const which = [
    ...named,
    ...rows.some(({ step }) => step !== "")
      ? [column.text<MessageRow>("Request", ({ step }) => step || "all")]
      : [],
  ];
  const streamed = rows.filter(({ cell }) => streamsOf(cell).length > 0);
  const opened = rows.filter(({ cell }) => socketsOf(cell).length > 0);
  return [
    timesTable(`Times of messages${of}`, rows, which),
    countsTable(`Messages that were due${within}`, rows, which),
    streamsTable(`Streams${of}`, streamed, which),
    socketsTable(`WebSockets${of}`, opened, which),
    namesTable(`Events${of} by name`, streamed.filter(({ step }) => step === ""), named),
  ];
}

type Which = readonly ColumnOf<MessageRow>[];

function timesTable(caption: string, cells: readonly MessageRow[], which: Which): Table {
  const rows = cells.flatMap((row) =>
    TIMES.map(([of, what]) => ({ ...row, of, what, count: countOf(row.cell, of) }))
      .filter(({ count }) => count > 0)
  );
  const unit = timeUnit(rows.flatMap(({ cell, of }) => measured(cell, of, "p50")?.value ?? []));
  const statistic = (label: string, name: Statistic): ColumnOf<typeof rows[number]> =>
    column.number(label, ({ cell, of }) => measured(cell, of, name), unit);
  return tableOf({ caption }, rows, [
    ...which,
    column.text("Time", ({ what }) => what),
    ...[statistic("p50", "p50"), statistic("p90", "p90"), statistic("p99", "p99")],
    ...[statistic("Max", "max"), statistic("Mean", "mean")],
    column.number("Count", ({ count }) => count, "count"),
  ]);
}

/** For a summary: the p99 of each kind of time that messages of these cells have. */
export function p99Columns(cells: readonly CellRuns[]): ColumnOf<OfCell>[] {
  const present = TIMES.filter(([of]) => cells.some((cell) => countOf(cell, of) > 0));
  const unit = timeUnit(
    present.flatMap(([of]) => cells.flatMap((cell) => measured(cell, of, "p99")?.value ?? [])),
  );
  return present.map(([of, what]) =>
    column.number(`p99 ${what}`, ({ cell }) => measured(cell, of, "p99"), unit)
  );
}

function countOf({ runs }: CellRuns, of: Times): number {
  return sum(runs, (run) => messageTimes(run, of)?.count ?? 0);
}

type Statistic = "mean" | "p50" | "p90" | "p99" | "max";

function measured(cell: CellRuns, of: Times, statistic: Statistic): Measured | null {
  const range = figureOf(`${of}.${statistic}` as FigureOf<Times>, cell);
  const isWeak = statistic.startsWith("p") &&
    !supportsPercentile(countOf(cell, of), Number(statistic.slice(1)));
  return range && { ...range, isWeak };
}

/**
 * How many messages were due and how they ended. Streams have one row, and WebSockets whose messages expect answers
 * have another.
 */
function countsTable(caption: string, cells: readonly MessageRow[], which: Which): Table {
  const kindsOf = (row: MessageRow) => [
    { ...row, of: "streams", perSec: "eventsPerSec" as const, parts: streamsOf(row.cell) },
    { ...row, of: "WebSockets", perSec: "messagesPerSec" as const, parts: socketsOf(row.cell) },
  ];
  type CountRow = ReturnType<typeof kindsOf>[number];
  const all = (fate: keyof StreamFigures["messages"]) => ({ parts }: CountRow): number =>
    sum<Pick<StreamFigures, "messages">>(parts, ({ messages }) => messages[fate]);
  const rows = cells.flatMap(kindsOf).filter((row) => all("due")(row) > 0);
  return tableOf({ caption }, rows, [
    ...which,
    ...new Set(rows.map(({ of }) => of)).size > 1
      ? [column.text<CountRow>("On", ({ of }) => of)]
      : [],
    column.number("Messages/s", ({ perSec, cell }) => figureOf(perSec, cell)),
    column.number(
      "Tokens/s",
      ({ of, cell }) => of === "streams" ? figureOf("tokensPerSec", cell) : null,
    ),
    column.number("Due", all("due"), "count"),
    column.number("Received", all("received"), "count"),
    column.errors("Failed", all("failed")),
    column.number("Unfinished", all("unfinished"), "count"),
    column.errors("Dropped", all("dropped")),
  ]);
}

/**
 * Numbers of whole streams and, for streams that are requested again, of their interruptions. Without rows if there is
 * neither.
 */
function streamsTable(caption: string, cells: readonly MessageRow[], which: Which): Table {
  const rows = cells.filter(({ cell }) =>
    streamsOf(cell).some(({ whole, interruptions }) => whole > 0 || interruptions !== undefined)
  );
  const wholeIn = ({ cell }: OfCell): number => sum(streamsOf(cell), ({ whole }) => whole);
  const times = (why: keyof NonNullable<StreamFigures["interruptions"]>) => ({ cell }: OfCell) => {
    const parts = streamsOf(cell).flatMap(({ interruptions }) => interruptions ?? []);
    return parts.length === 0 ? null : sum(parts, (interruptions) => interruptions[why]);
  };
  return tableOf({ caption }, rows, [
    ...which,
    column.number("Whole streams", wholeIn, "count"),
    column.number("Ended, requested again", times("ended"), "count"),
    column.errors("Cut", times("cut")),
    column.errors("Refused", times("refused")),
  ]);
}

function socketsTable(caption: string, rows: readonly MessageRow[], which: Which): Table {
  const all = (of: (sockets: SocketFigures) => number) => ({ cell }: OfCell): number =>
    sum(socketsOf(cell), of);
  return tableOf({ caption }, rows, [
    ...which,
    column.number("Opened", all(({ opened }) => opened), "count"),
    column.number("Messages sent", all(({ sent }) => sent), "count"),
    column.number("Messages received", all(({ received }) => received), "count"),
    column.errors("No answer to any", all(({ unmatched }) => unmatched)),
    column.text("Closed with", ({ cell }) => codesText(socketsOf(cell))),
  ]);
}

/** Close codes with their counts, for example `1000 (20), 1006 (1)`. */
function codesText(all: readonly SocketFigures[]): string {
  const closed = all.flatMap(({ closeCodes }) => Object.entries(closeCodes));
  return [...Map.groupBy(closed, ([code]) => code)]
    .map(([code, those]) => `${code} (${groupsOfThree(sum(those, ([, count]) => count))})`)
    .join(", ");
}

/** The number of events with each name; without rows if all events have the same name. */
function namesTable(caption: string, cells: readonly MessageRow[], which: Which): Table {
  const rows = cells.flatMap((row) => {
    const all = streamsOf(row.cell).flatMap(({ byName }) => byName);
    return [...Map.groupBy(all, ({ name }) => name)]
      .map(([name, parts]) => ({ ...row, name, events: sum(parts, ({ events }) => events) }))
      .sort((one, other) => other.events - one.events);
  });
  const names = new Set(rows.map(({ name }) => name));
  return tableOf({ caption }, names.size > 1 ? rows : [], [
    ...which,
    column.text("Event", ({ name }) => name === "" ? "other events" : name),
    column.number("Count", ({ events }) => events, "count"),
  ]);
}

/** Figures of the messages of one run or step, as columns for CSV. */
export function messageColumns(
  { streams, sockets }: Pick<Measurement, "streams" | "sockets">,
): CsvRecord {
  return { ...streams && streamColumns(streams), ...sockets && socketColumns(sockets) };
}

function streamColumns(
  { messages, events, eventsPerSec, interruptions, ttfe, gap, tokens }: StreamFigures,
): CsvRecord {
  return {
    "streams.events": events,
    "streams.eventsPerSec": eventsPerSec,
    "streams.failed": messages.failed,
    "streams.unfinished": messages.unfinished,
    "streams.dropped": messages.dropped,
    ...Object.fromEntries(
      Object.entries(interruptions ?? {}).map(([why, n]) => [`streams.interruptions.${why}`, n]),
    ),
    ...tokens && {
      "streams.tokens": tokens.tokens,
      "streams.tokensPerSec": tokens.tokensPerSec,
    },
    ...timeColumns("streams", { ttfe, gap, ...tokens && { ttft: tokens.ttft, tpot: tokens.tpot } }),
  };
}

function socketColumns(
  { messages, message, opened, sent, received, messagesPerSec }: SocketFigures,
): CsvRecord {
  return {
    "sockets.opened": opened,
    "sockets.sent": sent,
    "sockets.received": received,
    "sockets.messagesPerSec": messagesPerSec,
    "sockets.failed": messages.failed,
    "sockets.unfinished": messages.unfinished,
    "sockets.dropped": messages.dropped,
    ...timeColumns("sockets", { message }),
  };
}

type ColumnTimes = Pick<MessageTimes, "count" | "percentiles" | "lowerBounds">;

/** p50 and p99 of each time, and which of these may be longer because of lower bounds. */
function timeColumns(prefix: string, times: Readonly<Record<string, ColumnTimes>>): CsvRecord {
  const all = Object.entries(times).filter(([, { count }]) => count > 0)
    .flatMap(([name, { percentiles, lowerBounds = [] }]) =>
      (["50", "99"] as const).map((percentile) => ({
        column: `${prefix}.${name}P${percentile}Ms`,
        ms: percentiles[percentile],
        bound: lowerBounds.includes(percentile) ? [`${name}.p${percentile}`] : [],
      }))
    );
  return {
    ...Object.fromEntries(all.map(({ column, ms }) => [column, ms])),
    [`${prefix}.lowerBounds`]: all.flatMap(({ bound }) => bound).join(" "),
  };
}
