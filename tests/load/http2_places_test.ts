/** Connections of HTTP/2 and the places on them: the test plays the server, its socket, the load and the clock. */
import assert from "node:assert/strict";
import {
  ACK,
  CONTENT,
  END_STREAM,
  FRAME,
  FrameReader,
  GOAWAY,
  HEADERS,
  PING,
  RST_STREAM,
} from "../../base/http/http2/frames.ts";
import type { EventHandler, SocketDriver, SocketHandler } from "../../runner/load/engine/driver.ts";
import { Http2Driver } from "../../runner/load/transports/http2/driver.ts";
import { coded, frame, headers, joined, octets, request, settings } from "../http/http2/peer.ts";
import { NotingDriver, play, SECOND, stage, tick, totalsOf } from "./stage.ts";

const OK = { ":status": "200" };
const MAX_STREAMS = 3;

/** Notes what is done to its sockets, and which frames are sent on them. */
class Sockets implements SocketDriver {
  handler: SocketHandler | null = null;
  readonly notes: string[] = [];
  unsent = 0;
  readonly #readers = new Map<number, FrameReader>();
  #preface = 0;

  run(handler: SocketHandler): Promise<void> {
    this.handler = handler;
    return Promise.resolve();
  }

  connect(index: number): void {
    this.notes.push(`connect ${index}`);
    this.#readers.set(index, new FrameReader());
    this.#preface = 24;
  }

  close(index: number): void {
    this.notes.push(`close ${index}`);
  }

  unsentBytes(): number {
    return this.unsent;
  }

  isSent(): boolean {
    return this.unsent === 0;
  }

  send(index: number, bytes: Uint8Array): void {
    const reader = this.#readers.get(index) ?? new FrameReader();
    let at = Math.min(this.#preface, bytes.length);
    this.#preface -= at;
    while (at < bytes.length) {
      at = reader.next(bytes, at, bytes.length);
      if (reader.found !== FRAME && reader.found !== CONTENT) continue;
      const { type, stream, flags } = reader;
      if (type === HEADERS) this.notes.push(`request ${stream}`);
      else if (type === RST_STREAM) this.notes.push(`reset ${stream}`);
      else if (type === PING && flags !== ACK) this.notes.push("ping");
      else if (type === GOAWAY) this.notes.push("goaway");
    }
  }
}

/** A load that sends the next request on a place as soon as it is open or has had a response. */
class Load implements EventHandler {
  readonly punctual = false;
  readonly recorder = { bytesOut: 0 };
  readonly driver: Http2Driver;
  readonly sockets = new Sockets();
  /** What came to each slot. */
  readonly notes: string[] = [];
  readonly #bytes = request();

  constructor(places: number) {
    this.driver = new Http2Driver(this.sockets, {
      connections: 1,
      streams: places,
      schemes: ["http"],
    });
    void this.driver.run(this);
    for (let slot = 0; slot < places; slot++) this.driver.connect(slot);
    this.socket.onOpen(0, 0);
  }

  get socket(): SocketHandler {
    assert.ok(this.sockets.handler);
    return this.sockets.handler;
  }

  /** What the server sends. */
  hear(nowUs: number, ...frames: readonly Uint8Array[]): void {
    const bytes = joined(...frames);
    this.socket.onBytes(0, bytes, bytes.length, nowUs);
  }

  onOpen(slot: number): void {
    this.driver.send(slot, this.#bytes);
  }

  onBytes(slot: number): void {
    this.notes.push(`response ${slot}`);
    this.driver.send(slot, this.#bytes);
  }

  onFailed(slot: number, by: string, reason: string): void {
    this.notes.push(`${by} ${slot}: ${reason}`);
    if (this.driver.cancel(slot)) this.driver.send(slot, this.#bytes);
  }

  onRefused(slot: number, by: string): void {
    this.notes.push(`refused ${slot} by ${by}`);
  }

  onEnd(slot: number, reset: string | null): void {
    this.notes.push(`end ${slot}: ${reset}`);
  }

  onReplaced(slot: number, timeUs: number): void {
    this.notes.push(`replaced ${slot} in ${timeUs} µs`);
  }

  /** What the load does at the tick that is to come. */
  atTick = (): void => {};

  onTick(nowUs: number): number {
    this.atTick();
    return nowUs + 10_000;
  }

  tick(nowUs: number, act = (): void => {}): void {
    this.atTick = act;
    this.socket.onTick(nowUs);
    this.atTick = () => {};
  }

  /** What was noted of the sockets since the last look. */
  take(): string[] {
    return this.sockets.notes.splice(0);
  }
}

Deno.test("requests wait for streams in order, whichever their places are", () => {
  const load = new Load(4);
  load.hear(1, settings([MAX_STREAMS, 2]));
  assert.deepEqual(load.take(), ["connect 0", "request 1", "request 3"]);
  for (let stream = 1; stream < 40; stream += 2) {
    load.hear(stream + 1, headers(stream, OK, END_STREAM));
    assert.deepEqual(load.take(), [`request ${stream + 4}`]);
  }
  const slots = load.notes.map((note) => Number(note.split(" ")[1]));
  assert.deepEqual(slots, Array.from({ length: 20 }, (_, i) => i % 4));
});

Deno.test("a server that lowers its streams leaves none of those that wait behind", () => {
  const load = new Load(4);
  load.hear(1, settings([MAX_STREAMS, 4]));
  load.hear(2, settings([MAX_STREAMS, 1]));
  for (let stream = 1; stream < 40; stream += 2) {
    load.hear(stream + 2, headers(stream, OK, END_STREAM));
  }
  const slots = load.notes.map((note) => Number(note.split(" ")[1]));
  assert.deepEqual(slots, Array.from({ length: 20 }, (_, i) => i % 4));
});

Deno.test("no stream begins before the server takes one, and then as many as it takes", () => {
  const load = new Load(3);
  load.hear(1, settings([MAX_STREAMS, 0]));
  assert.deepEqual(load.take(), ["connect 0"]);
  load.tick(10_000);
  assert.deepEqual(load.take(), []);
  load.hear(20_000, settings([MAX_STREAMS, 2]));
  assert.deepEqual(load.take(), ["request 1", "request 3"]);
});

Deno.test("what a reset stream makes the load send is sent after all that has come", () => {
  const load = new Load(2);
  load.hear(1, settings());
  load.take();
  load.hear(2, frame(RST_STREAM, 0, 1, coded(2)), headers(3, OK, END_STREAM));
  assert.deepEqual(load.notes, ["reset 0: RST_STREAM with INTERNAL_ERROR", "response 1"]);
  assert.deepEqual(load.take(), ["request 5", "request 7"]);
});

/** Slot 0 has waited for a whole second when the tick comes. */
function timedOut(): Load {
  const load = new Load(1);
  load.hear(1, settings());
  load.take();
  load.tick(SECOND, () => {
    assert.equal(load.driver.cancel(0), true);
    load.onOpen(0);
  });
  assert.deepEqual(load.take(), ["reset 1", "ping"]);
  return load;
}

Deno.test("after a time-out the next request waits for a word of the server, and any will do", () => {
  const load = timedOut();
  load.tick(1.4 * SECOND);
  assert.deepEqual(load.take(), []);
  load.hear(1.45 * SECOND, frame(PING, ACK, 0, octets("\0\0\0\0\0\0\0\0")));
  assert.deepEqual(load.take(), ["request 3"]);
  load.tick(10 * SECOND);
  assert.deepEqual([load.take(), load.notes], [[], []]);
});

Deno.test("a server that says no word is left, and the request that waits goes by the next connection", () => {
  const load = timedOut();
  load.tick(1.5 * SECOND);
  assert.deepEqual(load.take(), ["close 0", "connect 0"]);
  load.socket.onOpen(0, 1.6 * SECOND);
  load.hear(1.7 * SECOND, settings());
  assert.deepEqual(load.take(), ["request 1"]);
  assert.deepEqual(load.notes, ["replaced 0 in 200000 µs"]);
});

Deno.test("a time-out beside a neighbour that gets its response asks the server nothing", () => {
  const load = new Load(2);
  load.hear(1, settings());
  load.hear(SECOND / 2, headers(3, OK, END_STREAM));
  load.take();
  load.tick(SECOND, () => {
    assert.equal(load.driver.cancel(0), true);
    load.onOpen(0);
  });
  assert.deepEqual(load.take(), ["reset 1", "request 7"]);
});

Deno.test("a request that the server did not take before it left goes by the next connection", () => {
  const load = new Load(3);
  load.hear(1, settings());
  load.hear(2, frame(GOAWAY, 0, 0, coded(2 ** 31 - 1, 0)));
  load.hear(3, frame(GOAWAY, 0, 0, coded(3, 0)));
  load.take();
  load.hear(4, headers(1, OK, END_STREAM));
  assert.deepEqual(load.take(), []);
  load.hear(5, headers(3, OK, END_STREAM));
  assert.deepEqual(load.take(), ["close 0", "connect 0"]);
  load.socket.onOpen(0, 6);
  load.hear(7, settings());
  assert.deepEqual(load.take(), ["request 1", "request 3", "request 5"]);
  assert.deepEqual(load.notes, ["response 0", "response 1", "replaced 0 in 2 µs"]);
});

Deno.test("of a connection that ends, what it was at fails, and what waited for a stream goes on", () => {
  const load = new Load(3);
  load.hear(1, settings([MAX_STREAMS, 1]));
  load.hear(2, headers(1, OK, END_STREAM));
  load.take();
  load.socket.onEnd(0, "broken pipe", 3);
  assert.deepEqual(load.notes, ["response 0", "end 1: broken pipe"]);
  assert.deepEqual(load.take(), ["connect 0"]);
  load.socket.onOpen(0, 4);
  load.hear(5, settings());
  assert.deepEqual(load.take(), ["request 1", "request 3"]);
});

Deno.test("a dial in place of a connection that left fails what waits for it, by its own kind", () => {
  const load = new Load(1);
  load.hear(1, settings());
  load.hear(2, headers(1, OK, END_STREAM), frame(GOAWAY, 0, 0, coded(1, 0)));
  load.socket.onRefused(0, "connect", "connection refused", 3);
  assert.deepEqual(load.notes, ["response 0", "connect 0: connection refused"]);
});

Deno.test("octets out are those on the wire: of a request that is sent again, twice", () => {
  const load = new Load(1);
  load.hear(1, settings());
  const once = load.recorder.bytesOut;
  load.hear(2, headers(1, OK, END_STREAM));
  load.hear(3, frame(GOAWAY, 0, 0, coded(1, 0)));
  load.socket.onOpen(0, 4);
  load.hear(5, settings());
  // The stage gives octets without counting them, as the engine does.
  const given = 2 * request().length;
  assert.ok(load.recorder.bytesOut + given > 2 * (once + request().length));
});

/** As the driver of HTTP/2: one connection for all slots, of which each may go on with the next stream. */
class Shared extends NotingDriver {
  isThere = false;
  isOpen = true;
  joins(): boolean {
    return this.isThere;
  }
  override connect(slot: number): void {
    if (!this.isThere) super.connect(slot);
    this.isThere = true;
  }
  cancel(): boolean {
    return this.isOpen;
  }
}

const SHARED = { connections: 1, streams: 3 };

Deno.test("a stream that fails is followed by the next request, and no dial", () => {
  const noting = new Shared();
  const s = stage({ ...SHARED, noting });
  s.loop.onTick(0);
  for (const slot of [0, 1, 2]) s.loop.onOpen(slot, 0);
  noting.take();
  for (let nowUs = 1; nowUs <= 100; nowUs++) {
    s.loop.onFailed(1, nowUs % 2 === 0 ? "reset" : "protocol", "alone", nowUs);
  }
  assert.deepEqual(new Set(noting.take()), new Set(["send 1"]));
  play(s, tick(SECOND), tick(6 * SECOND));
  const { failed, reconnects, dropped } = totalsOf(s);
  assert.deepEqual([failed, reconnects, dropped], [100, 0, 0]);
});

Deno.test("the pauses between dials are those of the connection, however many places it has", () => {
  const noting = new Shared();
  const s = stage({ ...SHARED, noting, durationUs: 60 * SECOND });
  const dials: number[] = [];
  for (let nowUs = 0; nowUs < 10 * SECOND;) {
    const nextUs = s.loop.onTick(nowUs);
    if (noting.take().some((note) => note.startsWith("connect"))) {
      dials.push(nowUs);
      noting.isThere = false;
      for (const slot of [0, 1, 2]) s.loop.onRefused(slot, "connect", "refused", nowUs);
    }
    nowUs = nextUs;
  }
  const pausesMs = dials.slice(1).map((at, i) => (at - dials[i]) / 1_000);
  assert.deepEqual(pausesMs.slice(0, 8), [10, 20, 40, 80, 160, 320, 640, 1_000]);
});

Deno.test("a place without a response is dialed at once where its connection brought another one", () => {
  const noting = new Shared();
  const s = stage({ ...SHARED, noting });
  s.loop.onTick(0);
  for (const slot of [0, 1, 2]) s.loop.onOpen(slot, 0);
  for (let nowUs = 1_000; nowUs <= 20_000; nowUs += 1_000) {
    const ok = new TextEncoder().encode("HTTP/1.1 204 No Content\r\n\r\n");
    s.loop.onBytes(0, ok, ok.length, nowUs);
    noting.take();
    noting.isThere = noting.isOpen = false;
    for (const slot of [2, 1, 0]) s.loop.onEnd(slot, "reset", nowUs);
    assert.deepEqual(noting.take(), ["connect 2"]);
    noting.isOpen = true;
    for (const slot of [0, 1, 2]) s.loop.onOpen(slot, nowUs);
  }
  play(s, tick(SECOND), tick(6 * SECOND));
  assert.equal(totalsOf(s).reconnects, 20);
});
