/**
 * The memory of a worker's isolate while streams or WebSockets are open on its sockets: the engine's share, and the
 * part that V8 keeps for the youngest objects and for garbage.
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
/** The number of intervals before the end at which the worker is looked at. */
const BEFORE_END = 2;
const CONNECTION = { host: "localhost", keepAlive: true };
const EXPECTED = { body: null, contains: null, isStream: true as const };

export interface Opened {
  readonly what: "streams" | "WebSockets";
  readonly driver: DriverName;
  readonly port: number;
  readonly count: number;
  /**
   * The time between two messages of one stream; streams are opened at the rate of messages, so that these come evenly.
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

/** Makes the load on a worker of its own, and looks at that worker near the end. */
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

/** The memory of an isolate with few and with many streams, or WebSockets, open. */
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
 * The memory of one stream or WebSocket, as the difference between many and few.
 * @param bar The bar for its own objects and buffers.
 */
export function heldRows(subject: string, rounds: readonly HeldTwice[], bar: Bar): Row[] {
  return Object.entries(PARTS).map(([part, of]) => ({
    what: `${subject}: ${part}`,
    samples: rounds.map(({ few, many, more }) => (of(many) - of(few)) / more / KB),
    ...part === "objects and buffers" && { bar },
  }));
}
