import assert from "node:assert/strict";
import { bottleneckOf, type BottleneckRun } from "../../runner/trust/bottleneck.ts";
import type { Bottleneck } from "../../runner/result/findings.ts";
import type { TargetUse } from "../../runner/result/generator.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { measurementFixture } from "../report/fixture.ts";

const { load, generator, service, latency, requests, connect } = measurementFixture({
  target: "api",
  scenario: "one",
  medianMs: 20,
});
const QUIET = { busy: 0.6, cores: 4, steal: 0, throttled: 0, others: 0 };
const TARGET = { processes: 1, cores: 4, cpu: 0.5, waiting: 0.01, nice: 0, throttled: 0 };

/** At 1,000/s in a closed loop of 20 connections, each request 20 ms, unless changed. */
function run(
  { target = {}, host = {}, thread = 0.4, serviceMs = 20, findings = [], ...rest }: {
    target?: Partial<TargetUse>;
    host?: Partial<typeof QUIET>;
    thread?: number;
    serviceMs?: number;
    findings?: BottleneckRun["generator"]["findings"];
  } & Partial<BottleneckRun>,
): BottleneckRun {
  return {
    ...{ load, connect, latency, elapsedS: 10, rate: 1_000 },
    requests: { ...requests, due: 10_000, completed: 10_000 },
    service: { ...service, mean: serviceMs },
    generator: {
      ...generator,
      findings,
      hostActivity: { ...QUIET, ...host },
      target: { ...TARGET, ...target, busiestThread: { name: "node", cpu: thread } },
    },
    ...rest,
  };
}

const OPEN: BottleneckRun["load"] = {
  kind: "rate",
  arrivals: "uniform",
  seed: 1,
  rate: 1_000,
  durationS: 10,
  connections: 50,
  keepAlive: true,
  timeout: 5_000,
};

/** A distribution whose p99 is so many ms. */
function p99(ms: number): typeof latency {
  return { ...latency, mean: ms, percentiles: { ...latency.percentiles, "99": ms } };
}

const late: BottleneckRun["generator"]["findings"][number] = {
  code: "worker-late",
  severity: "suspect",
  evidence: { delay: 20 },
  advice: [],
};

/** Of 20 connections that stand in line for 20 ms, so many of them at a time served. */
function inLine(atOnce: number): Pick<BottleneckRun, "load" | "service" | "histogram"> {
  const times = new Histogram();
  for (let i = 0; i < 20; i++) times.record(1_000 * atOnce * (1 + Math.floor(i / atOnce)));
  for (let i = 0; i < 1_000; i++) times.record(20_000);
  return {
    load: { ...load, connections: 20 },
    service: {
      ...service,
      ...{ min: atOnce, mean: 20 },
      percentiles: { ...service.percentiles, "50": 20 },
    },
    histogram: encodeHistogram(times.toSparse()),
  };
}

/** Eight threads, each with little. */
function inTurns(name: string, cpu: number): BottleneckRun {
  const seen = run({ target: { cpu }, rate: 10_000 });
  const target = { ...TARGET, cpu, busiestThread: { name, cpu: cpu / 8, processCpu: cpu } };
  return { ...seen, generator: { ...seen.generator, target } };
}

/** At the second of two moments. */
function withFilesLeft(filesLeft: number, processes = 1, thread = 0.4): BottleneckRun {
  const points = [{ files: 30, filesLeft: 30 }, { files: 59, filesLeft }];
  const times = { cpu: 0.1, memory: 1, processes };
  const resources = points.map((point, i) => ({ endS: i + 1, ...times, ...point }));
  return run({ target: { cpu: 0.1 }, thread, resources });
}

/** A thread of Python beside others with little. */
function besideLittle(cpu: number, processCpu: number): BottleneckRun {
  const seen = inTurns("python3.11", processCpu);
  const busiestThread = { name: "python3.11", cpu, processCpu };
  const target = { ...TARGET, cpu: processCpu, busiestThread };
  return { ...seen, generator: { ...seen.generator, target } };
}

const busyPoint = { endS: 1, cpu: 1, memory: 1, user: 0.2, system: 0.8 };

const CASES: [sentence: string, seen: BottleneckRun, kind: Bottleneck["kind"]][] = [
  ["a thread at 99 % of a core", run({ thread: 0.99, target: { cpu: 1.02 } }), "core"],
  ["a thread at 85 % is not full", run({ thread: 0.85, serviceMs: 1 }), "connections"],
  ["all four cores in use", run({ thread: 0.95, target: { cpu: 3.8 } }), "cores"],
  [
    "threads in line on a full machine",
    run({
      thread: 0.6,
      target: { cpu: 1.3, waiting: 0.8, cores: 2 },
      host: { busy: 0.99, cores: 2 },
    }),
    "cores",
  ],
  [
    "a core full of the kernel's work",
    run({ thread: 0.97, target: { cpu: 1 }, resources: [busyPoint] }),
    "kernel",
  ],
  [
    "Redis that computes all the time",
    run({ parts: [{ role: "redis", name: "Redis", points: [], busy: 0.93 }] }),
    "redis",
  ],
  [
    "Redis that is half idle",
    run({
      target: { cpu: 0.1 },
      parts: [{ role: "redis", name: "Redis", points: [], busy: 0.5 }],
    }),
    "waiting",
  ],
  ["20 ms with 0.1 ms of CPU time", run({ target: { cpu: 0.1 } }), "waiting"],
  ["20 ms in line for what serves one", run({ target: { cpu: 0.1 }, ...inLine(1) }), "lock"],
  ["20 ms in line for a pool of four", run({ target: { cpu: 0.1 }, ...inLine(4) }), "waiting"],
  ["a line before a full core", run({ thread: 0.99, ...inLine(1) }), "core"],
  ["threads of Python that fill a core in turns", inTurns("python3.11", 1.02), "core"],
  [
    "one thread of Python with 0.86 of a core, and hardly another",
    besideLittle(0.86, 0.88),
    "unknown",
  ],
  ["two threads of Python that share 0.96 of a core", besideLittle(0.84, 0.96), "core"],
  ["threads of Python with half a core", inTurns("python3.11", 0.4), "waiting"],
  ["threads of Go with one core of four", inTurns("server", 1.02), "unknown"],
  ["threads of Go with 1.6 cores of four", inTurns("server", 1.6), "waiting"],
  ["threads of Go with two cores of four", inTurns("server", 2.1), "unknown"],
  ["as many open files as it may have", withFilesLeft(1), "open-files"],
  ["no file left for a moment beside a full core", withFilesLeft(1, 1, 0.99), "core"],
  ["some open files less than it may have", withFilesLeft(20), "waiting"],
  ["a request that is worked on, one at a time", run({ serviceMs: 1 }), "connections"],
  ["half of both", run({ serviceMs: 2.5 }), "unknown"],
  ["a limit that paused it for a fifth", run({ target: { throttled: 2_000 } }), "cpu-limit"],
  ["a worker that was late", run({ findings: [late] }), "generator"],
  ["a worker that was late behind a full core", run({ findings: [late], thread: 0.99 }), "core"],
  [
    "a rate that was served",
    run({ load: OPEN, latency: p99(5), service: p99(5), thread: 0.99 }),
    "offered",
  ],
  [
    "a rate behind which a queue grew",
    run({ load: OPEN, latency: p99(900), service: p99(20), thread: 0.99 }),
    "core",
  ],
  [
    "a rate of which a tenth was never sent",
    run({
      load: OPEN,
      requests: { ...requests, due: 10_000, completed: 9_000 },
      latency: p99(5),
      service: p99(5),
      thread: 0.99,
    }),
    "core",
  ],
  [
    "a neighbour that took its core",
    run({ thread: 0.5, target: { cpu: 0.5, waiting: 0.5 }, host: { others: 1, busy: 1 } }),
    "unknown",
  ],
  [
    "a neighbour beside one that waits",
    run({ thread: 0.05, target: { cpu: 0.05, waiting: 0.001 }, host: { others: 1, busy: 1 } }),
    "waiting",
  ],
  [
    "a neighbour beside one that wants little, and waits for half of that",
    run({ thread: 0.07, target: { cpu: 0.07, waiting: 0.06 }, host: { others: 1, busy: 0.6 } }),
    "waiting",
  ],
  ["a thread at 85 % behind a queue", run({ thread: 0.85, target: { cpu: 0.9 } }), "unknown"],
  [
    "requests of which half failed",
    run({ requests: { ...requests, completed: 5_000, failed: 5_000 }, target: { cpu: 0.1 } }),
    "unknown",
  ],
  [
    "a full core beside a full Redis",
    run({ thread: 0.99, parts: [{ role: "redis", name: "Redis", points: [], busy: 0.85 }] }),
    "unknown",
  ],
  [
    "a rate for which all connections were busy, and the target was not",
    run({
      load: OPEN,
      latency: p99(900),
      service: p99(20),
      target: { cpu: 0.1 },
      thread: 0.1,
      findings: [{
        code: "connections",
        severity: "suspect",
        evidence: { connections: 50, busy: 50, lag: 800 },
        advice: [],
      }],
    }),
    "connections",
  ],
  ["no response", run({ requests: { ...requests, completed: 0 } }), "unknown"],
];

for (const [sentence, seen, kind] of CASES) {
  Deno.test(`bottleneck of ${sentence}: ${kind}`, () => {
    assert.equal(bottleneckOf(seen).kind, kind, JSON.stringify(bottleneckOf(seen)));
  });
}

Deno.test("a target at its limit of cores is held back by it, however many threads it has", () => {
  const seen = run({ thread: 0.2, target: { cpu: 0.29 } });
  assert.equal(bottleneckOf(seen, 0.3).kind, "cpu-limit");
  assert.notEqual(bottleneckOf(seen, 1).kind, "cpu-limit");
});

Deno.test("a target that can't be seen has no bottleneck that is known", () => {
  const seen = run({});
  const { target: _, ...unseen } = seen.generator;
  assert.equal(bottleneckOf({ ...seen, generator: unseen }).kind, "unknown");
});

Deno.test("open files are counted of one process alone, as several have a limit each", () => {
  assert.equal(bottleneckOf(withFilesLeft(1)).files, 59);
  const several = bottleneckOf(withFilesLeft(1, 3));
  assert.deepEqual([several.kind, several.files, several.filesLeft], ["open-files", undefined, 1]);
});
