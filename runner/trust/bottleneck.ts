/**
 * Determines why a target served no more requests: a core was full, the target waited for something, or the load asked
 * for no more. The decision rests on the observations of one run; if they decide nothing or contradict each other, the
 * bottleneck is unknown. Pure.
 */
import { servedAtOnce } from "./in_line.ts";
import { pausesFinding } from "./pauses.ts";
import { isServed } from "./served.ts";
import { type WaitedFor, waitedFor } from "./waited_for.ts";
import type { Bottleneck, FindingCode } from "../result/findings.ts";
import type { Generator } from "../result/generator.ts";
import { wrongResponsesOf } from "../result/outcome.ts";
import type { Measurement, Run } from "../result/result.ts";
import { isChanging } from "../result/warmup.ts";

type BottleneckKind = Bottleneck["kind"];
type Seen = Omit<Bottleneck, "kind">;
type Thread = NonNullable<Bottleneck["thread"]>;

/** The parts of a run, or of a single measurement, from which its bottleneck is determined. */
export type BottleneckRun =
  & Pick<
    Measurement,
    | "load"
    | "requests"
    | "status"
    | "checks"
    | "errors"
    | "drain"
    | "rate"
    | "service"
    | "latency"
    | "connect"
    | "elapsedS"
    | "generator"
  >
  & Partial<
    Pick<Run, "resources" | "parts" | "counters" | "histogram" | "streams" | "sockets">
  >;

/**
 * A thread that uses at least this share of a core is full. A thread that only computes uses 0.95 to 1; one that waits
 * for the next request on a fast loopback uses 0.6 to 0.85, because each wake-up takes a while.
 */
const FULL_THREAD = 0.9;
/**
 * If a thread, or all cores together, are busy for less than this share of the time, the target can serve more
 * requests.
 */
const BUSY_RATIO = 0.5;
/** Names of Python and Ruby processes, whose threads take turns to compute because they share one lock. */
const IN_TURNS = /^(?:python|uvicorn|gunicorn|ruby|puma)/;
/** The most cores that threads sharing such a lock use together; more than one, because some work needs no lock. */
const MOST_IN_TURNS = 1.2;
const FULL_TURNS = 0.85;
/**
 * If all threads except the busiest use less than this share of a core together, they are only the helpers of a
 * single-threaded program, for example for name look-ups.
 */
const OTHER_THREADS = 0.1;
/**
 * If the threads of any process together use at least this many cores, they may be taking turns on a single core, as
 * those of a Go program with GOMAXPROCS=1 do.
 */
const NEAR_TURNS = 0.7;
/**
 * If at least this share of the requests failed or got a wrong response, the run shows neither that the target served
 * everything nor what an idle target waits for, because the failed requests may have waited for something else.
 */
const FAILS = 0.05;
/** If at least this share of the machine's cores is in use, no process can get more CPU time. */
const FULL_MACHINE = 0.95;
/** If at least this many of the target's threads wait for a core on average, wake-ups alone do not explain it. */
const IN_LINE = 0.1;
/**
 * If programs other than the target and Plateau use at least this many cores, the target may lack exactly these cores.
 */
const OTHERS = 0.3;
/** If other programs use at least this share of all cores, the machine counts as crowded. */
const CROWD = 0.25;
/**
 * If the target's threads waited for a core during at least this share of the time for which they used or wanted one,
 * wake-ups alone do not explain the wait.
 */
const WAITS_OF_WANTED = 0.3;
/**
 * The kernel is the bottleneck if the target spends at least this share of its CPU time there. Even a server with small
 * responses spends only half of its time in the kernel.
 */
const MOSTLY_KERNEL = 0.7;
/** If a CPU limit paused the target for at least this share of the run, the target counts as throttled. */
const THROTTLED = 0.05;
/**
 * Redis counts as full if commands keep it busy for at least this share of the run. The share can't reach 1, because
 * the same thread also reads and writes sockets.
 */
const REDIS_FULL = 0.8;
/**
 * Limits for a request's CPU time divided by its service time. Below `WAITS_BELOW`, the request mostly waits; above
 * `WORKS_ABOVE`, the target mostly works on it.
 */
const WAITS_BELOW = 0.15;
const WORKS_ABOVE = 0.3;
/** If the fastest request takes at least this share of the usual service time, requests do not wait for each other. */
const ALIKE = 0.8;
/** With fewer connections, even the fastest request may have waited for others. */
const LEAST_CONNECTIONS = 4;
/** If another process of the same program uses less than this share of a core, it has room for more connections. */
const PEERS_FULL = 0.75;
/**
 * A server can open no more connections or files if at most this many file descriptors remain. The limit is not 0,
 * because some servers keep the last descriptor to accept connections and close them.
 */
const FILES_LEFT = 1;
/** With fewer concurrent requests than this on average, requests are served one at a time. */
const ONE_AT_ONCE = 1.5;

/** Findings which show that the generator was the limit. */
const GENERATOR: readonly FindingCode[] = [
  "throttled",
  "generator-starved",
  "generator-busy",
  "near-peak-throughput",
];
/**
 * Findings about late requests. In a closed loop, they make the generator the limit only if the delay is a large part
 * of the service time.
 */
const LATE: readonly FindingCode[] = ["worker-paused", "worker-late", "sent-late", "crowded-core"];
const MUCH_DELAY = 0.1;

/** @param limitCores Cores that `limits: { cpu }` allows the target; null if there is no limit. */
export function bottleneckOf(run: BottleneckRun, limitCores: number | null = null): Bottleneck {
  const seen = { ...seenIn(run), ...limitCores !== null && { limitCores } };
  const { requests, generator } = run;
  const isPaused = (seen.throttledShare ?? 0) >= THROTTLED;
  const paused = requests.completed === 0 || isPaused
    ? null
    : pausesFinding(run, isCrowdedOut(generator));
  const waited = waitedFor(run, seen.service ?? 0, seen.atOnce);
  const kind = kindOf(run, seen, waited);
  const { kind: waitedKind, ...grounds } = waited ?? { kind: null };
  // Garbage collections do not lower the throughput if the target waits for something else, or
  // could serve more.
  const isBeside = paused?.kind === "gc" && paused.pauses === undefined && NOT_BY_GC.includes(kind);
  return {
    kind,
    ...seen,
    ...kind === waitedKind && grounds,
    ...!isBeside && paused,
    ...kind === "unknown" && paused === null && requests.completed > 0 && isByOthers(run) && {
      waitingShare: (generator.target?.waiting ?? 0) / wantedOf(generator),
    },
  };
}

const NOT_BY_GC: readonly BottleneckKind[] = [
  "offered",
  "redis",
  "generator",
  "open-files",
  "lock",
];

function kindOf(run: BottleneckRun, seen: Seen, waited: WaitedFor | null): BottleneckKind {
  const { generator, requests } = run;
  if (requests.completed === 0) return "unknown";
  const isFailing = failedShare(run) >= FAILS;
  if (!isFailing && isServed(run)) return "offered";
  if (isAtLimit(seen)) return "cpu-limit";
  const full = fullKind(run, seen);
  // If Redis and the target are both full, it is unknown which of them waits for the other.
  if (isRedisFull(seen)) return full === null || isOfRedis(seen) ? "redis" : "unknown";
  if (full !== null) return full;
  if ((seen.filesLeft ?? Infinity) <= FILES_LEFT) return "open-files";
  if (isByGenerator(run)) return "generator";
  if (seen.cpu === undefined || isHidden(generator)) return "unknown";
  if (waited?.kind === "connection-cap" && !isHalfBusy(seen)) return waited.kind;
  return isFailing || isHeld(run) ? "unknown" : idleKind(run, seen, waited);
}

function failedShare(
  { requests: { completed, failed }, status, checks }: BottleneckRun,
): number {
  const wrong = failed + wrongResponsesOf({ status, checks });
  return completed + failed > 0 ? wrong / (completed + failed) : 0;
}

/**
 * Whether a CPU limit is the bottleneck. It is not if the target was paused but used little of its limit, because such
 * a target would hardly serve more without the limit.
 */
function isAtLimit({ cpu = 0, limitCores, throttledShare = 0 }: Seen): boolean {
  const isPaused = throttledShare >= THROTTLED;
  if (limitCores === undefined) return isPaused;
  return cpu >= (isPaused ? BUSY_RATIO : FULL_THREAD) * limitCores;
}

/**
 * Whether Redis is full, either with commands or with reading and writing its sockets, which `redisBusy` does not
 * include.
 */
function isRedisFull({ redisBusy = 0, redisCpu = 0, ...seen }: Seen): boolean {
  return redisBusy >= REDIS_FULL || redisCpu >= FULL_THREAD ||
    (isOfRedis(seen) && (seen.thread?.cpu ?? 0) >= FULL_THREAD);
}

/**
 * Whether the busiest thread belongs to a Redis that Plateau has started, whose threads are counted with the target's.
 */
function isOfRedis({ thread }: Seen): boolean {
  return /redis|valkey/.test(thread?.name ?? "");
}

/**
 * Whether the generator limited the rate. In a closed loop, a delay that is short compared with the service time hardly
 * lowers the rate.
 */
function isByGenerator({ generator: { findings, delay }, load, service }: BottleneckRun): boolean {
  const has = (codes: readonly FindingCode[]): boolean =>
    findings.some(({ code }) => codes.includes(code));
  if (has(GENERATOR)) return true;
  return has(LATE) && (load.kind !== "closed" || delay.p50 >= MUCH_DELAY * service.mean);
}

/** Whether other programs used the core that the target waited for, so that the target's real capacity is unknown. */
function isCrowdedOut(generator: Generator): boolean {
  const { target, hostActivity: { others } } = generator;
  const waiting = target?.waiting ?? 0;
  return (others ?? 0) >= OTHERS && waiting > 0 &&
    waiting >= WAITS_OF_WANTED * wantedOf(generator);
}

/** Whether competing programs hide what limits the target. A target that needs little CPU time loses little to them. */
function isHidden(generator: Generator): boolean {
  return isCrowdedOut(generator) && wantedOf(generator) >= BUSY_RATIO;
}

/**
 * Whether competing programs explain why the bottleneck is unknown. If the target needs little CPU time and its requests
 * fail or are held open, they do not: the bottleneck would then be unknown even without them.
 */
function isByOthers(run: BottleneckRun): boolean {
  const { generator } = run;
  return isHidden(generator) ||
    (isCrowdedOut(generator) && failedShare(run) < FAILS && !isHeld(run));
}

/**
 * Whether other programs used so much of the machine that they delayed responses, in the target or in the generator.
 */
function isBesideCrowd(generator: Generator): boolean {
  const { others, busy, cores } = generator.hostActivity;
  if ((others ?? 0) < OTHERS) return false;
  return isCrowdedOut(generator) || (others ?? 0) >= CROWD * (cores ?? 1) ||
    (busy ?? 0) >= FULL_MACHINE;
}

/** Cores that the target used or waited for. */
function wantedOf({ target }: Generator): number {
  return (target?.cpu ?? 0) + (target?.waiting ?? 0);
}

/**
 * Names what is full: one core, all cores, or the kernel. Returns "unknown" if a full thread may not be the limit, and
 * null if nothing is full.
 */
function fullKind(run: BottleneckRun, seen: Seen): BottleneckKind | null {
  const { target, hostActivity } = run.generator;
  const { thread, cpu = 0, cores, machineBusy = 0, kernelShare = 0 } = seen;
  const hasAll = cores !== undefined && cpu >= FULL_THREAD * cores;
  const standsInLine = machineBusy >= FULL_MACHINE && (target?.waiting ?? 0) >= IN_LINE &&
    (hostActivity.others ?? 0) < OTHERS && cpu >= 1;
  const isFull = (thread?.cpu ?? 0) >= FULL_THREAD;
  const isThread = isFull || isFullInTurns(thread);
  if (!hasAll && !standsInLine && !isThread) return null;
  const isDoubtful = hasRoom(seen) || (isFull && isBesideRequests(run));
  if (!hasAll && !standsInLine && isDoubtful) return "unknown";
  if (kernelShare >= MOSTLY_KERNEL) return "kernel";
  return hasAll || (standsInLine && (!isThread || hasRoom(seen))) ? "cores" : "core";
}

const NO_THREAD: Thread = { name: "", cpu: 0 };

/**
 * Whether threads that share a lock have no time left. Even then, they may use less than a full core together, because
 * none computes while the lock changes hands.
 */
function isFullInTurns({ name, cpu, processCpu = 0 }: Thread = NO_THREAD): boolean {
  return IN_TURNS.test(name) && processCpu >= FULL_TURNS && processCpu <= MOST_IN_TURNS &&
    processCpu - cpu >= OTHER_THREADS;
}

/**
 * Whether all connections are busy although their requests do not wait for each other. A full thread is then not the
 * limit, because requests would queue for it.
 */
function isBesideRequests(run: BottleneckRun): boolean {
  const { load, service } = run;
  const areBusy = (load.kind === "closed" && !isChanging(load)) || hasTooFewConnections(run);
  // Compare with the mean rather than the median, because a server may serve one connection
  // immediately and let others wait for long.
  return areBusy && load.connections >= LEAST_CONNECTIONS && service.min >= ALIKE * service.mean;
}

function hasTooFewConnections({ generator: { findings } }: BottleneckRun): boolean {
  return findings.some(({ code }) => code === "connections");
}

function areAlike({ min, percentiles }: Measurement["service"]): boolean {
  return min >= ALIKE * percentiles["50"];
}

/** Whether another process of the same program could take over connections of the process that is full. */
function hasRoom({ thread }: Seen): boolean {
  return thread?.peers !== undefined && thread.peers.leastCpu < PEERS_FULL;
}

/**
 * Names the bottleneck of a target in which nothing is full: its requests wait for something, or too few are sent at a
 * time. Returns "unknown" if the figures do not tell.
 */
function idleKind(run: BottleneckRun, seen: Seen, waited: WaitedFor | null): BottleneckKind {
  const { load, service: times } = run;
  const { cpuPerRequest = 0, service = 0, atOnce } = seen;
  if (service === 0) return "unknown";
  const worked = cpuPerRequest / service;
  // Slow responses alone do not prove a wait, because a queue for a busy thread causes them too. If
  // an open loop has too few connections, its requests wait for a connection rather than for the
  // target.
  if (hasTooFewConnections(run) && worked < WORKS_ABOVE) {
    return areAlike(times) ? "connections" : "unknown";
  }
  if (waited !== null && worked < WORKS_ABOVE) return waited.kind;
  if (worked < WAITS_BELOW) {
    if (mayBeBusy(seen, times)) return "unknown";
    return atOnce !== undefined && atOnce < ONE_AT_ONCE ? "lock" : "waiting";
  }
  const mayBeLocked = mayTakeTurns(seen) && (seen.thread?.processCpu ?? 0) <= MOST_IN_TURNS;
  return worked >= WORKS_ABOVE && load.kind === "closed" && !isChanging(load) && !mayBeLocked
    ? "connections"
    : "unknown";
}

function isHalfBusy({ thread, cpu = 0, cores = 1 }: Seen): boolean {
  return Math.max(thread?.cpu ?? 0, cpu / cores) >= BUSY_RATIO;
}

/**
 * Whether the target may be busy although no single thread is full, because its threads take turns on some of the
 * cores.
 */
function mayBeBusy(seen: Seen, times: Measurement["service"]): boolean {
  if (isHalfBusy(seen)) return true;
  return mayTakeTurns(seen) && !areAlike(times);
}

function mayTakeTurns({ thread }: Seen): boolean {
  const { cpu = 0, processCpu = 0 } = thread ?? {};
  return processCpu >= NEAR_TURNS && processCpu - cpu >= OTHER_THREADS;
}

function seenIn(run: BottleneckRun): Seen {
  const { generator: { target, hostActivity }, load, rate, elapsedS, service, connect } = run;
  const cpu = target?.cpu;
  const system = kernelShareOf(run);
  const redis = run.parts?.find(({ role }) => role === "redis");
  const dialMs = load.keepAlive ? 0 : connect.mean;
  const { histogram } = run;
  // On a crowded machine, the scheduler decides the order of service, so a lock would look like a
  // pool that serves two or three requests at a time.
  const canSeeLine = histogram !== undefined && !isBesideCrowd(run.generator);
  const atOnce = canSeeLine ? servedAtOnce({ ...run, histogram }) : null;
  return {
    ...target?.busiestThread && { thread: target.busiestThread },
    ...cpu !== undefined && { cpu },
    ...typeof target?.cores === "number" && { cores: target.cores },
    ...hostActivity.busy !== null && { machineBusy: Math.min(1, hostActivity.busy) },
    ...system !== null && { kernelShare: system },
    ...target?.throttled && elapsedS > 0 && { throttledShare: target.throttled / 1_000 / elapsedS },
    ...redis?.busy !== undefined && { redisBusy: redis.busy },
    ...redis && redis.points.length > 0 && { redisCpu: meanCpuOf(redis.points) },
    ...cpu !== undefined && rate > 0 && { cpuPerRequest: cpu * 1_000 / rate },
    ...!isHeld(run) && { service: service.mean + dialMs },
    connections: load.connections,
    ...atOnce !== null && { atOnce },
    ...filesOf(run),
  };
}

/**
 * Whether requests are streams or WebSockets. These are open for the sake of their messages, so their duration does not
 * show any wait.
 */
function isHeld({ streams, sockets }: BottleneckRun): boolean {
  return streams !== undefined || sockets !== undefined;
}

/**
 * Open files of the target; empty if unknown. The system limits the open files of each process, so `files` is given
 * only for a single process.
 */
function filesOf({ resources = [] }: BottleneckRun): Pick<Bottleneck, "files" | "filesLeft"> {
  const [files, left] = [
    resources.flatMap(({ files }) => files ?? []),
    resources.flatMap(({ filesLeft }) => filesLeft ?? []),
  ];
  if (files.length === 0 || left.length === 0) return {};
  const isOne = resources.every(({ processes }) => processes === 1);
  return { ...isOne && { files: Math.max(...files) }, filesLeft: Math.min(...left) };
}

/** Share of CPU time spent in the kernel; null if unknown. */
function kernelShareOf({ resources = [] }: BottleneckRun): number | null {
  const [system, cpu] = [
    resources.reduce((sum, { system = 0 }) => sum + system, 0),
    resources.reduce((sum, { cpu, system }) => sum + (system === undefined ? 0 : cpu), 0),
  ];
  return cpu > 0 ? Math.min(1, system / cpu) : null;
}

function meanCpuOf(points: readonly { readonly cpu: number }[]): number {
  return points.reduce((sum, { cpu }) => sum + cpu, 0) / points.length;
}
