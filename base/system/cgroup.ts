/**
 * Limits of the control group that this process is in (cgroups(7)). The limits of the groups above apply, too, so the
 * smallest one counts. Also makes groups for targets with limits.
 */
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { messageOf } from "../errors.ts";
import { readSystemFile, type Text } from "./linux.ts";

export interface CgroupLimits {
  /** Seconds of CPU time allowed for each second; null if there is no limit. */
  readonly cores: number | null;
  readonly memory: number | null;
}

/** For "no limit", cgroup version 1 writes the largest whole number of pages, which is above this. */
const NO_MEMORY_LIMIT = 2 ** 62;

/** @param read Reads the text of a file. @param mounts /proc/self/mountinfo. @param groups /proc/self/cgroup. */
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

/**
 * The limit, in cores, that cpu.max of version 2 holds as `QUOTA PERIOD` in µs; null if there is none (`max PERIOD`).
 */
export function parseCpuMax(text: Text): number | null {
  const [, quota, period] = /^(\d+) (\d+)/.exec(text ?? "") ?? [];
  return quota === undefined ? null : Number(quota) / Number(period);
}

/** The limit of version 1, in cores; null if there is none, as for a quota of −1. */
export function parseQuota(quota: Text, period: Text): number | null {
  const cores = Number(quota ?? NaN) / Number(period ?? NaN);
  return cores > 0 && Number.isFinite(cores) ? cores : null;
}

/** Bytes in memory.max (version 2) or memory.limit_in_bytes (version 1); null if there is no limit. */
export function parseMemoryLimit(text: Text): number | null {
  if (text === null || !/^\d+\s*$/.test(text)) return null;
  const bytes = Number(text);
  return bytes >= NO_MEMORY_LIMIT ? null : bytes;
}

/**
 * The folder of the group that `groups` names, and the folders of all groups above it, nearest first.
 * @param controller A controller of version 1, or "" for version 2.
 */
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
  // In a container, the mount may show the group's own folder as the root.
  const below = path.startsWith(mount.root) ? path.slice(mount.root.length) : path;
  return upwards(join(mount.at, below), mount.at);
}

interface Mount {
  /** The folder of the file system that is mounted at `at`. */
  readonly root: string;
  readonly at: string;
  readonly kind: string;
  /** Options of the file system: for version 1, its controllers. */
  readonly options: readonly string[];
}

/** Parses a line of mountinfo (proc(5)): `31 23 0:28 ROOT AT OPTIONS TAGS… - KIND SOURCE OPTIONS`. */
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

// How long CPU limits held processes back (cgroups(7)). A group's cpu.stat covers only its own limit, so the groups
// above count, too: a limit on a pod or a slice affects everything in it.

/** The folders of all groups that limit a process, except those that an experiment made for its limits. */
export function cpuGroups(pid: number | "self"): string[] {
  const texts = textsOf(pid);
  return [...foldersOf("", texts), ...foldersOf("cpu", texts)]
    .filter((folder) => !basename(folder).startsWith(LIMITS_PREFIX));
}

function textsOf(pid: number | "self"): { readonly mounts: Text; readonly groups: Text } {
  return {
    mounts: readSystemFile("/proc/self/mountinfo"),
    groups: readSystemFile(`/proc/${pid}/cgroup`),
  };
}

/** Total milliseconds for which the groups were throttled since their creation; null if none of them counts that. */
export function throttledMsOf(folders: readonly string[]): number | null {
  const times = folders.flatMap((folder) =>
    parseThrottledMs(readSystemFile(join(folder, "cpu.stat")) ?? "") ?? []
  );
  return times.length === 0 ? null : times.reduce((sum, ms) => sum + ms, 0);
}

/**
 * How long a control group was throttled, from its cpu.stat: `throttled_usec` in version 2, `throttled_time` in
 * nanoseconds in version 1. Null if the file does not say.
 */
export function parseThrottledMs(cpuStat: string): number | null {
  const us = /^throttled_usec (\d+)$/m.exec(cpuStat);
  if (us !== null) return Number(us[1]) / 1e3;
  const ns = /^throttled_time (\d+)$/m.exec(cpuStat);
  return ns === null ? null : Number(ns[1]) / 1e6;
}

// Groups that limit what Plateau starts. Each controller of version 1 has a hierarchy of its own,
// and so a folder of its own; in version 2 one folder serves all controllers. A group is made
// beside or below our own, with our process id in its name: an empty group whose maker is gone is
// removed by the next process that makes one.

const LIMITS_PREFIX = "plateau-limits-";

/**
 * Period of a CPU limit, the default of the kernel and of container runtimes. A group that has used up its quota is
 * halted until the next period (cpu.max, cfs_period_us).
 */
const PERIOD_US = 100_000;
/** The smallest quota that the kernel accepts. */
const LEAST_QUOTA_US = 1_000;

interface ControllerLimit {
  readonly controller: "cpu" | "memory";
  /** Contents by file name, in the order in which the files must be written. */
  readonly v1: readonly (readonly [file: string, text: string])[];
  readonly v2: readonly (readonly [file: string, text: string])[];
  /** Files that are skipped if they don't exist, as where the kernel does not count swap or is older than 4.19. */
  readonly optional: readonly string[];
}

export function controllerLimits({ cores, memory }: CgroupLimits): ControllerLimit[] {
  const quota = Math.max(LEAST_QUOTA_US, Math.round((cores ?? 0) * PERIOD_US));
  const cpu: ControllerLimit = {
    controller: "cpu",
    v1: [["cpu.cfs_period_us", `${PERIOD_US}`], ["cpu.cfs_quota_us", `${quota}`]],
    v2: [["cpu.max", `${quota} ${PERIOD_US}`]],
    optional: [],
  };
  const ram: ControllerLimit = {
    controller: "memory",
    v1: [
      ["memory.limit_in_bytes", `${memory}`],
      ["memory.memsw.limit_in_bytes", `${memory}`],
    ],
    v2: [["memory.max", `${memory}`], ["memory.swap.max", "0"], ["memory.oom.group", "1"]],
    optional: ["memory.memsw.limit_in_bytes", "memory.swap.max", "memory.oom.group"],
  };
  return [...cores === null ? [] : [cpu], ...memory === null ? [] : [ram]];
}

/**
 * Makes a group with these limits. Returns its folders, for `removeLimitGroup`. Throws an error with the reason if that
 * is impossible, and then leaves nothing behind.
 */
export function makeLimitGroup(limits: CgroupLimits, texts = textsOf("self")): string[] {
  const name = `${LIMITS_PREFIX}${Deno.pid}-${randomUUID()}`;
  const wanted = controllerLimits(limits);
  const onV1 = wanted.filter(({ controller }) => foldersOf(controller, texts).length > 0);
  const onV2 = wanted.filter((one) => !onV1.includes(one));
  const folders: string[] = [];
  try {
    for (const one of onV1) {
      const folder = makeBelow(foldersOf(one.controller, texts), name);
      folders.push(folder);
      writeLimit(folder, one.v1, one.optional);
    }
    if (onV2.length > 0) {
      const folder = makeBelow(delegating(onV2, texts), name);
      folders.push(folder);
      for (const one of onV2) writeLimit(folder, one.v2, one.optional);
    }
    return folders;
  } catch (error) {
    removeLimitGroup(folders);
    throw error;
  }
}

/** Groups of version 2 whose children may have these limits, nearest first. Throws if there are none. */
function delegating(
  wanted: readonly ControllerLimit[],
  texts: { readonly mounts: Text; readonly groups: Text },
): string[] {
  const names = wanted.map(({ controller }) => controller);
  const found = foldersOf("", texts).filter((folder) => {
    const given = (readSystemFile(join(folder, "cgroup.subtree_control")) ?? "").trim().split(" ");
    return names.every((name) => given.includes(name));
  });
  if (found.length > 0) return found;
  throw new Error(`no control group here has ${names.join(" and ")} in its cgroup.subtree_control`);
}

/** Makes the group in the first folder that allows it. If none does, throws the error of the first. */
function makeBelow(parents: readonly string[], name: string): string {
  const refusals: unknown[] = [];
  for (const parent of parents) {
    removeAbandoned(parent);
    try {
      mkdirSync(join(parent, name));
      return join(parent, name);
    } catch (error) {
      refusals.push(error);
    }
  }
  throw refusals[0];
}

function writeLimit(
  folder: string,
  texts: ControllerLimit["v1"],
  optional: readonly string[],
): void {
  for (const [file, text] of texts) {
    const path = join(folder, file);
    if (optional.includes(file) && !existsSync(path)) continue;
    writeFileSync(path, text);
  }
}

/** Removes groups whose creator is gone; those that still hold processes stay. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, maker] = /^plateau-limits-(\d+)-/.exec(name) ?? [];
    if (maker === undefined || readSystemFile(`/proc/${maker}/stat`) !== null) continue;
    removeLimitGroup([join(parent, name)]);
  }
}

/** Moves a process, and whatever it starts from now on, into the group. */
export function joinLimitGroup(folders: readonly string[], pid: number): void {
  for (const folder of folders) writeFileSync(join(folder, "cgroup.procs"), `${pid}`);
}

/** Removes a group whose processes have ended; false if one of its folders is still there. */
export function removeLimitGroup(folders: readonly string[]): boolean {
  return folders.map((folder) => {
    try {
      rmdirSync(folder);
      return true;
    } catch (error) {
      return messageOf(error).includes("ENOENT");
    }
  }).every((isGone) => isGone);
}
