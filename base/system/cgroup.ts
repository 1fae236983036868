/**
 * Limits of the control group that this process is in (cgroups(7)). A group is also held to the limits
 * of those above it, so the least of them counts.
 */
import { dirname, join } from "node:path";
import { readSystemFile, type Text } from "./linux.ts";

interface CgroupLimits {
  /** Seconds of CPU time for each second; null: none. */
  readonly cores: number | null;
  readonly memory: number | null;
}

/** Version 1 writes the largest whole number of pages in place of "no limit". */
const NO_MEMORY_LIMIT = 2 ** 62;

/**
 * @param read Text of a file, by its path.
 * @param mounts /proc/self/mountinfo. @param groups /proc/self/cgroup.
 */
export function limitsOf(
  { mounts, groups }: { readonly mounts: Text; readonly groups: Text },
  read: (path: string) => Text,
): CgroupLimits {
  const foldersFor = (controller: string): string[] => foldersOf(controller, { mounts, groups });
  const v2 = foldersFor("");
  return {
    cores: least([
      ...v2.map((folder) => parseCpuMax(read(join(folder, "cpu.max")))),
      ...foldersFor("cpu").map((folder) =>
        parseQuota(
          read(join(folder, "cpu.cfs_quota_us")),
          read(join(folder, "cpu.cfs_period_us")),
        )
      ),
    ]),
    memory: least([
      ...v2.map((folder) => parseMemoryLimit(read(join(folder, "memory.max")))),
      ...foldersFor("memory").map((folder) =>
        parseMemoryLimit(read(join(folder, "memory.limit_in_bytes")))
      ),
    ]),
  };
}

/** cpu.max of version 2: `QUOTA PERIOD` in µs, or `max PERIOD`. */
export function parseCpuMax(text: Text): number | null {
  const [, quota, period] = /^(\d+) (\d+)/.exec(text ?? "") ?? [];
  return quota === undefined ? null : Number(quota) / Number(period);
}

/** Version 1: a quota of -1 is none. */
export function parseQuota(quota: Text, period: Text): number | null {
  const cores = Number(quota ?? NaN) / Number(period ?? NaN);
  return cores > 0 && Number.isFinite(cores) ? cores : null;
}

/** Bytes in memory.max (version 2) or memory.limit_in_bytes (version 1). */
export function parseMemoryLimit(text: Text): number | null {
  if (text === null || !/^\d+\s*$/.test(text)) return null;
  const bytes = Number(text);
  return bytes >= NO_MEMORY_LIMIT ? null : bytes;
}

/** The group's folder and those above it, the nearest first, for a controller of version 1, or "" for version 2. */
export function foldersOf(
  controller: string,
  { mounts, groups }: { readonly mounts: Text; readonly groups: Text },
): string[] {
  const mount = (mounts ?? "").split("\n").map(parseMount).find((mount) =>
    mount !== null && (controller === "" ? mount.kind === "cgroup2" : isOf(controller, mount))
  );
  const group = (groups ?? "").split("\n").map((line) => line.split(":")).find(([, controllers]) =>
    controller === "" ? controllers === "" : controllers?.split(",").includes(controller)
  );
  if (!mount || !group) return [];
  const path = group.slice(2).join(":");
  // In a container the mount may show the group's own folder as its top.
  const below = path.startsWith(mount.root) ? path.slice(mount.root.length) : path;
  return upwards(join(mount.at, below), mount.at);
}

interface Mount {
  /** The folder of the file system that is mounted. */
  readonly root: string;
  readonly at: string;
  readonly kind: string;
  /** Options of the file system: the controllers of version 1. */
  readonly options: readonly string[];
}

/** A line of mountinfo (proc(5)): `31 23 0:28 ROOT AT OPTIONS TAGS… - KIND SOURCE OPTIONS`. */
function parseMount(line: string): Mount | null {
  const [before, after] = line.split(" - ");
  if (after === undefined) return null;
  const [, , , root, at] = before.split(" ");
  const [kind, , options = ""] = after.split(" ");
  return { root: root === "/" ? "" : root, at, kind, options: options.split(",") };
}

function isOf(controller: string, { kind, options }: Mount): boolean {
  return kind === "cgroup" && options.includes(controller);
}

function upwards(folder: string, top: string): string[] {
  const isTop = folder.replace(/\/$/, "") === top || !folder.startsWith(top);
  return isTop ? [top] : [folder, ...upwards(dirname(folder), top)];
}

function least(limits: readonly (number | null)[]): number | null {
  const given = limits.filter((limit) => limit !== null);
  return given.length === 0 ? null : Math.min(...given);
}

// For how long CPU limits held processes back (cgroups(7)). A group's cpu.stat has its own limit only, so the
// groups above count, too: a limit on a pod or a slice is felt by all that are in it.

/** The folders of the groups that limit a process, and all above them. */
export function cpuGroups(pid: number | "self"): string[] {
  const texts = {
    mounts: readSystemFile("/proc/self/mountinfo"),
    groups: readSystemFile(`/proc/${pid}/cgroup`),
  };
  return [...foldersOf("", texts), ...foldersOf("cpu", texts)];
}

/** Milliseconds since the groups began, of all together; null where none of them says. */
export function throttledMsOf(folders: readonly string[]): number | null {
  const times = folders.flatMap((folder) =>
    parseThrottledMs(readSystemFile(join(folder, "cpu.stat")) ?? "") ?? []
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
