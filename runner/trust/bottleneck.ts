/**
 * What kept a target from serving more: a core that is full, something that it waits for, the load itself. Decided by
 * what was seen in one run; where that decides nothing, or contradicts itself, it is unknown. Pure.
 */
import { servedAtOnce } from "./in_line.ts";
import { pausesFinding } from "./pauses.ts";
import type { Bottleneck, FindingCode } from "../result/findings.ts";
import type { Generator } from "../result/generator.ts";
import type { Measurement, Run } from "../result/result.ts";

type BottleneckKind = Bottleneck["kind"];

/** What is looked at, of a run or of a measurement alone. */
export type BottleneckRun =
  & Pick<
    Measurement,
    "load" | "requests" | "rate" | "service" | "latency" | "connect" | "elapsedS" | "generator"
  >
  & Partial<Pick<Run, "resources" | "parts" | "counters" | "histogram">>;

/**
 * A thread that computes alone has 0.95 to 1 of a core; one that waits for the next request on a quick loopback has 0.6
 * to 0.85, as each wake-up takes a while.
 */
const FULL_THREAD = 0.9;
/** A thread with less has time left for more requests, and so have cores. */
const BUSY_RATIO = 0.5;
/** Their threads compute in turns, as there is one lock for all: Python's and Ruby's, by the names of processes. */
const IN_TURNS = /^(?:python|uvicorn|gunicorn|ruby|puma)/;
/** Of a core: threads that compute in turns have no more, but for what they do without the lock. */
const MOST_IN_TURNS = 1.2;
const FULL_TURNS = 0.85;
/** Of a core, in all threads but the busiest: helpers of a program with one thread, such as for names, have less. */
const OTHER_THREADS = 0.1;
/** Threads of other programs may compute in turns, too, such as those of Go under GOMAXPROCS=1. */
const NEAR_TURNS = 0.7;
/** Of the requests that ended: what the failed ones waited for is no bottleneck of those that had a response. */
const FAILS = 0.05;
/** Of the cores, in use by everybody: from here on nobody gets more. */
const FULL_MACHINE = 0.95;
/** Threads that stood in line for a core, on average: less is the wake-ups'. */
const IN_LINE = 0.1;
/** Cores in use by programs that are neither side: what is missing may be theirs. */
const OTHERS = 0.3;
/** Of the time that its threads had work, in line for a core: more than wake-ups take. */
const WAITS_OF_WANTED = 0.3;
/** Of the target's CPU time; a server that sends small responses spends half of it there. */
const MOSTLY_KERNEL = 0.7;
/** Of the run. */
const THROTTLED = 0.05;
/** Of the run: Redis has one thread for commands, and reads and writes sockets beside them. */
const REDIS_FULL = 0.8;
/** CPU time of a request over its service time: below, it waits most of the time; above, it is worked on. */
const WAITS_BELOW = 0.15;
const WORKS_ABOVE = 0.3;
/** Of the due requests of an open loop; the rest came after its end. */
const SERVED = 0.99;
/** Latency since a request was due, over that since it was sent: more is a queue before the connections. */
const QUEUED_TIMES = 2;
/** Such a wait is that of a wake-up. */
const SHORT_MS = 2;
/** Some servers keep the last file free, to refuse connections with. */
const FILES_LEFT = 1;
/** Fewer requests at a time are one. */
const ONE_AT_ONCE = 1.5;

/** Findings by which the generator was the limit. */
const GENERATOR: readonly FindingCode[] = [
  "throttled",
  "generator-starved",
  "generator-busy",
  "near-peak-throughput",
  "worker-paused",
  "worker-late",
  "sent-late",
  "crowded-core",
];

/** @param limitCores What `limits: { cpu }` lets the target use; null: as much as there is. */
export function bottleneckOf(run: BottleneckRun, limitCores: number | null = null): Bottleneck {
  const seen = { ...seenIn(run), ...limitCores !== null && { limitCores } };
  const { requests, generator } = run;
  const isPaused = (seen.throttledShare ?? 0) >= THROTTLED;
  const paused = requests.completed === 0 || isPaused
    ? null
    : pausesFinding(run, isCrowdedOut(generator));
  return { kind: kindOf(run, seen), ...seen, ...paused };
}

function kindOf(run: BottleneckRun, seen: Omit<Bottleneck, "kind">): BottleneckKind {
  const { generator, requests } = run;
  if (requests.completed === 0) return "unknown";
  if (isServed(run)) return "offered";
  if ((seen.throttledShare ?? 0) >= THROTTLED || isAtLimit(seen)) return "cpu-limit";
  const full = fullKind(seen, generator);
  const isRedis = (seen.redisBusy ?? 0) >= REDIS_FULL;
  // Both are full: which of them the other waits for is not known.
  if (isRedis) return full === null || seen.thread?.name.includes("redis") ? "redis" : "unknown";
  if (full !== null) return full;
  if ((seen.filesLeft ?? Infinity) <= FILES_LEFT) return "open-files";
  if (generator.findings.some(({ code }) => GENERATOR.includes(code))) return "generator";
  const isKept = isCrowdedOut(generator) && wantedOf(generator) >= BUSY_RATIO;
  if (seen.cpu === undefined || isKept || failedShare(run) >= FAILS) return "unknown";
  return idleKind(run, seen);
}

function failedShare({ requests: { completed, failed } }: BottleneckRun): number {
  return completed + failed > 0 ? failed / (completed + failed) : 0;
}

function isAtLimit({ cpu = 0, limitCores }: Omit<Bottleneck, "kind">): boolean {
  return limitCores !== undefined && cpu >= FULL_THREAD * limitCores;
}

/** It stood in line for a core that others had: what it would have served is not known. */
function isCrowdedOut({ target, hostActivity }: Generator): boolean {
  const { waiting = 0, cpu = 0 } = target ?? {};
  return (hostActivity.others ?? 0) >= OTHERS && waiting >= WAITS_OF_WANTED * (waiting + cpu);
}

/** Cores that it had or waited for: one that wants little waits for little, whoever has the cores. */
function wantedOf({ target }: Generator): number {
  return (target?.cpu ?? 0) + (target?.waiting ?? 0);
}

/** Null where neither a core nor all of them are full of the target. */
function fullKind(
  { thread, cpu = 0, cores, machineBusy = 0, kernelShare = 0 }: Omit<Bottleneck, "kind">,
  { target, hostActivity }: Generator,
): BottleneckKind | null {
  const hasAll = cores !== undefined && cores > 1 && cpu >= FULL_THREAD * cores;
  const standsInLine = machineBusy >= FULL_MACHINE && (target?.waiting ?? 0) >= IN_LINE &&
    (hostActivity.others ?? 0) < OTHERS && cpu >= 1;
  const isThread = thread !== undefined &&
    (thread.cpu >= FULL_THREAD || isFullInTurns(thread));
  if (!hasAll && !standsInLine && !isThread) return null;
  if (kernelShare >= MOSTLY_KERNEL) return "kernel";
  return hasAll || (standsInLine && !isThread) ? "cores" : "core";
}

/** There is a hand-over at each turn, in which none computes. */
function isFullInTurns({ name, cpu, processCpu = 0 }: NonNullable<Bottleneck["thread"]>): boolean {
  return IN_TURNS.test(name) && processCpu >= FULL_TURNS && processCpu <= MOST_IN_TURNS &&
    processCpu - cpu >= OTHER_THREADS;
}

/** Nothing is full: requests wait for something, or there are too few of them at once. */
function idleKind(
  { load, generator: { findings } }: BottleneckRun,
  { thread, cpu = 0, cores = 1, cpuPerRequest = 0, service = 0, atOnce }: Omit<Bottleneck, "kind">,
): BottleneckKind {
  if (service === 0) return "unknown";
  const worked = cpuPerRequest / service;
  // A queue before a busy thread makes responses long, too.
  // In an open loop requests then wait for a connection, and not for the target.
  if (findings.some(({ code }) => code === "connections") && worked < WORKS_ABOVE) {
    return "connections";
  }
  if (worked < WAITS_BELOW) {
    const isBusy = Math.max(thread?.cpu ?? 0, cpu / cores) >= BUSY_RATIO;
    const { processCpu = 0 } = thread ?? {};
    const mayFill = processCpu >= NEAR_TURNS && processCpu <= MOST_IN_TURNS;
    if (isBusy || mayFill) return "unknown";
    return atOnce !== undefined && atOnce < ONE_AT_ONCE ? "lock" : "waiting";
  }
  return worked >= WORKS_ABOVE && load.kind === "closed" ? "connections" : "unknown";
}

/** An open loop of which nearly all was served, without a queue before the connections. */
function isServed({ load, requests, latency, service }: BottleneckRun): boolean {
  if (load.kind === "closed") return false;
  const { due, completed } = requests;
  const queued = latency.percentiles["99"] - service.percentiles["99"];
  return completed >= SERVED * due &&
    (latency.percentiles["99"] < QUEUED_TIMES * service.percentiles["99"] || queued < SHORT_MS);
}

function seenIn(run: BottleneckRun): Omit<Bottleneck, "kind"> {
  const { generator: { target, hostActivity }, load, rate, elapsedS, service, connect } = run;
  const cpu = target?.cpu;
  const system = kernelShareOf(run);
  const redis = run.parts?.find(({ busy }) => busy !== undefined)?.busy;
  const dialMs = load.keepAlive ? 0 : connect.mean;
  const { histogram } = run;
  const atOnce = histogram === undefined ? null : servedAtOnce({ ...run, histogram });
  return {
    ...target?.busiestThread && { thread: target.busiestThread },
    ...cpu !== undefined && { cpu },
    ...typeof target?.cores === "number" && { cores: target.cores },
    ...hostActivity.busy !== null && { machineBusy: Math.min(1, hostActivity.busy) },
    ...system !== null && { kernelShare: system },
    ...target?.throttled && elapsedS > 0 && { throttledShare: target.throttled / 1_000 / elapsedS },
    ...redis !== undefined && { redisBusy: redis },
    ...cpu !== undefined && rate > 0 && { cpuPerRequest: cpu * 1_000 / rate },
    ...{ service: service.mean + dialMs, connections: load.connections },
    ...atOnce !== null && { atOnce },
    ...filesOf(run),
  };
}

/** Nothing where they are not known. A limit is of one process, so how many several had open together says nothing. */
function filesOf({ resources = [] }: BottleneckRun): Pick<Bottleneck, "files" | "filesLeft"> {
  const [files, left] = [
    resources.flatMap(({ files }) => files ?? []),
    resources.flatMap(({ filesLeft }) => filesLeft ?? []),
  ];
  if (files.length === 0 || left.length === 0) return {};
  const isOne = resources.every(({ processes }) => processes === 1);
  return { ...isOne && { files: Math.max(...files) }, filesLeft: Math.min(...left) };
}

/** Null where it is unknown. */
function kernelShareOf({ resources = [] }: BottleneckRun): number | null {
  const [system, cpu] = [
    resources.reduce((sum, { system = 0 }) => sum + system, 0),
    resources.reduce((sum, { cpu, system }) => sum + (system === undefined ? 0 : cpu), 0),
  ];
  return cpu > 0 ? Math.min(1, system / cpu) : null;
}
