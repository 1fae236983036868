/**
 * Processes of Linux, from /proc (proc(5)). A process that ends while it is being read appears as null, or as one
 * without children.
 */
import { kill } from "node:process";
import { libcOr, processCalls } from "./libc.ts";

/** USER_HZ: ticks per second of all times in /proc, on every Linux. */
export const TICKS_PER_SEC = 100;

export interface ProcessStat {
  /** R running, S sleeping, Z ended but not waited for, … */
  readonly state: string;
  /** The process that started this one or adopted it; 0 for none. */
  readonly parent: number;
  /**
   * The id of the process that began the session. That process may have ended, because children inherit the session.
   */
  readonly session: number;
  /** CPU time of all threads that the process has or had, without its children. */
  readonly userTicks: number;
  readonly systemTicks: number;
  /** CPU time of children that have ended and were waited for, including their own such children. */
  readonly waitedUserTicks: number;
  readonly waitedSystemTicks: number;
  /** Nice value, −20 (first served) to 19 (last). */
  readonly nice: number;
  readonly threads: number;
  /** Time from boot to the start of the process: distinguishes it from a later process with the same id. */
  readonly startTicks: number;
}

/** Parses /proc/PID/stat. The name, in parentheses, may hold anything: fields count from the last `)`. */
export function parseStat(text: string): ProcessStat {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const field = (number: number): number => Number(fields[number - 3]); // numbered as in proc(5)
  return {
    state: fields[0],
    parent: field(4),
    session: field(6),
    userTicks: field(14),
    systemTicks: field(15),
    waitedUserTicks: field(16),
    waitedSystemTicks: field(17),
    nice: field(19),
    threads: field(20),
    startTicks: field(22),
  };
}

/** Facts about a thread and its process, from the thread's status file. */
interface ThreadStatus {
  /** Resident memory of the process; 0 for kernel threads and ended processes. */
  readonly memoryBytes: number;
  /**
   * Context switches of this thread alone: voluntary ones, because it waits for something, and others, because it is
   * preempted.
   */
  readonly voluntary: number;
  readonly involuntary: number;
}

/** Parses /proc/PID/status and /proc/PID/task/TID/status. */
export function parseStatus(status: string): ThreadStatus {
  const [, memoryKb = 0] = /^VmRSS:\s*(\d+) kB$/m.exec(status) ?? [];
  const [, voluntary = 0] = /^voluntary_ctxt_switches:\s*(\d+)$/m.exec(status) ?? [];
  const [, involuntary = 0] = /^nonvoluntary_ctxt_switches:\s*(\d+)$/m.exec(status) ?? [];
  return {
    memoryBytes: Number(memoryKb) * 1024,
    voluntary: Number(voluntary),
    involuntary: Number(involuntary),
  };
}

/** Process ids in /proc/PID/task/TID/children. */
export function parseChildren(text: string): number[] {
  return text.split(" ").filter((word) => word.trim() !== "").map(Number);
}

/** The process's stat file; null if the process is gone. */
export function readStat(pid: number): ProcessStat | null {
  const text = readOrNull(`/proc/${pid}/stat`);
  return text === null ? null : parseStat(text);
}

/** Name of the process, up to 15 bytes; null if the process is gone. */
export function readName(pid: number): string | null {
  return readOrNull(`/proc/${pid}/comm`)?.trim() ?? null;
}

/**
 * File name of the running program, because a process may rename itself; the process's name if the file is hidden from
 * this user; "" if the process is gone.
 */
export function readProgram(pid: number): string {
  const path = orNull(() => Deno.readLinkSync(`/proc/${pid}/exe`));
  return path?.replace(/ \(deleted\)$/, "").split("/").at(-1) ?? readName(pid) ?? "";
}

/** Program and arguments, separated by NULs, as the process shows them; null if the process is gone. */
export function readCommandLine(pid: number): string | null {
  return readOrNull(`/proc/${pid}/cmdline`);
}

/** Resident memory in bytes; 0 when the process is gone. */
export function readMemoryBytes(pid: number): number {
  return parseStatus(readOrNull(`/proc/${pid}/status`) ?? "").memoryBytes;
}

export interface ProcessThread {
  readonly id: number;
  readonly status: ThreadStatus;
  /** Processes that the thread has started and not waited for. */
  readonly children: readonly number[];
}

/** Time that a thread has spent on a core, or waiting for one, since it began, ms. */
export interface ThreadTimes {
  readonly cpuMs: number;
  /** How long the thread was ready to run without a core. */
  readonly waitedMs: number;
}

/**
 * Times of each thread of the process, by thread id, from the first figures of schedstat
 * (Documentation/scheduler/sched-stats.rst). Empty if the process is gone, or if the kernel does not count them.
 */
export function readThreadTimes(pid: number): ReadonlyMap<number, ThreadTimes> {
  return new Map(
    threadsOf(pid).flatMap((id) => {
      const [cpuNs, waitedNs] = readOrNull(`/proc/${pid}/task/${id}/schedstat`)?.split(" ") ?? [];
      if (waitedNs === undefined) return [];
      return [[id, { cpuMs: Number(cpuNs) / 1e6, waitedMs: Number(waitedNs) / 1e6 }] as const];
    }),
  );
}

/**
 * State of each thread (R, S, D and so on, proc(5)); one entry beyond `most` if there are more. Empty when the process
 * is gone.
 */
export function readThreadStates(pid: number, most: number): string[] {
  return threadsOf(pid).slice(0, most + 1).flatMap((id) => {
    const text = readOrNull(`/proc/${pid}/task/${id}/stat`);
    return text === null ? [] : text.charAt(text.lastIndexOf(")") + 2);
  });
}

/** Bytes that all threads of the process have read from and written to storage; null if this user may not see that. */
export function readStorageBytes(pid: number): number | null {
  const text = readOrNull(`/proc/${pid}/io`);
  const [, read] = /^read_bytes: (\d+)$/m.exec(text ?? "") ?? [];
  const [, written] = /^write_bytes: (\d+)$/m.exec(text ?? "") ?? [];
  return read === undefined || written === undefined ? null : Number(read) + Number(written);
}

/** Links of the process's open files, such as `socket:[123]`. Empty if this user may not see them. */
export function openFilesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return (orNull(() => [...Deno.readDirSync(folder)]) ?? [])
    .flatMap(({ name }) => orNull(() => Deno.readLinkSync(`${folder}/${name}`)) ?? []);
}

/** The threads of a process. Empty if it is gone. */
export function readThreads(pid: number): ProcessThread[] {
  return threadsOf(pid).flatMap((id) => {
    const folder = `/proc/${pid}/task/${id}`;
    const status = readOrNull(`${folder}/status`);
    if (status === null) return [];
    const children = parseChildren(readOrNull(`${folder}/children`) ?? "");
    return { id, status: parseStatus(status), children };
  });
}

/**
 * Number of open files, sockets and pipes; null if this user may not see them, 0 if the process is gone. Since Linux
 * 6.2 the size of the folder is this number; on older kernels, the entries are counted.
 */
export function countOpenFiles(pid: number): number | null {
  const folder = `/proc/${pid}/fd`;
  try {
    return Deno.statSync(folder).size || [...Deno.readDirSync(folder)].length;
  } catch (error) {
    return error instanceof Deno.errors.PermissionDenied ? null : 0;
  }
}

/** All descendants of `pid`. While processes fork or end, one call may miss some: to end all of them, repeat. */
export function descendantsOf(pid: number): number[] {
  const found = new Set<number>();
  const left = [pid];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const child of childrenOf(next)) {
      if (child === pid || found.has(child)) continue; // the process id was reused meanwhile
      found.add(child);
      left.push(child);
    }
  }
  return [...found];
}

/**
 * The processes that a session leader leaves behind when it ends: all members of its session, and the children of this
 * process that are in neither this process's session nor `others`, because this process may have adopted them as
 * orphans. All processes under these are included.
 * @param others Children of this process that the leader did not start.
 */
export function orphansOf(leader: number, others: ReadonlySet<number>): number[] {
  const ours = readStat(Deno.pid)?.session;
  const isOrphan = (pid: number): boolean => {
    const stat = readStat(pid);
    if (stat === null || others.has(pid)) return false;
    return stat.session === leader || (stat.parent === Deno.pid && stat.session !== ours);
  };
  return [
    ...new Set(allProcesses().filter(isOrphan).flatMap((pid) => [pid, ...descendantsOf(pid)])),
  ];
}

const WNOHANG = 1;

/**
 * Reaps a child that has ended with all of its threads. False if the child or one of its threads has not ended, or if
 * libc is unavailable.
 */
export function reap(pid: number): boolean {
  return libcOr(() => processCalls().waitpid(pid, null, WNOHANG) > 0, () => false);
}

/** Processes that were started with `variable` (`NAME=value`) in their environment; only the user's own are visible. */
export function processesWith(variable: string): number[] {
  return allProcesses().filter((pid) =>
    readOrNull(`/proc/${pid}/environ`)?.split("\0").includes(variable) ?? false
  );
}

export function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((id) =>
    parseChildren(readOrNull(`/proc/${pid}/task/${id}/children`) ?? "")
  );
}

/** All processes but this one. */
function allProcesses(): number[] {
  return (orNull(() => [...Deno.readDirSync("/proc")]) ?? [])
    .map(({ name }) => Number(name)).filter((pid) => pid > 0 && pid !== Deno.pid);
}

function threadsOf(pid: number): number[] {
  const names = orNull(() => [...Deno.readDirSync(`/proc/${pid}/task`)]) ?? [];
  return names.map(({ name }) => Number(name));
}

function readOrNull(path: string): string | null {
  return orNull(() => Deno.readTextFileSync(path));
}

/**
 * The result of a read; null on errors: an ended process is not found, and one that is ending gives "no such process".
 */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/**
 * CPU time of a process to the nanosecond: clock_gettime(2) of Linux, through libc, takes half a microsecond and counts
 * all threads of the process, even those that have ended, which schedstat in /proc leaves out. /proc/PID/stat has only
 * ticks of 10 ms. The number of a process's clock holds the complement of the process id in its upper bits, and the
 * kind of time in its lower three (linux/posix-timers.h).
 */
const CPUCLOCK_SCHED = 2;

/** struct timespec on 64-bit systems: seconds, nanoseconds. */
const timespec = new BigInt64Array(2);

/** CPU time of a process, in milliseconds; null off Linux, without glibc or FFI, and when the process is gone. */
export function processCpuMs(pid: number): number | null {
  return libcOr(() => {
    const clock = (~pid << 3) | CPUCLOCK_SCHED;
    if (processCalls().clock_gettime(clock, timespec) !== 0) return null;
    return Number(timespec[0]) * 1_000 + Number(timespec[1]) / 1e6;
  }, () => null);
}

/** A process that uses the CPU. */
export interface BusyProcess {
  readonly pid: number;
  readonly name: string;
  /** CPU time over elapsed time. */
  readonly cores: number;
}

/** Processes that use less of a core are not reported: within a second, this share is two ticks. */
const LEAST_CORES = 0.02;
const MOST_NAMED = 3;

export interface ProcessTicks {
  readonly name: string;
  readonly ticks: number;
}

/**
 * Begins to watch. The returned function, given the seconds since then, returns the processes that used the most CPU,
 * apart from this one.
 * @param usesNow Reads the CPU use of all processes. The default reads /proc; where there is none, pass another reader.
 */
export function watchProcesses(
  usesNow: () => ReadonlyMap<number, ProcessTicks> = usesInProc,
): (seconds: number) => BusyProcess[] {
  const before = usesNow();
  return (seconds) => busiestBetween(before, usesNow(), seconds);
}

export function busiestBetween(
  before: ReadonlyMap<number, ProcessTicks>,
  after: ReadonlyMap<number, ProcessTicks>,
  seconds: number,
): BusyProcess[] {
  const all = [...after].map(([pid, { name, ticks }]) => ({
    pid,
    name,
    cores: (ticks - (before.get(pid)?.ticks ?? 0)) / TICKS_PER_SEC / seconds,
  }));
  return all.filter(({ cores }) => cores >= LEAST_CORES)
    .sort((a, b) => b.cores - a.cores)
    .slice(0, MOST_NAMED);
}

/** Parses /proc/PID/stat; the name is in parentheses and may contain parentheses itself. */
export function parseUse(stat: string): ProcessTicks {
  const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
  const { userTicks, systemTicks } = parseStat(stat);
  return { name, ticks: userTicks + systemTicks };
}

function usesInProc(): Map<number, ProcessTicks> {
  return new Map(
    allProcesses().flatMap((pid) => {
      try {
        return [[pid, parseUse(Deno.readTextFileSync(`/proc/${pid}/stat`))] as const];
      } catch {
        return []; // the process has ended
      }
    }),
  );
}

export function isAlive(pid: number): boolean {
  try {
    return kill(pid, 0);
  } catch (error) {
    return Reflect.get(Object(error), "code") !== "ESRCH";
  }
}
