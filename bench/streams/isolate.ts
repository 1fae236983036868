/**
 * Measures the memory of a worker's isolate while streams or WebSockets are open: the objects and buffers in use, and
 * the room that V8 keeps for new objects and for garbage.
 */
import { encodeRequest, openingOf } from "../../base/http/request.ts";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import type { JobShare, PreparedRequest } from "../../runner/load/engine/job.ts";
import { WorkerPool } from "../../runner/load/worker/pool.ts";
import { handshakeFields } from "../../scenarios/request/websocket.ts";
import type { Bar } from "../bar.ts";
import type { Row } from "../bench.ts";
import type { HeldMessage } from "./watched_worker.ts";

const KB = 1e3;
const INTERVAL_US = 250_000;
/** How many intervals before the end the worker's memory is sampled. */
const BEFORE_END = 2;
const CONNECTION = { host: "localhost", keepAlive: true };
const EXPECTED = { body: null, contains: null, isStream: true as const };

export interface Opened {
  readonly what: "streams" | "WebSockets";
  readonly driver: DriverName;
  readonly port: number;
  readonly count: number;
  /**
   * The time between two messages of a stream. Streams are opened at the total rate of messages, so that messages are
   * spread evenly.
   */
  readonly everyMs: number;
  readonly seconds: number;
}

type HeldAt = HeldMessage["held"];

function requestOf({ what, everyMs }: Opened): PreparedRequest {
  if (what === "streams") {
    const wire = { method: "GET", path: "/events", headers: {}, body: null };
    const bytes = encodeRequest(wire, CONNECTION);
    const check = { ...EXPECTED, statuses: [200] };
    return { bytes, head: false, step: 0, check, stream: { kind: "events" } };
  }
  const spec = {
    send: { everyUs: everyMs * 1e3, isText: true },
    ...{ answer: "echo" as const, subprotocols: [], deflate: false },
  };
  const wire = { method: "GET", path: "/ws", headers: handshakeFields(spec), body: "n={{ n }}" };
  const { bytes, payload } = openingOf(wire, CONNECTION);
  const check = { ...EXPECTED, statuses: [101] };
  return { bytes, head: false, step: 0, check, socket: { spec, payload } };
}

/** Runs the load on a worker of its own, and returns that worker's memory near the end of the load. */
export async function heldBy(opened: Opened): Promise<HeldAt> {
  const { driver, port, count, everyMs, seconds } = opened;
  const durationUs = seconds * 1e6;
  const share: JobShare = {
    ...{ driver, endpoint: { hostname: "127.0.0.1", port }, connections: count, steps: 0 },
    script: { kind: "requests", requests: [requestOf(opened)], sequence: Uint32Array.of(0) },
    ...{ pipeline: 1, keepAlive: true, timeoutUs: 60e6, intervalUs: INTERVAL_US, durationUs },
    ...{ pacer: { kind: "closed", requests: Infinity }, log: null, waitsForLast: false },
    dialTurns: { perSec: 1_000 * count / everyMs, first: 0, stride: 1 },
  };
  let held: HeldAt | null = null;
  const pool = new WorkerPool(() => {
    const worker = new Worker(import.meta.resolve("./watched_worker.ts"), {
      type: "module",
      name: String(durationUs / INTERVAL_US - BEFORE_END),
    });
    worker.addEventListener("message", ({ data }: MessageEvent<Partial<HeldMessage>>) => {
      if (data.held !== undefined) held = data.held;
    });
    return worker;
  });
  try {
    const { reports: [{ totals }] } = await pool.run([share], {
      onInterval: () => {},
      onStart: () => {},
      signal: new AbortController().signal,
    });
    if (held === null || totals.connect.count < count || totals.failed > 0) {
      throw new Error(`Only ${totals.connect.count} of ${count} were opened`);
    }
    return held;
  } finally {
    pool.close();
  }
}

/**
 * The memory of an isolate with few and with many streams or WebSockets open. `more` is the difference in their number.
 */
export interface HeldTwice {
  readonly few: HeldAt;
  readonly many: HeldAt;
  readonly more: number;
}

const PARTS = {
  "objects and buffers": ({ after }) => after.heap + after.buffers,
  "V8's room for the youngest objects": ({ before }) => before.youngTotal,
  "V8's garbage, and what it keeps free": ({ before, after }) =>
    before.heapTotal - before.youngTotal - after.heap,
} satisfies Record<string, (held: HeldAt) => number>;

/**
 * The memory of one stream or WebSocket, computed from the difference between many and few.
 * @param bar The bar for the part "objects and buffers".
 */
export function heldRows(subject: string, rounds: readonly HeldTwice[], bar: Bar): Row[] {
  return Object.entries(PARTS).map(([part, of]) => ({
    what: `${subject}: ${part}`,
    samples: rounds.map(({ few, many, more }) => (of(many) - of(few)) / more / KB),
    ...part === "objects and buffers" && { bar },
  }));
}
