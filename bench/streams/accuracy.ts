/**
 * Tests whether the times of messages (server-sent events, WebSockets, gRPC) are measured as planned, with both
 * drivers: percentiles are compared with arithmetic, and counts with the server's own. The server keeps its times,
 * freezes for a while, or dies.
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
import { plannedGapsMs, plannedLatenciesMs } from "./arithmetic.ts";
import { type Noted, type Plan, startPlanting } from "./planting.ts";

const DRIVERS = ["epoll", "tcp"] as const;
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

/** The durations of a measurement and of the freeze in it, in milliseconds. */
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

const PLANNED = { firstMs: 100, delayMs: 20, diesAfter: null, freeze: null };

interface Run {
  readonly plan: Plan;
  readonly measured: Measurement;
  readonly noted: readonly Noted[];
}

export async function accuracy({ rounds, short }: Effort): Promise<Section[]> {
  const length = short ? SHORT_LENGTH : LENGTH;
  const sections: Section[] = [];
  const counts: Row[] = [];
  for (const situation of Object.keys(SITUATIONS) as Situation[]) {
    const rows: Row[] = [];
    for (const kind of Object.keys(KINDS) as KindName[]) {
      const seen = await interleaved(
        DRIVERS,
        rounds,
        (driver) => runOnce({ kind, situation, driver, length }),
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
      "The server itself: how far its own notes are from the plan, in the percentile where they are furthest. It notes when a message came by the stamp of the kernel, and its own moment of sending.",
    ],
  };
}

async function runOnce(
  { kind, situation, driver, length }: {
    readonly kind: KindName;
    readonly situation: Situation;
    readonly driver: typeof DRIVERS[number];
    readonly length: Length;
  },
): Promise<Run> {
  const { forMs } = length;
  const plan = { ...PLANNED, ...SITUATIONS[situation](length) };
  await using server = await startPlanting(plan, "server");
  const { path, flags } = KINDS[kind];
  const repeats = kind !== "WebSocket" && situation === "that keeps its times";
  const requests = repeats ? STREAMS * Math.round(forMs / STREAM_MS) : STREAMS;
  const scheme = kind === "WebSocket" ? "ws" : "http";
  const measured = await runPlateau(`${scheme}://127.0.0.1:${server.port}${path}`, [
    ...flags(forMs),
    ...["-n", `${requests}`, "-c", `${STREAMS}`, "-w", "1", "--driver", driver],
  ]);
  return { plan, measured, noted: await server.notes() };
}

/** Times of one kind in milliseconds: as Plateau measured them, as planned, and as the server noted them. */
interface Times {
  readonly name: string;
  readonly percentiles: readonly Percentile[];
  readonly measured: Readonly<Record<Percentile, number>>;
  readonly planned: readonly number[];
  readonly noted: readonly number[];
}

function timesIn({ plan, measured: { streams, sockets }, noted }: Run): Times[] {
  const ascending = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
  if (sockets !== undefined) {
    return [{
      ...{ name: "message", percentiles: PERCENTILES, measured: sockets.message.percentiles },
      planned: ascending(plannedLatenciesMs(plan, noted, EVERY_MS)),
      noted: ascending(
        noted.flatMap(({ sentMs, cameMs }) => sentMs.map((ms, k) => ms - cameMs[k])),
      ),
    }];
  }
  if (streams === undefined) return [];
  const gap = {
    ...{ name: "gap", percentiles: PERCENTILES, measured: streams.gap.percentiles },
    planned: ascending(plannedGapsMs(plan, noted)),
    noted: ascending(noted.flatMap(({ sentMs }) => sentMs.slice(1).map((ms, k) => ms - sentMs[k]))),
  };
  // With so few streams, every first message is received by a worker that has only just started, so
  // its time is not judged.
  if (noted.length <= STREAMS) return [gap];
  return [gap, {
    ...{ name: "ttfe", percentiles: ["50"] as const, measured: streams.ttfe.percentiles },
    planned: noted.map(() => plan.firstMs),
    noted: ascending(noted.map(({ askedMs, sentMs }) => sentMs[0] - askedMs)),
  }];
}

/**
 * Rows for the deviation of each percentile from arithmetic, and for the largest deviation in the server's own notes.
 */
function timesOf(what: string, runs: readonly Run[]): Row[] {
  const seen = runs.map(timesIn);
  return seen[0].flatMap(({ name, percentiles }, at) => {
    const inEach = (of: (times: Times) => number): number[] => seen.map((times) => of(times[at]));
    const measured = percentiles.map((percentile): Row => {
      const p = Number(percentile);
      const plannedMs = medianOf(inEach(({ planned }) => percentileOf(planned, p)));
      return {
        what: `${what}: ${name} p${percentile}, planned ${formatNumber(plannedMs, 3)} ms`,
        samples: inEach(({ measured, planned }) =>
          Math.abs(measured[percentile] - percentileOf(planned, p))
        ),
        bar: atMost(Number(Math.max(MOST_OFF_MS, MOST_OFF_RATIO * plannedMs).toPrecision(3))),
      };
    });
    return [...measured, {
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
