/** What a hostile agent, or somebody in its name, reports to a coordinator that loads with an honest one, too. */
import assert from "node:assert/strict";
import { FleetRun, type Length } from "../../runner/fleet/fleet_run.ts";
import { membersOf } from "../../runner/fleet/members.ts";
import { claimKey, presenceKey } from "../../runner/fleet/names.ts";
import { packReport, packSoFar } from "../../runner/fleet/packing.ts";
import { packHistogram } from "../../runner/fleet/packed_histogram.ts";
import { roster } from "../../runner/fleet/roster.ts";
import { type Presence, sender, told } from "../../runner/fleet/told.ts";
import { Recorder } from "../../runner/load/recorder.ts";
import type { WorkerReport } from "../../runner/load/job.ts";
import { SessionRecorder } from "../../runner/load/session_recorder.ts";
import type { LoadRequest } from "../../runner/load_request.ts";
import { EMPTY, Histogram } from "../../runner/stats/histogram.ts";
import { UNKNOWN } from "../../runner/trust/surroundings.ts";
import { VERSION } from "../../runner/version.ts";
import { requestScenarioSpec } from "../../scenarios/scenario.ts";
import { scriptOf } from "../../scenarios/script.ts";
import { connectRedis } from "../../targets/redis_client.ts";
import { RedisServer } from "../e2e/fleet/redis_server.ts";
import { testWith } from "../needs.ts";

type Message = Record<string, unknown>;

const RUN = "run-1";
const START_AT_MS = 1_800_000_000_000;
const DURATION_MS = 100;
const INTERVAL_MS = 50;
/** Everybody has spoken by then, and nobody is waited for any more. */
const HEARD_MS = 200;
const MUCH_LATER_MS = 200_000;
const COMPLETED = 10;

function presenceOf(name: string, differing: object = {}): Presence {
  return {
    ...{ name, version: VERSION, host: "h", cores: 2, openFiles: null, workers: 1 },
    ...{ driver: "tcp", ceiling: null, allow: [], coordinator: null, since: 0 },
    clock: { offsetMs: 0, uncertaintyMs: 0 },
    ...differing,
  };
}

const REQUEST: LoadRequest = {
  origin: "http://127.0.0.1:1",
  script: scriptOf(requestScenarioSpec.parse({ get: "/" }), 0),
  load: {
    ...{ kind: "rate", connections: 2, keepAlive: true, timeoutMs: 1_000, workers: null },
    ...{ ratePerSec: 400, arrivals: "uniform", durationMs: DURATION_MS },
  },
  ...{ seed: 1, driver: "tcp", intervalMs: INTERVAL_MS, logPath: null, implicitCheck: false },
};

function latencies(count: number): Histogram {
  const histogram = new Histogram();
  for (let i = 0; i < count; i++) histogram.record(1_000);
  return histogram;
}

/** Of a worker that did its work; `completed` in all. */
function reportOf(completed: number, differing: object = {}): WorkerReport {
  const totals = new Recorder(Infinity, () => {}).totals();
  const status = Float64Array.from(totals.status, (_, code) => code === 200 ? completed : 0);
  const counts = { due: completed, completed, status, secondCompleted: [completed] };
  return {
    totals: { ...totals, ...counts, ...differing },
    sessions: new SessionRecorder().totals(),
    ...{ elapsedUs: DURATION_MS * 1_000, time: { cpuUs: 0, waitedUs: null }, spunUs: 0 },
    ...{ stretches: EMPTY, timerUs: 1 },
  };
}

function ready(agent: string, differing: object = {}): Message {
  const clock = { offsetMs: 0, uncertaintyMs: 0 };
  return {
    kind: "ready",
    run: RUN,
    agent,
    driver: "tcp",
    notes: [],
    clock,
    delayMs: 1,
    ...differing,
  };
}

const HONEST = "honest";
const LIAR = "liar";

/** Of interval `seq` of the agent's one worker; `part` differs. */
function bundle(agent: string, seq: number, part: object = {}): Message {
  const worker = agent === HONEST ? 0 : 1;
  const counts = { completed: COMPLETED, failed: 0, errors: null, wrong: 0, bytesIn: 0 };
  const latency = packHistogram(latencies(COMPLETED).toSparse());
  const health = { cpuRatio: 0, lateUs: 0 };
  const parts = [{ worker, health, part: { index: seq, ...counts, latency, ...part } }];
  const soFar = [packSoFar({ ...reportOf(COMPLETED * (seq + 1)), open: EMPTY })];
  return { kind: "bundle", run: RUN, agent, seq, parts, soFar };
}

function finished(agent: string, differing: object = {}, totals: object = {}): Message {
  const reports = [packReport(reportOf(2 * COMPLETED, totals))];
  const stage = { surroundings: UNKNOWN, calibration: null, sharesMachine: false };
  const startedAtMs = START_AT_MS;
  return {
    kind: "finished",
    run: RUN,
    agent,
    bundles: 2,
    reports,
    startedAtMs,
    stage,
    ...differing,
  };
}

function wordsOf(agent: string): Message[] {
  return [ready(agent), bundle(agent, 0), bundle(agent, 1), finished(agent)];
}

/** All that an honest one says, but one message is another. */
function but(at: number, message: unknown): unknown[] {
  return wordsOf(LIAR).map((word, i) => i === at ? message : word);
}

const FIRST = bundle(LIAR, 0);
const [ONLY] = FIRST.parts as Message[];

/** Text that JSON.parse makes of what no JSON writer writes. */
function raw(message: Message, value: string): unknown {
  return JSON.parse(JSON.stringify(message).replace('"RAW"', value));
}

const UNREADABLE = /^it sent what no agent of this version sends$/;
const SILENT = /^killed, stopped or cut off$/;

/** @property lost Why the liar is lost; null when it is believed, as what it said besides was left out. */
const CASES: readonly [what: string, said: () => unknown[], lost: RegExp | null][] = [
  ["all that an honest one says", () => wordsOf(LIAR), null],
  ["nothing at all", () => [ready(LIAR)], SILENT],
  ["a count below zero", () => but(1, bundle(LIAR, 0, { completed: -1 })), UNREADABLE],
  ["half a request", () => but(1, bundle(LIAR, 0, { completed: 0.5 })), UNREADABLE],
  [
    "infinitely many",
    () => but(1, raw(bundle(LIAR, 0, { completed: "RAW" }), "1e999")),
    UNREADABLE,
  ],
  ["a number as text", () => but(1, bundle(LIAR, 0, { completed: "10" })), UNREADABLE],
  ["no number", () => but(1, bundle(LIAR, 0, { completed: NaN })), UNREADABLE],
  ["an error of no kind", () => but(1, bundle(LIAR, 0, { errors: [1] })), UNREADABLE],
  [
    "more completed than it timed",
    () => but(1, bundle(LIAR, 0, { completed: 11 })),
    /^it reported 11 completed requests with 10 latencies$/,
  ],
  [
    "failures without errors",
    () => but(1, bundle(LIAR, 0, { failed: 5 })),
    /^it reported 5 failed requests with 0 errors$/,
  ],
  [
    "lower bounds that are no latencies",
    () => but(1, bundle(LIAR, 0, { censored: packHistogram(latencies(11).toSparse()) })),
    UNREADABLE,
  ],
  [
    "a histogram whose sums are others",
    () =>
      but(
        1,
        bundle(LIAR, 0, { latency: { ...packHistogram(latencies(10).toSparse()), sumUs: 1e300 } }),
      ),
    UNREADABLE,
  ],
  [
    "a histogram of 100 MB",
    () =>
      but(
        1,
        bundle(LIAR, 0, {
          latency: { ...packHistogram(latencies(10).toSparse()), buckets: "A".repeat(1e8) },
        }),
      ),
    UNREADABLE,
  ],
  [
    "what others did",
    () => but(1, { ...FIRST, parts: [{ ...ONLY, worker: 0 }] }),
    /^it reported for workers that are not its own$/,
  ],
  [
    "no totals so far",
    () => but(1, { ...FIRST, soFar: [] }),
    /^it reported without the totals of each of its workers$/,
  ],
  [
    "totals of a million workers",
    () => but(1, { ...FIRST, soFar: Array(1e6).fill(0) }),
    UNREADABLE,
  ],
  [
    "an interval of next year",
    () => but(1, bundle(LIAR, 0, { index: 8_640_000 })),
    /interval 8640000 first of all$/,
  ],
  [
    "an interval twice",
    () => but(2, bundle(LIAR, 1, { index: 0 })),
    /interval 0 right after interval 0$/,
  ],
  [
    "intervals after the end",
    () => [ready(LIAR), ...[0, 1, 2, 3].map((seq) => bundle(LIAR, seq))],
    /^it reported interval 2, which is still to come$/,
  ],
  ["nothing a hundred times", () => but(1, { ...FIRST, parts: [] }), UNREADABLE],
  [
    "a million intervals in a message",
    () => but(1, { ...FIRST, parts: Array(1e5 + 1).fill(null) }),
    UNREADABLE,
  ],
  [
    "2,000 messages but the first",
    () => [...new Array(2_000).keys()].map((i) => bundle(LIAR, i + 1)),
    SILENT,
  ],
  ["everything three times", () => [...wordsOf(LIAR), ...wordsOf(LIAR), ...wordsOf(LIAR)], null],
  ["everything the other way round", () => wordsOf(LIAR).reverse(), null],
  [
    "what it says of other runs",
    () => [
      ...wordsOf(LIAR).map((word) => ({ ...word, run: "run-0", agent: LIAR })),
      ...wordsOf(LIAR),
    ],
    null,
  ],
  ["what strangers say", () => [...wordsOf("stranger"), ...wordsOf(LIAR)], null],
  ["nonsense", () => [null, 5, "nonsense", [], {}, { run: RUN }, ...wordsOf(LIAR)], null],
  [
    "results whose fates are fewer than were due",
    () => but(3, finished(LIAR, {}, { due: 21 })),
    /^its results do not add up: due = completed \+ failed \+ unfinished \+ dropped, but 21 is not 20$/,
  ],
  [
    "results that no interval has",
    () => but(3, finished(LIAR, { bundles: 0, reports: [packReport(reportOf(1e9))] })),
    /^its results do not add up: latency counts completed/,
  ],
  [
    "results before a word that never comes",
    () => but(3, finished(LIAR, { bundles: 2 ** 50 })),
    SILENT,
  ],
  [
    "results of two workers",
    () => but(3, finished(LIAR, { reports: [1, 2].map(() => packReport(reportOf(COMPLETED))) })),
    /^it reported results of more or fewer workers than it has$/,
  ],
  ["no results", () => but(3, finished(LIAR, { reports: [] })), UNREADABLE],
  [
    "a start in the year 3000",
    () => but(3, finished(LIAR, { startedAtMs: Date.UTC(3000) })),
    /^it reported a start [\d,]+ s off that of the run$/,
  ],
  ["a time that lasts for ages", () => but(3, finished(LIAR, {}, { lastUs: 1e300 })), UNREADABLE],
  ["a kind that there is not", () => but(3, { ...finished(LIAR), kind: "won" }), UNREADABLE],
  ["another version's keys", () => but(3, { ...finished(LIAR), version: "9.9.9" }), UNREADABLE],
  [
    "a key that is every object's",
    () => but(3, raw({ ...finished(LIAR), stage: "RAW" }, '{"__proto__":{"polluted":1}}')),
    UNREADABLE,
  ],
  [
    "that it failed, at the length of a megabyte",
    () => but(3, { kind: "failed", run: RUN, agent: LIAR, message: "x".repeat(1e6) }),
    UNREADABLE,
  ],
  [
    "that it failed",
    () => but(3, { kind: "failed", run: RUN, agent: LIAR, message: "no" }),
    /^no$/,
  ],
];

/** A run of both agents by a clock that the test sets. */
function startRun(
  length: Length = { durationMs: DURATION_MS, isFixed: true },
  signal = new AbortController().signal,
): {
  run: FleetRun;
  clock: { ms: number };
  hear: (message: unknown) => void;
} {
  const clock = { ms: 0 };
  const members = membersOf(REQUEST, [presenceOf(HONEST), presenceOf(LIAR)]);
  const hooks = {
    ...{ onNote: () => {}, onReady: () => {}, onStart: () => {}, onInterval: () => {} },
    ...{ onAudible: () => {}, signal },
  };
  const run = new FleetRun(RUN, members, {
    ...{ intervalMs: INTERVAL_MS, tellEveryMs: INTERVAL_MS, hooks, now: () => clock.ms },
    ...{ touch: { inTouchSinceMs: 0, silentMs: 0 }, unread: () => Promise.resolve(0) },
  });
  run.begin(START_AT_MS, 0, length);
  const hear = (message: unknown): void => {
    const read = told.safeParse(JSON.parse(JSON.stringify(message)));
    if (read.success) return read.data.run === RUN ? run.hear(read.data) : undefined;
    const from = sender.safeParse(message).data;
    if (from?.run === RUN) run.doubt(from.agent);
  };
  return { run, clock, hear };
}

Deno.test("a coordinator hears out hostile agents", async (test) => {
  for (const [what, said, lost] of CASES) {
    await test.step(`${what}: ${lost === null ? "believed" : "lost"}`, async () => {
      const { run, clock, hear } = startRun();
      const over = run.over();
      clock.ms = HEARD_MS;
      for (const message of [...wordsOf(HONEST), ...said()]) hear(message);
      clock.ms = MUCH_LATER_MS;
      await over;
      const { agents, reports } = run.reports();
      assert.deepEqual(agents.map(({ name }) => name), [HONEST, LIAR]);
      assert.equal(agents[0].lost, null);
      if (lost === null) assert.equal(agents[1].lost, null);
      else assert.match(agents[1].lost?.reason ?? "believed", lost);
      const due = reports.map(({ totals }) => totals.due);
      assert.deepEqual(due, [20, 20], "each has its share, or dropped it");
      for (const message of wordsOf(LIAR)) hear(message); // too late
      assert.equal(Reflect.get({}, "polluted"), undefined);
    });
  }
  await test.step("39 agents were heard", () => assert.equal(CASES.length, 39));
});

Deno.test("nothing that an agent says before the start counts, and then it may say it again", async () => {
  const { run, clock, hear } = startRun();
  run.begin(START_AT_MS, 1e9, { durationMs: DURATION_MS, isFixed: true });
  for (const message of [...wordsOf(HONEST), ...wordsOf(LIAR)]) hear(message);
  run.begin(START_AT_MS, 0, { durationMs: DURATION_MS, isFixed: true });
  clock.ms = HEARD_MS;
  for (const message of [...wordsOf(HONEST), ...wordsOf(LIAR)]) hear(message);
  await run.over();
  assert.deepEqual(run.reports().agents.map(({ lost }) => lost), [null, null]);
});

Deno.test("who says the same 100,000 times a second is as silent as who says nothing", async () => {
  const { run, clock, hear } = startRun({ durationMs: null, isFixed: true }); // nobody knows when it ends
  const over = run.over();
  const again = told.parse(JSON.parse(JSON.stringify(FIRST)));
  for (const message of [...wordsOf(HONEST), FIRST]) hear(message);
  clock.ms = HEARD_MS;
  for (let i = 0; i < 100_000; i++) run.hear(again);
  clock.ms = MUCH_LATER_MS;
  for (let i = 0; i < 100_000; i++) run.hear(again);
  await over;
  assert.match(run.reports().agents[1].lost?.reason ?? "", SILENT);
});

Deno.test("who goes on talking when visitors of phases may go on is given up a while after Ctrl-C", async () => {
  const ended = new AbortController();
  const { run, clock, hear } = startRun({ durationMs: DURATION_MS, isFixed: false }, ended.signal);
  const over = run.over();
  clock.ms = HEARD_MS;
  for (const message of [...wordsOf(HONEST), ready(LIAR)]) hear(message);
  ended.abort();
  const more = setInterval(() => {
    clock.ms += 20_000;
    hear(bundle(LIAR, clock.ms / 20_000 | 0));
  }, 10);
  await over;
  clearInterval(more);
  assert.notEqual(run.reports().agents[1].lost, null);
});

Deno.test("an agent cannot have a load wait for years before it starts", () => {
  const isRead = (differing: object): boolean => told.safeParse(ready(LIAR, differing)).success;
  assert.ok(isRead({}));
  assert.ok(!isRead({ delayMs: 3e13 }));
  assert.ok(!isRead({ clock: { offsetMs: 0, uncertaintyMs: 3e13 } }));
  assert.ok(!isRead({ notes: Array(101).fill("") }));
  assert.ok(!isRead({ agent: "\x1b[31mliar" }));
  assert.ok(!isRead({ agent: "l".repeat(1e6) }));
});

const PRESENCES: readonly [what: string, text: string][] = [
  ["a megabyte for a host", JSON.stringify(presenceOf("x", { host: "h".repeat(1e6) }))],
  ["colours for a host", JSON.stringify(presenceOf("x", { host: "\x1b[31mh\r\n::error::" }))],
  ["another's name", JSON.stringify(presenceOf("honest"))],
  ["a name of control characters", JSON.stringify(presenceOf("\x07"))],
  ["a billion workers", JSON.stringify(presenceOf("x", { workers: 1e9 }))],
  ["cores below zero", JSON.stringify(presenceOf("x", { cores: -1 }))],
  ["a megabyte of hosts", JSON.stringify(presenceOf("x", { allow: Array(1e5).fill("localhost") }))],
  ["no JSON", "{"],
];

testWith(["redis"], "who is no agent is not listed, and of too many none is", async () => {
  await using redis = await RedisServer.start();
  const client = await connectRedis(redis.url);
  try {
    await client.set(presenceKey("honest"), JSON.stringify(presenceOf("honest")));
    await client.set(claimKey("honest"), "c".repeat(1e6));
    await client.lPush(presenceKey("list"), "x");
    const names = ["x", "y"];
    for (const [what, text] of PRESENCES) {
      for (const name of names) {
        await client.set(presenceKey(name), text.replace('"name":"x"', `"name":"${name}"`));
      }
      const listed = await roster(client);
      assert.deepEqual(listed.map(({ name }) => name), ["honest"], what);
      assert.equal(listed[0].coordinator?.length, 301);
    }
    const many = [...new Array(10_001).keys()].map((i) => presenceKey(`agent-${i}`));
    await Promise.all(many.map((key) => client.set(key, "{}")));
    await assert.rejects(roster(client), /a fleet has .*10,0\d\d agents, and 10,000 are the most/);
  } finally {
    client.destroy();
  }
});
