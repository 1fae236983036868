import assert from "node:assert/strict";
import { bottleneckOf, type BottleneckRun } from "../../runner/trust/bottleneck.ts";
import type { Bottleneck } from "../../runner/result/findings.ts";
import { SOCKETS, STREAMS } from "../report/message_figures.ts";
import {
  besideLittle,
  busyPoint,
  clustered,
  inLine,
  inTurns,
  late,
  leftAtEnd,
  OPEN,
  p99,
  RAMP,
  REFUSED,
  requests,
  run,
  sentLate,
  service,
  TARGET,
  withAllBusy,
  withFilesLeft,
  withRedis,
} from "./bottleneck_runs.ts";

const CASES: Readonly<Record<string, [seen: BottleneckRun, kind: Bottleneck["kind"]]>> = {
  "a thread at 99 % of a core": [run({ thread: 0.99, target: { cpu: 1.02 } }), "core"],
  "a thread at 85 % is not full": [run({ thread: 0.85, serviceMs: 1 }), "connections"],
  "all four cores in use": [run({ thread: 0.95, target: { cpu: 3.8 } }), "cores"],
  "threads in line on a full machine": [
    run({
      thread: 0.6,
      target: { cpu: 1.3, waiting: 0.8, cores: 2 },
      host: { busy: 0.99, cores: 2 },
    }),
    "cores",
  ],
  "a core full of the kernel's work": [
    run({ thread: 0.97, target: { cpu: 1 }, resources: [busyPoint] }),
    "kernel",
  ],
  "Redis that computes all the time": [
    run({ parts: [{ role: "redis", name: "Redis", points: [], busy: 0.93 }] }),
    "redis",
  ],
  "Redis that is half idle": [
    run({ target: { cpu: 0.1 }, parts: [{ role: "redis", name: "Redis", points: [], busy: 0.5 }] }),
    "waiting",
  ],
  "20 ms with 0.1 ms of CPU time": [run({ target: { cpu: 0.1 } }), "waiting"],
  "20 ms for which a stream is held": [
    { ...run({ target: { cpu: 0.1 } }), streams: STREAMS },
    "unknown",
  ],
  "WebSockets whose server fills a core": [
    { ...run({ thread: 0.99, target: { cpu: 1.02 } }), sockets: SOCKETS },
    "core",
  ],
  "20 ms in line for what serves one": [run({ target: { cpu: 0.1 }, ...inLine(1) }), "lock"],
  "20 ms in line for a pool of four": [run({ target: { cpu: 0.1 }, ...inLine(4) }), "waiting"],
  "a line before a full core": [run({ thread: 0.99, ...inLine(1) }), "core"],
  "threads of Python that fill a core in turns": [inTurns("python3.11", 1.02), "core"],
  "one thread of Python with 0.86 of a core, and hardly another": [
    besideLittle(0.86, 0.88),
    "unknown",
  ],
  "two threads of Python that share 0.96 of a core": [besideLittle(0.84, 0.96), "core"],
  "threads of Python with half a core": [inTurns("python3.11", 0.4), "waiting"],
  "threads of Go with one core of four": [inTurns("server", 1.02), "unknown"],
  "threads of Go with 1.6 cores of four": [inTurns("server", 1.6), "unknown"],
  "threads of Go with 1.6 cores of four, all as quick": [inTurns("server", 1.6, 19), "waiting"],
  "threads of Go with two cores of four": [inTurns("server", 2.1), "unknown"],
  "two requests that compute in turns, behind a lock or under GOMAXPROCS=1": [{
    ...inTurns("server", 1),
    rate: 1_000,
    service: { ...service, min: 1, mean: 2 },
  }, "unknown"],
  "two requests that are worked on at once": [{
    ...inTurns("server", 1.6),
    rate: 1_000,
    service: { ...service, min: 1, mean: 2 },
  }, "connections"],
  "a full thread among processes of which one is idle": [clustered(0.1), "unknown"],
  "a full thread among processes as full": [clustered(0.93), "core"],
  "a full thread that no request waits for, as all take as long as the quickest": [
    run({ thread: 1, target: { cpu: 1.1 }, quickestMs: 19 }),
    "unknown",
  ],
  "a full thread that serves one connection at once, and lets the others wait for long": [
    run({ thread: 1, target: { cpu: 1.1 }, quickestMs: 19, serviceMs: 60 }),
    "core",
  ],
  "threads that share their only core": [
    run({ thread: 0.5, target: { cpu: 0.98, cores: 1 }, serviceMs: 2 }),
    "cores",
  ],
  "Redis that computes little, and fills its core with the network": [
    withRedis(0.3, 0.97),
    "redis",
  ],
  "Redis with a third of its core": [withRedis(0.2, 0.33), "waiting"],
  "a Redis of Plateau's own that is the busiest of all": [{
    ...run({}),
    generator: {
      ...run({}).generator,
      target: { ...TARGET, busiestThread: { name: "redis-server", cpu: 0.96 } },
    },
  }, "redis"],
  "an open loop of which half was refused at once": [
    run({ ...REFUSED, load: OPEN, latency: p99(5), service: p99(5) }),
    "unknown",
  ],
  "responses of which half are refusals": [run({ ...REFUSED, target: { cpu: 0.1 } }), "unknown"],
  "an open loop with a queue in the target, served after its end": [leftAtEnd(500, 250), "core"],
  "an open loop whose requests take 2 s": [leftAtEnd(2_000, 2_000), "offered"],
  "a closing ramp whose requests take 2 s": [leftAtEnd(3_200, 2_000, RAMP), "offered"],
  "a closing ramp with a queue in the target": [leftAtEnd(4_900, 800, RAMP), "core"],
  "all connections busy, each request as long": [withAllBusy(19), "connections"],
  "all connections busy, the first requests quick": [withAllBusy(1), "unknown"],
  "all connections busy, each request as long, beside a full thread": [
    withAllBusy(19, 1),
    "unknown",
  ],
  "all connections busy, before a full thread": [withAllBusy(1, 1), "core"],
  "as many open files as it may have": [withFilesLeft(1), "open-files"],
  "no file left for a moment beside a full core": [withFilesLeft(1, 1, 0.99), "core"],
  "some open files less than it may have": [withFilesLeft(20), "waiting"],
  "a request that is worked on, one at a time": [run({ serviceMs: 1 }), "connections"],
  "half of both": [run({ serviceMs: 2.5 }), "unknown"],
  "a limit that paused it for a fifth": [run({ target: { throttled: 2_000 } }), "cpu-limit"],
  "a worker that was late all the time": [run({ findings: [late], delayMs: 5 }), "generator"],
  "a worker that was late at times, beside 20 ms with 0.1 ms of CPU time": [
    run({ findings: [late], target: { cpu: 0.1 } }),
    "waiting",
  ],
  "a worker of an open loop that was late": [
    run({ load: OPEN, latency: p99(900), service: p99(20), findings: [late] }),
    "generator",
  ],
  "a worker that was late behind a full core": [run({ findings: [late], thread: 0.99 }), "core"],
  "a rate that was served": [
    run({ load: OPEN, latency: p99(5), service: p99(5), thread: 0.99 }),
    "offered",
  ],
  "a rate behind which a queue grew": [
    run({ load: OPEN, latency: p99(900), service: p99(20), thread: 0.99 }),
    "core",
  ],
  "a rate of 200 requests of which three were sent 4 ms late": [sentLate(200, 4), "offered"],
  "a rate of 200 requests of which a tenth was sent 4 ms late": [sentLate(200, 4, "95"), "core"],
  "a rate of 10,000 requests of which a hundredth was sent 4 ms late": [
    sentLate(10_000, 4),
    "core",
  ],
  "a rate of which a tenth was never sent": [
    run({
      load: OPEN,
      requests: { ...requests, due: 10_000, completed: 9_000 },
      latency: p99(5),
      service: p99(5),
      thread: 0.99,
    }),
    "core",
  ],
  "a neighbour that took its core": [
    run({ thread: 0.5, target: { cpu: 0.5, waiting: 0.5 }, host: { others: 1, busy: 1 } }),
    "unknown",
  ],
  "a neighbour beside one that waits": [
    run({ thread: 0.05, target: { cpu: 0.05, waiting: 0.001 }, host: { others: 1, busy: 1 } }),
    "waiting",
  ],
  "a neighbour beside one that wants little, and waits for half of that": [
    run({ thread: 0.07, target: { cpu: 0.07, waiting: 0.06 }, host: { others: 1, busy: 0.6 } }),
    "waiting",
  ],
  "a thread at 85 % behind a queue": [run({ thread: 0.85, target: { cpu: 0.9 } }), "unknown"],
  "requests of which half failed": [
    run({ requests: { ...requests, completed: 5_000, failed: 5_000 }, target: { cpu: 0.1 } }),
    "unknown",
  ],
  "a full core beside a full Redis": [
    run({ thread: 0.99, parts: [{ role: "redis", name: "Redis", points: [], busy: 0.85 }] }),
    "unknown",
  ],
  "no response": [run({ requests: { ...requests, completed: 0 } }), "unknown"],
};

for (const [sentence, [seen, kind]] of Object.entries(CASES)) {
  Deno.test(`bottleneck of ${sentence}: ${kind}`, () => {
    assert.equal(bottleneckOf(seen).kind, kind, JSON.stringify(bottleneckOf(seen)));
  });
}

Deno.test("a target at its limit of cores is held back by it, however many threads it has", () => {
  const seen = run({ thread: 0.2, target: { cpu: 0.29 } });
  assert.equal(bottleneckOf(seen, 0.3).kind, "cpu-limit");
  assert.notEqual(bottleneckOf(seen, 1).kind, "cpu-limit");
});

Deno.test("a target that was paused in bursts, and used little of its limit, is not at it", () => {
  const seen = run({ target: { cpu: 0.1, throttled: 600 } });
  assert.equal(bottleneckOf(seen, 2).kind, "waiting");
  assert.equal(bottleneckOf(seen, 0.15).kind, "cpu-limit");
});

Deno.test("a target that can't be seen has no bottleneck that is known", () => {
  const seen = run({});
  const { target: _, ...unseen } = seen.generator;
  assert.equal(bottleneckOf({ ...seen, generator: unseen }).kind, "unknown");
  const crowded = { ...unseen, hostActivity: { ...unseen.hostActivity, others: 1.7 } };
  assert.equal(bottleneckOf({ ...seen, generator: crowded }).waitingShare, undefined);
});

Deno.test("open files are counted of one process alone, as several have a limit each", () => {
  assert.equal(bottleneckOf(withFilesLeft(1)).files, 59);
  const several = bottleneckOf(withFilesLeft(1, 3));
  assert.deepEqual([several.kind, several.files, several.filesLeft], ["open-files", undefined, 1]);
});

Deno.test("a limit that a neighbour hides is unknown with how long the target waited for its cores", () => {
  const beside = (others: number, completed = 10_000) =>
    bottleneckOf(run({
      thread: 0.2,
      target: { cpu: 0.2, waiting: 0.8 },
      host: { others, busy: 1 },
      requests: { ...requests, completed },
    }));
  assert.deepEqual([beside(1).kind, beside(1).waitingShare], ["unknown", 0.8]);
  assert.equal(beside(0).waitingShare, undefined);
  assert.equal(beside(1, 0).waitingShare, undefined);
  const late = { load: OPEN, rate: 1_000, latency: p99(9), service: { ...p99(2), mean: 0.363 } };
  const little = { target: { cpu: 0.1, waiting: 0.2 }, host: { others: 1.7, busy: 1 } };
  const open = bottleneckOf(run({ ...late, ...little }));
  assert.deepEqual([open.kind, open.waitingShare], ["unknown", 0.2 / (0.1 + 0.2)]);
  const failed = { requests: { ...requests, completed: 5_000, failed: 5_000 } };
  assert.equal(bottleneckOf(run({ ...late, ...little, ...failed })).waitingShare, undefined);
  assert.equal(
    bottleneckOf({ ...run({ ...late, ...little }), streams: STREAMS }).waitingShare,
    undefined,
  );
  assert.equal(bottleneckOf(run({ thread: 0.85, target: { cpu: 0.9 } })).waitingShare, undefined);
});
