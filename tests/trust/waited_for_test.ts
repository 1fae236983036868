/** What the requests of an idle target wait for, by looks at its threads and sockets. */
import assert from "node:assert/strict";
import { bottleneckOf, type BottleneckRun } from "../../runner/trust/bottleneck.ts";
import type { TargetUse } from "../../runner/result/generator.ts";
import type { Bottleneck } from "../../runner/result/findings.ts";
import { inLine, requests, run } from "./bottleneck_runs.ts";

type Waits = NonNullable<TargetUse["waits"]>;

const NOTHING: Waits = {
  ...{ looks: 100, sleeping: 0, storageBytes: 0, lookups: 0 },
  connections: { looks: 8, leastQueued: 0, queued: 0, accepted: { least: 20, most: 20 } },
};

/** 20 requests under way at any time, of 20 ms, with little CPU time. */
function idle(waits: Partial<Waits>, more: Parameters<typeof run>[0] = {}): BottleneckRun {
  const target = { cpu: 0.1, waits: { ...NOTHING, ...waits } };
  const load = { ...run({}).load, connections: 20 };
  return run({ thread: 0.1, load, ...more, target: { ...target, ...more.target } });
}

const WRITTEN = { storageBytes: 4e6 };
const FULL_QUEUE = { looks: 8, leastQueued: 16, queued: 16, accepted: { least: 4, most: 4 } };
const FOUR = { looks: 8, leastQueued: 0, queued: 0, accepted: { least: 4, most: 4 } };
const reset = (count: number) => ({
  requests: { ...requests, due: 10_000, completed: 10_000 - count, failed: count },
  errors: { reset: count },
});

const CASES: [what: string, seen: BottleneckRun, kind: Bottleneck["kind"]][] = [
  ["nothing that can be seen", idle({}), "waiting"],
  ["storage, most of their time", idle({ sleeping: 14, ...WRITTEN }), "storage"],
  ["something else, while a thread writes a log", idle({ sleeping: 1, ...WRITTEN }), "waiting"],
  ["a lock of the kernel, as nothing is written", idle({ sleeping: 14 }), "waiting"],
  [
    "storage, in line for the one thread that writes",
    idle({ sleeping: 0.7, ...WRITTEN }, inLine(1)),
    "storage",
  ],
  ["names", idle({ lookups: 18 }), "names"],
  ["names, in line for two threads that look them up", idle({ lookups: 1.9 }, inLine(2)), "names"],
  ["something else, while a socket to a name server is open", idle({ lookups: 1 }), "waiting"],
  ["to be accepted", idle({ connections: FULL_QUEUE }), "connection-cap"],
  [
    "nothing: those beyond a cap are closed",
    idle({ connections: FOUR }, reset(1_000)),
    "connection-cap",
  ],
  ["some, which fail at random", idle({}, reset(1_000)), "unknown"],
  [
    "a full core, before which connections queue",
    idle({ connections: FULL_QUEUE }, { thread: 0.99, target: { cpu: 1 } }),
    "core",
  ],
];

for (const [what, seen, kind] of CASES) {
  Deno.test(`requests of an idle target wait for ${what}: ${kind}`, () => {
    assert.equal(bottleneckOf(seen).kind, kind, JSON.stringify(bottleneckOf(seen)));
  });
}

// Seen on two cores beside one full neighbour and more: mutexes as pools of 1.8 to 2.7.
Deno.test("a line is not measured beside a crowd: a lock is no pool there", () => {
  const line = inLine(2.7);
  const few = { thread: 0.07, target: { cpu: 0.07, waiting: 0.06 } };
  const crowd = { others: 1.9, busy: 1, cores: 2 };
  assert.equal(bottleneckOf(run({ ...line, ...few, host: crowd })).atOnce, undefined);
  assert.equal(bottleneckOf(run({ ...line, ...few, host: crowd })).kind, "waiting");
  assert.notEqual(bottleneckOf(run({ ...line, ...few })).atOnce, undefined);
});
