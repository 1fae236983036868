/** WebSockets that stay open in the loop of a worker, without connections, and what they hold of the heap. */
import { acceptOf } from "../../base/http/websocket/handshake.ts";
import type { Driver, DriverEvents } from "../../runner/load/engine/driver.ts";
import type { Job } from "../../runner/load/engine/job.ts";
import { pacerOf } from "../../runner/load/engine/pacers.ts";
import { RequestLoop, RequestScript } from "../../runner/load/engine/request_loop.ts";
import { Sockets } from "../../runner/load/engine/sockets/sockets.ts";
import { masksBy } from "../../runner/load/protocols/websocket/masks.ts";
import { WebSocketHttp1 } from "../../runner/load/protocols/websocket/websocket_http1.ts";
import { SocketRecorder } from "../../runner/load/recording/socket_messages.ts";
import { StreamingRecorder } from "../../runner/load/recording/streaming_recorder.ts";
import { openingOf } from "../../base/http/request.ts";
import { handshakeFields } from "../../scenarios/request/websocket.ts";

const STEP_US = 10;
const EVERY_US = 1_000_000;
const SECONDS = 3;

/** Keeps the keys of handshakes alone. */
class Deaf implements Driver {
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
    if (bytes[0] !== 0x47) return; // a frame
    const [, key = ""] = /sec-websocket-key: (\S+)/.exec(new TextDecoder().decode(bytes)) ?? [];
    this.keys.set(slot, key);
  }

  unsentBytes(): number {
    return 0;
  }

  isSent(): boolean {
    return true;
  }

  close(): void {}
}

const encoder = new TextEncoder();

/** Opens them, each of which sends three messages and gets three echoes. @returns What keeps them, and how many are open. */
export async function openSockets(count: number): Promise<{ readonly open: number }> {
  const spec = {
    send: { everyUs: EVERY_US, isText: true },
    ...{ answer: "echo" as const, subprotocols: [], deflate: false },
  };
  const wire = { method: "GET", path: "/ws", headers: handshakeFields(spec), body: "n={{ n }}" };
  const { bytes, payload } = openingOf(wire, { host: "localhost", keepAlive: true });
  const check = { statuses: [101], body: null, contains: null, isStream: true as const };
  const requests = [{ bytes, head: false, step: 0, check, socket: { spec, payload } }];
  const script = { kind: "requests" as const, requests, sequence: Uint32Array.of(0) };
  const job: Job = {
    ...{ driver: "tcp" as const, endpoint: { hostname: "", port: 0 }, script, steps: 0 },
    ...{ connections: count, pipeline: 1, keepAlive: true, timeoutUs: 1e9, intervalUs: 250_000 },
    ...{ durationUs: 1e9, pacer: { kind: "closed" as const, requests: Infinity }, log: null },
    ...{ waitsForLast: false, stop: new Int32Array(new SharedArrayBuffer(4)) },
  };
  const recorder = new StreamingRecorder(
    { slots: count, steps: new Set(), sockets: new SocketRecorder(count) },
    job.intervalUs,
    () => {},
  );
  const sockets = await Sockets.of({
    ...{ slots: count, recorder, specs: [spec], endUs: Infinity, mayFinish: false, name: "s" },
  });
  const driver = new Deaf();
  const nextMask = masksBy(Uint32Array.of(1, 2, 3, 4));
  const { exchanges } = new RequestLoop(job, {
    protocol: (events) => new WebSocketHttp1(driver, events, { slots: count, sockets, nextMask }),
    ...{ recorder, script: new RequestScript(script), pacer: pacerOf(job.pacer) },
  });
  void exchanges.protocol.run();
  const { events } = driver;
  if (events === null) throw new Error("The driver has not begun");
  let nowUs = 0;
  for (let opened = 0; opened < count; nowUs += STEP_US) {
    events.onTick(nowUs);
    for (const slot of driver.dialed.splice(0)) {
      events.onOpen(slot, nowUs);
      opened++;
    }
  }
  events.onTick(nowUs);
  const receive = (slot: number, octets: Uint8Array): void =>
    events.onBytes(slot, octets, octets.length, nowUs);
  for (const [slot, key] of driver.keys) {
    receive(
      slot,
      encoder.encode(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
          `Sec-WebSocket-Accept: ${acceptOf(key)}\r\n\r\n`,
      ),
    );
  }
  driver.keys.clear();
  for (let n = 0; n < SECONDS; n++) {
    nowUs = Math.max(nowUs, n * EVERY_US + EVERY_US / 2);
    events.onTick(nowUs);
    const text = encoder.encode(`n=${n}`);
    const echo = Uint8Array.of(0x81, text.length, ...text);
    for (let slot = 0; slot < count; slot++) receive(slot, echo);
  }
  return {
    get open(): number {
      const { opened, received } = recorder.totals().sockets ?? { opened: 0, received: 0 };
      return received === SECONDS * count ? opened : driver.dialed.length;
    },
  };
}
