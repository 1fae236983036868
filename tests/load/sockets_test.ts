/**
 * WebSockets over a driver and a clock that the test plays: when messages are due, what becomes of each, which times are lower
 * bounds, and how sockets are opened and closed. Every time is known, so every figure is exact.
 */
import assert from "node:assert/strict";
import type { Driver, DriverEvents } from "../../runner/load/engine/driver.ts";
import type { Job, PacerSpec } from "../../runner/load/engine/job.ts";
import type { ExchangeEvents, ProtocolOf } from "../../runner/load/engine/protocol.ts";
import { pacerOf } from "../../runner/load/engine/pacers.ts";
import { RequestLoop, RequestScript } from "../../runner/load/engine/request_loop.ts";
import type { SocketSpec } from "../../runner/load/engine/sockets/socket_spec.ts";
import { Sockets } from "../../runner/load/engine/sockets/sockets.ts";
import { masksBy } from "../../runner/load/protocols/websocket/masks.ts";
import { WebSocketHttp1 } from "../../runner/load/protocols/websocket/websocket_http1.ts";
import { withStreams } from "../../runner/load/engine/streams/streams.ts";
import type { IntervalPart } from "../../runner/load/recording/intervals.ts";
import { SocketRecorder, type SocketTotals } from "../../runner/load/recording/socket_messages.ts";
import { StreamingRecorder } from "../../runner/load/recording/streaming_recorder.ts";
import type { WorkerTotals } from "../../runner/load/recording/totals.ts";
import { messageLaws } from "../../runner/measure/message_laws.ts";
import { MessageSum } from "../../runner/measure/timeline.ts";
import { KeptRoom } from "../../base/http/kept.ts";
import { acceptOf } from "../../base/http/websocket/handshake.ts";
import { openingOf } from "../../base/http/request.ts";
import { handshakeFields } from "../../scenarios/request/websocket.ts";
import { maskPayload } from "../../base/http/websocket/frames.ts";
import { type SparseHistogram, valueAtPercentile } from "../../runner/stats/histogram/histogram.ts";
import { FLAWED_INTERIM } from "../http/websocket/flawed_interim.ts";
import { ascii, close, frame, head, joined } from "../http/websocket/server_frames.ts";

const MS = 1_000;
const SECOND = 1_000_000;

class PlayedDriver implements Driver {
  events: DriverEvents | null = null;
  readonly closed: number[] = [];
  dials = 0;
  unsent = 0;
  /** What was sent and not yet looked at. */
  sent: Uint8Array = new Uint8Array(0);

  run(events: DriverEvents): Promise<void> {
    this.events = events;
    return Promise.resolve();
  }

  connect(): void {
    this.dials++;
  }

  send(_: number, bytes: Uint8Array): void {
    this.sent = joined(this.sent, bytes);
  }

  unsentBytes(): number {
    return this.unsent;
  }

  isSent(): boolean {
    return true;
  }

  close(slot: number): void {
    this.closed.push(slot);
  }
}

interface Wish {
  readonly pacer?: PacerSpec;
  readonly durationUs?: number;
  readonly timeoutUs?: number;
  readonly text?: string;
  /** Whether other requests of the load are streams. */
  readonly isMix?: boolean;
  /** The memory for heads and messages; absent: that of a load. */
  readonly room?: KeptRoom;
}

function withRoom(exchanges: ExchangeEvents, room: KeptRoom): ExchangeEvents {
  return new Proxy(exchanges, {
    get(target, name): unknown {
      if (name === "room") return room;
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** One slot, on which sockets follow one another. */
class Stage {
  /** When it asked to be ticked next. */
  #nextUs = 0;

  private constructor(
    readonly driver: PlayedDriver,
    readonly recorder: StreamingRecorder,
    readonly loop: RequestLoop,
    readonly intervals: readonly IntervalPart[],
  ) {
    void loop.exchanges.protocol.run();
  }

  static async of(
    spec: Partial<SocketSpec>,
    { text = "n={{ n }}", isMix = false, room, ...wish }: Wish = {},
  ): Promise<Stage> {
    const full = { answer: "echo" as const, subprotocols: [], deflate: false, ...spec };
    const wire = { method: "GET", path: "/ws", headers: handshakeFields(full), body: text };
    const check = { statuses: [101], body: null, contains: null, isStream: true as const };
    const { bytes, payload } = openingOf(wire, { host: "localhost", keepAlive: true });
    const script = {
      kind: "requests" as const,
      requests: [{ bytes, head: false, step: 0, check, socket: { spec: full, payload } }],
      sequence: Uint32Array.of(0),
    };
    const job: Job = {
      ...{ driver: "tcp" as const, endpoint: { hostname: "127.0.0.1", port: 1 }, script },
      ...{ steps: 0, connections: 1, pipeline: 1, keepAlive: true },
      ...{ timeoutUs: 5 * SECOND, intervalUs: 250_000, durationUs: 10 * SECOND },
      ...{ pacer: { kind: "closed" as const, requests: Infinity }, log: null, waitsForLast: false },
      stop: new Int32Array(new SharedArrayBuffer(4)),
      ...wish,
    };
    const isPushed = full.answer === "push";
    const intervals: IntervalPart[] = [];
    const recorder = new StreamingRecorder(
      {
        ...{ slots: 1, steps: new Set(isPushed ? [0] : []) },
        sockets: new SocketRecorder(1, {
          ...{ steps: new Set([0]), pushed: new Set(isPushed ? [0] : []) },
        }),
      },
      job.intervalUs,
      (part) => intervals.push(part),
    );
    const sockets = await Sockets.of({
      ...{ slots: 1, recorder, specs: [full], endUs: job.durationUs },
      ...{ mayFinish: false, name: "s" },
    });
    const driver = new PlayedDriver();
    const nextMask = masksBy(Uint32Array.of(1, 2, 3, 4));
    const protocol: ProtocolOf = (exchanges) =>
      new WebSocketHttp1(driver, room ? withRoom(exchanges, room) : exchanges, {
        ...{ slots: 1, sockets, nextMask },
      });
    const loop = new RequestLoop(job, {
      protocol: isMix ? await withStreams(protocol, { slots: 1, recorder, specs: [] }) : protocol,
      ...{ recorder, script: new RequestScript(script), pacer: pacerOf(job.pacer) },
    });
    return new Stage(driver, recorder, loop, intervals);
  }

  get events(): DriverEvents {
    assert.ok(this.driver.events);
    return this.driver.events;
  }

  tick(nowUs: number): void {
    this.#nextUs = Math.max(nowUs + 1, this.events.onTick(nowUs));
  }

  /** Ticks whenever it is asked for, until a moment. */
  until(nowUs: number): void {
    while (this.#nextUs <= nowUs) this.tick(this.#nextUs);
    this.tick(nowUs);
  }

  receive(bytes: Uint8Array<ArrayBuffer>, nowUs: number): void {
    this.events.onBytes(0, bytes, bytes.length, nowUs);
  }

  /** The connection is there, and the handshake answered. */
  open(nowUs = 0, more: readonly string[] = [], accept?: string): void {
    this.tick(nowUs);
    this.events.onOpen(0, nowUs);
    this.tick(nowUs);
    this.accept(nowUs, more, accept);
  }

  accept(nowUs: number, more: readonly string[] = [], accept?: string): void {
    this.receive(this.switching(more, accept), nowUs);
  }

  /** The response that opens the WebSocket. */
  switching(more: readonly string[] = [], accept?: string): Uint8Array<ArrayBuffer> {
    const request = new TextDecoder().decode(this.driver.sent);
    const key = /sec-websocket-key: (\S+)\r\n/.exec(request)?.[1] ?? "";
    assert.match(key, /^[A-Za-z0-9+/]{22}==$/);
    this.driver.sent = new Uint8Array(0);
    const fields = [
      "HTTP/1.1 101 Switching Protocols",
      "Upgrade: WebSocket",
      "Connection: keep-alive, Upgrade",
      `Sec-WebSocket-Accept: ${accept ?? acceptOf(key)}`,
      ...more,
    ];
    return ascii([...fields, "", ""].join("\r\n"));
  }

  /** The frames that were sent since the last call: opcodes and texts. */
  sent(): string[] {
    const bytes = this.driver.sent;
    this.driver.sent = new Uint8Array(0);
    const frames: string[] = [];
    for (let at = 0; at < bytes.length;) {
      assert.ok((bytes[at + 1] & 0x80) !== 0, "a client masks");
      const short = bytes[at + 1] & 0x7f;
      const head = short === 127 ? 10 : short === 126 ? 4 : 2;
      const view = new DataView(bytes.buffer, bytes.byteOffset + at);
      const length = short === 127
        ? Number(view.getBigUint64(2))
        : short === 126
        ? view.getUint16(2)
        : short;
      const from = at + head + 4;
      maskPayload(bytes, from, from + length, view.getUint32(head));
      const payload = bytes.subarray(from, from + length);
      const code = (bytes[at] & 0x0f) === 8 && length >= 2 ? payload[0] * 256 + payload[1] : null;
      frames.push(`${bytes[at].toString(16)} ${code ?? new TextDecoder().decode(payload)}`.trim());
      at = from + length;
    }
    return frames;
  }

  now(nowUs: number): SocketTotals {
    this.recorder.advance(nowUs);
    return checked(this.recorder.totals()).sockets;
  }

  /** The deadline, and the end of the wait after it. */
  over(nowUs: number): CheckedTotals {
    this.until(nowUs);
    this.until(nowUs + 5 * SECOND);
    const { totals } = this.loop.exchanges.ending;
    assert.ok(totals, "the load is over");
    const { due, completed, failed, unfinished, dropped } = totals;
    assert.equal(due, completed + failed + unfinished + dropped);
    const whole = checked(totals);
    if (totals.messages === undefined) {
      assert.deepEqual(
        countsIn(this.intervals),
        countsOf(whole.sockets),
        "intervals are the whole",
      );
    }
    return whole;
  }
}

function countsIn(intervals: readonly IntervalPart[]): number[] {
  const sum = new MessageSum();
  for (const { messages } of intervals) if (messages) sum.add(messages);
  const { received, failed, message: { all, censored } } = sum.whole();
  return [received, failed, all.count, all.sumUs, censored.count, censored.sumUs];
}

function countsOf({ cameInTime, failed, latency: { all, censored } }: SocketTotals): number[] {
  return [cameInTime, failed, all.count, all.sumUs, censored.count, censored.sumUs];
}

type CheckedTotals = Omit<WorkerTotals, "sockets"> & { readonly sockets: SocketTotals };

function checked(totals: WorkerTotals): CheckedTotals {
  const [sockets, ...others] = totals.sockets ?? [];
  assert.ok(sockets);
  assert.equal(others.length, 0, "it has one step");
  for (const [law, left, right] of messageLaws([totals])) assert.equal(left, right, law);
  return { ...totals, sockets };
}

function fates({ due, received, failed, unfinished, dropped }: SocketTotals): number[] {
  return [due, received, failed, unfinished, dropped];
}

/** Values in ms, each as often as it is there. */
function valuesOf(times: SparseHistogram): number[] {
  return Array.from(
    { length: times.count },
    (_, i) => Math.round(valueAtPercentile(times, 100 * (i + 0.5) / times.count) / MS),
  );
}

const EVERY: Partial<SocketSpec> = { send: { everyUs: 100 * MS, isText: true } };

function test(
  what: string,
  spec: Partial<SocketSpec>,
  wish: Wish,
  run: (stage: Stage) => void,
): void {
  Deno.test(what, async () => run(await Stage.of(spec, wish)));
}

test("messages are due by a pacer, whether or not those before were answered", EVERY, {}, (s) => {
  s.open();
  assert.deepEqual(s.sent(), ["81 n=0"]);
  s.receive(frame(0x81, "n=0"), 7 * MS);
  s.until(350 * MS);
  assert.deepEqual(s.sent(), ["81 n=1", "81 n=2", "81 n=3"]);
  s.receive(joined(frame(0x81, "n=3"), frame(0x81, "n=1")), 360 * MS);
  const now = s.now(380 * MS);
  assert.deepEqual(fates(now), [4, 3, 0, 1, 0]);
  assert.deepEqual(valuesOf(now.latency.all), [7, 60, 180, 260]);
  assert.deepEqual(valuesOf(now.latency.censored), [180]);
});

test("a generator that was late sends what is due, and counts it from then", EVERY, {}, (s) => {
  s.open();
  s.tick(310 * MS);
  assert.deepEqual(s.sent(), ["81 n=0", "81 n=1", "81 n=2", "81 n=3"]);
  for (const n of [0, 1, 2, 3]) s.receive(frame(0x81, `n=${n}`), 320 * MS);
  assert.deepEqual(valuesOf(s.now(330 * MS).latency.all), [20, 120, 220, 320]);
  const { lag } = s.recorder.totals();
  assert.deepEqual(valuesOf(lag), [10, 110, 210], "the first was due when the socket opened");
});

test("a first message that had to wait for the server to read was late", EVERY, {}, (s) => {
  s.driver.unsent = 1_000_000;
  s.open();
  s.until(40 * MS);
  assert.deepEqual(s.sent(), []);
  s.driver.unsent = 0;
  s.until(45 * MS);
  assert.deepEqual(s.sent(), ["81 n=0"]);
  const [lag] = valuesOf(s.recorder.totals().lag);
  assert.ok(lag > 40 && lag <= 45, `${lag} ms`);
});

test("what a server does not read waits, is late once it does, and else is dropped", EVERY, {
  durationUs: SECOND,
}, (s) => {
  s.open();
  s.receive(frame(0x81, "n=0"), 1 * MS);
  s.driver.unsent = 1_000_000;
  s.until(250 * MS);
  assert.deepEqual(s.sent(), ["81 n=0"]);
  assert.deepEqual(fates(s.now(250 * MS)), [3, 1, 0, 0, 2]);
  s.driver.unsent = 0;
  s.until(260 * MS);
  assert.deepEqual(s.sent(), ["81 n=1", "81 n=2"]);
  s.receive(joined(frame(0x81, "n=1"), frame(0x81, "n=2")), 261 * MS);
  s.driver.unsent = 1_000_000;
  const { sockets, completed, checksPassed } = s.over(SECOND);
  assert.deepEqual([completed, checksPassed], [1, 1], "it is left at the end of the load");
  assert.deepEqual(fates(sockets), [10, 3, 0, 0, 7]);
  assert.equal(sockets.latency.censored.count, 7);
});

test(
  "a user leaves after hold, and waits for the answers to what was sent",
  {
    ...EVERY,
    holdUs: 250 * MS,
  },
  {},
  (s) => {
    s.open();
    s.until(400 * MS);
    assert.deepEqual(s.sent(), ["81 n=0", "81 n=1", "81 n=2"]);
    for (const n of [0, 1]) s.receive(frame(0x81, `n=${n}`), 410 * MS);
    assert.deepEqual(s.sent(), []);
    s.receive(frame(0x81, "n=2"), 420 * MS);
    assert.deepEqual(s.sent(), ["88 1000"]);
    assert.equal(s.driver.closed.length, 0, "the server's close frame is awaited");
    s.receive(close(1000), 421 * MS);
    assert.deepEqual([s.driver.closed.length, s.driver.dials], [1, 2], "and the next is opened");
    const now = s.now(430 * MS);
    assert.deepEqual([fates(now), now.closeCodes], [[3, 3, 0, 0, 0], [[1000, 1]]]);
    const { completed, service } = s.recorder.totals();
    assert.deepEqual([completed, valuesOf(service)], [1, [420]], "it ended when its user left");
  },
);

test(
  "what is due is sent before its user leaves, also when the generator was late",
  {
    ...EVERY,
    holdUs: 150 * MS,
  },
  {},
  (s) => {
    s.open();
    s.sent();
    s.receive(frame(0x81, "n=0"), 160 * MS);
    assert.deepEqual(s.sent(), ["81 n=1"]);
    s.receive(frame(0x81, "n=1"), 170 * MS);
    assert.deepEqual([s.sent(), fates(s.now(180 * MS))], [["88 1000"], [2, 2, 0, 0, 0]]);
  },
);

test(
  "a server that does not answer a close frame is waited for a second, and no longer",
  {
    ...EVERY,
    holdUs: 50 * MS,
  },
  {},
  (s) => {
    s.open();
    s.receive(frame(0x81, "n=0"), 10 * MS);
    s.until(500 * MS);
    assert.equal(s.driver.closed.length, 0);
    s.until(1_060 * MS);
    assert.equal(s.driver.closed.length, 1);
    assert.deepEqual(s.now(1_100 * MS).closeCodes, [[1006, 1]]);
    assert.deepEqual([s.recorder.completed, s.recorder.failed], [1, 0]);
  },
);

test(
  "a server that closes is answered; what was in flight has failed, and it is wrong",
  EVERY,
  {},
  (s) => {
    s.open();
    s.sent();
    s.until(150 * MS);
    s.receive(joined(frame(0x81, "n=0"), close(1000, "bye")), 160 * MS);
    assert.deepEqual(s.sent(), ["81 n=1", "88 1000"]);
    assert.deepEqual(fates(s.now(170 * MS)), [2, 1, 1, 0, 0]);
    assert.deepEqual([s.recorder.completed, s.recorder.checksFailed], [1, 1]);
  },
);

test("a server that closes with the code of an error is wrong", EVERY, {}, (s) => {
  s.open();
  s.receive(joined(frame(0x81, "n=0"), close(1011)), 10 * MS);
  assert.deepEqual(s.sent(), ["81 n=0", "88 1011"]);
  assert.deepEqual([s.recorder.completed, s.recorder.checksFailed], [1, 1]);
  assert.deepEqual(s.now(20 * MS).closeCodes, [[1011, 1]]);
});

test("a connection that ends in the middle fails what is in flight", EVERY, {}, (s) => {
  s.open();
  s.until(250 * MS);
  s.receive(frame(0x81, "n=0"), 260 * MS);
  s.events.onEnd(0, "connection reset", 270 * MS);
  const now = s.now(280 * MS);
  assert.deepEqual([fates(now), now.closeCodes], [[3, 1, 2, 0, 0], [[1006, 1]]]);
  assert.equal(now.latency.censored.count, 0, "a cut says nothing about a latency");
  assert.deepEqual([s.recorder.completed, s.recorder.failed], [0, 1]);
  // The next is dialed at once, and nobody closes that dial.
  assert.deepEqual([s.driver.dials, s.driver.closed], [2, []]);
});

const EXPECTING: Partial<SocketSpec> = {
  ...EVERY,
  expect: { contains: ascii("right") },
  holdUs: 50 * MS,
};

for (const [what, text, passes] of [["none", "wrong", 0], ["one", "right", 1]] as const) {
  test(`a user that leaves has seen whether a message is as expected: ${what}`, EXPECTING, {
    text,
  }, (s) => {
    s.open();
    s.receive(frame(0x81, text), 10 * MS);
    s.until(60 * MS);
    s.receive(close(1000), 61 * MS);
    assert.equal(s.recorder.completed, 1);
    assert.deepEqual([s.recorder.checksPassed, s.recorder.checksFailed], [passes, 1 - passes]);
  });
}

test(
  "a hold that the end of the load cuts short does not prove that no message would come",
  {
    ...EXPECTING,
    holdUs: 500 * MS,
  },
  { durationUs: 50 * MS, text: "wrong" },
  (s) => {
    s.open();
    s.receive(frame(0x81, "wrong"), 10 * MS);
    s.until(60 * MS);
    s.receive(close(1000), 61 * MS);
    assert.deepEqual([s.recorder.completed, s.recorder.checksFailed], [1, 0]);
  },
);

test(
  "a message without an answer times out, with a bound; one that waits for nothing does not",
  EVERY,
  {
    timeoutUs: 300 * MS,
  },
  (s) => {
    s.open();
    for (let n = 0; n < 9; n++) {
      s.until(n * 100 * MS + 1);
      s.receive(frame(0x81, `n=${n}`), n * 100 * MS + 2);
    }
    assert.equal(s.recorder.failed, 0);
    s.until(1_250 * MS);
    const now = s.now(1_250 * MS);
    assert.deepEqual([fates(now), s.recorder.failed], [[13, 9, 3, 0, 1], 1]);
    assert.equal(now.latency.censored.count, 4);
    assert.ok(now.latency.censored.maxUs >= 300 * MS && now.latency.censored.maxUs < 350 * MS);
  },
);

test("what is in flight at the end of the load is waited for, then unfinished", EVERY, {
  durationUs: 250 * MS,
  timeoutUs: 20 * SECOND,
}, (s) => {
  s.open();
  s.until(240 * MS);
  s.receive(frame(0x81, "n=0"), 245 * MS);
  const { sockets, unfinished, completed } = s.over(250 * MS);
  assert.deepEqual([unfinished, completed], [1, 0]);
  assert.deepEqual(fates(sockets), [3, 1, 0, 2, 0]);
  assert.deepEqual(sockets.latency.censored.count, 2);
});

test("pings are answered between the messages, and pongs taken", EVERY, {}, (s) => {
  s.open();
  s.sent();
  s.receive(
    joined(frame(0x01, "n"), frame(0x89, "are you there"), frame(0x8a), frame(0x80, "=0")),
    5 * MS,
  );
  assert.deepEqual(s.sent(), ["8a are you there"]);
  assert.deepEqual(fates(s.now(10 * MS)), [1, 1, 0, 0, 0]);
});

test("pings of a server that reads nothing are not answered for ever", EVERY, {}, (s) => {
  s.open();
  s.sent();
  s.driver.unsent = 1_000_000;
  for (let n = 0; n < 1_000; n++) s.receive(frame(0x89, "ping"), 5 * MS);
  assert.deepEqual(s.sent(), []);
});

test("a push is a stream of messages: times to the first and between them", { answer: "push" }, {
  durationUs: SECOND,
}, (s) => {
  s.open(20 * MS);
  assert.deepEqual(s.sent(), []);
  for (const ms of [50, 80, 180]) s.receive(frame(0x82, "x"), ms * MS);
  const { sockets, messages: [messages] = [], completed } = s.over(SECOND);
  assert.deepEqual([sockets.came, fates(sockets), completed], [3, [0, 0, 0, 0, 0], 1]);
  assert.ok(messages);
  assert.deepEqual([messages.due, messages.received, messages.unfinished], [4, 3, 1]);
  assert.deepEqual(valuesOf(messages.first.all), [30]);
  assert.deepEqual(valuesOf(messages.gap.all).slice(0, 2), [30, 100]);
  assert.deepEqual([messages.gap.censored.count, messages.gap.censored.maxUs > 800 * MS], [
    1,
    true,
  ]);
});

for (const [code, ...ends] of [[1000, 1, 1, 0, 1], [1011, 2, 1, 1, 0]]) {
  test(`a push that the server closes with ${code}`, { answer: "push" }, {}, (s) => {
    s.open();
    s.receive(frame(0x82, "x"), 20 * MS);
    s.receive(close(code), 900 * MS);
    s.now(910 * MS);
    const { messages: [messages] = [] } = s.recorder.totals();
    assert.ok(messages);
    const { due, received, failed, whole, gap } = messages;
    assert.deepEqual([due, received, failed, whole], ends);
    assert.deepEqual(valuesOf(gap.censored), ends[2] === 0 ? [] : [880]);
  });
}

test("a push that the server closes before it sends anything", { answer: "push" }, {}, (s) => {
  s.open();
  s.receive(close(1000), 900 * MS);
  s.now(910 * MS);
  const { messages: [messages] = [] } = s.recorder.totals();
  assert.deepEqual([messages?.due, messages?.failed, messages?.whole], [1, 1, 0]);
});

test(
  "what a push never sent was due to nobody, as it expects no answers",
  {
    ...EVERY,
    answer: "push",
  },
  { durationUs: SECOND },
  (s) => {
    s.open();
    s.driver.unsent = 1_000_000;
    s.until(350 * MS);
    assert.deepEqual(fates(s.now(350 * MS)), [0, 0, 0, 0, 0]);
    const { sockets } = s.over(SECOND);
    assert.deepEqual([fates(sockets), sockets.sent], [[0, 0, 0, 0, 0], 1]);
    assert.equal(sockets.latency.all.count, 0);
  },
);

test(
  "messages with one value are answered in their order",
  {
    ...EVERY,
    answer: { kind: "json", path: ["id"] },
  },
  { text: '{"id":"same"}' },
  (s) => {
    s.open();
    s.until(150 * MS);
    for (const ms of [160, 170]) s.receive(frame(0x81, '{"id":"same"}'), ms * MS);
    const now = s.now(180 * MS);
    assert.deepEqual([fates(now), now.unmatched], [[2, 2, 0, 0, 0], 0]);
    assert.deepEqual(valuesOf(now.latency.all), [70, 160]);
  },
);

test(
  "nothing is sent after the hold: what could not be by then is dropped",
  {
    ...EVERY,
    holdUs: 150 * MS,
  },
  {},
  (s) => {
    s.open();
    s.sent();
    s.driver.unsent = 1_000_000;
    s.until(160 * MS);
    s.driver.unsent = 0;
    s.receive(frame(0x81, "n=0"), 170 * MS);
    assert.deepEqual(s.sent(), ["88 1000"]);
    s.receive(close(1000), 171 * MS);
    assert.deepEqual(fates(s.now(180 * MS)), [2, 1, 0, 0, 1]);
  },
);

const HELD: Partial<SocketSpec> = { answer: "push", holdUs: 50 * MS };

for (const isMix of [false, true]) {
  test(`a closing handshake is no part of what was held, ${isMix}`, HELD, { isMix }, (s) => {
    s.open();
    s.receive(frame(0x81, "x"), 20 * MS);
    s.until(51 * MS);
    s.receive(frame(0x81, "late"), 200 * MS);
    s.receive(close(1000), 500 * MS);
    s.now(600 * MS);
    const { messages: [messages] = [], service, sockets: [sockets] = [] } = s.recorder.totals();
    assert.ok(messages);
    assert.deepEqual([sockets?.came, messages.due, messages.received], [2, 2, 1]);
    assert.deepEqual(valuesOf(messages.gap.all), [30]);
    assert.deepEqual(valuesOf(service), [50]);
  });
}

test(
  "what breaks a socket that its user has left fails no message a second time",
  HELD,
  {},
  (s) => {
    s.open();
    s.receive(frame(0x81, "x"), 20 * MS);
    s.until(51 * MS);
    s.receive(frame(0xf1, "x"), 60 * MS);
    s.now(70 * MS);
    const { messages: [messages] = [], failed, sockets: [sockets] = [] } = s.recorder.totals();
    assert.deepEqual([failed, messages?.due, messages?.failed, messages?.unfinished], [1, 2, 0, 1]);
    assert.deepEqual(sockets?.closeCodes, [[1006, 1]]);
  },
);

test("a push that is refused fails once, also where its response does not end", HELD, {}, (s) => {
  s.tick(0);
  s.events.onOpen(0, 0);
  s.receive(ascii("HTTP/1.1 403 Forbidden\r\ncontent-length: 9\r\n\r\nno"), MS);
  s.events.onEnd(0, null, 2 * MS);
  s.now(3 * MS);
  const { messages: [messages] = [], failed } = s.recorder.totals();
  assert.deepEqual([failed, messages?.due, messages?.failed], [1, 1, 1]);
});

test("answers by their order, whatever they say", { ...EVERY, answer: "order" }, {}, (s) => {
  s.open();
  s.until(150 * MS);
  s.receive(joined(frame(0x81, "yes"), frame(0x81, "no"), frame(0x81, "what")), 160 * MS);
  const now = s.now(170 * MS);
  assert.deepEqual([fates(now), now.unmatched], [[2, 2, 0, 0, 0], 1]);
  assert.deepEqual(valuesOf(now.latency.all), [60, 160]);
});

test(
  "answers by what they have in common with their message",
  {
    ...EVERY,
    answer: { kind: "json", path: ["id"] },
  },
  { text: '{"id":"m{{ n }}","say":"hi"}' },
  (s) => {
    s.open();
    s.until(150 * MS);
    const answers = ['{"ok":true,"id":"m1"}', '{"news":1}', '{"id":"m0"}', '{"id":"m0"}'];
    s.receive(joined(...answers.map((text) => frame(0x81, text))), 160 * MS);
    const now = s.now(170 * MS);
    assert.deepEqual([fates(now), now.unmatched], [[2, 2, 0, 0, 0], 2]);
  },
);

test("an echo is the same octets: what others say in a room is no answer", EVERY, {
  text: "{{ socket }}: {{ n }}, again {{ n }}",
}, (s) => {
  s.open();
  assert.deepEqual(s.sent(), ["81 s-0: 0, again 0"]);
  for (
    const text of ["s-1: 0, again 0", "s-0: 0, again 1", "s-0: 00, again 00", "s-0: 1, again 1"]
  ) {
    s.receive(frame(0x81, text), 5 * MS);
  }
  s.receive(frame(0x81, "s-0: 0, again 0"), 6 * MS);
  const now = s.now(10 * MS);
  assert.deepEqual([fates(now), now.unmatched, now.came], [[1, 1, 0, 0, 0], 4, 5]);
});

const REFUSED: readonly (readonly [string, readonly string[], string | undefined])[] = [
  ["a wrong key", [], "AAAAAAAAAAAAAAAAAAAAAAAAAAA="],
  ["a subprotocol that was not offered", ["Sec-WebSocket-Protocol: chat"], undefined],
  [
    "an extension that was not offered",
    ["Sec-WebSocket-Extensions: permessage-deflate"],
    undefined,
  ],
];

for (const [what, more, accept] of REFUSED) {
  test(`a handshake with ${what} opens nothing`, EVERY, {}, (s) => {
    s.open(0, more, accept);
    assert.deepEqual([s.recorder.failed, s.now(MS).opened], [1, 0]);
  });
}

const EARLY = ascii("HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n");
const INTERIM: readonly (readonly [string, Uint8Array<ArrayBuffer>])[] = [
  ["103", EARLY],
  ["100 and two of 103", joined(ascii("HTTP/1.1 100 Continue\r\n\r\n"), EARLY, EARLY)],
];
for (const [what, interim] of INTERIM) {
  for (const pieceBytes of [1, 7, 1_000]) {
    const pieces = `pieces of ${pieceBytes} octets`;
    test(`an interim response may come before the 101: ${what}, in ${pieces}`, EVERY, {}, (s) => {
      s.tick(0);
      s.events.onOpen(0, 0);
      const whole = joined(interim, s.switching(), frame(0x81, "n=0"));
      for (let at = 0; at < whole.length; at += pieceBytes) {
        s.receive(whole.slice(at, at + pieceBytes), MS);
      }
      assert.deepEqual(s.sent(), ["81 n=0"]);
      assert.deepEqual(fates(s.now(2 * MS)), [1, 1, 0, 0, 0]);
    });
  }
}

test("after an interim response any other one counts, too", EVERY, {}, (s) => {
  s.tick(0);
  s.events.onOpen(0, 0);
  const refusal = ascii("HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno");
  for (const octet of joined(EARLY, refusal)) s.receive(Uint8Array.of(octet), MS);
  const { completed, checksFailed, status } = s.recorder.totals();
  assert.deepEqual([completed, checksFailed, status[403]], [1, 1, 1]);
});

for (const [what, { octets, reason }] of Object.entries(FLAWED_INTERIM)) {
  test(`a flawed interim response opens nothing: ${what}`, { answer: "push" }, {}, (s) => {
    s.tick(0);
    s.events.onOpen(0, 0);
    const whole = joined(ascii(octets), s.switching());
    for (let at = 0; at < whole.length && s.driver.closed.length === 0; at += 1_000) {
      s.receive(whole.slice(at, at + 1_000), MS);
    }
    assert.equal(s.now(2 * MS).opened, 0);
    const { failed, reasons, messages: [messages] = [] } = s.recorder.totals();
    assert.deepEqual([failed, [...reasons]], [1, [[reason, 1]]]);
    assert.deepEqual([messages?.due, messages?.failed], [1, 1]);
  });
}

test("a connection that ends within the head is not one that ends before it", EVERY, {}, (s) => {
  s.tick(0);
  s.events.onOpen(0, 0);
  s.receive(EARLY, MS);
  s.events.onEnd(0, null, 2 * MS);
  assert.deepEqual([...s.recorder.totals().reasons.keys()], ["closed within the head"]);
});

test("a WebSocket has a class of status of its own", { answer: "push" }, {}, (s) => {
  s.open();
  s.receive(close(1000), 20 * MS);
  s.now(30 * MS);
  const [[name, { maxUs }], ...others] = s.recorder.totals().groups;
  assert.deepEqual([name, maxUs, others], ["1xx", 20 * MS, []]);
});

test("a response of HTTP is one: its status counts, and it is wrong", EVERY, {}, (s) => {
  s.tick(0);
  s.events.onOpen(0, 0);
  for (const part of ["HTT", "P/1.1 403 Forbidden\r\ncontent-le", "ngth: 2\r\n\r\nno"]) {
    s.receive(ascii(part), MS);
  }
  const { completed, checksFailed, status } = s.recorder.totals();
  assert.deepEqual([completed, checksFailed, status[403]], [1, 1, 1]);
});

test(
  "a head that comes octet by octet opens a socket, and the first message behind it counts",
  {
    answer: "push",
  },
  {},
  (s) => {
    s.tick(0);
    s.events.onOpen(0, 0);
    const request = new TextDecoder().decode(s.driver.sent);
    const key = /sec-websocket-key: (\S+)/.exec(request)?.[1] ?? "";
    const response = ascii(
      "HTTP/1.1 101 \r\nupgrade: websocket\r\nconnection: upgrade\r\n" +
        `sec-websocket-accept: ${acceptOf(key)}\r\n\r\n`,
    );
    for (const octet of joined(response, frame(0x81, "at once"))) {
      s.receive(Uint8Array.of(octet), MS);
    }
    assert.deepEqual([s.now(2 * MS).opened, s.now(2 * MS).came], [1, 1]);
  },
);

const HOSTILE: readonly (readonly [string, Uint8Array<ArrayBuffer>, number])[] = [
  ["a frame of 2^63 octets", joined(Uint8Array.of(0x82, 127, 0x80), new Uint8Array(7)), 1002],
  ["a frame of a terabyte", head(0x82, 2 ** 40), 1009],
  ["a masked frame", Uint8Array.of(0x81, 0x81, 1, 2, 3, 4, 5), 1002],
  ["reserved bits", frame(0xf1, "x"), 1002],
  ["a text that is not UTF-8", frame(0x81, Uint8Array.of(0xc0, 0x80)), 1007],
];

for (const [what, octets, code] of HOSTILE) {
  test(`${what} fails the socket, which is told so`, EVERY, {}, (s) => {
    s.open();
    s.sent();
    s.receive(octets, 5 * MS);
    assert.deepEqual(s.sent(), [`88 ${code}`]);
    assert.deepEqual([s.recorder.failed, fates(s.now(10 * MS))], [1, [1, 0, 1, 0, 0]]);
    assert.equal(s.driver.closed.length, 1);
  });
}

test("the head of a socket takes room only while the socket is there", {}, {
  room: new KeptRoom(1_000),
}, (s) => {
  const large = [`X-Large: ${"x".repeat(600)}`];
  const ends: readonly ((nowUs: number) => void)[] = [
    (nowUs) => s.receive(close(1000), nowUs),
    (nowUs) => s.events.onEnd(0, null, nowUs),
  ];
  for (let round = 0; round < 6; round++) {
    const nowUs = round * SECOND;
    s.open(nowUs, large);
    ends[round % 2](nowUs + MS);
    s.open(nowUs + SECOND / 2, large, "wrong");
  }
  assert.equal(s.now(6 * SECOND).opened, 6);
  assert.deepEqual([s.recorder.completed, s.recorder.failed], [3, 9]);
});

test("a mask is over every octet, wherever and however many they are", {}, {}, () => {
  const masks = masksBy(Uint32Array.of(9, 8, 7, 6));
  for (const length of [0, 1, 3, 4, 255, 256, 257, 1_003, 70_001]) {
    for (const from of [0, 1, 2, 3, 6]) {
      const mask = masks();
      const bytes = Uint8Array.from({ length: from + length + 2 }, (_, at) => at * 7);
      const octets = [mask >>> 24, mask >>> 16, mask >>> 8, mask].map((one) => one & 0xff);
      const expected = bytes.map((one, at) =>
        at < from || at >= from + length ? one : one ^ octets[(at - from) % 4]
      );
      maskPayload(bytes, from, from + length, mask);
      assert.deepEqual(bytes, expected);
    }
  }
});
