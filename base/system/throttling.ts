/**
 * For how long CPU limits held processes back (cgroups(7)). A group's cpu.stat has its own limit only, so the
 * groups above count, too: a limit on a pod or a slice is felt by all that are in it.
 */
import { join } from "node:path";
import { foldersOf } from "./cgroup.ts";
import { textOf } from "./describe.ts";

/** The folders of the groups that limit a process, and all above them. */
export function cpuGroups(pid: number | "self"): string[] {
  const texts = { mounts: textOf("/proc/self/mountinfo"), groups: textOf(`/proc/${pid}/cgroup`) };
  return [...foldersOf("", texts), ...foldersOf("cpu", texts)];
}

/** Milliseconds since the groups began, of all together; null where none of them says. */
export function throttledMsOf(folders: readonly string[]): number | null {
  const times = folders.flatMap((folder) =>
    parseThrottledMs(textOf(join(folder, "cpu.stat")) ?? "") ?? []
  );
  return times.length === 0 ? null : times.reduce((sum, ms) => sum + ms, 0);
}

/**
 * How long a control group was held back, from its cpu.stat: `throttled_usec` in version 2,
 * `throttled_time` in nanoseconds in version 1. Null where it does not say.
 */
export function parseThrottledMs(cpuStat: string): number | null {
  const us = /^throttled_usec (\d+)$/m.exec(cpuStat);
  if (us !== null) return Number(us[1]) / 1e3;
  const ns = /^throttled_time (\d+)$/m.exec(cpuStat);
  return ns === null ? null : Number(ns[1]) / 1e6;
}
