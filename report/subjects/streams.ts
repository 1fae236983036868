/** What streams of messages brought: their times, a row for each kind, and what became of the messages that were due. */
import type { FigureOf } from "../../base/figures/figure.ts";
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
] as const;
type Times = typeof TIMES[number][0];

type TimesOf = Measurement["service"] & { readonly lowerBounds?: readonly string[] };

/** Nothing where no response of the scenario is a stream. */
export const streams: Subject<ScenarioContext> = {
  id: "streams",
  title: "Streams",
  depth: "detail",
  build: ({ name, cells, roomy }) => {
    const rows = cells.filter(({ runs }) => runs.some((run) => run.streams !== undefined))
      .map((cell) => ({ cell }));
    if (rows.length === 0) return [];
    const forms = ["page", "markdown", ...roomy] as const;
    return [
      ...distributions(cells, roomy),
      table(timesTable(`Messages of ${name}`, rows, [cellColumn]), { forms }),
      table(fatesTable(`Messages that were due in ${name}`, rows, [cellColumn]), { forms }),
      table(namesTable(`Events of ${name} by name`, rows, [cellColumn]), { forms }),
      text("streams", NOTE, "note"),
      ...cells.some(({ runs }) => runs.some(({ steps, streams }) => steps && streams))
        ? [text("streams", ALL_STEPS, "note")]
        : [],
    ];
  },
};

const NOTE =
  "An open stream waits for one message, its first or its next: that one is due. Where a stream is cut or left, its wait so far " +
  "is a lower bound of the gap. Messages that come in one read have no time between them.";

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

/** Of all runs together; null where there are none. */
function drawnTimes({ runs }: CellRuns, of: Times): DrawnTimes | null {
  const parts = runs.flatMap(({ latency: { clock }, streams }) => {
    const { histogram, censoredHistogram }: EncodedTimes =
      (of === "ttfe" || of === "gap" ? streams?.[of] : streams?.tokens?.[of]) ?? {};
    if (histogram === undefined) return [];
    const bounds = censoredHistogram === undefined ? EMPTY : decodeSparse(censoredHistogram);
    return [{ clock, all: decodeSparse(histogram), bounds }];
  });
  if (parts.length === 0) return null;
  const all = sumOfSparse(parts.map((part) => part.all));
  const bounds = sumOfSparse(parts.map((part) => part.bounds));
  const ended = withoutBounds(all, bounds);
  // As they are in the results: the clock ends the watch on a gap in both loops.
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

/** Of a single measurement. */
export function measurementStreams(measurement: Measurement): readonly Block[] {
  if (measurement.streams === undefined) return [];
  const cell = { scenario: "", label: "", runs: [measurement], estimates: new Map(), level: 0.95 };
  const captioned = { isCaptioned: true };
  return [
    group("Streams", [
      table(timesTable("Times of messages", [{ cell }], []), captioned),
      table(fatesTable("Messages", [{ cell }], []), captioned),
      table(namesTable("Events by name", [{ cell }], []), captioned),
    ]),
  ];
}

interface StreamedCell {
  readonly cell: JudgedCell;
}

function streamsOf({ runs }: JudgedCell): NonNullable<Measurement["streams"]>[] {
  return runs.flatMap(({ streams }) => streams ?? []);
}

function timesIn(cell: JudgedCell, of: Times): TimesOf[] {
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

/** Of one run, as CSV has them. */
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
