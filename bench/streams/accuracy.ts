/**
 * Tests whether the times of messages (server-sent events, WebSockets, gRPC) are measured as they were planted, by both
 * drivers: percentiles are compared with arithmetic, and counts with the server's own. In some situations the server
 * stands still for a while, or dies. The same messages on WebSockets are also measured by a bare loop in C, because a
 * late message may be the machine's fault.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { formatNumber } from "../../report/writing/units.ts";
import { medianOf } from "../../runner/stats/quantile.ts";
import { atMost, atMostMoreThan, equal } from "../bar.ts";
import type { Effort, Row, Section } from "../bench.ts";
import { percentileOf } from "../frozen/arithmetic.ts";
import { interleaved } from "../rounds.ts";
import { temporaryFolder } from "../stage/folder.ts";
import { runPlateau } from "../stage/plateau.ts";
import { compile, placed, start } from "../stage/programs.ts";
import { plannedGapsMs, plannedLatenciesMs, sentLateMs } from "./arithmetic.ts";
import { type Noted, type Plan, startPlanting } from "./planting.ts";

const DRIVERS = ["epoll", "tcp"] as const;
/** The witness, websocket/paced.c: a loop in C that supports only WebSockets, and fails if its server dies. */
const BARE = "bare loop";
const PACED = new URL("../websocket/paced.c", import.meta.url);
type Client = typeof DRIVERS[number] | typeof BARE;
const STREAMS = 8;
/** The tolerance of a percentile: the larger of an absolute and a relative deviation. */
const MOST_OFF_MS = 0.2;
const MOST_OFF_RATIO = 0.02;
const PERCENTILES = ["50", "90", "95", "99"] as const;
type Percentile = typeof PERCENTILES[number];

const PROTO = fileURLToPath(new URL("../../tests/conformance/echo.proto", import.meta.url));
const EVERY_MS = 50;
/**
 * The length of a stream if the server neither freezes nor dies. It is short, so that many streams have a first
 * message.
 */
const STREAM_MS = 1_600;

interface Kind {
  readonly path: string;
  /** @param forMs How long to hold a WebSocket open. The length of a stream is up to the server. */
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

/** The duration of a measurement, and the freeze in it, in milliseconds. */
interface Length {
  readonly forMs: number;
  readonly freeze: NonNullable<Plan["freeze"]>;
}

/**
 * A freeze begins and ends between two messages, so that it is certain which messages it delays. On WebSockets it
 * delays about a ninth of the messages, so that no percentile lies on the step between delayed and other messages. If
 * it delayed a tenth, p90 would lie there.
 */
const LENGTH: Length = { forMs: 9_200, freeze: { fromMs: 3_945, lengthMs: 1_000 } };
const SHORT_LENGTH: Length = { forMs: 2_760, freeze: { fromMs: 1_195, lengthMs: 300 } };

/** How the server behaves in each situation, in a measurement of the given length. */
const SITUATIONS = {
  "that keeps its times": () => ({
    gapsMs: [...Array<number>(4).fill(50), 200],
    messages: Math.round(STREAM_MS / 80),
  }),
  "that stands still for a while": ({ forMs, freeze }) => ({
    gapsMs: [150],
    messages: Math.round(forMs / 150),
    freeze,
  }),
  "that dies after twelve messages": () => ({ gapsMs: [50], messages: 1_000, diesAfter: 12 }),
} satisfies Record<string, (length: Length) => Partial<Plan>>;
type Situation = keyof typeof SITUATIONS;
/** The situation in which only the counts of messages are judged, and not their times. */
const DYING: Situation = "that dies after twelve messages";

const PLANNED = { firstMs: 100, delayMs: 20, diesAfter: null, freeze: null };

/** What a client says about its messages. */
interface Measured {
  readonly received: number;
  /** The number of streams and WebSockets that were cut off before their end. */
  readonly cut: number;
  /** Percentiles in milliseconds. */
  readonly times: Partial<Record<Times["name"], Readonly<Record<Percentile, number>>>>;
}

interface Run {
  readonly plan: Plan;
  readonly measured: Measured;
  readonly noted: readonly Noted[];
}

/** What is measured: one kind of message from a server in one situation. */
interface Subject {
  readonly kind: KindName;
  readonly situation: Situation;
  readonly length: Length;
}

/** @param only Limits the measurement to the subjects whose names contain it, such as "WebSocket of a server". */
export async function accuracy({ rounds, short, only = "" }: Effort): Promise<Section[]> {
  const length = short ? SHORT_LENGTH : LENGTH;
  const sections: Section[] = [];
  const counts: Row[] = [];
  using folder = temporaryFolder();
  const bare = join(folder.path, "paced");
  await compile(PACED, bare);
  for (const situation of Object.keys(SITUATIONS) as Situation[]) {
    const rows: Row[] = [];
    for (const kind of Object.keys(KINDS) as KindName[]) {
      if (!`${kind} of a server ${situation}`.includes(only)) continue;
      const hasWitness = kind === "WebSocket" && situation !== DYING;
      const clients: readonly Client[] = hasWitness ? [...DRIVERS, BARE] : DRIVERS;
      const subject = { kind, situation, length };
      const seen = await interleaved(clients, rounds, (client) => runOnce(subject, client, bare));
      const witness = hasWitness ? seen[BARE] : undefined;
      for (const client of clients) {
        const runs = seen[client];
        counts.push(...countsOf(`${kind}, ${client}, of a server ${situation}`, runs));
        if (situation !== DYING) {
          rows.push(...timesOf(`${kind}, ${client}`, runs, witness));
        }
      }
    }
    if (rows.length > 0) sections.push(sectionOf(situation, rows));
  }
  if (counts.length === 0) return [];
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
    baseline: BARE,
    rows,
    notes: [
      "The server itself: how far its own notes are from the plan, in the percentile where they are furthest. It notes when a message came by the stamp of the kernel, and its own moment of sending.",
      "Sent late: by the same stamps, how long after it was due a message came to the server.",
      "The bare loop is websocket/paced.c. Where it is off by more than the bar itself, the machine is, and the bar is for what a driver adds to it.",
    ],
  };
}

async function runOnce(
  { kind, situation, length }: Subject,
  client: Client,
  bare: string,
): Promise<Run> {
  const plan = { ...PLANNED, ...SITUATIONS[situation](length) };
  await using server = await startPlanting(plan, "server");
  const measured = client === BARE
    ? await runBare(bare, server.port, length)
    : await runDriver(client, server.port, { kind, situation, length });
  return { plan, measured, noted: await server.notes() };
}

async function runBare(bare: string, port: number, { forMs }: Length): Promise<Measured> {
  const command = [bare, ...[port, STREAMS, EVERY_MS, forMs / 1_000].map(String), "timed"];
  const latenciesMs = z.array(z.number()).parse(
    JSON.parse(await start(placed("rest", command)).output),
  ).sort((a, b) => a - b);
  const [p50, p90, p95, p99] = PERCENTILES.map((p) => percentileOf(latenciesMs, Number(p)));
  const message = { "50": p50, "90": p90, "95": p95, "99": p99 };
  return { received: latenciesMs.length, cut: 0, times: { message } };
}

async function runDriver(
  driver: typeof DRIVERS[number],
  port: number,
  { kind, situation, length: { forMs } }: Subject,
): Promise<Measured> {
  const { path, flags } = KINDS[kind];
  const repeats = kind !== "WebSocket" && situation === "that keeps its times";
  const requests = repeats ? STREAMS * Math.round(forMs / STREAM_MS) : STREAMS;
  const scheme = kind === "WebSocket" ? "ws" : "http";
  const { streams, sockets, requests: { failed } } = await runPlateau(
    `${scheme}://127.0.0.1:${port}${path}`,
    [
      ...flags(forMs),
      ...["-n", `${requests}`, "-c", `${STREAMS}`, "-w", "1", "--driver", driver],
    ],
  );
  return {
    received: (sockets?.messages ?? streams?.messages)?.received ?? NaN,
    cut: failed,
    times: {
      message: sockets?.message.percentiles,
      gap: streams?.gap.percentiles,
      ttfe: streams?.ttfe.percentiles,
    },
  };
}

/** Times of one kind in milliseconds: as Plateau measured them, as planned, and as the server noted them. */
interface Times {
  readonly name: "message" | "gap" | "ttfe";
  readonly percentiles: readonly Percentile[];
  readonly measured: Readonly<Record<Percentile, number>>;
  readonly planned: readonly number[];
  readonly noted: readonly number[];
  /**
   * How late the messages on WebSockets reached the server, counted from the moment at which each was due; absent for
   * streams.
   */
  readonly sentLate?: readonly number[];
}

function timesIn({ plan, measured: { times: { message, gap, ttfe } }, noted }: Run): Times[] {
  const ascending = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
  if (message !== undefined) {
    return [{
      ...{ name: "message", percentiles: PERCENTILES, measured: message },
      planned: ascending(plannedLatenciesMs(plan, noted, EVERY_MS)),
      noted: ascending(
        noted.flatMap(({ sentMs, cameMs }) => sentMs.map((ms, k) => ms - cameMs[k])),
      ),
      sentLate: ascending(sentLateMs(noted, EVERY_MS)),
    }];
  }
  if (gap === undefined || ttfe === undefined) return [];
  const gaps: Times = {
    ...{ name: "gap", percentiles: PERCENTILES, measured: gap },
    planned: ascending(plannedGapsMs(plan, noted)),
    noted: ascending(noted.flatMap(({ sentMs }) => sentMs.slice(1).map((ms, k) => ms - sentMs[k]))),
  };
  // With so few streams, each first message reaches a load worker that has only just started, so
  // its time is not judged.
  if (noted.length <= STREAMS) return [gaps];
  return [gaps, {
    ...{ name: "ttfe", percentiles: ["50"], measured: ttfe },
    planned: noted.map(() => plan.firstMs),
    noted: ascending(noted.map(({ askedMs, sentMs }) => sentMs[0] - askedMs)),
  }];
}

function offMs({ measured, planned }: Times, percentile: Percentile): number {
  return Math.abs(measured[percentile] - percentileOf(planned, Number(percentile)));
}

/**
 * The error of each percentile against arithmetic, and the largest error of the server itself.
 * @param witness The runs of the bare loop. If they are `runs` themselves, the rows have no bars.
 */
function timesOf(what: string, runs: readonly Run[], witness?: readonly Run[]): Row[] {
  const seen = runs.map(timesIn);
  const witnessed = runs === witness ? undefined : witness?.map(timesIn);
  return seen[0].flatMap(({ name, percentiles, sentLate }, at) => {
    const inEach = (of: (times: Times) => number): number[] => seen.map((times) => of(times[at]));
    const errors = percentiles.map((percentile): Row => {
      const p = Number(percentile);
      const plannedMs = medianOf(inEach(({ planned }) => percentileOf(planned, p)));
      const mostMs = Number(Math.max(MOST_OFF_MS, MOST_OFF_RATIO * plannedMs).toPrecision(3));
      const baseline = witnessed &&
        medianOf(witnessed.map((times) => offMs(times[at], percentile)));
      return {
        what: `${what}: ${name} p${percentile}, planned ${formatNumber(plannedMs, 3)} ms`,
        samples: inEach((times) => offMs(times, percentile)),
        baseline,
        ...runs !== witness &&
          { bar: baseline === undefined ? atMost(mostMs) : atMostMoreThan(mostMs) },
      };
    });
    const late: Row[] = sentLate === undefined ? [] : [{
      what: `${what}: ${name}, sent late, p99`,
      samples: inEach((times) => percentileOf(times.sentLate ?? [], 99)),
    }];
    return [...errors, ...late, {
      what: `${what}: ${name}, the server itself`,
      samples: inEach(({ planned, noted }) =>
        Math.max(
          ...percentiles.map((percentile) => {
            const p = Number(percentile);
            return Math.abs(percentileOf(noted, p) - percentileOf(planned, p));
          }),
        )
      ),
    }];
  });
}

function countsOf(what: string, runs: readonly Run[]): Row[] {
  const inEach = (of: (run: Run) => number): number[] => runs.map(of);
  return [
    {
      what: `${what}: received`,
      samples: inEach(({ measured }) => measured.received),
      baseline: medianOf(
        inEach(({ noted }) => noted.reduce((sum, { sentMs: { length } }) => sum + length, 0)),
      ),
      bar: equal,
    },
    {
      what: `${what}: cut`,
      samples: inEach(({ measured }) => measured.cut),
      baseline: medianOf(inEach(({ noted }) => noted.filter(({ died }) => died).length)),
      bar: equal,
    },
  ];
}
