/**
 * Whether the times of messages are those that happened: percentiles against those of a server that notes when it got and sent each
 * message, of server-sent events, WebSockets and gRPC, by both drivers; with a server that stands still for a tenth of the
 * time, and with one that dies.
 */
import { fileURLToPath } from "node:url";
import { formatNumber } from "../../report/writing/units.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { medianOf } from "../../runner/stats/quantile.ts";
import { atMost, equal } from "../bar.ts";
import type { Effort, Row, Section } from "../bench.ts";
import { percentileOf } from "../frozen/arithmetic.ts";
import { interleaved } from "../rounds.ts";
import { runPlateau } from "../stage/plateau.ts";
import { type Noted, type Plan, startPlanting } from "./planting.ts";

const DRIVERS = ["epoll", "tcp"] as const;
const STREAMS = 8;
/** The tolerance of a percentile: the larger of the two. */
const MOST_OFF_MS = 0.2;
const MOST_OFF_RATIO = 0.02;
const PERCENTILES = ["50", "90", "95", "99"] as const;

const PROTO = fileURLToPath(new URL("../../tests/conformance/echo.proto", import.meta.url));
const EVERY_MS = 50;
/** The length of a stream whose server keeps its times; short, so that there are many first messages. */
const STREAM_MS = 1_600;

interface Kind {
  readonly path: string;
  /** @param forMs How long a WebSocket is held open; the server decides the length of a stream. */
  flags(forMs: number): readonly string[];
}

const KINDS = {
  "server-sent events": { path: "/events", flags: () => ["--stream", "events"] },
  gRPC: { path: "", flags: () => ["--grpc", "conformance.Echo/Many", "--proto", PROTO] },
  WebSocket: {
    path: "/ws",
    flags: (forMs) => ["--send", "n={{ n }}", "--every", `${EVERY_MS}ms`, "--hold", `${forMs}ms`],
  },
} satisfies Record<string, Kind>;
type KindName = keyof typeof KINDS;

/** The server's behaviour in a measurement of a given length. */
const SITUATIONS = {
  "that keeps its times": () => ({
    gapsMs: [...Array<number>(4).fill(50), 200],
    messages: Math.round(STREAM_MS / 80),
  }),
  "that stands still for a tenth of the time": (forMs) => ({
    gapsMs: [150],
    messages: Math.round(forMs / 150),
    freeze: { fromMs: 0.4 * forMs, lengthMs: 0.1 * forMs },
  }),
  "that dies after twelve messages": () => ({ gapsMs: [50], messages: 1_000, diesAfter: 12 }),
} satisfies Record<string, (forMs: number) => Partial<Plan>>;
type Situation = keyof typeof SITUATIONS;

const PLANNED = { firstMs: 100, delayMs: 20, diesAfter: null, freeze: null };

interface Run {
  readonly measured: Measurement;
  readonly noted: readonly Noted[];
}

export async function accuracy({ rounds, short }: Effort): Promise<Section[]> {
  const forMs = short ? 3_000 : 10_000;
  const sections: Section[] = [];
  const counts: Row[] = [];
  for (const situation of Object.keys(SITUATIONS) as Situation[]) {
    const rows: Row[] = [];
    for (const kind of Object.keys(KINDS) as KindName[]) {
      const seen = await interleaved(
        DRIVERS,
        rounds,
        (driver) => runOnce({ kind, situation, driver, forMs }),
      );
      for (const driver of DRIVERS) {
        const runs = seen[driver];
        counts.push(...countsOf(`${kind}, ${driver}, of a server ${situation}`, runs));
        if (runs.every(({ noted }) => noted.every(({ died }) => !died))) {
          rows.push(...timesOf(`${kind}, ${driver}`, runs));
        }
      }
    }
    if (rows.length > 0) sections.push(sectionOf(situation, rows));
  }
  return [...sections, {
    caption: "Messages that were received and streams that were cut, against what the server noted",
    unit: "count",
    baseline: "noted",
    rows: counts,
  }];
}

function sectionOf(situation: Situation, rows: readonly Row[]): Section {
  return {
    caption: `Times of messages of a server ${situation}`,
    unit: "ms off",
    rows,
    notes: [
      "The server notes when it has read and when it sends, so only the measured times include the transfer.",
    ],
  };
}

async function runOnce(
  { kind, situation, driver, forMs }: {
    readonly kind: KindName;
    readonly situation: Situation;
    readonly driver: typeof DRIVERS[number];
    readonly forMs: number;
  },
): Promise<Run> {
  await using server = await startPlanting(
    { ...PLANNED, ...SITUATIONS[situation](forMs) },
    "server",
  );
  const { path, flags } = KINDS[kind];
  const repeats = kind !== "WebSocket" && situation === "that keeps its times";
  const requests = repeats ? STREAMS * Math.round(forMs / STREAM_MS) : STREAMS;
  const scheme = kind === "WebSocket" ? "ws" : "http";
  const measured = await runPlateau(`${scheme}://127.0.0.1:${server.port}${path}`, [
    ...flags(forMs),
    ...["-n", `${requests}`, "-c", `${STREAMS}`, "-w", "1", "--driver", driver],
  ]);
  return { measured, noted: await server.notes() };
}

/** Times of one kind, as both sides have measured them, in milliseconds. */
interface Times {
  readonly name: string;
  readonly measured: Readonly<Record<typeof PERCENTILES[number], number>>;
  readonly known: readonly number[];
}

function timesIn({ measured: { streams, sockets }, noted }: Run): Times[] {
  const ascending = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
  const latencies = noted.flatMap(({ sentMs, cameMs }) => sentMs.map((ms, k) => ms - cameMs[k]));
  const gaps = noted.flatMap(({ sentMs }) => sentMs.slice(1).map((ms, k) => ms - sentMs[k]));
  const firsts = noted.map(({ askedMs, sentMs }) => sentMs[0] - askedMs);
  const named = sockets !== undefined
    ? [{ name: "message", times: sockets.message, values: latencies }]
    : streams !== undefined
    ? [{ name: "gap", times: streams.gap, values: gaps }, {
      name: "ttfe",
      times: streams.ttfe,
      values: firsts,
    }]
    : [];
  return named.map(({ name, times, values }) => ({
    ...{ name, measured: times.percentiles, known: ascending(values) },
  }));
}

/** The error of each percentile, against the server's own notes of the same run. */
function timesOf(what: string, runs: readonly Run[]): Row[] {
  const seen = runs.map(timesIn);
  // The first messages of the first streams are those of a server that has just started.
  const hasMany = runs.every(({ noted }) => noted.length > STREAMS);
  return seen[0].flatMap(({ name }, at) =>
    (name === "ttfe" ? hasMany ? ["50"] as const : [] : PERCENTILES).map((percentile) => {
      const noted = seen.map((times) => percentileOf(times[at].known, Number(percentile)));
      const notedMs = medianOf(noted);
      return {
        what: `${what}: ${name} p${percentile}, noted ${formatNumber(notedMs, 3)} ms`,
        samples: seen.map((times, round) =>
          Math.abs(times[at].measured[percentile] - noted[round])
        ),
        bar: atMost(Number(Math.max(MOST_OFF_MS, MOST_OFF_RATIO * notedMs).toPrecision(3))),
      };
    })
  );
}

function countsOf(what: string, runs: readonly Run[]): Row[] {
  const inEach = (of: (run: Run) => number): number[] => runs.map(of);
  return [
    {
      what: `${what}: received`,
      samples: inEach(({ measured: { streams, sockets } }) =>
        (sockets?.messages ?? streams?.messages)?.received ?? NaN
      ),
      baseline: medianOf(
        inEach(({ noted }) => noted.reduce((sum, { sentMs: { length } }) => sum + length, 0)),
      ),
      bar: equal,
    },
    {
      what: `${what}: cut`,
      samples: inEach(({ measured: { requests } }) => requests.failed),
      baseline: medianOf(inEach(({ noted }) => noted.filter(({ died }) => died).length)),
      bar: equal,
    },
  ];
}
