import assert from "node:assert/strict";
import type { Driver, DriverEvents } from "../../runner/load/engine/driver.ts";
import type { ExchangeEvents } from "../../runner/load/engine/protocol.ts";
import type { Job, PacerSpec } from "../../runner/load/engine/job.ts";
import { pacerOf } from "../../runner/load/engine/pacers.ts";
import { RequestLoop, RequestScript } from "../../runner/load/engine/request_loop.ts";
import { Http1 } from "../../runner/load/protocols/http1/http1.ts";
import type { IntervalPart } from "../../runner/load/recording/intervals.ts";
import { Recorder } from "../../runner/load/recording/recorder.ts";
import { Slices } from "../../runner/load/recording/slices.ts";
import type { WorkerTotals } from "../../runner/load/recording/totals.ts";
import { lowestUsOf } from "../../runner/stats/histogram/histogram_counts.ts";
import { breachOf } from "../../runner/measure/totals.ts";
import { Turns, turnsOf, type TurnsSpec } from "../../scenarios/pace/slices.ts";
import { countsOf } from "./stage.ts";

const STEP_US = 50;
const SPEC: TurnsSpec = {
  ...turnsOf({ sliceUs: 50_000, cutUs: 10_000, shiftUs: 0, pauseUs: 5_000 }, {
    pairs: 12,
    seed: 3,
  }),
  side: 1,
};
const RESPONSE = new TextEncoder().encode("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");

/** Opens every dial at once, and responds to the nth request after `serviceUs(n)`. */
class Server implements Driver {
  readonly sentUs: number[] = [];
  readonly #dialed: number[] = [];
  readonly #due: { readonly slot: number; readonly atUs: number }[] = [];
  #nowUs = 0;

  constructor(
    private readonly serviceUs: (request: number) => number,
    private readonly stopAtUs = Infinity,
  ) {}

  connect(slot: number): void {
    this.#dialed.push(slot);
  }

  send(slot: number): void {
    this.#due.push({ slot, atUs: this.#nowUs + this.serviceUs(this.sentUs.length) });
    this.#due.sort((a, b) => a.atUs - b.atUs);
    this.sentUs.push(this.#nowUs);
  }

  unsentBytes(): number {
    return 0;
  }

  isSent(): boolean {
    return true;
  }

  close(): void {}

  run(handler: DriverEvents): Promise<void> {
    let nextUs = handler.onTick(0);
    for (; nextUs < Infinity; this.#nowUs += STEP_US) {
      if (this.#nowUs >= this.stopAtUs) Atomics.store(STOP, 0, 1);
      if (this.#nowUs >= nextUs) nextUs = handler.onTick(this.#nowUs);
      const dialed = this.#dialed.splice(0);
      for (const slot of dialed) handler.onOpen(slot, this.#nowUs);
      while (this.#due.length > 0 && this.#due[0].atUs <= this.#nowUs) {
        const [{ slot }] = this.#due.splice(0, 1);
        handler.onBytes(slot, RESPONSE, RESPONSE.length, this.#nowUs);
      }
      if (dialed.length > 0 && handler.punctual) nextUs = handler.onTick(this.#nowUs);
    }
    return Promise.resolve();
  }
}

const STOP = new Int32Array(new SharedArrayBuffer(4));

interface Played {
  readonly totals: WorkerTotals;
  readonly parts: readonly IntervalPart[];
  readonly server: Server;
  readonly elapsedUs: number;
}

async function play(
  pacer: PacerSpec,
  server: Server,
  connections = 4,
  turns: TurnsSpec = SPEC,
): Promise<Played> {
  Atomics.store(STOP, 0, 0);
  const job: Job = {
    ...{ driver: "tcp", endpoint: { hostname: "127.0.0.1", port: 1 }, steps: 0, log: null },
    script: { kind: "requests", requests: [], sequence: Uint32Array.of() },
    ...{ connections, pipeline: 1, keepAlive: true, timeoutUs: 1e6, waitsForLast: false },
    ...{ intervalUs: 100_000, durationUs: turns.durationUs, pacer, turns },
    stop: STOP,
  };
  const parts: IntervalPart[] = [];
  const recorder = new Recorder(
    job.intervalUs,
    (part) => parts.push(part),
    null,
    null,
    new Slices(turns),
  );
  const bytes = new TextEncoder().encode("GET / HTTP/1.1\r\n\r\n");
  const script = new RequestScript({
    kind: "requests",
    requests: [{ bytes, head: false, step: 0, check: null }],
    sequence: Uint32Array.of(0),
  });
  const protocol = (events: ExchangeEvents): Http1 => new Http1(server, events, connections);
  const loop = new RequestLoop(job, {
    ...{ recorder, script, protocol },
    pacer: pacerOf(pacer, turns),
  });
  await loop.exchanges.protocol.run();
  const { totals, elapsedUs } = loop.exchanges.ending;
  assert.ok(totals);
  assert.equal(breachOf([totals], countsOf(parts)), null);
  return { totals, parts, server, elapsedUs };
}

const CLOSED: PacerSpec = { kind: "closed", requests: Infinity };
const TURNS = new Turns(SPEC);

function sliceAt(nowUs: number): number {
  return Array.from({ length: SPEC.pairs }, (_, pair) => pair).findIndex((pair) =>
    nowUs >= TURNS.startUs(pair) && nowUs < TURNS.startUs(pair) + SPEC.sliceUs
  );
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

Deno.test("a closed loop in slices sends in its own slices alone, from the beginning of each on", async () => {
  const { server, totals } = await play(CLOSED, new Server(() => 1_000));
  const bySlice = Map.groupBy(server.sentUs, sliceAt);
  assert.equal(bySlice.has(-1), false, "nothing is sent while the other side has its turn");
  assert.equal(bySlice.size, SPEC.pairs);
  for (const [pair, sent] of bySlice) {
    assert.ok(sent[0] <= TURNS.startUs(pair) + STEP_US, `slice ${pair} begins in time`);
  }
  assert.equal(totals.due, totals.completed);
});

Deno.test("what connections cost at first is in no figure where the first pair warms them up", async () => {
  const coldAt = async (warmPairs: number): Promise<Played> =>
    await play(CLOSED, new Server((request) => request < 4 ? 60_000 : 1_000), 4, {
      ...SPEC,
      warmPairs,
    });
  const [cold, warm] = [await coldAt(0), await coldAt(1)];
  const [first, second] = cold.totals.slices?.completed ?? [];
  assert.ok(first < second / 2, `${first} and ${second}`);
  const { slices, drain, completed } = warm.totals;
  assert.ok(slices);
  assert.deepEqual([slices.completed[0], slices.completed.slice(1)], [
    0,
    cold.totals.slices?.completed.slice(1),
  ]);
  assert.equal(slices.latency.count, sumOf(slices.completed));
  assert.ok(slices.latency.maxUs < 2_000);
  assert.equal(sumOf(warm.parts.map((part) => part.completed)), completed - drain.completed);
  const own = new Turns({ ...SPEC, warmPairs: 1 });
  assert.equal(own.ownUs(SPEC.durationUs), (SPEC.pairs - 1) * own.measuredUs);
});

Deno.test("a slice is measured between its cut and its end, and the rest is as after a deadline", async () => {
  const { totals, parts } = await play(CLOSED, new Server(() => 1_000));
  const { slices } = totals;
  assert.ok(slices);
  assert.equal(slices.completed.length, SPEC.pairs);
  // Four connections, a response in a millisecond: 40 ms hold 160.
  for (const completed of slices.completed) {
    assert.ok(Math.abs(completed - 160) <= 8, `${completed}`);
  }
  for (const [pair, served] of slices.served.entries()) {
    assert.ok(served > slices.completed[pair]);
  }
  assert.equal(sumOf(slices.served), totals.completed);
  assert.equal(slices.latency.count, sumOf(slices.completed));
  assert.equal(
    sumOf(parts.map(({ completed }) => completed)),
    totals.completed - totals.drain.completed,
  );
  const meanUs = sumOf(slices.serviceSumUs) / sumOf(slices.completed);
  assert.ok(Math.abs(meanUs - 1_000) < 60, `${meanUs}`);
});

Deno.test("intervals are of the side's own time, so that a rate is one of when it was measured", async () => {
  const { parts } = await play(CLOSED, new Server(() => 1_000));
  const ownUs = SPEC.pairs * TURNS.measuredUs;
  assert.equal(parts.length, Math.ceil(ownUs / 100_000));
  for (const { completed } of parts.slice(0, -1)) {
    assert.ok(Math.abs(completed - 400) <= 20, `${completed} in 100 ms of own time`);
  }
});

Deno.test("a load that is stopped in a slice has those that are whole, and loses nothing", async () => {
  const stopAtUs = TURNS.startUs(5) + 30_000;
  const { totals } = await play(CLOSED, new Server(() => 1_000, stopAtUs));
  assert.equal(totals.slices?.completed.length, 5);
  assert.ok(totals.unfinished > 0);
});

/** One request in 37 takes far longer than a slice and its pause. */
const SLOW_US = 120_000;
const slowNowAndThen = (request: number): number => request % 37 === 7 ? SLOW_US : 1_000;

const RATE: PacerSpec = {
  kind: "open",
  phases: [{ durationUs: SPEC.pairs * SPEC.sliceUs, fromPerSec: 1_000, toPerSec: 1_000 }],
  arrivals: { kind: "uniform", seed: 1, first: 0, stride: 1 },
};

Deno.test("a request is in the slice in which it was due, however long it takes", async () => {
  for (const pacer of [CLOSED, RATE]) {
    const { totals, server } = await play(pacer, new Server(slowNowAndThen), 16);
    const { slices } = totals;
    assert.ok(slices);
    const measured = server.sentUs.map((sentUs, request) => {
      const pair = sliceAt(sentUs);
      const isIn = pair >= 0 && sentUs >= TURNS.startUs(pair) + SPEC.cutUs;
      return { pair: isIn ? pair : -1, serviceUs: slowNowAndThen(request) };
    }).filter(({ pair }) => pair >= 0);
    const slow = measured.filter(({ serviceUs }) => serviceUs === SLOW_US).length;
    assert.ok(slow >= 8, `${slow} of ${measured.length} are slow`);
    const { indices, counts } = slices.latency;
    const inTail = sumOf(
      [...counts].filter((_, at) => lowestUsOf(indices[at]) > SLOW_US / 2),
    );
    assert.equal(inTail, slow, "every slow request is among the latencies");
    for (let pair = 0; pair < SPEC.pairs; pair++) {
      const own = measured.filter((one) => one.pair === pair);
      assert.equal(slices.completed[pair], own.length, `requests of slice ${pair}`);
      const sumUs = sumOf(own.map(({ serviceUs }) => serviceUs));
      assert.ok(Math.abs(slices.serviceSumUs[pair] - sumUs) <= 2 * STEP_US * own.length);
    }
  }
});

Deno.test("a request that was due in a slice and never ended is a lower bound of it", async () => {
  const never = (request: number): number => request % 37 === 7 ? Infinity : 1_000;
  const { totals } = await play(RATE, new Server(never), 16);
  const { slices } = totals;
  assert.ok(slices);
  assert.ok(slices.censored.count > 0);
  assert.equal(slices.latency.count - slices.censored.count, sumOf(slices.completed));
  assert.ok(slices.censored.count <= totals.censored);
});

Deno.test("requests that take longer than the pause end in no slice of their own, and are counted", async () => {
  const { totals } = await play(CLOSED, new Server(() => 20_000));
  assert.equal(totals.due, totals.completed);
  assert.ok(totals.drain.completed > 0);
});

Deno.test("a rate is due within slices, and latency counts from there", async () => {
  const durationUs = SPEC.pairs * SPEC.sliceUs;
  const { totals, server } = await play({
    kind: "open",
    phases: [{ durationUs, fromPerSec: 1_000, toPerSec: 1_000 }],
    arrivals: { kind: "uniform", seed: 1, first: 0, stride: 1 },
  }, new Server(() => 500));
  assert.ok(Math.abs(totals.due - durationUs / 1_000) <= 1, `${totals.due} due`);
  assert.equal(totals.dropped, 0);
  assert.deepEqual(
    server.sentUs.filter((sentUs) => sliceAt(sentUs) < 0 && sliceAt(sentUs - 2 * STEP_US) < 0),
    [],
  );
  assert.ok((totals.slices?.latency.maxUs ?? Infinity) < 1_000);
});
