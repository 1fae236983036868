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
import type { Driver, DriverEvents } from "../../runner/load/engine/driver.ts";
import { Http1 } from "../../runner/load/protocols/http1/http1.ts";
import { Http2 } from "../../runner/load/protocols/http2/http2.ts";
import type { ExchangeEvents } from "../../runner/load/engine/protocol.ts";
import { KeptRoom } from "../../base/http/kept.ts";
import {
  coded,
  data,
  frame,
  headers,
  joined,
  octets,
  request,
  settings,
} from "../http/http2/peer.ts";
import { play, SECOND, type Stage, stage, tick, totalsOf, type Wish } from "./stage.ts";

const OK = { ":status": "200" };
const MAX_STREAMS = 3;

/** Notes what is done to its sockets, and which frames are sent on them. */
class Sockets implements Driver {
  handler: DriverEvents | null = null;
  readonly notes: string[] = [];
  unsent = 0;
  readonly #readers = new Map<number, FrameReader>();
  #preface = 0;

  run(handler: DriverEvents): Promise<void> {
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

/** A load that sends the next request on a place as soon as it is open or has had a response, as long as it goes on. */
class Load implements ExchangeEvents {
  goesOn = true;
  readonly punctual = false;
  sentBytes = 0;
  readonly protocol: Http2;
  readonly sockets = new Sockets();
  /** What came to each slot. */
  readonly notes: string[] = [];
  readonly #message = { bytes: request(), head: false, step: 0 };
  #nowUs = 0;

  constructor(
    places: number,
    readonly room = new KeptRoom(),
    readonly retain = false,
    requests?: number,
  ) {
    this.protocol = new Http2(this.sockets, this, {
      connections: 1,
      streams: places,
      ...requests !== undefined && { requests },
      schemes: ["http"],
    });
    void this.protocol.run();
    for (let slot = 0; slot < places; slot++) this.protocol.connect(slot);
    this.socket.onOpen(0, 0);
  }

  get socket(): DriverEvents {
    assert.ok(this.sockets.handler);
    return this.sockets.handler;
  }

  /** What the server sends. */
  hear(nowUs: number, ...frames: readonly Uint8Array[]): void {
    const bytes = joined(...frames);
    this.socket.onBytes(0, bytes, bytes.length, nowUs);
  }

  #send(slot: number): void {
    this.protocol.send(slot, this.#message, this.#nowUs);
  }

  onOpen(slot: number, nowUs: number): void {
    this.#nowUs = nowUs;
    this.#send(slot);
  }

  onEnd(slot: number): boolean {
    this.notes.push(`response ${slot}`);
    return true;
  }

  onRead(slot: number, nowUs: number): void {
    this.#nowUs = nowUs;
    if (this.goesOn) this.#send(slot);
  }

  onFailed(slot: number, by: string, reason: string, nowUs: number): void {
    this.#nowUs = nowUs;
    this.notes.push(`${by} ${slot}: ${reason}`);
    if (this.protocol.cancel(slot, nowUs)) this.#send(slot);
  }

  onRefused(slot: number, by: string): void {
    this.notes.push(`refused ${slot} by ${by}`);
  }

  onDisconnected(): boolean {
    return this.goesOn;
  }

  onReplaced(slot: number, timeUs: number): void {
    this.notes.push(`replaced ${slot} in ${timeUs} µs`);
  }

  onSent(bytes: number): void {
    this.sentBytes += bytes;
  }

  onReceived(): void {}

  onUnsolicited(): void {}

  readonly inFlight = { count: () => 1, isHead: () => false, dueUs: () => 0 };

  isTooLate(): boolean {
    return false;
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

Deno.test("a connection that is lost gives back the memory of its responses, whole or begun", () => {
  const load = new Load(2, new KeptRoom(30_000), true);
  const body = "x".repeat(10_000);
  for (let round = 0; round < 9; round++) {
    const nowUs = round * SECOND;
    if (round > 0) {
      for (const slot of [0, 1]) load.protocol.connect(slot);
      load.socket.onOpen(0, nowUs);
    }
    load.hear(nowUs + 1, settings());
    load.hear(nowUs + 2, headers(1, OK), data(1, body, END_STREAM), headers(3, OK), data(3, body));
    load.socket.onEnd(0, null, nowUs + 3);
  }
  const responses = load.notes.filter((note) => note.startsWith("response"));
  assert.deepEqual(responses, Array(9).fill("response 0"));
});

/** Slot 0 has waited for a whole second when the tick comes. */
function timedOut(): Load {
  const load = new Load(1);
  load.hear(1, settings());
  load.take();
  load.tick(SECOND, () => {
    assert.equal(load.protocol.cancel(0, SECOND), true);
    load.onOpen(0, SECOND);
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
    assert.equal(load.protocol.cancel(0, SECOND), true);
    load.onOpen(0, SECOND);
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
  assert.deepEqual(load.notes, ["response 0", "reset 1: broken pipe"]);
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

const LEAVING: readonly (readonly [why: string, requests: number | undefined, last: Uint8Array])[] =
  [
    ["that had as many requests as it may have", 2, joined()],
    ["whose server says that it leaves", undefined, frame(GOAWAY, 0, 0, coded(3, 0))],
  ];
for (const [why, requests, last] of LEAVING) {
  Deno.test(`a connection ${why} is replaced only if there is more to send`, () => {
    for (const goesOn of [true, false]) {
      const load = new Load(2, undefined, undefined, requests);
      load.hear(1, settings());
      load.take();
      load.goesOn = goesOn;
      load.hear(2, headers(1, OK, END_STREAM), headers(3, OK, END_STREAM), last);
      assert.deepEqual(load.take(), ["close 0", ...goesOn ? ["connect 0"] : []]);
      assert.deepEqual(load.notes, ["response 0", "response 1"]);
    }
  });
}

Deno.test("octets out are those on the wire: of a request that is sent again, twice", () => {
  const load = new Load(1);
  load.hear(1, settings());
  const once = load.sentBytes;
  load.hear(2, headers(1, OK, END_STREAM));
  load.hear(3, frame(GOAWAY, 0, 0, coded(1, 0)));
  load.socket.onOpen(0, 4);
  load.hear(5, settings());
  assert.ok(load.sentBytes > 2 * once);
});

/** One connection for all slots, of which each may go on with the next stream. */
let isThere = false;
let isOpen = true;

class Shared extends Http1 {
  override joins(): boolean {
    return isThere;
  }
  override connect(slot: number): void {
    if (!isThere) super.connect(slot);
    isThere = true;
  }
  override cancel(): boolean {
    return isOpen;
  }
}

function sharing(wish: Wish = {}): Stage {
  isThere = false;
  isOpen = true;
  return stage({ ...SHARED, protocol: Shared, ...wish });
}

const SHARED = { connections: 1, streams: 3 };

Deno.test("a stream that fails is followed by the next request, and no dial", () => {
  const s = sharing();
  const { driver: noting } = s;
  s.loop.onTick(0);
  for (const slot of [0, 1, 2]) s.loop.onOpen(slot, 0);
  noting.take();
  for (let nowUs = 1; nowUs <= 100; nowUs++) {
    s.loop.load.onFailed(1, nowUs % 2 === 0 ? "reset" : "protocol", "alone", nowUs);
  }
  assert.deepEqual(new Set(noting.take()), new Set(["send 1"]));
  play(s, tick(SECOND), tick(6 * SECOND));
  const { failed, reconnects, dropped } = totalsOf(s);
  assert.deepEqual([failed, reconnects, dropped], [100, 0, 0]);
});

Deno.test("the pauses between dials are those of the connection, however many places it has", () => {
  const s = sharing({ durationUs: 60 * SECOND });
  const { driver: noting } = s;
  const dials: number[] = [];
  for (let nowUs = 0; nowUs < 10 * SECOND;) {
    const nextUs = s.loop.onTick(nowUs);
    if (noting.take().some((note) => note.startsWith("connect"))) {
      dials.push(nowUs);
      isThere = false;
      for (const slot of [0, 1, 2]) s.loop.onRefused(slot, "connect", "refused", nowUs);
    }
    nowUs = nextUs;
  }
  const pausesMs = dials.slice(1).map((at, i) => (at - dials[i]) / 1_000);
  assert.deepEqual(pausesMs.slice(0, 8), [10, 20, 40, 80, 160, 320, 640, 1_000]);
});

Deno.test("a place without a response is dialed at once where its connection brought another one", () => {
  const s = sharing();
  const { driver: noting } = s;
  s.loop.onTick(0);
  for (const slot of [0, 1, 2]) s.loop.onOpen(slot, 0);
  for (let nowUs = 1_000; nowUs <= 20_000; nowUs += 1_000) {
    const ok = new TextEncoder().encode("HTTP/1.1 204 No Content\r\n\r\n");
    s.loop.onBytes(0, ok, ok.length, nowUs);
    noting.take();
    isThere = isOpen = false;
    for (const slot of [2, 1, 0]) s.loop.onEnd(slot, "reset", nowUs);
    assert.deepEqual(noting.take(), ["connect 2"]);
    isOpen = true;
    for (const slot of [0, 1, 2]) s.loop.onOpen(slot, nowUs);
  }
  play(s, tick(SECOND), tick(6 * SECOND));
  assert.equal(totalsOf(s).reconnects, 20);
});
