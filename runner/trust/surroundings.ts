/**
 * What the machine did during a run beside what the workers did: who used the cores that we may run on,
 * what the hypervisor took of them, and whether a CPU limit held this program back. Linux tells it;
 * elsewhere it is null.
 */
import type { Surroundings } from "../generator.ts";
import { textOf } from "../machine/describe.ts";
import { parseAllowedCores } from "../machine/linux.ts";

/** CPU time of some cores since the machine started, in ticks. */
export interface CoreTicks {
  readonly cores: number;
  readonly total: number;
  /** Used by anybody on this machine. */
  readonly busy: number;
  /** Wanted by this machine, and given to another one by the hypervisor. */
  readonly stolen: number;
}

export interface Reading {
  readonly ticks: CoreTicks | null;
  readonly throttledMs: number | null;
}

/** What is told of a time that nobody watched. */
export const UNKNOWN: Surroundings = { cores: null, busy: null, steal: null, throttled: null };

/** Begins to watch; the answer ends it. */
export function watchSurroundings(): () => Surroundings {
  const allowed = parseAllowedCores(textOf("/proc/self/status"));
  const statFile = cpuStatFile();
  const before = look(allowed, statFile);
  return () => surroundingsBetween(before, look(allowed, statFile));
}

function look(allowed: readonly number[] | null, statFile: string | null): Reading {
  return {
    ticks: parseTicks(textOf("/proc/stat") ?? "", allowed),
    throttledMs: statFile === null ? null : parseThrottledMs(textOf(statFile) ?? ""),
  };
}

export function surroundingsBetween(before: Reading, after: Reading): Surroundings {
  const throttled = before.throttledMs === null || after.throttledMs === null
    ? null
    : Math.max(0, after.throttledMs - before.throttledMs);
  if (before.ticks === null || after.ticks === null) return { ...UNKNOWN, throttled };
  const total = after.ticks.total - before.ticks.total;
  if (total <= 0) return { ...UNKNOWN, throttled };
  const share = (ticks: number): number => Math.min(1, Math.max(0, ticks / total));
  return {
    cores: after.ticks.cores,
    busy: share(after.ticks.busy - before.ticks.busy),
    steal: share(after.ticks.stolen - before.ticks.stolen),
    throttled,
  };
}

/**
 * Parses /proc/stat (proc(5)). Guests' time is in user and nice already.
 * @param allowed The cores that count; null: all.
 */
export function parseTicks(stat: string, allowed: readonly number[] | null): CoreTicks | null {
  const lines = [...stat.matchAll(/^cpu(\d+) ([\d ]+)$/gm)]
    .filter(([, core]) => allowed === null || allowed.includes(Number(core)))
    .map(([, , ticks]) => ticks.split(" ").map(Number));
  if (lines.length === 0) return null;
  const sum = (fields: readonly number[]): number =>
    fields.reduce((sum, i) => sum + lines.reduce((all, line) => all + (line[i] ?? 0), 0), 0);
  const busy = sum([USER, NICE, SYSTEM, IRQ, SOFT_IRQ]);
  const stolen = sum([STEAL]);
  return { cores: lines.length, total: busy + stolen + sum([IDLE, IO_WAIT]), busy, stolen };
}

const [USER, NICE, SYSTEM, IDLE, IO_WAIT, IRQ, SOFT_IRQ, STEAL] = [0, 1, 2, 3, 4, 5, 6, 7];

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

/**
 * Where cpu.stat of our control group may be, from the text of /proc/self/cgroup, the likeliest first: a
 * container sees its own group at the root, whatever its name is outside.
 */
export function cpuStatFiles(groups: string): string[] {
  return groups.split("\n").flatMap((line) => {
    const [, controllers, path] = /^\d+:(.*?):(\/.*)$/.exec(line) ?? [];
    if (path === undefined) return [];
    const isOurs = controllers === "" || controllers.split(",").includes("cpu");
    const root = controllers === "" ? "/sys/fs/cgroup" : `/sys/fs/cgroup/${controllers}`;
    const folders = path === "/" ? [root] : [root + path, root];
    return isOurs ? folders.map((folder) => `${folder}/cpu.stat`) : [];
  });
}

/** The first that says something about throttling. */
function cpuStatFile(): string | null {
  const files = cpuStatFiles(textOf("/proc/self/cgroup") ?? "");
  return files.find((file) => parseThrottledMs(textOf(file) ?? "") !== null) ?? null;
}
