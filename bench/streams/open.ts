/** Streams and WebSockets that stay open in the loop of a worker, without connections, and their memory on the heap. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openingOf } from "../../base/http/request.ts";
import { acceptOf } from "../../base/http/websocket/handshake.ts";
import type { Driver, DriverEvents } from "../../runner/load/engine/driver.ts";
import type { Job, PreparedRequest } from "../../runner/load/engine/job.ts";
import { pacerOf } from "../../runner/load/engine/pacers.ts";
import type { ProtocolOf } from "../../runner/load/engine/protocol.ts";
import { RequestLoop, RequestScript } from "../../runner/load/engine/request_loop.ts";
import { Sockets } from "../../runner/load/engine/sockets/sockets.ts";
import { withStreams } from "../../runner/load/engine/streams/streams.ts";
import { StreamedHttp1 } from "../../runner/load/protocols/http1/streamed_http1.ts";
import { masksBy } from "../../runner/load/protocols/websocket/masks.ts";
import { WebSocketHttp1 } from "../../runner/load/protocols/websocket/websocket_http1.ts";
import { SocketRecorder } from "../../runner/load/recording/socket_messages.ts";
import { StreamingRecorder } from "../../runner/load/recording/streaming_recorder.ts";
import { handshakeFields } from "../../scenarios/request/websocket.ts";

const STEP_US = 10;
const TIMEOUT_US = 1e9;
const INTERVAL_US = 250_000;
const EVERY_US = 1_000_000;
/** The number of messages that each stream or WebSocket has had when its memory is looked at. */
const MESSAGES = 3;

/** Returns a function that makes the engine collect all garbage now. */
export function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc");
}

/** The bytes that live on the heap and in buffers. */
export function usedBytes(collect: () => void): number {
  for (let i = 0; i < 3; i++) collect();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

/** Keeps the open streams or WebSockets, and counts them. */
export interface Open {
  readonly open: number;
}

const encoder = new TextEncoder();
const HEAD = encoder.encode(
  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n" +
    "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\nTransfer-Encoding: chunked\r\n\r\n",
);
const EVENT = 'event: tick\nid: 17\ndata: {"price":101.25,"at":1700000000}\n\n';
const CHUNK = encoder.encode(`${EVENT.length.toString(16)}\r\n${EVENT}\r\n`);
const HALF = CHUNK.subarray(0, CHUNK.length >> 1);

/** Streams each of which has received its head, three events and half of the next. */
export async function openStreams(count: number): Promise<Open> {
  const stream = { kind: "events" as const };
  const bytes = encoder.encode("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const check = { statuses: [200], body: null, contains: null, isStream: true as const };
  const setting = { slots: count, steps: new Set([0]) };
  const recorder = new StreamingRecorder(setting, INTERVAL_US, () => {});
  const driver = new Silent();
  const protocol = await withStreams(
    (events) => new StreamedHttp1(driver, events, count),
    { slots: count, recorder, specs: [stream] },
  );
  const request = { bytes, head: false, step: 0, check, stream };
  const loop = loopWith(count, request, { protocol, recorder, driver });
  for (const part of [HEAD, ...Array<Uint8Array>(MESSAGES).fill(CHUNK), HALF]) {
    loop.nowUs += STEP_US;
    for (let slot = 0; slot < count; slot++) loop.receive(slot, part);
  }
  return {
    get open(): number {
      const [{ unfinished, received }] = recorder.messages.totals(loop.nowUs);
      return received === MESSAGES * count ? unfinished : 0;
    },
  };
}

/** Open WebSockets, each of which has sent three messages that were echoed. */
export async function openSockets(count: number): Promise<Open> {
  const spec = {
    send: { everyUs: EVERY_US, isText: true },
    ...{ answer: "echo" as const, subprotocols: [], deflate: false },
  };
  const wire = { method: "GET", path: "/ws", headers: handshakeFields(spec), body: "n={{ n }}" };
  const { bytes, payload } = openingOf(wire, { host: "localhost", keepAlive: true });
  const check = { statuses: [101], body: null, contains: null, isStream: true as const };
  const counted = new SocketRecorder(count, { steps: new Set([0]), pushed: new Set() });
  const recorder = new StreamingRecorder(
    { slots: count, steps: new Set(), sockets: counted },
    INTERVAL_US,
    () => {},
  );
  const sockets = await Sockets.of({
    ...{ slots: count, recorder, specs: [spec], endUs: Infinity, mayFinish: false, name: "s" },
  });
  const driver = new Silent();
  const nextMask = masksBy(Uint32Array.of(1, 2, 3, 4));
  const protocol: ProtocolOf = (events) =>
    new WebSocketHttp1(driver, events, { slots: count, sockets, nextMask });
  const request = { bytes, head: false, step: 0, check, socket: { spec, payload } };
  const loop = loopWith(count, request, { protocol, recorder, driver });
  for (const [slot, key] of driver.keys) loop.receive(slot, encoder.encode(upgradeBy(key)));
  driver.keys.clear();
  for (let n = 0; n < MESSAGES; n++) {
    loop.nowUs = Math.max(loop.nowUs, n * EVERY_US + EVERY_US / 2);
    loop.tick();
    const text = encoder.encode(`n=${n}`);
    const echo = Uint8Array.of(0x81, text.length, ...text);
    for (let slot = 0; slot < count; slot++) loop.receive(slot, echo);
  }
  return {
    get open(): number {
      const [{ opened, received }] = recorder.totals().sockets ?? [{ opened: 0, received: 0 }];
      return received === MESSAGES * count ? opened : 0;
    },
  };
}

function upgradeBy(key: string): string {
  return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
    `Sec-WebSocket-Accept: ${acceptOf(key)}\r\n\r\n`;
}

/** The first octet of a GET. */
const LETTER_G = 0x47;

/** A driver that sends nothing, and keeps only the keys of handshakes. */
class Silent implements Driver {
  events: DriverEvents | null = null;
  readonly dialed: number[] = [];
  readonly keys = new Map<number, string>();

  run(events: DriverEvents): Promise<void> {
    this.events = events;
    return Promise.resolve();
  }

  connect(slot: number): void {
    this.dialed.push(slot);
  }

  send(slot: number, bytes: Uint8Array): void {
    if (bytes[0] !== LETTER_G) return; // the bytes are a frame, not a handshake
    const [, key] = /sec-websocket-key: (\S+)/.exec(new TextDecoder().decode(bytes)) ?? [];
    if (key !== undefined) this.keys.set(slot, key);
  }

  unsentBytes(): number {
    return 0;
  }

  isSent(): boolean {
    return true;
  }

  close(): void {}
}

interface Parts {
  readonly protocol: ProtocolOf;
  readonly recorder: StreamingRecorder;
  readonly driver: Silent;
}

interface Loop {
  nowUs: number;
  tick(): void;
  receive(slot: number, octets: Uint8Array): void;
}

/** A loop with this many connections, on each of which the request was sent. */
function loopWith(
  count: number,
  request: PreparedRequest,
  { protocol, recorder, driver }: Parts,
): Loop {
  const script = {
    kind: "requests" as const,
    requests: [request],
    sequence: Uint32Array.of(0),
  };
  const job: Job = {
    ...{ driver: "tcp" as const, endpoint: { hostname: "", port: 0 }, script, steps: 0 },
    ...{ connections: count, pipeline: 1, keepAlive: true, timeoutUs: TIMEOUT_US },
    ...{ intervalUs: INTERVAL_US, durationUs: 1e9, log: null, waitsForLast: false },
    pacer: { kind: "closed", requests: Infinity },
    stop: new Int32Array(new SharedArrayBuffer(4)),
  };
  const { exchanges } = new RequestLoop(job, {
    ...{ protocol, recorder, script: new RequestScript(script), pacer: pacerOf(job.pacer) },
  });
  void exchanges.protocol.run();
  const { events } = driver;
  if (events === null) throw new Error("The driver has not begun");
  const loop: Loop = {
    nowUs: 0,
    tick: () => events.onTick(loop.nowUs),
    receive: (slot, octets) => events.onBytes(slot, octets, octets.length, loop.nowUs),
  };
  for (let open = 0; open < count; loop.nowUs += STEP_US) {
    loop.tick();
    for (const slot of driver.dialed.splice(0)) {
      events.onOpen(slot, loop.nowUs);
      open++;
    }
  }
  loop.tick();
  return loop;
}
