/** Runs as they are seen, for the tests of what is said of them. */
import type { BottleneckRun } from "../../runner/trust/bottleneck.ts";
import type { TargetUse } from "../../runner/result/generator.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { measurementFixture } from "../report/fixture.ts";

const fixture = measurementFixture({ target: "api", scenario: "one", medianMs: 20 });
const { load, generator, latency, status, checks, errors, connect } = fixture;
export const { service, requests } = fixture;
const QUIET = { busy: 0.6, cores: 4, steal: 0, throttled: 0, others: 0 };
export const TARGET = { processes: 1, cores: 4, cpu: 0.5, waiting: 0.01, nice: 0, throttled: 0 };

/** At 1,000/s in a closed loop of 20 connections, each request 20 ms, unless changed. */
export function run(
  { target = {}, host = {}, thread = 0.4, serviceMs = 20, quickestMs = 1, ...others }: {
    target?: Partial<TargetUse>;
    host?: Partial<typeof QUIET>;
    thread?: number;
    serviceMs?: number;
    quickestMs?: number;
    /** p50 of the generator's own. */
    delayMs?: number;
    findings?: BottleneckRun["generator"]["findings"];
  } & Partial<BottleneckRun>,
): BottleneckRun {
  const { findings = [], delayMs = 0, ...rest } = others;
  return {
    ...{ load, connect, latency, status, checks, errors, elapsedS: 10, rate: 1_000 },
    requests: { ...requests, due: 10_000, completed: 10_000, unfinished: 0 },
    service: { ...service, min: quickestMs, mean: serviceMs },
    generator: {
      ...generator,
      findings,
      delay: { ...generator.delay, p50: delayMs },
      hostActivity: { ...QUIET, ...host },
      target: { ...TARGET, ...target, busiestThread: { name: "node", cpu: thread } },
    },
    ...rest,
  };
}

export const OPEN: BottleneckRun["load"] = {
  kind: "rate",
  arrivals: "uniform",
  seed: 1,
  rate: 1_000,
  durationS: 10,
  connections: 50,
  keepAlive: true,
  timeout: 5_000,
};

/** From no arrival to 2,000/s. */
export const RAMP: BottleneckRun["load"] = {
  ...{ kind: "phases", arrivals: "uniform", seed: 1, connections: 50, keepAlive: true },
  ...{ timeout: 5_000, pool: "shared", phases: [{ durationS: 10, from: 0, to: 2_000 }] },
};

/** A distribution whose p99 is so many ms. */
export function p99(ms: number): typeof latency {
  return { ...latency, min: ms / 2, mean: ms, percentiles: { ...latency.percentiles, "99": ms } };
}

export const late: BottleneckRun["generator"]["findings"][number] = {
  code: "worker-late",
  severity: "suspect",
  evidence: { delay: 20 },
  advice: [],
};

/** Of 20 connections that stand in line for 20 ms, so many of them at a time served. */
export function inLine(atOnce: number): Pick<BottleneckRun, "load" | "service" | "histogram"> {
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

/** Eight threads, each with little; requests that take as long as the quickest, or wait for each other. */
export function inTurns(name: string, cpu: number, quickestMs = 1): BottleneckRun {
  const seen = run({ target: { cpu }, rate: 10_000, quickestMs });
  const target = { ...TARGET, cpu, busiestThread: { name, cpu: cpu / 8, processCpu: cpu } };
  return { ...seen, generator: { ...seen.generator, target } };
}

/** One of several processes of a program, of which one has so little. */
export function clustered(leastCpu: number): BottleneckRun {
  const seen = run({ target: { cpu: 1.5 } });
  const peers = { processes: 3, leastCpu };
  const busiestThread = { name: "node", cpu: 0.97, processCpu: 1, peers };
  return { ...seen, generator: { ...seen.generator, target: { ...TARGET, busiestThread } } };
}

/** Redis as it was seen, beside a target that has little. */
export function withRedis(busy: number, cpu: number): BottleneckRun {
  const points = [{ endS: 1, cpu, memory: 1 }];
  return run({ target: { cpu: 0.1 }, parts: [{ role: "redis", name: "Redis", points, busy }] });
}

/** An open loop at 1,000/s without a wait for connections, of which so many were under way at its end. */
export function leftAtEnd(left: number, serviceMs: number, load = OPEN): BottleneckRun {
  return run({
    ...{ load, rate: 1_000 - left / 10, thread: 0.99 },
    ...{ latency: p99(2 * serviceMs), service: { ...p99(2 * serviceMs), mean: serviceMs } },
    drain: { durationS: 1, completed: left, failed: 0 },
  });
}

/** An open loop before a full thread, of which those from a percentile on waited for so long before they were sent. */
export function sentLate(due: number, lateMs: number, from: "95" | "99" = "99"): BottleneckRun {
  const times = { ...latency, percentiles: { ...latency.percentiles, "95": 1, "99": 1 } };
  const late = { ...times.percentiles, [from]: 1 + lateMs, "99": 1 + lateMs };
  return run({
    ...{ load: OPEN, thread: 0.99, service: times, latency: { ...times, percentiles: late } },
    requests: { ...requests, due, completed: due, unfinished: 0 },
  });
}

/** Half of the responses. */
export const REFUSED = { status: { "200": 5_000, "503": 5_000 }, checks: { passed: 0, failed: 0 } };

const ALL_CONNECTIONS: BottleneckRun["generator"]["findings"][number] = {
  code: "connections",
  severity: "suspect",
  evidence: { connections: 50, busy: 50, lag: 800 },
  advice: [],
};

/** All connections of an open loop are busy, with requests of which the quickest took so long. */
export function withAllBusy(quickestMs: number, thread = 0.1): BottleneckRun {
  const service = { ...p99(20), min: quickestMs };
  return run({
    ...{ load: OPEN, latency: p99(900), service },
    ...{ target: { cpu: 0.1 }, thread, findings: [ALL_CONNECTIONS] },
  });
}

/** At the second of two moments. */
export function withFilesLeft(filesLeft: number, processes = 1, thread = 0.4): BottleneckRun {
  const points = [{ files: 30, filesLeft: 30 }, { files: 59, filesLeft }];
  const times = { cpu: 0.1, memory: 1, processes };
  const resources = points.map((point, i) => ({ endS: i + 1, ...times, ...point }));
  return run({ target: { cpu: 0.1 }, thread, resources });
}

/** A thread of Python beside others with little. */
export function besideLittle(cpu: number, processCpu: number): BottleneckRun {
  const seen = inTurns("python3.11", processCpu);
  const busiestThread = { name: "python3.11", cpu, processCpu };
  const target = { ...TARGET, cpu: processCpu, busiestThread };
  return { ...seen, generator: { ...seen.generator, target } };
}

export const busyPoint = { endS: 1, cpu: 1, memory: 1, user: 0.2, system: 0.8 };
