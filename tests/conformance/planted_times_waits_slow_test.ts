/**
 * Times of messages against a server that notes when it got and sent each of them: both sides agree about counts, and about times as
 * closely as the machine lets them; `deno task bench streams` compares them with arithmetic, to a fifth of a millisecond. How long the
 * worker computed and waited for a core, the kernel tells; beyond that, the machine may stand still for a third of a second, and no test
 * may fail of it.
 */
import assert from "node:assert/strict";
import { percentileOf } from "../../bench/frozen/arithmetic.ts";
import { type Noted, type Plan, startPlanting } from "../../bench/streams/planting.ts";
import type { TcpEndpoint } from "../../base/net/endpoint.ts";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import type { BoundedTotals } from "../../runner/load/recording/message_counts.ts";
import { type SparseHistogram, valueAtPercentile } from "../../runner/stats/histogram/histogram.ts";
import { handshakeFields } from "../../scenarios/request/websocket.ts";
import { needing } from "../needs.ts";
import { called } from "./calls.ts";
import { assertNothingLost, load, type Loaded } from "./loading.ts";
import { DRIVER_NAMES } from "./ways.ts";

const MS = 1_000;
const STREAMS = 8;
/** How long the machine may stand still without a trace. */
const HALT_MS = 350;
/** Of a histogram's buckets. */
const EXACT_RATIO = 0.999;

const PLAN: Plan = {
  messages: 21,
  firstMs: 100,
  gapsMs: [...Array<number>(4).fill(50), 200],
  delayMs: 40,
  diesAfter: null,
  freeze: null,
};

interface Figures {
  readonly received: number;
  readonly failed: number;
  readonly unfinished: number;
  /** Requests that failed. */
  readonly cut: number;
  /** To the first message; null on a WebSocket. */
  readonly first: SparseHistogram | null;
  /** Between two messages; on a WebSocket latency. */
  readonly times: BoundedTotals;
  /** The length of the load. */
  readonly elapsedMs: number;
  /** The most by which a message may have been read after it came: what the worker did meanwhile, and a halt. */
  readonly lateMs: number;
}

/** @param patienceMs How long a user holds a stream, or waits for an echo. */
type Run = (driver: DriverName, port: number, patienceMs: number) => Promise<Figures>;

const PATIENCE_MS = 20_000; // none loses it, however slow the machine is
const WISH = { requests: STREAMS, connections: STREAMS };

function endpointAt(port: number): { readonly endpoint: TcpEndpoint } {
  return { endpoint: { hostname: "127.0.0.1", port } };
}

function ofMessages(loaded: Loaded): Figures {
  const { totals: { messages: [messages] = [], failed: cut } } = loaded;
  assert.ok(messages);
  const { received, failed, unfinished, first, gap } = messages;
  return { received, failed, unfinished, cut, first: first.all, times: gap, ...paceOf(loaded) };
}

function paceOf(
  { elapsedUs, time: { cpuUs, waitedUs }, spunUs }: Loaded,
): Pick<Figures, "elapsedMs" | "lateMs"> {
  const lateUs = cpuUs + (waitedUs ?? 0) - spunUs;
  return { elapsedMs: elapsedUs / MS, lateMs: HALT_MS + lateUs / MS };
}

const KINDS: Readonly<Record<string, Run>> = {
  async "server-sent events"(driver, port, patienceMs): Promise<Figures> {
    const loaded = await load({ driver }, endpointAt(port), {
      ...WISH,
      wire: { path: "/events" },
      check: { statuses: [200], body: null, contains: null, isStream: true },
      stream: { kind: "events", holdUs: patienceMs * MS },
    });
    assertNothingLost(loaded);
    return ofMessages(loaded);
  },
  async gRPC(driver, port, patienceMs): Promise<Figures> {
    const { endpoint } = endpointAt(port);
    const scenario = { grpc: "conformance.Echo/Many", hold: `${patienceMs}ms` };
    const server = { endpoint: { ...endpoint, http2: true as const } };
    return ofMessages(await called(driver, server, scenario, WISH));
  },
  async WebSocket(driver, port, patienceMs): Promise<Figures> {
    const socket = {
      send: { everyUs: 50 * MS, isText: true },
      ...{ answer: "echo" as const, subprotocols: [], deflate: false, holdUs: 2_500 * MS },
    };
    const loaded = await load({ driver }, endpointAt(port), {
      ...WISH,
      wire: { path: "/ws", headers: handshakeFields(socket), body: "n={{ n }}" },
      check: { statuses: [101], body: null, contains: null, isStream: true },
      ...{ socket, timeoutUs: patienceMs * MS },
    });
    assertNothingLost(loaded);
    const { sockets: [sockets] = [], failed: cut } = loaded.totals;
    assert.ok(sockets);
    const { received, failed, unfinished, latency } = sockets;
    const counts = { received, failed, unfinished, cut };
    return { ...counts, first: null, times: latency, ...paceOf(loaded) };
  },
};

/** The server is a program in C, and asks the kernel of Linux when a message came. */
const { test } = needing("cc", "linux");

interface Seen extends Figures {
  readonly noted: readonly Noted[];
}

async function seenBy(
  run: Run,
  driver: DriverName,
  change: Partial<Plan>,
  patienceMs = PATIENCE_MS,
): Promise<Seen> {
  await using server = await startPlanting({ ...PLAN, ...change }, "anywhere");
  const figures = await run(driver, server.port, patienceMs);
  return { ...figures, noted: await server.notes() };
}

/** What the server knows of the same times, ascending. */
function knownMs({ noted, first }: Seen): { firstMs: number[]; timesMs: number[] } {
  const ascending = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
  const times = noted.flatMap(({ sentMs, cameMs }) =>
    first === null
      ? sentMs.map((ms, k) => ms - cameMs[k])
      : sentMs.slice(1).map((ms, k) => ms - sentMs[k])
  );
  return {
    firstMs: ascending(noted.map(({ askedMs, sentMs }) => sentMs[0] - askedMs)),
    timesMs: ascending(times),
  };
}

function assertNear(
  seen: SparseHistogram,
  known: readonly number[],
  percentile: number,
  ms: number,
): void {
  const [found, expected] = [
    valueAtPercentile(seen, percentile) / MS,
    percentileOf(known, percentile),
  ];
  const isNear = Math.abs(found - expected) <= ms;
  assert.ok(isNear, `p${percentile} is ${found} ms, where the server knows ${expected} ms`);
}

/**
 * The times on a stream add up to the time from its request to its last message. That began after the load did, and
 * ended before it, and so it is however late messages were read.
 */
function assertAddUp({ first, times, elapsedMs, noted }: Seen): void {
  if (first === null) return;
  const seenMs = (first.sumUs + times.all.sumUs) / MS;
  const knownMs = noted.reduce(
    (sum, { askedMs, sentMs }) => sum + sentMs[sentMs.length - 1] - askedMs,
    0,
  );
  assert.ok(seenMs >= knownMs * EXACT_RATIO, `${seenMs} ms, where the server knows ${knownMs} ms`);
  assert.ok(seenMs * EXACT_RATIO <= STREAMS * elapsedMs, `${seenMs} ms, in ${elapsedMs} ms`);
}

/** Nothing comes before it was sent. */
function assertNoSooner(seen: SparseHistogram, known: readonly number[]): void {
  for (const percentile of [1, 50, 90, 95, 99]) {
    const found = valueAtPercentile(seen, percentile) / MS;
    const least = percentileOf(known, percentile) * EXACT_RATIO;
    assert.ok(found >= least, `p${percentile} is ${found} ms, where the server knows ${least} ms`);
  }
}

function assertTold({ received, noted }: Seen): void {
  assert.equal(noted.length, STREAMS);
  assert.equal(received, noted.reduce((sum, { sentMs }) => sum + sentMs.length, 0));
}

for (const [kind, run] of Object.entries(KINDS)) {
  for (const driver of DRIVER_NAMES) {
    test(`${driver}, ${kind}: times of messages are those that the server knows`, async () => {
      const seen = await seenBy(run, driver, {});
      assertTold(seen);
      const { firstMs, timesMs } = knownMs(seen);
      assert.deepEqual([seen.failed, seen.unfinished], [0, 0]);
      assert.equal(seen.times.all.count, timesMs.length);
      assertAddUp(seen);
      for (const percentile of [50, 90]) {
        assertNear(seen.times.all, timesMs, percentile, seen.lateMs);
      }
      assertNoSooner(seen.first ?? seen.times.all, seen.first === null ? timesMs : firstMs);
    });

    test(`${driver}, ${kind}: a server that stands still for a second shows it`, async () => {
      const freeze = { fromMs: 800, lengthMs: 1_000 };
      const change = { messages: 16, gapsMs: [100], freeze };
      const seen = await seenBy(run, driver, change);
      assertTold(seen);
      assertAddUp(seen);
      const { timesMs } = knownMs(seen);
      // What was due before, a halt of the machine may have sent while the server stood still.
      assert.ok(percentileOf(timesMs, 99) >= freeze.lengthMs - HALT_MS, "the server stood still");
      assertNear(seen.times.all, timesMs, 99, seen.lateMs);
      assert.equal(seen.times.censored.count, 0);
    });

    test(`${driver}, ${kind}: a server that dies in the middle has sent what came`, async () => {
      const seen = await seenBy(run, driver, { diesAfter: 7 });
      assertTold(seen);
      assert.ok(seen.noted.every(({ died, sentMs }) => died && sentMs.length === 7));
      assert.equal(seen.cut, STREAMS);
      if (seen.first === null) assert.ok(seen.failed >= STREAMS, "some were in flight");
      else assert.deepEqual([seen.failed, seen.times.censored.count], [STREAMS, STREAMS]);
    });

    test(`${driver}, ${kind}: a server that never moves again has a bound for what was due`, async () => {
      const freeze = { fromMs: 500, lengthMs: 60_000 };
      const seen = await seenBy(run, driver, { freeze }, 1_500);
      assertTold(seen);
      const { all, censored } = seen.times;
      assert.equal(all.count - censored.count, knownMs(seen).timesMs.length);
      const longestMs = censored.maxUs / MS;
      if (seen.first === null) {
        assert.ok(seen.failed >= STREAMS && seen.cut === STREAMS, "each had a message to wait for");
        assert.ok(longestMs >= 1_500, `${longestMs} ms, and a time-out is no sooner`);
      } else {
        assert.deepEqual([seen.unfinished, censored.count], [STREAMS, STREAMS]);
        assert.ok(longestMs >= 1_000 - HALT_MS, `${longestMs} ms`);
      }
      assert.ok(longestMs <= 1_500 + seen.lateMs, `${longestMs} ms`);
    });
  }
}
