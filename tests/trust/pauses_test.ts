import assert from "node:assert/strict";
import { bottleneckOf, type BottleneckRun } from "../../runner/trust/bottleneck.ts";
import type { Counters } from "../../runner/result/runtime/counters.ts";
import type { Bottleneck } from "../../runner/result/findings.ts";
import { measurementFixture } from "../report/fixture.ts";

const fixture = measurementFixture({ target: "api", scenario: "one", medianMs: 1 });
const TARGET = { processes: 1, cores: 4, cpu: 1, waiting: 0.01, nice: 0, throttled: 0 };

interface Seen {
  /** Each stall or collection, ms; one every second. */
  readonly stalls?: readonly number[];
  readonly collections?: readonly number[];
  /** Of the CPU time of a stall; all of it when absent. */
  readonly computed?: number;
  readonly overlapping?: number;
  readonly expected?: number;
  readonly requests?: number;
  /** Of all collections, ms. */
  readonly cpuMs?: number;
  readonly stoppedMs?: number;
  readonly collectionMs?: number;
  readonly longestMs?: number;
  readonly medianMs?: number;
  readonly target?: Partial<typeof TARGET>;
  readonly others?: number;
  /** Share of the run in which Redis executed commands. */
  readonly redisBusy?: number;
  /** Of the busiest thread. */
  readonly thread?: number;
}

function counters(
  { stalls = [], collections = [], computed = 1, overlapping = 10, expected = 1, ...seen }: Seen,
): Counters {
  const met = { overlapping, expected };
  const none = { overlapping: 0, expected: 0 };
  return {
    processes: [{
      pid: 1,
      runtime: "node v20",
      collections: collections.length,
      collectionMs: seen.collectionMs ?? 0,
      stoppedMs: seen.stoppedMs ?? 0,
      longestMs: seen.longestMs ?? 0,
      cpuMs: seen.cpuMs ?? null,
      delay: null,
      utilization: null,
      heap: null,
    }],
    points: [],
    collections: collections.map((ms, startS) => ({ startS, ms, stoppedMs: ms, kind: "major" })),
    stalls: stalls.map((ms, startS) => ({ startS, ms, cpuMs: computed * ms })),
    slowest: {
      requests: seen.requests ?? 10,
      collections: collections.length > 0 ? met : none,
      stalls: stalls.length > 0 ? met : none,
    },
  };
}

/** Of 10 s, with a full core. */
function bottleneck(seen: Seen): Bottleneck {
  const { medianMs = 1, target = {}, others = 0, redisBusy = 0, thread = 0.97 } = seen;
  const percentiles = { ...fixture.service.percentiles, "50": medianMs };
  const run: BottleneckRun = {
    ...fixture,
    elapsedS: 10,
    service: { ...fixture.service, percentiles },
    generator: {
      ...fixture.generator,
      findings: [],
      hostActivity: { busy: 0.6, cores: 4, steal: 0, throttled: 0, others },
      target: { ...TARGET, busiestThread: { name: "node", cpu: thread }, ...target },
    },
    parts: [{ role: "redis", name: "Redis", points: [], busy: redisBusy }],
    counters: counters(seen),
  };
  return bottleneckOf(run);
}

const TEN = Array.from({ length: 10 }, () => 50);

const CASES: [what: string, seen: Seen, kind: Bottleneck["kind"]][] = [
  ["no pause", {}, "core"],
  ["a loop that is blocked for 50 ms every second", { stalls: TEN }, "blocked-loop"],
  ["collections of 50 ms every second", { collections: TEN }, "gc"],
  ["half of the CPU time in collections", { cpuMs: 5_000 }, "gc"],
  ["a tenth of it", { cpuMs: 1_000 }, "core"],
  ["a fourth of the run in collections", { stoppedMs: 2_500 }, "gc"],
  ["a tenth of the run", { stoppedMs: 1_000 }, "core"],
  [
    "half of the CPU time of a target that mostly idles",
    { cpuMs: 1_000, target: { cpu: 0.2 } },
    "core",
  ],
  ["blocked for less than ten milliseconds", { stalls: TEN.map(() => 9) }, "core"],
  ["blocked twice", { stalls: [500, 500] }, "core"],
  ["blocked for 1 % of the run", { stalls: TEN.map(() => 10) }, "core"],
  ["stalls without CPU time, as of a halted machine", { stalls: TEN, computed: 0.1 }, "core"],
  ["slow requests that met it by chance", { stalls: TEN, overlapping: 10, expected: 6 }, "core"],
  ["slow requests that did not meet it", { stalls: TEN, overlapping: 4 }, "core"],
  ["too few requests to tell", { stalls: TEN, requests: 6, overlapping: 6 }, "core"],
  ["a loop as slow as its requests", { stalls: TEN, medianMs: 20 }, "core"],
  [
    "half of the CPU time of a target that waits for a full Redis",
    { cpuMs: 5_000, redisBusy: 0.95, thread: 0.6 },
    "redis",
  ],
  [
    "collections for which the slowest requests wait, before a full Redis",
    { collections: TEN, redisBusy: 0.95, thread: 0.6 },
    "gc",
  ],
  [
    "half of the CPU time of a target that is crowded out",
    { cpuMs: 5_000, others: 1, target: { waiting: 2 } },
    "gc",
  ],
  [
    "most of it in one collection that lasted for all of a halt",
    { cpuMs: 5_000, collectionMs: 100, longestMs: 95, others: 1, target: { waiting: 2 } },
    "core",
  ],
  [
    "half of it in collections of which the longest is a tenth",
    { cpuMs: 5_000, collectionMs: 100, longestMs: 10, others: 1, target: { waiting: 2 } },
    "gc",
  ],
  [
    "a loop that computes, of a target that is crowded out",
    { stalls: TEN, others: 1, target: { waiting: 2 } },
    "blocked-loop",
  ],
  [
    "stalls that others may have made as well",
    { stalls: TEN, computed: 0.6, others: 1, target: { waiting: 2 } },
    "core",
  ],
  ["a target that is crowded out", { collections: TEN, others: 1, target: { waiting: 2 } }, "core"],
  [
    "a target that is paused by its limit",
    { stalls: TEN, target: { throttled: 900 } },
    "cpu-limit",
  ],
];

for (const [what, seen, kind] of CASES) {
  Deno.test(`${what}: ${kind}`, () => assert.equal(bottleneck(seen).kind, kind));
}

Deno.test("the evidence of a blocked loop is in the finding", () => {
  assert.deepEqual(bottleneck({ stalls: TEN }).pauses, {
    ms: 50,
    share: 0.05,
    requests: 10,
    overlapping: 10,
    expected: 1,
  });
});
