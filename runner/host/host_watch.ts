/**
 * What generator and target use of this machine during a run: how many cores each used, how long the target waited for
 * a core, and how much other programs used. The target's processes are those that listen at the address of the load,
 * those that this program has started (targets, gateways, Redis), and all their descendants.
 *
 * If two targets take turns, only a target's own processes count, over the time in which it was loaded: while it is not
 * loaded it uses next to nothing, and counting that time would halve every figure.
 */
import type { Endpoint } from "../../base/net/endpoint.ts";
import { resolve } from "../../base/net/resolve.ts";
import { epochNowMs } from "../../base/system/clock.ts";
import { cpuGroups, throttledMsOf } from "../../base/system/cgroup.ts";
import { type CoreTimes, coreUseBetween, readCoreTimes } from "../../base/system/core_times.ts";
import { readAllowedCores } from "../../base/system/linux.ts";
import { listenersAt } from "../../base/system/listeners.ts";
import {
  type BusyProcess,
  childrenOf,
  processCpuMs,
  readStat,
  watchProcesses,
} from "../../base/system/processes.ts";
import type { TurnsSpec } from "../../scenarios/pace/slices.ts";
import { TreesContention, type TreesUse } from "../../targets/observe/contention.ts";
import { type TargetWaits, watchWaits } from "../../targets/observe/waits.ts";
import type { HostActivity, TargetUse } from "../result/generator.ts";
import { watchHostActivity } from "./host_activity.ts";
import { type LoadClock, loadClock, whileLoaded } from "./load_clock.ts";

export interface HostUse {
  readonly hostActivity: HostActivity;
  /** Absent if the target's processes can't be seen. */
  readonly target?: TargetUse;
}

/**
 * Begins to watch; the returned function ends the watch and returns what was used.
 * @param atMs Start of the load, milliseconds since the epoch.
 */
type BeginWatch = (atMs: number) => () => HostUse;

/** The turns in which a target is loaded, if it takes turns with another target; empty for a load without a break. */
interface LoadTurns {
  readonly turns?: TurnsSpec;
  /** Endpoint of the other target. */
  readonly partner?: Endpoint;
  /** Returns the ids of the processes that this program has started for the target. */
  readonly pids?: () => readonly number[];
}

/**
 * Looks for the target's processes, which takes some 10 ms and is therefore done before the load begins.
 *
 * @param sharesMachine Whether the target runs on this machine.
 */
export async function hostWatch(
  endpoint: Endpoint,
  sharesMachine: boolean,
  { turns, partner, pids }: LoadTurns = {},
): Promise<BeginWatch> {
  const listeners = sharesMachine && Deno.build.os === "linux" ? await listenersOf(endpoint) : [];
  const others = listeners.length === 0 || partner === undefined ? [] : await listenersOf(partner);
  const clockOf = (atMs: number): LoadClock =>
    loadClock(turns, () => 1_000 * (epochNowMs() - atMs));
  // A target in this very process is not watched, because it can't be told from the generator.
  const isSeen = sharesMachine ? listeners.length > 0 && !listeners.includes(Deno.pid) : true;
  if (!isSeen || Deno.build.os !== "linux") return (atMs) => watchMachine(clockOf(atMs));
  // A server that listens for both targets does not belong to either of them alone, but it is not a
  // program that disturbs them either.
  const isShared = others.some((pid) => listeners.includes(pid));
  const target: WatchedTarget = {
    ...isShared ? { listeners: [], others: [...listeners, ...others] } : { listeners, others },
    port: "path" in endpoint ? null : endpoint.port,
    started: pids ?? null,
  };
  return (atMs) => watchBoth(target, clockOf(atMs));
}

async function listenersOf(endpoint: Endpoint): Promise<number[]> {
  if ("path" in endpoint) return listenersAt(endpoint);
  const found = await resolve(endpoint);
  return typeof found === "string" ? [] : [...new Set(found.flatMap(listenersAt))];
}

function watchMachine(clock: LoadClock): () => HostUse {
  const activity = watchHostActivity();
  return () => ({ hostActivity: measuredActivity(activity(), clock) });
}

/**
 * Keeps only a share of the generator's throttled time, because the generator works in the turns of both targets, and
 * only part of that time is measured for this one.
 */
function measuredActivity(activity: HostActivity, clock: LoadClock): HostActivity {
  const { throttled } = activity;
  return { ...activity, throttled: throttled && throttled * clock.shares().measured };
}

interface WatchedTarget {
  readonly listeners: readonly number[];
  /** Processes that listen for the other target's load. */
  readonly others: readonly number[];
  readonly port: number | null;
  /**
   * Returns the ids of the processes that this program has started for the target; null if all that it has started
   * belong to the target.
   */
  readonly started: LoadTurns["pids"] | null;
}

function watchBoth(
  { listeners, others: partner, port, started }: WatchedTarget,
  clock: LoadClock,
): () => HostUse {
  const all = new TreesContention(() => [...listeners, ...partner, ...childrenOf(Deno.pid)]);
  const own = started && new TreesContention(() => [...listeners, ...started()]);
  const cores = coresOf([Deno.pid, ...listeners]);
  const ownGroups = cpuGroups("self");
  const groups = groupsOf(listeners).filter((folder) => !ownGroups.includes(folder));
  const processes = watchProcesses();
  const throttledMs = throttledMsOf(groups);
  const activity = watchHostActivity();
  const waits = listeners.length === 0
    ? () => null
    : watchWaits(listeners, { port, isMeasured: clock.isMeasured });
  const before = look(cores);
  return () => {
    const after = look(cores);
    const waited = waits();
    const machine = measuredActivity(activity(), clock);
    const use = all.take();
    const elapsedMs = after.atMs - before.atMs;
    const others = othersBetween(before, after, use.cpuMs);
    const busiest = others === null || elapsedMs < SHORTEST_FOR_NAMES_MS
      ? []
      : busiestOf(processes(elapsedMs / 1_000), use.pids);
    return {
      hostActivity: { ...machine, others, ...busiest.length > 0 && { busiest } },
      ...listeners.length > 0 && {
        target: whileLoaded(
          targetUseOf(own?.take() ?? use, {
            elapsedMs,
            listeners,
            before: throttledMs,
            groups,
            waits: waited,
          }),
          clock.shares(),
        ),
      },
    };
  };
}

/**
 * Busy programs are named only if the watch lasted at least this long. The CPU time of processes has steps of 10 ms, so
 * in a shorter time one step would look like a lot.
 */
const SHORTEST_FOR_NAMES_MS = 200;

/** All cores on which at least one of the processes may run; null: all cores. */
function coresOf(pids: readonly number[]): number[] | null {
  const allowed = pids.map((pid) => readAllowedCores(pid));
  if (allowed.some((cores) => cores === null)) return null;
  return [...new Set(allowed.flatMap((cores) => cores ?? []))];
}

function groupsOf(pids: readonly number[]): string[] {
  return [...new Set(pids.flatMap(cpuGroups))];
}

interface HostSample {
  readonly atMs: number;
  readonly times: CoreTimes | null;
  readonly ownMs: number | null;
}

function look(cores: readonly number[] | null): HostSample {
  return {
    atMs: performance.now(),
    times: readCoreTimes(cores),
    ownMs: processCpuMs(Deno.pid),
  };
}

/** Number of cores used by programs other than target and generator; null if unknown. */
function othersBetween(before: HostSample, after: HostSample, targetMs: number): number | null {
  const elapsedMs = after.atMs - before.atMs;
  if (before.times === null || after.times === null || elapsedMs <= 0) return null;
  if (before.ownMs === null || after.ownMs === null) return null;
  const { busyMs, interruptsMs } = coreUseBetween(before.times, after.times, elapsedMs);
  const sidesMs = after.ownMs - before.ownMs + targetMs;
  return Math.max(0, busyMs - interruptsMs - sidesMs) / elapsedMs;
}

function busiestOf(processes: readonly BusyProcess[], target: readonly number[]): BusyProcess[] {
  return processes.filter(({ pid }) => !target.includes(pid));
}

interface TargetWatch {
  readonly elapsedMs: number;
  readonly listeners: readonly number[];
  readonly groups: readonly string[];
  /** Milliseconds for which the target had been throttled before the run; null if unknown. */
  readonly before: number | null;
  readonly waits: TargetWaits | null;
}

function targetUseOf(
  { pids, cpuMs, waitedMs, busiest }: TreesUse,
  { elapsedMs, listeners, groups, before, waits }: TargetWatch,
): TargetUse {
  const share = (ms: number): number => elapsedMs > 0 ? ms / elapsedMs : 0;
  const throttledMs = throttledMsOf(groups);
  return {
    processes: Math.max(1, pids.length),
    cores: coresOf(listeners)?.length ?? null,
    cpu: share(cpuMs),
    waiting: share(waitedMs),
    ...busiest && {
      busiestThread: {
        name: busiest.name,
        cpu: share(busiest.cpuMs),
        processCpu: share(busiest.processMs),
        ...busiest.peers && {
          peers: { processes: busiest.peers.processes, leastCpu: share(busiest.peers.leastMs) },
        },
      },
    },
    ...waits && { waits },
    nice: Math.max(...listeners.map((pid) => readStat(pid)?.nice ?? 0)),
    throttled: throttledMs === null || before === null ? null : Math.max(0, throttledMs - before),
  };
}
