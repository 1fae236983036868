/**
 * Processes of Linux, from /proc (proc(5)). Processes come and go while it is read: one
 * that is gone reads as null or as having no children.
 */
import { kill } from "node:process";
import { libcOr, processCalls } from "./libc.ts";

/** USER_HZ: ticks per second of all times in /proc, on every Linux. */
export const TICKS_PER_SEC = 100;

export interface ProcessStat {
  /** R running, S sleeping, Z ended but not waited for, … */
  readonly state: string;
  /** The process that started it, or has taken it over; 0 for none. */
  readonly parent: number;
  /** Named after the process that began it, which may have ended; children are born into it. */
  readonly session: number;
  /** CPU time of the process, all threads that it has or had, without its children. */
  readonly userTicks: number;
  readonly systemTicks: number;
  /** CPU time of its children that have ended and were waited for, including theirs. */
  readonly waitedUserTicks: number;
  readonly waitedSystemTicks: number;
  /** Nice value, −20 (first served) to 19 (last). */
  readonly nice: number;
  readonly threads: number;
  /** Since the boot: distinguishes a process from a later one with its number. */
  readonly startTicks: number;
}

/** Parses /proc/PID/stat. The name, in parentheses, may hold anything: fields count from the last `)`. */
export function parseStat(text: string): ProcessStat {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const field = (number: number): number => Number(fields[number - 3]); // as proc(5) counts them
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

/** Facts from a thread's status file about it, and about its process. */
interface ThreadStatus {
  /** Resident memory of the process; 0 for kernel threads and ended processes. */
  readonly memoryBytes: number;
  /** Context switches of the thread alone: it waited for something, or had to make room. */
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

/** Null when the process is gone. */
export function readStat(pid: number): ProcessStat | null {
  const text = readOrNull(`/proc/${pid}/stat`);
  return text === null ? null : parseStat(text);
}

/** Its name, up to 15 bytes; null when the process is gone. */
export function readName(pid: number): string | null {
  return readOrNull(`/proc/${pid}/comm`)?.trim() ?? null;
}

/** File name of the program that it runs, as a process may rename itself; its name where that is not ours to see. */
export function readProgram(pid: number): string {
  const path = orNull(() => Deno.readLinkSync(`/proc/${pid}/exe`));
  return path?.replace(/ \(deleted\)$/, "").split("/").at(-1) ?? readName(pid) ?? "";
}

/** Its program and arguments, as it shows them; null when the process is gone. */
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
  /** Processes that it has started and not waited for. */
  readonly children: readonly number[];
}

/** Times that a thread had, or waited for, a core since it began, ms. */
export interface ThreadTimes {
  readonly cpuMs: number;
  /** How long it stood in line for a core, ready to run. */
  readonly waitedMs: number;
}

/**
 * The first figures of schedstat (Documentation/scheduler/sched-stats.rst) for each thread of the process, by its number.
 * Empty when the process is gone, or where the kernel does not count.
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

/** Bytes read from and written to storage for the process, by all its threads; null where this user may not see that. */
export function readStorageBytes(pid: number): number | null {
  const text = readOrNull(`/proc/${pid}/io`);
  const [, read] = /^read_bytes: (\d+)$/m.exec(text ?? "") ?? [];
  const [, written] = /^write_bytes: (\d+)$/m.exec(text ?? "") ?? [];
  return read === undefined || written === undefined ? null : Number(read) + Number(written);
}

/** Links of its open files, such as `socket:[123]`. Empty if this user may not see them. */
export function openFilesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return (orNull(() => [...Deno.readDirSync(folder)]) ?? [])
    .flatMap(({ name }) => orNull(() => Deno.readLinkSync(`${folder}/${name}`)) ?? []);
}

/** Empty if the process is gone. */
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
 * Open files, sockets and pipes; null when they are not ours to see, 0 when the process is gone. Since
 * Linux 6.2 the size of the folder is their number; before, they are counted.
 */
export function countOpenFiles(pid: number): number | null {
  const folder = `/proc/${pid}/fd`;
  try {
    return Deno.statSync(folder).size || [...Deno.readDirSync(folder)].length;
  } catch (error) {
    return error instanceof Deno.errors.PermissionDenied ? null : 0;
  }
}

/** All descendants of `pid`. While processes fork or end, a look may miss some: to end all of them, look again. */
export function descendantsOf(pid: number): number[] {
  const found = new Set<number>();
  const left = [pid];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const child of childrenOf(next)) {
      if (child === pid || found.has(child)) continue; // its number was given anew meanwhile
      found.add(child);
      left.push(child);
    }
  }
  return [...found];
}

/**
 * What a process left that led a session, adopted the orphans among its descendants, and has ended: all of its
 * session, and children of this process, if that adopts orphans, that have left its own session; with all under them.
 * @param others Children of this process that are none of it.
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

/** Takes a child that has ended, with all its threads, off the system's table; false when it has not. */
export function reap(pid: number): boolean {
  return libcOr(() => processCalls().waitpid(pid, null, WNOHANG) > 0, () => false);
}

/** Processes that were started with `variable` (`NAME=value`) in their environment; only own ones can be seen. */
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

/** Null on errors: a process that has ended before cannot be found, and one that ends meanwhile gives "no such process". */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/**
 * CPU time of a process to the nanosecond: clock_gettime(2) of Linux, through libc, on the clock that each
 * process has (linux/posix-timers.h: the complement of its number in the upper bits, and what is counted in
 * the lower three). It has the time of all threads, those that have ended too, which schedstat in /proc has
 * not, and takes half a microsecond; stat in /proc counts in ticks of 10 ms.
 */
const CPUCLOCK_SCHED = 2;

/** struct timespec on 64 bits: seconds, nanoseconds. */
const timespec = new BigInt64Array(2);

/** Milliseconds; null off Linux, with another libc than glibc, without FFI, and when the process is gone. */
export function processCpuMs(pid: number): number | null {
  return libcOr(() => {
    const clock = (~pid << 3) | CPUCLOCK_SCHED;
    if (processCalls().clock_gettime(clock, timespec) !== 0) return null;
    return Number(timespec[0]) * 1_000 + Number(timespec[1]) / 1e6;
  }, () => null);
}

/** A process that uses the processor. */
export interface BusyProcess {
  readonly pid: number;
  readonly name: string;
  /** CPU time over elapsed time. */
  readonly cores: number;
}

/** Processes that use less of a core are not named: in a second, it is two ticks. */
const LEAST_CORES = 0.02;
const MOST_NAMED = 3;

export interface ProcessTicks {
  readonly name: string;
  readonly ticks: number;
}

/**
 * Begins to watch; the returned function, given the seconds since then, names those that used most, but for this process.
 *
 * @param usesNow Where there is no /proc, what shows the same.
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

/** A process of /proc/PID/stat; its name stands in parentheses and may hold some itself. */
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
        return []; // it has ended
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
