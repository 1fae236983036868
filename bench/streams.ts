/**
 * Streams: whether times between events are those that the server has planted, by both drivers and protocols, and what an open
 * stream and an open WebSocket take. The server is the app `streams` in a process of its own, which sends each event when it is due by its
 * settings, and no earlier; its timers are late by up to a millisecond or two.
 */
import { formatCount } from "../report/writing/units.ts";
import type { Measurement } from "../runner/result/result.ts";
import { atMost } from "./bar.ts";
import type { Bench, Row, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { runPlateau } from "./stage/plateau.ts";
import { collector, openStreams, usedBytes } from "./streams/open_streams.ts";
import { openSockets } from "./streams/open_sockets.ts";
import { type Server, startServer } from "./stage/server.ts";
import { selfCommand } from "../targets/launch/child.ts";

const KB = 1e3;
/** A stream may take so much, beyond what the kernel's sockets do. */
const MOST_KB = 4.096;
const FEW = 1_000;
const MANY = 6_000;

const PATHS = {
  "epoll, HTTP/1.1": ["--driver", "epoll"],
  "tcp, HTTP/1.1": ["--driver", "tcp"],
  "epoll, HTTP/2": ["--driver", "epoll", "--http2"],
  "tcp, HTTP/2": ["--driver", "tcp", "--http2"],
} as const;
const NAMES = Object.keys(PATHS) as (keyof typeof PATHS)[];

/** Nine short gaps and a long one, round and round: the p50 is the short one, and the p95 the long one. */
const SHORT_MS = 50;
const LONG_MS = 200;
const GAPS = [...Array(9).fill(`${SHORT_MS}ms`), `${LONG_MS}ms`].join(",");
const FIRST_MS = 100;

export const streams: Bench = {
  about:
    "times between events against those planted, and the memory of an open stream and WebSocket",
  rounds: 3,
  async run({ rounds, short }): Promise<Section[]> {
    return [await plantedGaps(rounds, short), await memoryOfOpen(rounds)];
  },
};

function startStreams(set: Readonly<Record<string, string>>): Promise<Server> {
  const settings = Object.entries(set).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
  return startServer("streams", (port) => {
    const [program, args] = selfCommand(["serve", "streams", "--port", `${port}`, ...settings]);
    return [program, ...args];
  });
}

async function plantedGaps(rounds: number, short: boolean): Promise<Section> {
  await using server = await startStreams({ events: "31", first: `${FIRST_MS}ms`, gaps: GAPS });
  const seen = await interleaved(NAMES, rounds, (name) =>
    runPlateau(`${server.origin}/events`, [
      ...["--stream", "events", "-c", "8", "-w", "1", "-d", short ? "3s" : "10s"],
      ...PATHS[name],
    ]));
  const errors = (
    name: keyof typeof PATHS,
    what: string,
    of: (streams: NonNullable<Measurement["streams"]>) => number,
    plantedMs: number,
  ): Row => ({
    what: `${name}: ${what}, planted ${plantedMs} ms`,
    samples: seen[name].map(({ streams }) =>
      streams === undefined ? NaN : 100 * Math.abs(of(streams) / plantedMs - 1)
    ),
    bar: atMost(2),
  });
  return {
    caption: "Times of events against those planted",
    unit: "% off",
    rows: NAMES.flatMap((name) => [
      errors(name, "gap p50", ({ gap }) => gap.percentiles["50"], SHORT_MS),
      errors(name, "gap p95", ({ gap }) => gap.percentiles["95"], LONG_MS),
      errors(name, "first event p50", ({ ttfe }) => ttfe.percentiles["50"], FIRST_MS),
    ]),
    notes: ["What the server's timers are late by is in it."],
  };
}

/** The loop of a worker with so many of them open, played without sockets: what the heap and buffers hold after a collection. */
async function memoryOfOpen(rounds: number): Promise<Section> {
  const collect = collector();
  const samplesOf = async (open: typeof openStreams): Promise<number[]> => {
    const samples: number[] = [];
    for (let round = 0; round < rounds; round++) samples.push(await memoryOfOne(open, collect));
    return samples;
  };
  const between = `between ${formatCount(FEW)} and ${formatCount(MANY)}`;
  return {
    caption: "Memory of an open stream and of a WebSocket in a worker, over HTTP/1.1",
    unit: "kB",
    rows: [
      { what: `a stream, ${between}`, samples: await samplesOf(openStreams), bar: atMost(MOST_KB) },
      {
        what: `a WebSocket, ${between}`,
        samples: await samplesOf(openSockets),
        bar: atMost(MOST_KB),
      },
    ],
    notes: [
      "Of the engine, with a driver that has no sockets: each stream has its head, three events and half of the next; each WebSocket its head, and has sent three messages, which were answered.",
    ],
  };
}

/** In kB. A function of its own, so that nothing of one round lives on in the next. */
async function memoryOfOne(open: typeof openStreams, collect: () => void): Promise<number> {
  const before = usedBytes(collect);
  const few = await open(FEW);
  const afterFew = usedBytes(collect);
  const many = await open(MANY);
  const afterMany = usedBytes(collect);
  if (few.open + many.open !== FEW + MANY) throw new Error("One of them is not open");
  return (afterMany - afterFew - (afterFew - before)) / (MANY - FEW) / KB;
}
