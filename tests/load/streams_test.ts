/**
 * Streams over every protocol, with a driver and a clock that the test plays: what is due of messages, what becomes of it, and
 * which times are lower bounds. Every time is known, so every figure is exact.
 */
import assert from "node:assert/strict";
import { END_STREAM, HEADERS, RST_STREAM } from "../../base/http/http2/frames.ts";
import { HpackDecoder } from "../../base/http/http2/hpack_decoder.ts";
import type { Driver, DriverEvents } from "../../runner/load/engine/driver.ts";
import type { Job, PacerSpec } from "../../runner/load/engine/job.ts";
import { pacerOf } from "../../runner/load/engine/pacers.ts";
import type { ProtocolOf } from "../../runner/load/engine/protocol.ts";
import { RequestLoop, RequestScript } from "../../runner/load/engine/request_loop.ts";
import type { StreamSpec } from "../../runner/load/engine/streams/stream_spec.ts";
import { withStreams } from "../../runner/load/engine/streams/streams.ts";
import { StreamedHttp1 } from "../../runner/load/protocols/http1/streamed_http1.ts";
import { Http2 } from "../../runner/load/protocols/http2/http2.ts";
import type { MessageTotals } from "../../runner/load/recording/messages.ts";
import { StreamingRecorder } from "../../runner/load/recording/streaming_recorder.ts";
import type { WorkerTotals } from "../../runner/load/recording/totals.ts";
import { MessageSum } from "../../runner/measure/timeline.ts";
import { ERRORS } from "../../runner/result/outcome.ts";
import type { IntervalPart } from "../../runner/load/recording/intervals.ts";
import { messageLaws } from "../../runner/measure/message_laws.ts";
import { type SparseHistogram, valueAtPercentile } from "../../runner/stats/histogram/histogram.ts";
import { coded, data, frame, headers, octets, request, settings } from "../http/http2/peer.ts";

const MS = 1_000;
const PREFACE_BYTES = 24;
const SECOND = 1_000_000;

interface Member {
  readonly name: string;
  readonly over: (driver: Driver) => ProtocolOf;
  readonly welcome: Uint8Array<ArrayBuffer>;
  /** Of response number n. */
  readonly head: (status: number, type: string, n: number) => Uint8Array<ArrayBuffer>;
  readonly part: (text: string, n: number) => Uint8Array<ArrayBuffer>;
  readonly end: (n: number) => Uint8Array<ArrayBuffer>;
  /** The server gives the stream up. */
  readonly reset: (events: DriverEvents, nowUs: number) => void;
}

const own = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(bytes);

const MEMBERS: readonly Member[] = [
  {
    name: "http1, chunked",
    over: (driver) => (exchanges) => new StreamedHttp1(driver, exchanges, 1),
    welcome: own(octets("")),
    head: (status, type) =>
      own(octets(
        `HTTP/1.1 ${status} \r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`,
      )),
    part: (text) => own(octets(`${text.length.toString(16)}\r\n${text}\r\n`)),
    end: () => own(octets("0\r\n\r\n")),
    reset: (events, nowUs) => events.onEnd(0, "connection reset", nowUs),
  },
  {
    name: "http1, until it closes",
    over: (driver) => (exchanges) => new StreamedHttp1(driver, exchanges, 1),
    welcome: own(octets("")),
    head: (status, type) => own(octets(`HTTP/1.1 ${status} \r\ncontent-type: ${type}\r\n\r\n`)),
    part: (text) => own(octets(text)),
    end: () => own(octets("")),
    reset: (events, nowUs) => events.onEnd(0, "connection reset", nowUs),
  },
  {
    name: "http2",
    over: (driver) => (exchanges) =>
      new Http2(driver, exchanges, { connections: 1, streams: 1, schemes: ["http"] }),
    welcome: own(settings()),
    head: (status, type, n) =>
      own(headers(2 * n + 1, { ":status": String(status), "content-type": type })),
    part: (text, n) => own(data(2 * n + 1, text)),
    end: (n) => own(data(2 * n + 1, "", END_STREAM)),
    reset: (events, nowUs) => {
      const bytes = frame(RST_STREAM, 0, 1, coded(2));
      events.onBytes(0, bytes, bytes.length, nowUs);
    },
  },
];

class PlayedDriver implements Driver {
  events: DriverEvents | null = null;
  readonly closed: number[] = [];
  dials = 0;
  sent = "";

  run(events: DriverEvents): Promise<void> {
    this.events = events;
    return Promise.resolve();
  }

  connect(): void {
    this.dials++;
  }

  send(_: number, bytes: Uint8Array): void {
    this.sent += String.fromCharCode(...bytes);
  }

  unsentBytes(): number {
    return 0;
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
  /** Events of the stream, besides events. */
  readonly type?: string;
  readonly status?: number;
  /** That are right. */
  readonly statuses?: readonly number[];
}

/** One slot, on which streams follow one another. */
class Stage {
  readonly recorder: StreamingRecorder;
  readonly loop: RequestLoop;
  readonly intervals: readonly IntervalPart[];
  #n = -1;

  private constructor(
    readonly driver: PlayedDriver,
    readonly member: Member,
    private readonly wish: Wish,
    job: Job,
    script: RequestScript,
    parts: {
      readonly protocol: ProtocolOf;
      readonly recorder: StreamingRecorder;
      readonly parts: readonly IntervalPart[];
    },
  ) {
    this.recorder = parts.recorder;
    this.intervals = parts.parts;
    this.loop = new RequestLoop(job, { ...parts, script, pacer: pacerOf(job.pacer) });
    void this.loop.exchanges.protocol.run();
  }

  static async of(member: Member, stream: StreamSpec, wish: Wish = {}): Promise<Stage> {
    const check = {
      ...{ statuses: wish.statuses ?? [200], body: null, contains: null },
      isStream: true as const,
    };
    const requests = [{ bytes: own(request()), head: false, step: 0, check, stream }];
    const script = { kind: "requests" as const, requests, sequence: Uint32Array.of(0) };
    const job: Job = {
      ...{ driver: "tcp" as const, endpoint: { hostname: "127.0.0.1", port: 1 }, script },
      ...{ steps: 0, connections: 1, pipeline: 1, keepAlive: true },
      ...member.name === "http2" && { streams: 1 },
      ...{ timeoutUs: 5 * SECOND, intervalUs: 250_000, durationUs: SECOND },
      ...{ pacer: { kind: "closed" as const, requests: Infinity }, log: null, waitsForLast: false },
      stop: new Int32Array(new SharedArrayBuffer(4)),
      ...wish,
    };
    const setting = { slots: 1, steps: new Set([0]), withTokens: new Set(stream.token ? [0] : []) };
    const parts: IntervalPart[] = [];
    const onInterval = (part: IntervalPart): void => void parts.push(part);
    const recorder = new StreamingRecorder(setting, job.intervalUs, onInterval);
    const driver = new PlayedDriver();
    const protocol = await withStreams(member.over(driver), {
      ...{ slots: 1, recorder, specs: [stream] },
    });
    return new Stage(driver, member, wish, job, new RequestScript(script), {
      ...{ protocol, recorder, parts },
    });
  }

  get events(): DriverEvents {
    assert.ok(this.driver.events);
    return this.driver.events;
  }

  tick(nowUs: number): number {
    return this.events.onTick(nowUs);
  }

  /** The connection is there, and the first request sent, at `nowUs`. */
  open(nowUs = 0): void {
    this.tick(nowUs);
    this.events.onOpen(0, nowUs);
    this.#receive(this.member.welcome, nowUs);
    this.tick(nowUs);
  }

  /** The connection that has been dialed again is there. */
  reopen(nowUs: number): void {
    this.#n = -1;
    this.driver.sent = "";
    this.events.onOpen(0, nowUs);
    this.#receive(this.member.welcome, nowUs);
    this.tick(nowUs);
  }

  /** Ticks as a driver does: when the loop wants one, and at least each 5 ms. Stops where a dial has begun. */
  untilDial(fromUs: number, toUs: number): number {
    const { dials } = this.driver;
    for (let nowUs = fromUs; nowUs < toUs;) {
      nowUs = Math.max(nowUs, Math.min(this.tick(nowUs), nowUs + 5 * MS, toUs));
      this.tick(nowUs);
      if (this.driver.dials > dials) return nowUs;
      nowUs += MS / 4;
    }
    return Infinity;
  }

  #receive(bytes: Uint8Array<ArrayBuffer>, nowUs: number): void {
    if (bytes.length > 0) this.events.onBytes(0, bytes, bytes.length, nowUs);
  }

  head(nowUs: number, wish: Pick<Wish, "status" | "type"> = this.wish): void {
    this.#n++;
    const { status = 200, type = "text/event-stream" } = wish;
    this.#receive(this.member.head(status, type, this.#n), nowUs);
  }

  part(text: string, nowUs: number): void {
    this.#receive(this.member.part(text, this.#n), nowUs);
  }

  end(nowUs: number): void {
    const bytes = this.member.end(this.#n);
    if (bytes.length > 0) this.#receive(bytes, nowUs);
    else this.events.onEnd(0, null, nowUs);
  }

  /** The connection ends in the middle; over HTTP/1.1 without a length that is an end as any other. */
  disconnect(nowUs: number): void {
    this.events.onEnd(0, "connection reset", nowUs);
  }

  /** Of the request that was sent last; "" for none. */
  sentField(name: string): string {
    return this.member.name === "http2"
      ? fieldIn(this.driver.sent, name)
      : new RegExp(`^${name}: (.*)\r$`, "im").exec(this.driver.sent)?.[1] ?? "";
  }

  /** As they are now: streams that are open are unfinished. */
  now(nowUs: number): MessageTotals {
    this.recorder.advance(nowUs);
    return checked(this.recorder.totals()).messages;
  }

  /** The deadline, and the end of the wait after it. */
  over(nowUs: number): CheckedTotals {
    this.tick(nowUs);
    this.tick(nowUs + 5 * SECOND);
    const { totals } = this.loop.exchanges.ending;
    assert.ok(totals, "the load is over");
    const { due, completed, failed, unfinished, dropped } = totals;
    assert.equal(due, completed + failed + unfinished + dropped);
    const whole = checked(totals);
    assert.deepEqual(countsIn(this.intervals), countsOf(whole.messages), "intervals are the whole");
    return whole;
  }
}

type CheckedTotals = Omit<WorkerTotals, "messages"> & { readonly messages: MessageTotals };

function checked(totals: WorkerTotals): CheckedTotals {
  const [messages, ...others] = totals.messages ?? [];
  assert.ok(messages);
  assert.equal(others.length, 0, "it has one step");
  for (const [law, left, right] of messageLaws([totals])) assert.equal(left, right, law);
  return { ...totals, messages };
}

function countsIn(intervals: readonly IntervalPart[]): number[] {
  const parts = intervals.flatMap(({ messages }) => messages ?? []);
  assert.equal(parts.length, intervals.length);
  const sum = new MessageSum();
  for (const part of parts) sum.add(part);
  const { received, failed, ttfe, gap } = sum.whole();
  return [
    received,
    failed,
    ...[ttfe, gap].flatMap(({ all, censored }) => [all, censored])
      .flatMap(({ count, sumUs }) => [count, sumUs]),
  ];
}

function countsOf({ inTime, failed, first, gap }: MessageTotals): number[] {
  return [
    inTime,
    failed,
    ...[first, gap].flatMap(({ all, censored }) => [all, censored])
      .flatMap(({ count, sumUs }) => [count, sumUs]),
  ];
}

function fates({ due, received, failed, unfinished, dropped }: MessageTotals): number[] {
  return [due, received, failed, unfinished, dropped];
}

/** Of the first request that an HTTP/2 client sends on its connection. */
function fieldIn(sent: string, name: string): string {
  const bytes = octets(sent);
  for (let at = PREFACE_BYTES; at < bytes.length;) {
    const [high, middle, low, type] = bytes.subarray(at);
    const length = (high << 16) + (middle << 8) + low;
    const payload = bytes.subarray(at + 9, at + 9 + length);
    at += 9 + length;
    if (type !== HEADERS) continue;
    return new HpackDecoder().decode(payload).find((field) => field.name === name)?.value ?? "";
  }
  throw new Error("No request was sent");
}

/** Values in ms, each as often as it is there. */
function valuesOf(times: SparseHistogram): number[] {
  return Array.from(
    { length: times.count },
    (_, i) => Math.round(valueAtPercentile(times, 100 * (i + 0.5) / times.count) / MS),
  );
}

const EVENTS: StreamSpec = { kind: "events" };

for (const member of MEMBERS) {
  const test = (what: string, stream: StreamSpec, wish: Wish, run: (s: Stage) => void): void =>
    Deno.test(`${member.name}: ${what}`, async () => run(await Stage.of(member, stream, wish)));

  test(
    "a stream's messages have the times between them, also those that come together",
    EVENTS,
    {},
    (s) => {
      s.open();
      s.head(2 * MS);
      s.part("data: 1\n\n", 10 * MS);
      s.part("event: tick\nda", 20 * MS);
      s.part("ta: 2\n\n", 30 * MS);
      s.part("data: 3\n\nevent: tick\ndata: 4\n\n", 45 * MS);
      s.end(50 * MS);
      const { messages, ...totals } = s.over(SECOND);
      assert.deepEqual(valuesOf(messages.first.all).slice(0, 1), [10]);
      assert.deepEqual(valuesOf(messages.gap.all), [0, 15, 20]);
      assert.deepEqual(
        messages.names.map(({ name, received, gap }) => [name, received, valuesOf(gap)]),
        [["message", 2, [15]], ["tick", 2, [0, 20]]],
      );
      assert.deepEqual([totals.completed, totals.checksPassed, messages.whole], [1, 1, 1]);
      const [{ messages: interval }] = s.intervals;
      assert.deepEqual([interval?.received, interval?.gap.all.count], [4, 3]);
      assert.equal(valuesOf(totals.service)[0], 50, "the whole stream");
      assert.equal(valuesOf(totals.firstByte)[0], 2);
    },
  );

  test("a stream that is open at the end has its wait as a lower bound", EVENTS, {}, (s) => {
    s.open();
    s.head(2 * MS);
    s.part("data: 1\n\n", 100 * MS);
    s.part("data: 2\n\n", 200 * MS);
    assert.deepEqual(fates(s.now(500 * MS)), [3, 2, 0, 1, 0], "so far");
    const { messages, unfinished } = s.over(SECOND);
    assert.deepEqual([unfinished, ...fates(messages)], [1, 3, 2, 0, 1, 0]);
    // A gap longer than the run: since 200 ms, and the wait after the deadline.
    assert.deepEqual(valuesOf(messages.gap.censored), [5_800]);
    assert.deepEqual(valuesOf(messages.gap.all), [100, 5_800]);
    assert.equal(messages.first.censored.count, 0);
  });

  test("messages after the deadline are received, and in no rate", EVENTS, {}, (s) => {
    s.open();
    s.head(2 * MS);
    s.part("data: 1\n\n", 999 * MS);
    s.tick(SECOND);
    s.part("data: 2\n\n", 1_500 * MS);
    s.end(1_600 * MS);
    const { messages, completed } = s.over(2 * SECOND);
    assert.deepEqual([completed, messages.received, messages.inTime, messages.whole], [1, 2, 1, 1]);
  });

  test("a stream that is reset fails the message that it waited for", EVENTS, {}, (s) => {
    s.open();
    s.head(2 * MS);
    s.part("data: 1\n\n", 100 * MS);
    s.part("data: 2", 200 * MS);
    member.reset(s.events, 300 * MS);
    const { messages, failed } = s.over(SECOND);
    assert.equal(failed, 1);
    assert.deepEqual([messages.received, messages.failed, messages.whole], [1, 1, 0]);
    assert.deepEqual(valuesOf(messages.gap.censored), [200]);
  });

  // grpc-go resets a call when its deadline is over, mostly before a client has looked for time-outs.
  for (const [ms, kind] of [[199, "reset"], [200, "timeout"]] as const) {
    const call = { isUnary: true, statuses: [0], deadlineUs: 200 * MS };
    const spec: StreamSpec = { kind: "grpc", call };
    test(`a call with 200 ms that is reset after ${ms} has failed as ${kind}`, spec, {}, (s) => {
      s.open();
      member.reset(s.events, ms * MS);
      assert.equal(s.recorder.totals().errors[ERRORS.indexOf(kind)], 1);
    });
  }

  test("a stream that is cut before its first message has no time", EVENTS, {}, (s) => {
    s.open();
    s.head(2 * MS);
    member.reset(s.events, 3 * MS);
    const { messages } = s.over(SECOND);
    assert.deepEqual([messages.received, messages.failed], [0, 1]);
    assert.ok(messages.first.censored.count <= 1, "but for a request that followed");
    assert.ok(valuesOf(messages.first.all).every((ms) => ms > 900));
  });

  test(
    "a stream that is silent for as long as its time-out fails; one that goes on does not",
    EVENTS,
    {
      timeoutUs: 200 * MS,
    },
    (s) => {
      s.open();
      s.head(2 * MS);
      for (let ms = 100; ms <= 500; ms += 100) {
        s.part(": still there\n", ms * MS);
        s.tick(ms * MS + 50 * MS);
      }
      s.part("data: 1\n\n", 550 * MS);
      assert.equal(s.now(560 * MS).failed, 0);
      for (let ms = 560; ms <= 800; ms += 10) s.tick(ms * MS);
      const { failed, gap } = s.now(810 * MS);
      assert.equal(failed, 1);
      assert.ok(Math.abs(valuesOf(gap.censored)[0] - 200) <= 21, `${valuesOf(gap.censored)}`);
    },
  );

  test(
    "the last message ends a stream, and its connection where the response goes on",
    {
      ...EVENTS,
      until: "[DONE]",
    },
    {},
    (s) => {
      s.open();
      s.head(2 * MS);
      s.part("data: 1\n\n", 10 * MS);
      s.part("data: [DONE]\n\ndata: 3\n\n", 20 * MS);
      s.part("data: 4\n\n", 22 * MS);
      for (let ms = 24; ms <= 60; ms += 2) s.tick(ms * MS);
      const { received, whole, failed } = s.now(60 * MS);
      assert.deepEqual([received, whole, failed], [2, 1, 0]);
      const { completed, checksPassed, service } = s.over(SECOND);
      assert.deepEqual([completed, checksPassed], [1, 1]);
      assert.equal(
        valuesOf(service)[0],
        20,
        "its last message, not when the connection was closed",
      );
    },
  );

  test(
    "the last message ends a stream also where the response ends soon after",
    {
      ...EVENTS,
      until: "[DONE]",
    },
    {},
    (s) => {
      s.open();
      s.head(2 * MS);
      s.part("data: [DONE]\n\n", 20 * MS);
      s.end(26 * MS);
      const { completed, checksPassed, service } = s.over(SECOND);
      assert.deepEqual([completed, checksPassed, valuesOf(service)[0]], [1, 1, 20]);
    },
  );

  test(
    "the last message is one of those that may hold what is expected",
    { ...EVENTS, until: "[DONE]", expect: { contains: octets("DONE") } },
    {},
    (s) => {
      s.open();
      s.head(2 * MS);
      s.part("data: 1\n\ndata: [DONE]\n\n", 20 * MS);
      s.end(26 * MS);
      const { completed, checksPassed, checksFailed } = s.over(SECOND);
      assert.deepEqual([completed, checksPassed, checksFailed], [1, 1, 0]);
    },
  );

  test(
    "what follows a stream that was ended is dialed after it was ended, not after its last message",
    {
      ...EVENTS,
      until: "[DONE]",
    },
    {},
    (s) => {
      s.open();
      s.head(2 * MS);
      s.part("data: [DONE]\n\n", 20 * MS);
      for (let ms = 22; ms <= 50; ms += 2) s.tick(ms * MS);
      s.events.onOpen(0, 52 * MS);
      const connects = s.over(SECOND).connect;
      assert.ok(valuesOf(connects).every((ms) => ms < 30), `${valuesOf(connects)}`);
    },
  );

  test(
    "a stream without its last message is wrong, and the message has failed",
    {
      ...EVENTS,
      until: "[DONE]",
    },
    {},
    (s) => {
      s.open();
      s.head(2 * MS);
      s.part("data: 1\n\n", 10 * MS);
      s.end(50 * MS);
      const { messages, completed, checksFailed } = s.over(SECOND);
      assert.deepEqual([completed, checksFailed, messages.whole, messages.failed], [1, 1, 0, 1]);
      assert.deepEqual(valuesOf(messages.gap.censored), [40]);
    },
  );

  test(
    "a virtual user that has held a stream long enough leaves it",
    {
      ...EVENTS,
      holdUs: 100 * MS,
    },
    {},
    (s) => {
      s.open();
      s.head(2 * MS);
      for (let ms = 5; ms < 130; ms += 5) {
        if (ms <= 90) s.part(`data: ${ms}\n\n`, ms * MS);
        s.tick(ms * MS);
      }
      const { messages, completed, checksPassed } = s.over(SECOND);
      assert.deepEqual([completed, checksPassed, messages.whole], [1, 1, 0]);
      assert.equal(messages.received, 18);
      assert.ok(messages.unfinished >= 1);
      const [bound] = valuesOf(messages.gap.censored);
      assert.ok(bound >= 10 && bound <= 21, `${bound}`);
    },
  );

  for (const [brought, passes] of [["0", 0], ["42", 1]] as const) {
    const expecting = { ...EVENTS, holdUs: 100 * MS, expect: { contains: octets("4") } };
    test(`a virtual user that leaves judges what came by then: ${brought}`, expecting, {}, (s) => {
      s.open();
      s.head(2 * MS);
      s.part(`data: ${brought}\n\n`, 5 * MS);
      for (let ms = 5; ms < 130; ms += 5) s.tick(ms * MS);
      const { checksPassed, checksFailed } = s.recorder.totals();
      assert.deepEqual([checksPassed, checksFailed], [passes, 1 - passes]);
    });
  }

  test(
    "a virtual user leaves a stream that has brought its head alone",
    {
      ...EVENTS,
      holdUs: 100 * MS,
    },
    { timeoutUs: 300 * MS },
    (s) => {
      s.open();
      s.head(2 * MS);
      for (let ms = 5; ms <= 200; ms += 5) s.tick(ms * MS);
      const messages = s.now(200 * MS);
      const { completed, failed, checksPassed, firstByte } = s.recorder.totals();
      assert.deepEqual([completed, checksPassed, failed], [1, 1, 0]);
      assert.equal(valuesOf(firstByte)[0], 2);
      assert.deepEqual([messages.failed, messages.received], [0, 0]);
      assert.ok(messages.unfinished >= 1);
      const bound = valuesOf(messages.first.censored).at(-1) ?? 0;
      assert.ok(bound >= 102 && bound <= 113, `${bound}`);
    },
  );

  test(
    "a virtual user holds a stream from its head on, however long that takes",
    { ...EVENTS, holdUs: 50 * MS },
    { timeoutUs: 300 * MS },
    (s) => {
      s.open();
      for (let ms = 5; ms <= 200; ms += 5) s.tick(ms * MS);
      s.head(200 * MS);
      for (let ms = 205; ms < 300; ms += 5) {
        if (ms <= 240) s.part(`data: ${ms}\n\n`, ms * MS);
        s.tick(ms * MS);
      }
      const { completed, service, failed } = s.recorder.totals();
      assert.deepEqual([completed, failed, s.now(300 * MS).received], [1, 0, 8]);
      assert.ok(valuesOf(service)[0] >= 250 && valuesOf(service)[0] <= 261, `${service.maxUs}`);
    },
  );

  test(
    "a user who leaves before the first message has waited for it at least as long",
    { ...EVENTS, holdUs: 50 * MS },
    {},
    (s) => {
      s.open();
      s.head(200 * MS);
      for (let ms = 205; ms < 300; ms += 5) s.tick(ms * MS);
      const { first, gap, due, unfinished } = s.now(300 * MS);
      assert.deepEqual([first.all.count, first.censored.count], [due, due], "of the next, too");
      assert.deepEqual([unfinished, gap.all.count], [due, 0]);
      assert.ok(first.censored.maxUs >= 250 * MS && first.censored.maxUs <= 256 * MS);
    },
  );

  for (
    const [what, wish] of [
      ["another status", { status: 503 }],
      ["another type", { type: "text/html" }],
    ] as const
  ) {
    test(`a response of ${what} is no stream`, EVENTS, wish, (s) => {
      s.open();
      s.head(2 * MS);
      s.part("data: 1\n\n", 10 * MS);
      s.end(20 * MS);
      const { messages, completed, checksFailed } = s.over(SECOND);
      assert.deepEqual([completed, checksFailed], [1, 1]);
      assert.deepEqual([messages.received, messages.failed], [0, 1]);
    });
  }

  test(
    "a stream that has ended is requested again after its time, from the event that came last",
    { ...EVENTS, reconnectUs: 50 * MS, holdUs: 300 * MS },
    {},
    (s) => {
      s.open();
      s.head(2 * MS);
      s.part("retry: 20\nid: \xc3\xa97\ndata: 1\n\nid: 8\ndata: never whole", 10 * MS);
      s.end(30 * MS);
      const dialedUs = s.untilDial(30 * MS, 100 * MS);
      assert.ok(dialedUs >= 50 * MS && dialedUs <= 52 * MS, `${dialedUs}`);
      s.reopen(60 * MS);
      assert.equal(s.sentField("last-event-id"), "\xc3\xa97", "as octets of UTF-8");
      s.head(65 * MS);
      s.part("data: 2\n\n", 70 * MS);
      const { interruptions } = s.now(80 * MS);
      assert.deepEqual(interruptions, { ended: 1, cut: 0, refused: 0 });
      assert.equal(s.recorder.totals().due, 1, "the virtual user has one request");
      for (let ms = 80; ms <= 320; ms += 5) s.tick(ms * MS);
      const { completed, checksPassed, failed, service, firstByte } = s.recorder.totals();
      assert.deepEqual([completed, checksPassed, failed], [1, 1, 0]);
      assert.ok(valuesOf(service)[0] >= 302 && valuesOf(service)[0] <= 312, "since its head");
      assert.equal(valuesOf(firstByte)[0], 2);
      const { messages, reconnects } = s.over(SECOND);
      assert.equal(messages.received, 2);
      assert.deepEqual(valuesOf(messages.first.all)[0], 10);
      assert.equal(valuesOf(messages.gap.all)[0], 60, "over the reconnect");
      const bounds = valuesOf(messages.gap.censored);
      assert.equal(bounds.length, 1);
      assert.ok(bounds[0] >= 232 && bounds[0] <= 243, `${bounds}`);
      assert.ok(reconnects >= 1);
    },
  );

  test(
    "a stream that is cut is requested again, also where no connection can be made at first",
    { ...EVENTS, reconnectUs: 20 * MS },
    {},
    (s) => {
      s.open();
      s.head(2 * MS);
      s.part("data: 1\n\n", 10 * MS);
      s.disconnect(30 * MS);
      assert.ok(s.untilDial(30 * MS, 100 * MS) < 60 * MS);
      s.events.onRefused(0, "connect", "refused", 60 * MS);
      s.tick(60 * MS);
      const again = s.untilDial(60 * MS, 200 * MS);
      assert.ok(again >= 90 * MS && again < 95 * MS, `it waits longer: ${again}`);
      s.reopen(100 * MS);
      assert.equal(s.sentField("last-event-id"), "", "no event had an identifier");
      s.head(102 * MS);
      s.part("data: 2\n\n", 110 * MS);
      const { received, gap, failed, interruptions } = s.now(120 * MS);
      assert.deepEqual([received, failed, valuesOf(gap.all)[0]], [2, 0, 10]);
      assert.equal(valuesOf(gap.all)[1], 100);
      assert.deepEqual(interruptions, { ended: 0, cut: 1, refused: 1 });
      assert.equal(s.recorder.failed, 0);
      const { messages, unfinished } = s.over(SECOND);
      assert.deepEqual([unfinished, ...fates(messages)], [1, 3, 2, 0, 1, 0]);
    },
  );

  test(
    "a stream that waits to be requested again has its gap as a lower bound at the end, and leaves when it has been held",
    { ...EVENTS, reconnectUs: 10 * SECOND, holdUs: 200 * MS },
    {},
    (s) => {
      s.open();
      s.head(2 * MS);
      s.part("data: 1\n\n", 10 * MS);
      s.end(30 * MS);
      for (let ms = 35; ms <= 230; ms += 5) s.tick(ms * MS);
      const { completed, checksPassed } = s.recorder.totals();
      assert.deepEqual([completed, checksPassed], [1, 1]);
      const { messages } = s.over(SECOND);
      assert.equal(messages.received, 1);
      const [bound] = valuesOf(messages.gap.censored);
      assert.ok(bound >= 192 && bound <= 203, `${bound}`);
    },
  );

  test(
    "a virtual user leaves a stream that was reset and waits, with the status that it had",
    { ...EVENTS, reconnectUs: 10 * SECOND, holdUs: 200 * MS },
    {},
    (s) => {
      s.open();
      s.head(2 * MS);
      s.part("data: 1\n\ndata: never whole", 10 * MS);
      member.reset(s.events, 30 * MS);
      for (let ms = 35; ms <= 230; ms += 5) s.tick(ms * MS);
      const { completed, checksPassed, failed } = s.recorder.totals();
      assert.deepEqual([completed, checksPassed, failed], [1, 1, 0]);
      assert.deepEqual(s.now(231 * MS).interruptions, { ended: 0, cut: 1, refused: 0 });
    },
  );

  test(
    "a stream that is requested again in vain fails when its time-out is over, and no sooner",
    { ...EVENTS, reconnectUs: 300 * MS },
    { timeoutUs: 200 * MS, durationUs: 4 * SECOND },
    (s) => {
      s.open();
      s.head(2 * MS);
      s.part("data: 1\n\n", 10 * MS);
      s.disconnect(30 * MS);
      const dialedUs = s.untilDial(30 * MS, SECOND);
      assert.ok(dialedUs >= 330 * MS && dialedUs < 340 * MS, `${dialedUs}`);
      assert.equal(s.recorder.failed, 0, "it waits for longer than the time-out, as it should");
      for (let ms = 335; ms <= 500; ms += 5) s.tick(ms * MS);
      assert.equal(s.recorder.failed, 0);
      for (let ms = 505; ms <= 560; ms += 5) s.tick(ms * MS);
      assert.equal(s.recorder.failed, 1);
      const { failed, gap } = s.now(561 * MS);
      assert.equal(failed, 1);
      assert.ok(Math.abs(valuesOf(gap.censored)[0] - 530) <= 25, `${valuesOf(gap.censored)}`);
    },
  );

  test(
    "a server whose responses bring nothing and end at once fails the request when its time-out is over",
    { ...EVENTS, reconnectUs: 20 * MS },
    { timeoutUs: 200 * MS, durationUs: 4 * SECOND },
    (s) => {
      s.open();
      s.head(2 * MS);
      s.part("data: 1\n\n", 10 * MS);
      let ms = 30;
      for (s.end(ms * MS); ms < 300 && s.recorder.failed === 0; ms += 30) {
        const dialedUs = s.untilDial(ms * MS, ms * MS + 25 * MS);
        if (s.recorder.failed > 0) break;
        s.reopen(dialedUs + 1);
        s.head(dialedUs + 2);
        s.end((ms + 30) * MS);
      }
      assert.equal(s.recorder.failed, 1);
      assert.ok(ms >= 200 && ms < 300, `${ms}`);
    },
  );

  for (
    const [what, status, type, right] of [
      ["204 ends a stream as it should, as it has brought something", 204, "", true],
      ["another status ends a stream that is requested again", 503, "text/event-stream", false],
      ["another type ends a stream that is requested again", 200, "text/html", false],
    ] as const
  ) {
    test(what, { ...EVENTS, reconnectUs: 10 * MS }, { statuses: [200, 204] }, (s) => {
      s.open();
      s.head(2 * MS);
      s.part("data: 1\n\n", 10 * MS);
      s.end(30 * MS);
      s.untilDial(30 * MS, 100 * MS);
      s.reopen(100 * MS);
      s.head(102 * MS, { status, type });
      if (status !== 204 || member.name === "http2") s.end(103 * MS); // over HTTP/1.1 it has no body
      const { messages, completed, checksPassed, checksFailed } = s.over(SECOND);
      assert.equal(completed, 1);
      assert.deepEqual([checksPassed, checksFailed], right ? [1, 0] : [0, 1]);
      assert.equal(messages.received, 1);
      assert.deepEqual([messages.whole, messages.failed], right ? [1, 0] : [0, 1]);
    });
  }

  test(
    "the last message ends a stream that would be requested again",
    { ...EVENTS, reconnectUs: 10 * MS, until: "bye" },
    {},
    (s) => {
      s.open();
      s.head(2 * MS);
      s.part("data: 1\n\n", 10 * MS);
      s.end(12 * MS);
      s.untilDial(12 * MS, 100 * MS);
      s.reopen(30 * MS);
      s.head(31 * MS);
      s.part("data: bye\n\n", 40 * MS);
      s.end(41 * MS);
      const { messages, completed, checksPassed } = s.over(SECOND);
      assert.deepEqual([completed, checksPassed, messages.whole, messages.received], [1, 1, 1, 2]);
    },
  );

  test("lines of JSON are messages, and one that is none is wrong", { kind: "json-lines" }, {
    type: "application/x-ndjson",
  }, (s) => {
    s.open();
    s.head(2 * MS);
    s.part('{"a":1}\r\n{"a"', 10 * MS);
    s.part(":2}\n\n", 20 * MS);
    s.part("[3]", 30 * MS);
    s.end(40 * MS);
    const { received, gap, whole } = s.now(41 * MS);
    assert.deepEqual([received, whole, valuesOf(gap.all)], [3, 1, [10, 20]]);
    assert.equal(s.recorder.checksPassed, 1);
  });

  test("lines that are no JSON are wrong, and counted", { kind: "json-lines" }, {}, (s) => {
    s.open();
    s.head(2 * MS);
    s.part("{}\noops\n{}\n", 10 * MS);
    s.end(40 * MS);
    assert.equal(s.now(41 * MS).received, 3);
    assert.equal(s.recorder.checksFailed, 1);
  });

  test(
    "tokens are counted where their place in a message is named",
    {
      ...EVENTS,
      token: { kind: "json", path: ["c", "0", "t"] },
    },
    {},
    (s) => {
      s.open();
      s.head(2 * MS);
      s.part('data: {"c":[{"t":""}]}\n\n', 10 * MS);
      s.part('data: {"c":[{"t":"a"}]}\n\n', 30 * MS);
      s.part('data: {"c":[{"t":"b"}]}\n\n', 50 * MS);
      s.part('data: {"c":[{"t":"c"}]}\n\n', 80 * MS);
      s.part("data: [DONE]\n\n", 90 * MS);
      s.end(91 * MS);
      const { tokens, firstToken, perToken, first } = s.now(92 * MS);
      assert.equal(tokens, 3);
      assert.ok(valuesOf(first.all).includes(10));
      assert.ok(valuesOf(firstToken.all).includes(30));
      assert.deepEqual(valuesOf(perToken), [25]);
    },
  );

  test("a message without an end is given up, and its memory given back", EVENTS, {}, (s) => {
    s.open();
    s.head(2 * MS);
    const text = "x".repeat(60_000);
    for (let ms = 10; ms < 40; ms++) s.part(ms === 10 ? `data: ${text}` : text, ms * MS);
    s.tick(60 * MS);
    const { messages, failed } = s.over(SECOND);
    assert.ok(failed >= 1);
    assert.equal(messages.received, 0);
    assert.ok(messages.failed >= 1);
  });

  for (
    const [kind, begin] of [["events", "data: "], ["lines", ""]] as const
  ) {
    test(
      `a message of ${kind} that is too large fails before the response ends`,
      { kind },
      {},
      (s) => {
        s.open();
        s.head(2 * MS);
        const text = "x".repeat(16_000);
        for (let i = 0; i < 70; i++) s.part(i === 0 ? `${begin}${text}` : text, 10 * MS);
        assert.equal(s.now(11 * MS).failed, 1);
        const { completed, failed, reasons } = s.over(SECOND);
        assert.equal(completed, 0);
        assert.ok(failed >= 1);
        const reason = "a message of a stream";
        assert.ok(
          [...reasons.keys()].some((one) => one.includes(reason)),
          `${[...reasons.keys()]}`,
        );
      },
    );
  }

  test("what was due in an open loop and never sent dropped its message", EVENTS, {
    pacer: {
      kind: "open",
      phases: [{ durationUs: SECOND, fromPerSec: 10, toPerSec: 10 }],
      arrivals: { kind: "uniform", seed: 1, first: 0, stride: 1 },
    },
  }, (s) => {
    s.open();
    for (let ms = 0; ms <= 100; ms += 10) s.tick(ms * MS);
    s.head(150 * MS);
    s.part("data: 1\n\n", 200 * MS);
    const { messages, due, dropped } = s.over(SECOND);
    assert.equal(due, 10);
    assert.deepEqual(fates(messages), [11, 1, 0, 1, 9]);
    assert.equal(dropped, 9);
    assert.equal(messages.first.censored.count, 9);
  });
}

Deno.test("a response that ends with its connection, of an HTTP/1.1 stream with chunks, was cut", async () => {
  const s = await Stage.of(MEMBERS[0], EVENTS);
  s.open();
  s.head(2 * MS);
  s.part("data: 1\n\n", 10 * MS);
  s.events.onEnd(0, null, 30 * MS);
  const { messages, failed } = s.over(SECOND);
  assert.deepEqual([failed, messages.failed, messages.received], [1, 1, 1]);
  assert.deepEqual(valuesOf(messages.gap.censored), [20]);
});

Deno.test("a compressed stream is said to be one, and not read", async () => {
  const [{ ...member }] = MEMBERS;
  const s = await Stage.of({
    ...member,
    head: () =>
      own(octets(
        "HTTP/1.1 200 \r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip\r\n" +
          "transfer-encoding: chunked\r\n\r\n",
      )),
  }, EVENTS);
  s.open();
  s.head(2 * MS);
  s.part("data: 1\n\n", 10 * MS);
  s.end(20 * MS);
  const { messages, checksFailed } = s.over(SECOND);
  assert.deepEqual([checksFailed, messages.received, messages.failed], [1, 0, 1]);
});

Deno.test("streams without tokens have no time to the first token, whatever becomes of them", () => {
  const setting = { slots: 2, steps: new Set([0, 1]), withTokens: new Set([0]) };
  const recorder = new StreamingRecorder(setting, 250_000, () => {});
  const { messages } = recorder;
  messages.begin(0, 0, 0);
  messages.begin(1, 1, 0);
  recorder.advance(5 * MS);
  const bounds = (): number =>
    (recorder.totals().messages ?? [])
      .reduce((sum, { firstToken }) => sum + firstToken.censored.count, 0);
  assert.equal(bounds(), 1, "as they are open");
  for (const slot of [0, 1]) messages.end(slot, "late", 10 * MS);
  assert.equal(bounds(), 1, "as they timed out");
  for (const step of [0, 1]) recorder.drop(step, 10 * MS, 20 * MS);
  for (const slot of [0, 1]) messages.close(slot);
  for (const slot of [0, 1]) recorder.leaveUnfinished(slot, slot, 10 * MS, 10 * MS, 20 * MS);
  assert.equal(bounds(), 3, "as they were never sent");
});
