/**
 * What Linux tells of processes under /proc (proc(5)). Processes come and go while it is read: one
 * that is gone reads as null or as having no children.
 */

/** USER_HZ: ticks per second of all times in /proc, on every Linux. */
export const TICKS_PER_SEC = 100;

export interface ProcessStat {
  /** R running, S sleeping, Z ended but not waited for, … */
  readonly state: string;
  /** CPU time of the process, user and system, without its children. */
  readonly cpuTicks: number;
}

/** Parses /proc/PID/stat. The name, in parentheses, may hold anything: fields count from the last `)`. */
export function parseStat(text: string): ProcessStat {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" "); // fields[0] is field 3 of proc(5)
  return { state: fields[0], cpuTicks: Number(fields[11]) + Number(fields[12]) };
}

/** Resident memory in bytes, from /proc/PID/status; 0 for kernel threads and ended processes. */
export function parseMemoryBytes(status: string): number {
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Process ids in /proc/PID/task/TID/children. */
export function parseChildren(text: string): number[] {
  return text.split(" ").filter((word) => word.trim() !== "").map(Number);
}

/** Null when the process is gone. */
export function readStat(pid: number): ProcessStat | null {
  const text = readOrNull(`/proc/${pid}/stat`);
  return text === null ? null : parseStat(text);
}

/** 0 when the process is gone. */
export function readMemoryBytes(pid: number): number {
  return parseMemoryBytes(readOrNull(`/proc/${pid}/status`) ?? "");
}

/**
 * Everything under `pid`, without it. A look while processes fork or end may miss some: whoever needs
 * all (to end them) looks again.
 */
export function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

function childrenOf(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  return orNull(() => [...Deno.readDirSync(tasks)])?.flatMap(({ name }) =>
    parseChildren(readOrNull(`${tasks}/${name}/children`) ?? "")
  ) ?? [];
}

function readOrNull(path: string): string | null {
  return orNull(() => Deno.readTextFileSync(path));
}

/** Not found when the process was gone before, "no such process" when it ended meanwhile. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
