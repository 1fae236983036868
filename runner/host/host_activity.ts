/**
 * What the machine did during a run beside what the workers did: how much of the cores that we may run on
 * was in use, what the hypervisor took of them, and whether a CPU limit held this program back. Linux says
 * it; elsewhere it is null.
 */
import type { HostActivity } from "../result/generator.ts";
import { textOf } from "../../base/system/describe.ts";
import { parseAllowedCores } from "../../base/system/linux.ts";
import { type CoreTimes, coreUseBetween, parseCoreTimes } from "../../base/system/core_times.ts";
import { cpuGroups, throttledMsOf } from "../../base/system/throttling.ts";

export interface Reading {
  /** By a clock that only goes forward. */
  readonly atMs: number;
  readonly times: CoreTimes | null;
  readonly throttledMs: number | null;
}

/** What is known of a time that nobody watched. */
export const UNKNOWN: HostActivity = { cores: null, busy: null, steal: null, throttled: null };

/** Begins to watch; the answer ends it. */
export function watchSurroundings(): () => HostActivity {
  const allowed = parseAllowedCores(textOf("/proc/self/status"));
  const groups = cpuGroups("self");
  const before = look(allowed, groups);
  return () => surroundingsBetween(before, look(allowed, groups));
}

function look(allowed: readonly number[] | null, groups: readonly string[]): Reading {
  return {
    atMs: performance.now(),
    times: parseCoreTimes(textOf("/proc/stat") ?? "", allowed),
    throttledMs: throttledMsOf(groups),
  };
}

export function surroundingsBetween(before: Reading, after: Reading): HostActivity {
  const throttled = before.throttledMs === null || after.throttledMs === null
    ? null
    : Math.max(0, after.throttledMs - before.throttledMs);
  const elapsedMs = after.atMs - before.atMs;
  if (before.times === null || after.times === null || elapsedMs <= 0) {
    return { ...UNKNOWN, throttled };
  }
  const { cores } = after.times;
  const { busyMs, stolenMs } = coreUseBetween(before.times, after.times, elapsedMs);
  const share = (ms: number): number => Math.min(1, ms / (cores * elapsedMs));
  return { cores, busy: share(busyMs), steal: share(stolenMs), throttled };
}
