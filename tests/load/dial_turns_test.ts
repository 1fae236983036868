/** A rate of new connections: when each may be dialed, and what becomes of the requests that wait for it. */
import { protocolOver } from "../../runner/load/protocols/protocols.ts";
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  END_HEADERS,
  END_STREAM,
  FrameWriter,
  GOAWAY,
  HEADERS,
  numberAt,
  numbers,
  SETTINGS,
} from "../../base/http/http2/frames.ts";
import type { Driver, DriverEvents } from "../../runner/load/engine/driver.ts";
import { Flow } from "../../runner/load/engine/flow.ts";
import type { DialTurnsSpec, Job } from "../../runner/load/engine/job.ts";
import { pacerOf } from "../../runner/load/engine/pacers.ts";
import { RequestLoop, RequestScript } from "../../runner/load/engine/request_loop.ts";
import { SessionLoop } from "../../runner/load/engine/session_loop.ts";
import type { IntervalPart } from "../../runner/load/recording/intervals.ts";
import { Recorder } from "../../runner/load/recording/recorder.ts";
import { SessionRecorder, type WorkerTotals } from "../../runner/load/recording/totals.ts";
import { Turns, TurnsDriver } from "../../runner/load/transports/dial_turns.ts";
import { forAll } from "../for_all.ts";
import { ask } from "./session_stage.ts";
import { assertNothingLost, CLOSING, encoder, OK, SECOND } from "./stage.ts";

const CATCH_UP_US = 20_000;
/** How long a connection takes to be there, and a response to come. */
const DIAL_US = 300;
const RESPONSE_US = 700;

interface Happening {
  readonly atUs: number;
  readonly slot: number;
  readonly tell: (handler: DriverEvents, slot: number, nowUs: number) => void;
}

/** Sockets in a time of their own: every dial succeeds and every request is responded to. */
class SimulatedSockets implements Driver {
  nowUs = 0;
  /** When each was dialed. */
  readonly dialsUs: number[] = [];
  /** Slots that were dialed. */
  readonly dialed = new Set<number>();
  readonly #coming: Happening[] = [];

  /** @param responseTo Makes the response to what is sent. */
  constructor(private readonly responseTo: (sent: Uint8Array) => Uint8Array) {}

  connect(slot: number): void {
    this.dialsUs.push(this.nowUs);
    this.dialed.add(slot);
    const tell: Happening["tell"] = (handler, slot, nowUs) => handler.onOpen(slot, nowUs);
    this.#coming.push({ atUs: this.nowUs + DIAL_US, slot, tell });
  }
  send(slot: number, sent: Uint8Array): void {
    const response = this.responseTo(sent);
    if (response.length === 0) return;
    const tell: Happening["tell"] = (handler, slot, nowUs) =>
      handler.onBytes(slot, response, response.length, nowUs);
    this.#coming.push({ atUs: this.nowUs + RESPONSE_US, slot, tell });
  }
  isSent(): boolean {
    return true;
  }
  unsentBytes(): number {
    return 0;
  }
  close(slot: number): void {
    const kept = this.#coming.filter((happening) => happening.slot !== slot);
    this.#coming.splice(0, Infinity, ...kept);
  }
  run(handler: DriverEvents): Promise<void> {
    for (let nextUs = handler.onTick(this.nowUs); nextUs < Infinity;) {
      const [first] = this.#coming.toSorted((a, b) => a.atUs - b.atUs);
      if (first !== undefined && first.atUs <= nextUs) {
        this.nowUs = Math.max(this.nowUs, first.atUs);
        this.#coming.splice(this.#coming.indexOf(first), 1);
        first.tell(handler, first.slot, this.nowUs);
      } else {
        this.nowUs = Math.max(this.nowUs, nextUs);
        nextUs = handler.onTick(this.nowUs);
      }
    }
    return Promise.resolve();
  }
}

interface Simulated extends Pick<SimulatedSockets, "dialsUs" | "dialed"> {
  readonly totals: WorkerTotals;
}

/** A load over such sockets. @param requestsOfUser Of each virtual user's flow; absent: single requests. */
async function simulated(
  wish: Partial<Job> & { readonly dialTurns: DialTurnsSpec },
  { responseTo = () => OK, requestsOfUser }: {
    readonly responseTo?: (sent: Uint8Array) => Uint8Array;
    readonly requestsOfUser?: number;
  } = {},
): Promise<Simulated> {
  const job: Job = {
    driver: "tcp",
    endpoint: { hostname: "127.0.0.1", port: 1 },
    script: { kind: "requests", requests: [], sequence: Uint32Array.of() },
    steps: 0,
    connections: 50,
    pipeline: 1,
    keepAlive: true,
    timeoutUs: 5 * SECOND,
    intervalUs: 250_000,
    durationUs: SECOND,
    pacer: { kind: "closed", requests: Infinity },
    log: null,
    waitsForLast: false,
    stop: new Int32Array(new SharedArrayBuffer(4)),
    ...wish,
  };
  const sockets = new SimulatedSockets(responseTo);
  const slots = { slots: job.connections, now: () => sockets.nowUs };
  const driver = new TurnsDriver(sockets, slots, wish.dialTurns);
  const parts: IntervalPart[] = [];
  const recorder = new Recorder(job.intervalUs, (part) => parts.push(part));
  const { connections, streams } = job;
  const protocol = await protocolOver(driver, { slots: connections, streams, schemes: ["http"] });
  const { dialTurns } = driver;
  const common = { protocol, dialTurns, recorder, pacer: pacerOf(job.pacer) };
  const flow = new Flow({
    thinkSeed: 0,
    journeys: [Array.from({ length: requestsOfUser ?? 1 }, () => ask())],
    sequence: [0],
    origins: [{ origin: "http://test", connection: { host: "test", keepAlive: true } }],
    users: [{}],
    first: 0,
    stride: 1,
    sharedPool: false,
    cookies: null,
  });
  const bytes = encoder.encode("GET / HTTP/1.1\r\n\r\n");
  const script = new RequestScript({
    kind: "requests",
    requests: [{ bytes, head: false, step: 0, check: null }],
    sequence: Uint32Array.of(0),
  });
  const { exchanges } = requestsOfUser === undefined
    ? new RequestLoop(job, { ...common, script })
    : new SessionLoop(job, { ...common, flow, sessions: new SessionRecorder() });
  await exchanges.protocol.run();
  const { totals } = exchanges.ending;
  assert.ok(totals);
  assertNothingLost(totals, parts);
  return { dialsUs: sockets.dialsUs, dialed: sockets.dialed, totals };
}

/** The rate is kept in every stretch of time, but for what a late look at the clock catches up with. */
function assertRate(dialsUs: readonly number[], perSec: number): void {
  for (const [first, fromUs] of dialsUs.entries()) {
    for (const [more, untilUs] of dialsUs.slice(first).entries()) {
      const most = 1 + (untilUs - fromUs + CATCH_UP_US) * perSec / 1e6;
      assert.ok(more + 1 <= most + 1e-6, `${more + 1} dials in ${untilUs - fromUs} µs`);
    }
  }
}

const closing = (): Uint8Array => CLOSING;

/** The entry `:status: 200` of the static table (RFC 7541 Appendix A). */
const STATUS_200 = Uint8Array.of(0x88);

/** A server of HTTP/2 that leaves after every response. */
function leaving(sent: Uint8Array): Uint8Array {
  const frames = new FrameWriter();
  if (String.fromCharCode(...sent.subarray(0, 3)) === "PRI") {
    frames.frame(SETTINGS, 0, 0);
    return frames.take();
  }
  for (let at = 0; at < sent.length; at += 9 + (sent[at + 1] << 8 | sent[at + 2])) {
    if (sent[at + 3] !== HEADERS) continue;
    const id = numberAt(sent, at + 5);
    frames.frame(HEADERS, END_HEADERS | END_STREAM, id, STATUS_200);
    frames.frame(GOAWAY, 0, 0, numbers(id, 0));
  }
  return frames.take();
}

/** Poisson arrivals would do as well. */
function arriving(perSec: number): Job["pacer"] {
  const phases = [{ durationUs: SECOND, fromPerSec: perSec, toPerSec: perSec }];
  return { kind: "open", phases, arrivals: { kind: "uniform", seed: 1, first: 0, stride: 1 } };
}

const HUNDRED: DialTurnsSpec = { perSec: 100, first: 0, stride: 1 };

Deno.test("the turns of all workers together are evenly spaced at the rate", () => {
  const workers = 4;
  const turnsUs = Array.from({ length: workers }, (_, first) => {
    const turns = new Turns({ perSec: 200, first, stride: workers });
    return Array.from({ length: 10 }, () => {
      const nextUs = turns.nextUs(0);
      turns.take(nextUs);
      return nextUs;
    });
  }).flat().toSorted((a, b) => a - b);
  assert.deepEqual(turnsUs, Array.from({ length: 10 * workers }, (_, turn) => turn * 5_000));
});

Deno.test("whenever turns are looked at, no stretch of time has more than the rate", () => {
  forAll(
    [
      fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 200 }),
      fc.integer({ min: 1, max: 5_000 }),
    ],
    (gapsUs, perSec) => {
      const turns = new Turns({ perSec, first: 0, stride: 1 });
      const takenUs: number[] = [];
      let nowUs = 0;
      for (const gapUs of gapsUs) {
        nowUs += gapUs;
        while (turns.nextUs(nowUs) <= nowUs && takenUs.length < 300) {
          turns.take(nowUs);
          takenUs.push(nowUs);
        }
      }
      assertRate(takenUs, perSec);
    },
  );
});

Deno.test("a closed loop opens its connections at the rate, and what is open sends meanwhile", async () => {
  const { dialsUs, totals } = await simulated({ dialTurns: HUNDRED });
  assert.equal(dialsUs.length, 50);
  assertRate(dialsUs, 100);
  assert.ok(dialsUs[49] <= 510_000, `${dialsUs[49]}`);
  assert.deepEqual([totals.failed, totals.connect.count, totals.connect.maxUs], [0, 50, DIAL_US]);
  // 50 connections, each open for the rest of the second after its dial.
  const most = dialsUs.reduce((sum, atUs) => sum + (SECOND - atUs) / RESPONSE_US, 0);
  assert.ok(totals.completed > 0.95 * most, `${totals.completed} of ${most}`);
});

Deno.test("a ramp that takes longer than the timeout of a request fails none", async () => {
  const { dialsUs, totals } = await simulated({ dialTurns: HUNDRED, timeoutUs: 100_000 });
  assert.deepEqual([dialsUs.length, totals.failed], [50, 0]);
});

Deno.test("connections that replace others count too", async () => {
  const { dialsUs, totals } = await simulated({ dialTurns: HUNDRED }, { responseTo: closing });
  assertRate(dialsUs, 100);
  assert.ok(dialsUs.length >= 98, `${dialsUs.length}`);
  assert.ok(totals.completed >= 98 && totals.completed <= 103, `${totals.completed}`);
});

Deno.test("connections that replace others take every other turn, so that new ones are opened, too", async () => {
  const wish = { dialTurns: HUNDRED, connections: 20, streams: 1, durationUs: SECOND / 2 };
  const { dialsUs, dialed, totals } = await simulated(wish, { responseTo: leaving });
  assertRate(dialsUs, 100);
  // Of 51 turns, the first is of a new connection, and so is every other one until all 20 have had theirs.
  assert.deepEqual([dialed.size, totals.failed], [20, 0]);
  assert.ok(dialsUs.length >= 49, `${dialsUs.length}`);
  assert.ok(totals.completed >= 49 - 20, `${totals.completed}`);
});

Deno.test("in an open loop the clock of a request runs from its intended start while a dial waits", async () => {
  const { totals } = await simulated(
    { dialTurns: HUNDRED, connections: 10, pacer: arriving(200) },
    { responseTo: closing },
  );
  assert.equal(totals.due, 200);
  assert.ok(totals.completed <= 104, `${totals.completed}`);
  // Request 100 is due after 0.5 s, and the 100th connection is there after 1 s.
  assert.ok(totals.lag.maxUs > 450_000, `${totals.lag.maxUs}`);
  assert.ok(totals.service.maxUs < 5_000, `${totals.service.maxUs}`);
  assert.ok(totals.dropped > 90, `${totals.dropped}`);
});

Deno.test("a virtual user whose connection has closed waits for a turn with the request that is due", async () => {
  const { dialsUs, totals } = await simulated(
    { dialTurns: HUNDRED, pacer: arriving(50), waitsForLast: true, durationUs: SECOND },
    { responseTo: closing, requestsOfUser: 3 },
  );
  assert.equal(dialsUs.length, 150);
  assertRate(dialsUs, 100);
  assert.deepEqual([totals.due, totals.completed], [150, 150]);
  assert.equal(totals.connect.maxUs, DIAL_US);
  assert.ok(dialsUs[149] >= 1_470_000 && totals.lag.maxUs > 300_000);
});

Deno.test("a request that has waited for a turn as long as its timeout fails, and its dial is never made", async () => {
  const { dialsUs, totals } = await simulated(
    {
      dialTurns: { perSec: 10, first: 0, stride: 1 },
      ...{ pacer: arriving(10), timeoutUs: 50_000, waitsForLast: true },
    },
    { responseTo: closing, requestsOfUser: 2 },
  );
  assert.deepEqual([...totals.reasons.keys()], ["no connection in time"]);
  assertRate(dialsUs, 10);
  assert.equal(totals.completed + totals.failed, totals.due);
  assert.equal(dialsUs.length, totals.completed);
});
