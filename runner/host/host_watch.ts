/**
 * What becomes of generator and target on this machine during a run: what each got of the cores, how long
 * the target stood in line for one, and what others used of them. The target's processes are those that
 * listen where requests go, those that this program has started (targets, gateways, Redis), and all under them.
 */
import type { Endpoint } from "../../base/net/endpoint.ts";
import { resolve } from "../../base/net/resolve.ts";
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
import { TreesContention, type TreesUse } from "../../targets/observe/contention.ts";
import { type TargetWaits, watchWaits } from "../../targets/observe/waits.ts";
import type { HostActivity, TargetUse } from "../result/generator.ts";
import { watchHostActivity } from "./host_activity.ts";

export interface HostUse {
  readonly hostActivity: HostActivity;
  /** Absent if the target's processes can't be seen. */
  readonly target?: TargetUse;
}

/** Starts observing; call the returned function to stop and get what was used. */
type BeginWatch = () => () => HostUse;

/**
 * Looks for the target, before the load begins, because that takes some 10 ms.
 * @param sharesMachine Whether the target runs on this machine.
 * @param partner The endpoint of the load with the other turns, which does not count as a neighbour.
 */
export async function hostWatch(
  endpoint: Endpoint,
  sharesMachine: boolean,
  partner: Endpoint | null = null,
): Promise<BeginWatch> {
  const listeners = sharesMachine && Deno.build.os === "linux" ? await listenersOf(endpoint) : [];
  const others = listeners.length === 0 || partner === null ? [] : await listenersOf(partner);
  // A server in this very process can't be told apart from the generator.
  const isSeen = sharesMachine ? listeners.length > 0 && !listeners.includes(Deno.pid) : true;
  if (!isSeen || Deno.build.os !== "linux") return watchMachine;
  const port = "path" in endpoint ? null : endpoint.port;
  return () => watchBoth(listeners, port, others);
}

async function listenersOf(endpoint: Endpoint): Promise<number[]> {
  if ("path" in endpoint) return listenersAt(endpoint);
  const found = await resolve(endpoint);
  return typeof found === "string" ? [] : [...new Set(found.flatMap(listenersAt))];
}

function watchMachine(): () => HostUse {
  const activity = watchHostActivity();
  return () => ({ hostActivity: activity() });
}

function watchBoth(
  listeners: readonly number[],
  port: number | null,
  partner: readonly number[],
): () => HostUse {
  const trees = new TreesContention(() => [...listeners, ...partner, ...childrenOf(Deno.pid)]);
  const cores = coresOf([Deno.pid, ...listeners]);
  const ownGroups = cpuGroups("self");
  const groups = groupsOf(listeners).filter((folder) => !ownGroups.includes(folder));
  const processes = watchProcesses();
  const throttledMs = throttledMsOf(groups);
  const activity = watchHostActivity();
  const waits = listeners.length === 0 ? () => null : watchWaits(listeners, port);
  const before = look(cores);
  return () => {
    const after = look(cores);
    const waited = waits();
    const machine = activity();
    const use = trees.take();
    const elapsedMs = after.atMs - before.atMs;
    const others = othersBetween(before, after, use.cpuMs);
    const busiest = others === null || elapsedMs < SHORTEST_FOR_NAMES_MS
      ? []
      : busiestOf(processes(elapsedMs / 1_000), use.pids);
    return {
      hostActivity: { ...machine, others, ...busiest.length > 0 && { busiest } },
      ...listeners.length > 0 && {
        target: targetUseOf(use, {
          ...{ elapsedMs, listeners, before: throttledMs, groups, waits: waited },
        }),
      },
    };
  };
}

/** CPU time of processes has steps of 10 ms, so in a shorter time one step looks like a lot. */
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

/** Cores used by neither target nor generator; null if unknown. */
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
  /** Milliseconds for which the target had been throttled before the run. */
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
