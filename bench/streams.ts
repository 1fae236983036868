/**
 * Tests streams, WebSockets and gRPC calls: whether the times of messages agree with arithmetic, how much memory an
 * open stream or WebSocket takes, and how late a worker with thousands of them is.
 */
import { formatCount } from "../report/writing/units.ts";
import { medianOf } from "../runner/stats/quantile.ts";
import { TargetError } from "../base/errors.ts";
import { atMost } from "./bar.ts";
import type { Bench, Row, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { watchPlateau } from "./stage/plateau.ts";
import { accuracy } from "./streams/accuracy.ts";
import { type FewAndMany, heldBy, heldRows, type Holder, HOLDERS } from "./streams/isolate.ts";
import { startApp } from "./stage/server.ts";

const KB = 1e3;
const MB = 1e6;
/** The bar for the memory of a stream or WebSocket in kB, without the kernel's memory for its socket. */
const MOST_KB = 4.096;
/** The bar for the worker's delay in milliseconds: the highest p99 that Plateau accepts from the worker of any load. */
const MOST_LATE_MS = 5;

export const streams: Bench = {
  about: "times of messages against arithmetic, and what thousands of streams and WebSockets cost",
  rounds: 3,
  async run(effort): Promise<Section[]> {
    const { rounds, short, only = "" } = effort;
    return [
      ...await accuracy(effort),
      ..."memory".includes(only) ? [await memoryOfEach(rounds, short)] : [],
      ..."thousands".includes(only) ? await thousands(rounds, short) : [],
    ];
  },
};

const MESSAGES_PER_SEC = 1_000;
const COUNTS = [1_000, 5_000] as const;
type Count = typeof COUNTS[number];

/** What is kept open. Each kind has the same total rate of requests or messages. */
const OPEN = ["connections with requests", "streams", "WebSockets"] as const;
type What = typeof OPEN[number];

interface Watched {
  readonly lateMs: number;
  readonly residentBytes: number;
  /** The messages per second received on streams and WebSockets by the deadline; NaN for requests. */
  readonly messagesPerSec: number;
}

/**
 * Compares one worker with many open streams or WebSockets to one with as many connections and the same rate of
 * requests: how long new events wait for the worker, and how much memory its process uses.
 */
async function thousands(rounds: number, short: boolean): Promise<Section[]> {
  const seconds = short ? 8 : 20;
  const ways = OPEN.flatMap((what) => COUNTS.map((count) => `${formatCount(count)} ${what}`));
  const seen = await interleaved(ways, rounds, (way) => {
    const at = ways.indexOf(way);
    return watch(OPEN[Math.floor(at / COUNTS.length)], COUNTS[at % COUNTS.length], seconds);
  });
  const [few, many] = COUNTS;
  const runsOf = (what: What, count: Count): Watched[] => seen[`${formatCount(count)} ${what}`];
  const perSec = `${formatCount(MESSAGES_PER_SEC)} requests or messages/s`;
  const came = OPEN.slice(1).map((what) =>
    `${what}: ${
      runsOf(what, many).map(({ messagesPerSec }) => formatCount(Math.round(messagesPerSec)))
        .join(", ")
    }`
  );
  return [
    {
      caption: `How long a response or a due message waits for its worker, ${perSec} in all`,
      unit: "ms, p99",
      rows: OPEN.map((what) => ({
        what: `${formatCount(many)} ${what}`,
        samples: runsOf(what, many).map(({ lateMs }) => lateMs),
        ...what !== OPEN[0] && { bar: atMost(MOST_LATE_MS) },
      })),
      notes: [`Messages/s by the deadline, dials included, in each round: ${came.join("; ")}.`],
    },
    {
      caption: `Resident memory of a process with one worker, ${perSec} in all`,
      unit: "MB",
      rows: OPEN.flatMap((what) =>
        COUNTS.map((count) => ({
          what: `${formatCount(count)} ${what}`,
          samples: runsOf(what, count).map(({ residentBytes }) => residentBytes / MB),
        }))
      ),
      notes: [
        "The kernel's memory for its sockets is not in it; V8's room for the youngest objects is.",
      ],
    },
    {
      caption: `Resident memory of one more: by the difference between ${formatCount(many)} and ${
        formatCount(few)
      }`,
      unit: "kB",
      rows: OPEN.map((what) => ({
        what: `one of the ${what}`,
        samples: runsOf(what, many).map(({ residentBytes }, round) =>
          (residentBytes - runsOf(what, few)[round].residentBytes) / (many - few) / KB
        ),
        ...what !== OPEN[0] && { bar: atMost(MOST_KB) },
      })),
    },
  ];
}

const DRIVERS = ["epoll", "tcp"] as const;
const HELD = { streams: "a stream", WebSockets: "a WebSocket" } as const;

/** The memory that an open stream or WebSocket takes in the worker, by driver. */
async function memoryOfEach(rounds: number, short: boolean): Promise<Section> {
  const [few, many] = COUNTS;
  const rows: Row[] = [];
  for (const what of ["streams", "WebSockets"] as const) {
    for (const driver of DRIVERS) {
      const heldOf = async (holder: Holder, count: Count) => {
        const everyMs = 1_000 * count / MESSAGES_PER_SEC;
        await using server = await startApp("streams", {
          set: { events: "1000000000", gaps: `${everyMs}ms` },
        });
        const port = Number(new URL(server.origin).port);
        const seconds = short ? 8 : 20;
        return await heldBy(holder, { what, driver, port, count, everyMs, seconds });
      };
      const held = await interleaved(HOLDERS, rounds, async (holder): Promise<FewAndMany> => ({
        few: await heldOf(holder, few),
        many: await heldOf(holder, many),
        more: many - few,
      }));
      rows.push(
        ...heldRows(`${HELD[what]}, ${driver}`, held.holding, held.bare, MOST_KB),
      );
    }
  }
  return {
    caption: "What a worker's isolate holds for one stream or WebSocket",
    unit: "kB",
    baseline: "bare Deno",
    rows,
    notes: [
      `By the difference between ${formatCount(many)} and ${
        formatCount(few)
      }, on real sockets, without the kernel's memory for them. Objects and buffers are what is left after a collection; with tcp those of the runtime's sockets are among them.`,
      "Bare Deno is streams/bare.ts: the same sockets and messages without Plateau. A collection is the same for both: V8 collects all garbage, and gives back the pages that it keeps free. The bar for resident memory is for the difference.",
      "V8's room for the youngest objects is not any stream's: it doubles when enough objects have outlived a collection, up to a limit.",
    ],
  };
}

/** The number of memory samples that are used, 250 ms apart: the last of the load, when everything is open. */
const LAST = 6;

async function watch(what: What, count: Count, seconds: number): Promise<Watched> {
  const everyMs = 1_000 * count / MESSAGES_PER_SEC;
  await using server = await startApp("streams", {
    set: { events: "1000000000", gaps: `${everyMs}ms` },
  });
  const { url, flags } = {
    "connections with requests": {
      url: server.origin,
      flags: ["-r", `${MESSAGES_PER_SEC}/s`],
    },
    streams: { url: `${server.origin}/events`, flags: ["--stream", "events"] },
    WebSockets: {
      url: `${server.origin.replace("http", "ws")}/ws`,
      flags: ["--send", "n={{ n }}", "--every", `${everyMs}ms`],
    },
  }[what];
  // Connections are opened at the rate of messages, so that messages come evenly and not in bursts
  // of thousands.
  const evenly = ["--connect-rate", `${MESSAGES_PER_SEC}/s`];
  const common = ["-c", `${count}`, "-w", "1", "-d", `${seconds}s`, "--timeout", "60s", ...evenly];
  const { measurement, memoryBytes } = await watchPlateau(url, [...flags, ...common]);
  const { connect, generator, requests, streams, sockets } = measurement;
  if (connect.count < count || requests.failed > 0) {
    throw new TargetError(
      `Cannot measure: ${connect.count} of ${count} connections opened, ${requests.failed} requests failed`,
      [JSON.stringify(measurement.reasons)],
    );
  }
  return {
    lateMs: generator.delay.p99,
    residentBytes: medianOf(memoryBytes.slice(-LAST)),
    messagesPerSec: sockets?.messagesPerSec ?? streams?.eventsPerSec ?? NaN,
  };
}
