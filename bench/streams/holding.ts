/**
 * Holds streams or WebSockets open on a load worker of its own, and prints the memory of that worker near the end, as
 * JSON. It runs in a process of its own, because resident memory can only be read for a whole process.
 */
import { encodeRequest, openingOf } from "../../base/http/request.ts";
import type { JobShare, PreparedRequest } from "../../runner/load/engine/job.ts";
import { WorkerPool } from "../../runner/load/worker/pool.ts";
import { handshakeFields } from "../../scenarios/request/websocket.ts";
import type { HeldTwice } from "./held.ts";
import type { Opened } from "./isolate.ts";
import type { HeldMessage } from "./watched_worker.ts";

const INTERVAL_US = 250_000;
/** The worker's memory is read this many intervals before the end. */
const BEFORE_END = 2;
const CONNECTION = { host: "localhost", keepAlive: true };
const EXPECTED = { body: null, contains: null, isStream: true as const };

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

async function heldBy(opened: Opened): Promise<HeldTwice> {
  const { driver, port, count, everyMs, seconds } = opened;
  const durationUs = seconds * 1e6;
  const share: JobShare = {
    ...{ driver, endpoint: { hostname: "127.0.0.1", port }, connections: count, steps: 0 },
    script: { kind: "requests", requests: [requestOf(opened)], sequence: Uint32Array.of(0) },
    ...{ pipeline: 1, keepAlive: true, timeoutUs: 60e6, intervalUs: INTERVAL_US, durationUs },
    ...{ pacer: { kind: "closed", requests: Infinity }, log: null, waitsForLast: false },
    dialTurns: { perSec: 1_000 * count / everyMs, first: 0, stride: 1 },
  };
  let held: HeldTwice | null = null;
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
    const { reports: [{ totals: { connect, failed, checksFailed } }] } = await pool.run([share], {
      onInterval: () => {},
      onStart: () => {},
      signal: new AbortController().signal,
    });
    if (connect.count < count || failed > 0 || checksFailed > 0) {
      throw new Error(
        `Cannot measure: ${connect.count} of ${count} connections opened, ${failed} requests failed, ${checksFailed} responses were wrong`,
      );
    }
    if (held === null) {
      throw new Error("Cannot measure: the worker ended before its memory was read");
    }
    return held;
  } finally {
    pool.close();
  }
}

// deno-lint-ignore no-console -- the output of a program
console.log(JSON.stringify(await heldBy(JSON.parse(Deno.args[0]))));
Deno.exit(0);
