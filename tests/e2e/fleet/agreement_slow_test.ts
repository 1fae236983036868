/**
 * Four machines load one server that counts: what each sends, what their logs say and what the merged
 * result says must agree.
 */
import assert from "node:assert/strict";
import { measurementAgents } from "../../../report/subjects/agents/agents.ts";
import type { AgentPart, Measurement } from "../../../runner/result/result.ts";
import { decodeSparse } from "../../../runner/stats/histogram/hdr.ts";
import { EMPTY } from "../../../runner/stats/histogram/histogram.ts";
import { needing } from "../../needs.ts";
import { emptyFolder } from "../plateau.ts";
import { assertConserved, partOf, sum } from "./conservation.ts";
import { type Arrival, Fleet } from "./fleet.ts";
import { startNetwork } from "./namespaces.ts";
import { latenciesOf, readLogs } from "./request_logs.ts";

const withRedisAndNetns = needing("redis", "netns");

const DELAY_MS = 20;
const DELAYED = "d";
/** Clocks are compared in fractions of it. */
const CLOCK_STEP_MS = 1;
/** From a start to its first request's arrival: what a machine with time to spare takes. */
const SENDING_MS = 25;
/** A busy machine only ever takes longer. */
const ATTEMPTS = 10;

interface Stage extends AsyncDisposable {
  readonly fleet: Fleet;
  readonly logs: string;
  /** Address of each agent. */
  readonly addresses: Readonly<Record<string, string>>;
}

async function startFour(): Promise<Stage> {
  await using scope = new AsyncDisposableStack();
  const folder = scope.use(emptyFolder());
  const network = scope.use(await startNetwork([0, 0, 0, DELAY_MS]));
  const { address } = network;
  const named = ["a", "b", "c", DELAYED].map((name, at) => ({ name, ...network.machines[at] }));
  const fleet = scope.use(
    await Fleet.start((redis) => {
      const common = { redis: redis.urlAt(address, redis.port), allow: address };
      const args = ["--log", folder.path];
      const agents = named.map(({ name, through }) => [name, { ...common, args, through }]);
      return { address, agents: Object.fromEntries(agents) };
    }, { address, password: "between-machines" }),
  );
  const addresses = Object.fromEntries(named.map(({ name, address }) => [name, address]));
  const kept = scope.move();
  const stop = (): Promise<void> => kept.disposeAsync();
  return { fleet, logs: folder.path, addresses, [Symbol.asyncDispose]: stop };
}

/** The merged percentiles are those of all the logs' lines, in the same buckets, and of what was never sent. */
function assertSameLatencies(measured: Measurement, folder: string): void {
  const { latency, requests, censoredHistogram } = measured;
  const log = readLogs(folder);
  assert.equal(log.length, requests.due - requests.dropped);
  assert.deepEqual([latency.count, latency.censored], [
    log.length + requests.dropped,
    requests.dropped,
  ]);
  const { least, most } = latenciesOf(log);
  const unsent = censoredHistogram === undefined ? EMPTY : decodeSparse(censoredHistogram);
  for (const times of [least, most]) times.addSparse(unsent);
  for (const [level, valueMs] of Object.entries(latency.percentiles)) {
    const bounds = [least, most].map((times) => times.valueAtPercentile(Number(level)) / 1_000);
    assert.ok(bounds.includes(valueMs), `p${level}: ${valueMs} ms, and of the logs ${bounds}`);
  }
  assert.ok([least, most].some(({ maxUs }) => maxUs / 1_000 === latency.max));
}

/** Agents' clocks are in truth the same, so whatever they think Redis's is off by is their mistake. */
function assertClocksKnown(agents: readonly AgentPart[]): void {
  for (const { name, clock } of agents) {
    const isWithin = Math.abs(clock.offset) <= clock.uncertainty + CLOCK_STEP_MS;
    assert.ok(isWithin, `${name}: ${JSON.stringify(clock)}`);
  }
}

/**
 * By how much two agents' first requests were further apart than their clocks' uncertainty explains, at
 * worst, milliseconds.
 * @param arrivals Of this load. @param trips Ways of the cable that a first request takes.
 */
function startsApartMs(
  agents: readonly AgentPart[],
  { arrivals, addresses, trips }: {
    readonly arrivals: readonly Arrival[];
    readonly addresses: Stage["addresses"];
    readonly trips: number;
  },
): number {
  const starts = agents.map(({ name, clock }) => {
    const first = arrivals.find(({ from }) => from === addresses[name]);
    assert.ok(first, `${name} never asked`);
    const atMs = first.atMs - (name === DELAYED ? trips * DELAY_MS : 0);
    return { atMs, uncertaintyMs: clock.uncertainty };
  });
  const pairs = starts.flatMap((one) => starts.map((other) => ({ one, other })));
  return Math.max(
    ...pairs.map(({ one, other }) =>
      Math.abs(one.atMs - other.atMs) - one.uncertaintyMs - other.uncertaintyMs
    ),
  );
}

function assertSeen(agents: readonly AgentPart[], { fleet: { arrivals }, addresses }: Stage): void {
  for (const { name, requests } of agents) {
    const seen = arrivals.filter(({ from }) => from === addresses[name]).length;
    assert.equal(seen, requests.due - requests.dropped, name);
  }
}

withRedisAndNetns.test("four machines, by count: witness, logs and result agree, and one is seen to be far", async () => {
  await using stage = await startFour();
  const measured = await stage.fleet.measure("-c", "10", "-n", "601");
  const agents = assertConserved(measured);
  assert.deepEqual(agents.map(({ name }) => name), ["a", "b", "c", DELAYED]);
  assert.equal(measured.requests.completed, 601);
  assert.equal(await stage.fleet.witness.settledCount(), 601);
  assertSeen(agents, stage);
  assertSameLatencies(measured, stage.logs);
  assertClocksKnown(agents);
  assert.deepEqual(agents.map(({ connections }) => connections).sort(), [2, 2, 3, 3]);
  const far = partOf(agents, DELAYED);
  assert.ok(far.latency.p50 >= DELAY_MS && far.connect.min >= DELAY_MS, JSON.stringify(far));
  assert.ok(far.clock.uncertainty >= DELAY_MS / 2, JSON.stringify(far.clock));
  const findings = await findingsOnQuickMachine(stage, measured);
  const ofFar = findings.find((finding) => finding.startsWith(`Agent ${DELAYED} `)) ?? "";
  assert.match(ofFar, /; its fastest connection took \d/, `${findings}`);
});

/** Measures again while the machine halts so that the near agents take as long to connect as the far one. */
async function findingsOnQuickMachine(
  { fleet }: Stage,
  first: Measurement,
): Promise<readonly string[]> {
  let measured = first;
  const isQuick = (): boolean =>
    (measured.agents ?? []).every(({ name, connect }) =>
      name === DELAYED || connect.min < DELAY_MS / 2
    );
  for (let tries = 1; !isQuick() && tries < MOST_TRIES; tries++) {
    measured = await fleet.measure("-c", "10", "-n", "601");
  }
  return measurementAgents(measured).flatMap((block) =>
    block.kind === "list" ? block.items.map(({ text }) => text) : []
  );
}

const MOST_TRIES = 6;

withRedisAndNetns.test("four machines, by rate: every arrival is asked once, by one", async () => {
  await using stage = await startFour();
  const measured = await stage.fleet.measure("-c", "41", "-r", "400/s", "-d", "1s");
  const agents = assertConserved(measured);
  assert.equal(measured.requests.due, 400);
  assert.equal(
    await stage.fleet.witness.settledCount(),
    measured.requests.due - measured.requests.dropped,
  );
  assert.equal(sum(agents.map(({ requests }) => requests.due)), 400);
  assertSeen(agents, stage);
  assertSameLatencies(measured, stage.logs);
  assertClocksKnown(agents);
});

withRedisAndNetns.test("four machines start together, as exactly as they know the time", async () => {
  await using stage = await startFour();
  const { fleet, addresses } = stage;
  const apartMs: number[] = [];
  while (apartMs.length < ATTEMPTS && !apartMs.some((ms) => ms <= SENDING_MS)) {
    const before = fleet.arrivals.length;
    const { agents = [] } = await fleet.measure("-c", "4", "-n", "80");
    assertClocksKnown(agents);
    const trips = 2; // to open the connection, and to send
    const arrivals = fleet.arrivals.slice(before);
    apartMs.push(startsApartMs(agents, { arrivals, addresses, trips }));
  }
  assert.ok(apartMs.some((ms) => ms <= SENDING_MS), `${apartMs} ms`);
});
