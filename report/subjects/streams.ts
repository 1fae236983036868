/**
 * What streams of messages and WebSockets brought: their times, a row for each kind, and what became of the messages that
 * were due.
 */
import type { FigureOf } from "../../base/figures/figure.ts";
import { groupsOfThree } from "../../base/limits.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { supportsPercentile } from "../../runner/stats/quantile.ts";
import { decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import { withoutBounds } from "../../runner/stats/histogram/censoring.ts";
import { EMPTY, mergeHistograms, sumOfSparse } from "../../runner/stats/histogram/histogram.ts";
import { type Block, figure, type Form, group, table, text } from "../blocks.ts";
import type { CellRuns } from "../cells/cells.ts";
import { legendOf } from "../chart.ts";
import { boundedPercentile } from "../figures/lower_bounds.ts";
import { densityOf, type DrawnTimes } from "./charts/density.ts";
import { rangeOf } from "../figures/figures.ts";
import type { JudgedCell } from "../figures/range.ts";
import { sum } from "../writing/spread.ts";
import { timeUnit } from "../writing/units.ts";
import type { ScenarioContext, Subject } from "./subject.ts";
import {
  cellColumn,
  column,
  type ColumnOf,
  errorColumn,
  type Measured,
  tableOf,
  textColumn,
} from "./tables/table.ts";

/** The figures of messages of which each has a distribution. */
const TIMES = [
  ["ttfe", "to the first event", "First events within"],
  ["gap", "between events", "Gaps within"],
  ["ttft", "to the first token", "First tokens within"],
  ["tpot", "per output token", "Streams within"],
  ["message", "of a message", "Messages within"],
] as const;
type Times = typeof TIMES[number][0];

type TimesOf = Measurement["service"] & { readonly lowerBounds?: readonly string[] };

/** Nothing where no response of the scenario is a stream, and none opens a WebSocket. */
export const streams: Subject<ScenarioContext> = {
  id: "streams",
  title: "Streams and WebSockets",
  depth: "detail",
  build: ({ name, cells, roomy }) => {
    const rows = cells.filter((cell) => streamsOf(cell).length + socketsOf(cell).length > 0)
      .map((cell) => ({ cell }));
    if (rows.length === 0) return [];
    const [streamed, opened] = [rows.filter(hasStreams), rows.filter(hasSockets)];
    const forms = ["page", "markdown", ...roomy] as const;
    return [
      ...distributions(cells, roomy),
      table(timesTable(`Messages of ${name}`, rows, [cellColumn]), { forms }),
      table(fatesTable(`Messages that were due in ${name}`, streamed, [cellColumn]), { forms }),
      table(socketsTable(`WebSockets of ${name}`, opened, [cellColumn]), { forms }),
      table(namesTable(`Events of ${name} by name`, streamed, [cellColumn]), { forms }),
      ...streamed.length > 0 ? [text("streams", NOTE, "note")] : [],
      ...opened.length > 0 ? [text("sockets", SOCKETS_NOTE, "note")] : [],
      ...streamed.some(({ cell }) => cell.runs.some(({ steps }) => steps !== undefined))
        ? [text("streams", ALL_STEPS, "note")]
        : [],
    ];
  },
};

const NOTE =
  "An open stream waits for one message, its first or its next: that one is due. Where a stream is cut or left, its wait so far " +
  "is a lower bound of the gap. Messages that come in one read have no time between them.";

const SOCKETS_NOTE =
  "The messages of a WebSocket are due by a clock of its own, and their latency counts from then. Those that were still in " +
  "flight at the end, timed out or were never sent are in it as lower bounds.";

const ALL_STEPS =
  "These are the messages of all steps together: by step there are latencies of whole streams alone.";

/** A chart for each kind of time that there is. */
function distributions(cells: readonly CellRuns[], roomy: readonly Form[]): Block[] {
  return TIMES.flatMap(([of, what, limit]) => {
    const drawn = cells.flatMap((cell) => {
      const latency = drawnTimes(cell, of);
      const { label, color } = cell;
      return latency === null ? [] : [{ label, color, latency }];
    });
    const chart = densityOf(drawn, { what: `times ${what}`, limit });
    if (chart === null) return [];
    return [figure([{ title: `Time ${what}`, of: null, chart }], {
      id: `streams-${of}`,
      legend: legendOf(chart),
      reading: DISTRIBUTION,
      forms: of === "gap" ? ["page", ...roomy] : ["page"],
    })];
  });
}

/** Times of all runs together; null if there are none. */
function drawnTimes({ runs }: CellRuns, of: Times): DrawnTimes | null {
  const parts = runs.flatMap(({ latency: { clock }, streams, sockets }) => {
    const { histogram, censoredHistogram }: EncodedTimes = (of === "message"
      ? sockets?.message
      : of === "ttfe" || of === "gap"
      ? streams?.[of]
      : streams?.tokens?.[of]) ?? {};
    if (histogram === undefined) {
      return [];
    }
    const bounds = censoredHistogram === undefined ? EMPTY : decodeSparse(censoredHistogram);
    return [{ clock, all: decodeSparse(histogram), bounds }];
  });
  if (parts.length === 0) return null;
  const all = sumOfSparse(parts.map((part) => part.all));
  const bounds = sumOfSparse(parts.map((part) => part.bounds));
  const ended = withoutBounds(all, bounds);
  // The clock as in the results; the end of the load cuts off gaps in both loops.
  const clock = of === "gap" || parts.every((part) => part.clock === "sent") ? "sent" : "intended";
  return {
    count: all.count,
    censored: bounds.count,
    endedCount: ended.count,
    ended: mergeHistograms([ended]),
    percentile: (p) => boundedPercentile({ clock, all, bounds, ended }, p),
  };
}

interface EncodedTimes {
  readonly histogram?: string;
  readonly censoredHistogram?: string;
}

const DISTRIBUTION =
  "The further left a curve, the shorter the times; the higher the curve, the more messages took about that long. Move the red line, or set its number, to read the share of all within it; ≥ where a wait that was cut or left may lie within it, too. Such lower bounds are not drawn, nor are messages that came in one read with the one before. The axis is logarithmic.";

/** Streams of a single measurement. */
export function measurementStreams(measurement: Measurement): readonly Block[] {
  const { streams, sockets } = measurement;
  if (streams === undefined && sockets === undefined) return [];
  const cell = { scenario: "", label: "", runs: [measurement], estimates: new Map(), level: 0.95 };
  const captioned = { isCaptioned: true };
  const [streamed, opened] = [[{ cell }].filter(hasStreams), [{ cell }].filter(hasSockets)];
  return [
    group(streams === undefined ? "WebSockets" : "Streams", [
      table(timesTable("Times of messages", [{ cell }], []), captioned),
      table(fatesTable("Messages", streamed, []), captioned),
      table(socketsTable("WebSockets", opened, []), captioned),
      table(namesTable("Events by name", streamed, []), captioned),
    ]),
  ];
}

interface StreamedCell {
  readonly cell: JudgedCell;
}

function streamsOf({ runs }: JudgedCell): NonNullable<Measurement["streams"]>[] {
  return runs.flatMap(({ streams }) => streams ?? []);
}

function socketsOf({ runs }: JudgedCell): NonNullable<Measurement["sockets"]>[] {
  return runs.flatMap(({ sockets }) => sockets ?? []);
}

function hasStreams({ cell }: StreamedCell): boolean {
  return streamsOf(cell).length > 0;
}

function hasSockets({ cell }: StreamedCell): boolean {
  return socketsOf(cell).length > 0;
}

function timesIn(cell: JudgedCell, of: Times): TimesOf[] {
  if (of === "message") return socketsOf(cell).map(({ message }) => message);
  return streamsOf(cell).flatMap((all) =>
    of === "ttfe" || of === "gap" ? all[of] : all.tokens?.[of] ?? []
  );
}

function timesTable<Row extends StreamedCell>(
  caption: string,
  cells: readonly Row[],
  named: readonly ColumnOf<Row>[],
): ReturnType<typeof tableOf> {
  const rows = cells.flatMap((row) =>
    TIMES.map(([of, what]) => ({ ...row, of, what, count: countOf(row.cell, of) }))
      .filter(({ count }) => count > 0)
  );
  const unit = timeUnit(rows.flatMap(({ cell, of }) => measured(cell, of, "p50")?.value ?? []));
  const statistic = (label: string, name: "mean" | "p50" | "p90" | "p99" | "max") =>
    column<(typeof rows)[number]>(label, ({ cell, of }) => measured(cell, of, name), unit);
  return tableOf({ caption }, rows, [
    ...named as readonly ColumnOf<(typeof rows)[number]>[],
    textColumn("Time", ({ what }) => what),
    ...[statistic("p50", "p50"), statistic("p90", "p90"), statistic("p99", "p99")],
    ...[statistic("Max", "max"), statistic("Mean", "mean")],
    column("Count", ({ count }) => count, "count"),
  ]);
}

function countOf(cell: JudgedCell, of: Times): number {
  return sum(timesIn(cell, of), ({ count }) => count);
}

function measured(
  cell: JudgedCell,
  of: Times,
  statistic: "mean" | "p50" | "p90" | "p99" | "max",
): Measured | null {
  const range = rangeOf(`${of}.${statistic}` as FigureOf<Times>, cell);
  if ("none" in range) return null;
  const isWeak = statistic.startsWith("p") &&
    !supportsPercentile(countOf(cell, of), Number(statistic.slice(1)));
  return { ...range, isWeak };
}

function fatesTable<Row extends StreamedCell>(
  caption: string,
  rows: readonly Row[],
  named: readonly ColumnOf<Row>[],
): ReturnType<typeof tableOf> {
  const all = (
    of: (streams: NonNullable<Measurement["streams"]>) => number,
  ): (row: Row) => number =>
  ({ cell }) => sum(streamsOf(cell), of);
  const rate = (name: "eventsPerSec" | "tokensPerSec") => ({ cell }: Row): Measured | null => {
    const range = rangeOf(name, cell);
    return "none" in range ? null : range;
  };
  return tableOf({ caption }, rows, [
    ...named,
    column("Events/s", rate("eventsPerSec")),
    column("Tokens/s", rate("tokensPerSec")),
    column("Due", all(({ messages }) => messages.due), "count"),
    column("Received", all(({ messages }) => messages.received), "count"),
    errorColumn("Failed", all(({ messages }) => messages.failed)),
    column("Unfinished", all(({ messages }) => messages.unfinished), "count"),
    errorColumn("Dropped", all(({ messages }) => messages.dropped)),
    column("Whole streams", all(({ whole }) => whole), "count"),
    ...interruptionColumns(rows),
  ]);
}

type Interruption = keyof NonNullable<NonNullable<Measurement["streams"]>["interruptions"]>;

/** Nothing where no stream stood still that was requested again. */
function interruptionColumns<Row extends StreamedCell>(rows: readonly Row[]): ColumnOf<Row>[] {
  const times = (why: Interruption) => ({ cell }: Row): number =>
    sum(streamsOf(cell), ({ interruptions }) => interruptions?.[why] ?? 0);
  const isNone = rows.every(({ cell }) =>
    streamsOf(cell).every(({ interruptions }) => interruptions === undefined)
  );
  return isNone ? [] : [
    column("Ended, requested again", times("ended"), "count"),
    errorColumn("Cut", times("cut")),
    errorColumn("Refused", times("refused")),
  ];
}

function socketsTable<Row extends StreamedCell>(
  caption: string,
  rows: readonly Row[],
  named: readonly ColumnOf<Row>[],
): ReturnType<typeof tableOf> {
  const all = (
    of: (sockets: NonNullable<Measurement["sockets"]>) => number,
  ): (row: Row) => number =>
  ({ cell }) => sum(socketsOf(cell), of);
  return tableOf({ caption }, rows, [
    ...named,
    column("Opened", all(({ opened }) => opened), "count"),
    column("Messages/s", ({ cell }: Row): Measured | null => {
      const range = rangeOf("messagesPerSec", cell);
      return "none" in range ? null : range;
    }),
    column("Sent", all(({ sent }) => sent), "count"),
    column("Received", all(({ received }) => received), "count"),
    column("Due", all(({ messages }) => messages.due), "count"),
    column("Answered", all(({ messages }) => messages.received), "count"),
    errorColumn("Failed", all(({ messages }) => messages.failed)),
    column("Unfinished", all(({ messages }) => messages.unfinished), "count"),
    errorColumn("Dropped", all(({ messages }) => messages.dropped)),
    errorColumn("No answer to any", all(({ unmatched }) => unmatched)),
    textColumn("Closed with", ({ cell }) => codesText(socketsOf(cell))),
  ]);
}

/** `1000 (20), 1006 (1)` */
function codesText(all: readonly NonNullable<Measurement["sockets"]>[]): string {
  const codes = new Map<string, number>();
  for (const [code, count] of all.flatMap(({ closeCodes }) => Object.entries(closeCodes))) {
    codes.set(code, (codes.get(code) ?? 0) + count);
  }
  return [...codes].map(([code, count]) => `${code} (${groupsOfThree(count)})`).join(", ");
}

/** Nothing where all events have one name. */
function namesTable<Row extends StreamedCell>(
  caption: string,
  cells: readonly Row[],
  named: readonly ColumnOf<Row>[],
): ReturnType<typeof tableOf> {
  const rows = cells.flatMap((row) => {
    const all = streamsOf(row.cell).flatMap(({ byName }) => byName);
    return [...Map.groupBy(all, ({ name }) => name)].map(([name, parts]) => ({
      ...row,
      name,
      events: sum(parts, ({ events }) => events),
    }));
  });
  const names = new Set(rows.map(({ name }) => name));
  return tableOf({ caption }, names.size > 1 ? rows : [], [
    ...named as readonly ColumnOf<(typeof rows)[number]>[],
    textColumn("Event", ({ name }) => name === "" ? "other events" : name),
    column("Count", ({ events }) => events, "count"),
  ]);
}

/** Columns of the streams of one run, for CSV. */
export function streamColumns(
  streams: NonNullable<Measurement["streams"]>,
): Record<string, number> {
  const { messages, events, eventsPerSec, interruptions, ttfe, gap, tokens } = streams;
  const times = (name: Times, { count, percentiles }: TimesOf): [string, number][] =>
    count === 0 ? [] : [
      [`streams.${name}P50Ms`, percentiles["50"]],
      [`streams.${name}P99Ms`, percentiles["99"]],
    ];
  return Object.fromEntries([
    ["streams.events", events],
    ["streams.eventsPerSec", eventsPerSec],
    ["streams.failed", messages.failed],
    ["streams.unfinished", messages.unfinished],
    ["streams.dropped", messages.dropped],
    ...Object.entries(interruptions ?? {}).map(([why, times]) =>
      [`streams.interruptions.${why}`, times] as [string, number]
    ),
    ...times("ttfe", ttfe),
    ...times("gap", gap),
    ...tokens === undefined ? [] : [
      ["streams.tokensPerSec", tokens.tokensPerSec] as [string, number],
      ...times("ttft", tokens.ttft),
      ...times("tpot", tokens.tpot),
    ],
  ]);
}

/** Columns of the WebSockets of one run, for CSV. */
export function socketColumns(
  { messages, message, opened, sent, received, messagesPerSec }: NonNullable<
    Measurement["sockets"]
  >,
): Record<string, number> {
  return {
    "sockets.opened": opened,
    "sockets.sent": sent,
    "sockets.received": received,
    "sockets.messagesPerSec": messagesPerSec,
    "sockets.failed": messages.failed,
    "sockets.unfinished": messages.unfinished,
    "sockets.dropped": messages.dropped,
    ...message.count > 0 && {
      "sockets.messageP50Ms": message.percentiles["50"],
      "sockets.messageP99Ms": message.percentiles["99"],
    },
  };
}
