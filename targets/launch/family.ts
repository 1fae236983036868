/** A program and all processes that it has started, and how its supervisor finds and signals them on each system. */
import { randomUUID } from "node:crypto";
import { adoptOrphans } from "../../base/system/prctl.ts";
import {
  type ProcessTable,
  processTableOn,
  type TableRow,
  treeIn,
} from "../../base/system/process_table.ts";
import {
  descendantsOf,
  orphansOf,
  processesWith,
  readStat,
  reap,
} from "../../base/system/processes.ts";
import { enterJob, type Job } from "../../base/system/windows.ts";

/**
 * A program and all processes that it has started, as its supervisor finds and signals them. On Linux, they are the
 * descendants of the supervisor, which adopts orphans (a daemon forks twice to escape its parent). If the supervisor
 * may not adopt orphans, processes with the program's mark in their environment belong to the family, too. On Windows,
 * they are the members of a job object, which ends with the supervisor. On macOS, they are the supervisor's
 * descendants, and the process group that the program leads. If no processes can be listed, only that group is
 * signalled.
 */
export interface ProcessFamily {
  /** Ids of the processes that have not ended, as far as they can be found. */
  living(): number[];
  /**
   * Sends a signal to all processes. Returns false if every living process belongs to another user and can't be
   * signalled.
   */
  signal(name: Deno.Signal): boolean;
}

/** How a program must be started so that its family can be found. */
export interface Upbringing {
  /** Whether the program leads its own process group. */
  readonly detached: boolean;
  /** Variables to add to the program's environment. */
  readonly env: Readonly<Record<string, string>>;
  of(child: Pick<Deno.ChildProcess, "pid" | "status">): ProcessFamily;
}

const MARK = "PLATEAU_FAMILY";

export function bringUpFamily(): Upbringing {
  if (!showsProcesses()) return bringUpWithoutProc();
  if (adoptOrphans()) {
    return { detached: false, env: {}, of: (child) => family(child, ourDescendants, lives) };
  }
  const id = randomUUID();
  const marked = (): number[] => [...ourDescendants(), ...processesWith(`${MARK}=${id}`)];
  return { detached: false, env: { [MARK]: id }, of: (child) => family(child, marked, lives) };
}

/** How processes are found on a system without /proc. */
interface FamilySystem {
  readonly os: typeof Deno.build.os;
  readonly table: ProcessTable | null;
  readonly enterJob: () => Job | null;
}

const THIS_SYSTEM: FamilySystem = { os: Deno.build.os, table: processTableOn(), enterJob };

export function bringUpWithoutProc(
  { os, table, enterJob }: FamilySystem = THIS_SYSTEM,
): Upbringing {
  const job = os === "windows" ? enterJob() : null;
  // A sandbox may forbid ps, which then lists no processes, not even this one.
  const isSeen = job !== null || (table?.() ?? []).length > 0;
  if (!isSeen) return { detached: true, env: {}, of: (child) => processGroup(child, os) };
  // Windows has no process groups, and would give a detached process a console of its own.
  const detached = os !== "windows";
  const membersOf = (program: number): number[] =>
    job?.members() ?? membersIn(table?.() ?? [], program);
  const others = (program: number): number[] =>
    membersOf(program).filter((pid) => pid !== Deno.pid);
  return { detached, env: {}, of: (child) => family(child, () => others(child.pid), () => true) };
}

/** All descendants of this process, and processes that the program has left behind in its process group. */
function membersIn(rows: readonly TableRow[], program: number): number[] {
  const group = rows.filter((row) => row.group === program);
  return [Deno.pid, ...group.map(({ pid }) => pid)]
    .flatMap((pid) => treeIn(rows, pid)).map(({ pid }) => pid);
}

/** Whether processes can be seen in /proc. */
export function showsProcesses(): boolean {
  return Deno.build.os === "linux" && readStat(Deno.pid) !== null;
}

function ourDescendants(): number[] {
  return descendantsOf(Deno.pid);
}

/**
 * The family of a program. Because processes of other users may be hidden (`hidepid` in proc(5)), the program itself
 * counts as living until its end has been awaited.
 */
function family(
  child: Pick<Deno.ChildProcess, "pid" | "status">,
  members: () => number[],
  lives: (pid: number) => boolean,
): ProcessFamily {
  const isOver = watchEnd(child);
  const living = (): number[] => {
    const found = members().filter((pid) => (pid !== child.pid || isOver()) && lives(pid));
    return [...new Set(isOver() ? found : [child.pid, ...found])];
  };
  return { living, signal: (name) => signalAll(living(), name) };
}

/**
 * Whether a process lives. A zombie that this process has adopted counts as ended only after it can be reaped, because
 * its other threads may outlive its first thread, and must not outlive this process.
 */
function lives(pid: number): boolean {
  const { state = "Z", parent = 0 } = readStat(pid) ?? {};
  return state !== "Z" || (parent === Deno.pid && !reap(pid));
}

/** The processes that a killed supervisor has left behind, as found by the supervisor's parent; see `orphansOf`. */
export function orphanedFamily(supervisor: number, others: ReadonlySet<number>): ProcessFamily {
  const living = (): number[] => orphansOf(supervisor, others).filter(lives);
  return { living, signal: (name) => signalAll(living(), name) };
}

/**
 * A family of which only the program itself can be seen. Signals go to the process group that the program leads (on
 * Windows, to the program alone). Processes that outlive the program are not found.
 */
function processGroup(
  child: Pick<Deno.ChildProcess, "pid" | "status">,
  os: FamilySystem["os"],
): ProcessFamily {
  const isOver = watchEnd(child);
  const leader = os === "windows" ? child.pid : -child.pid;
  return {
    living: () => isOver() ? [] : [child.pid],
    signal: (name) => signalAll([leader], name),
  };
}

function watchEnd({ status }: Pick<Deno.ChildProcess, "status">): () => boolean {
  let isOver = false;
  void status.then(() => isOver = true);
  return () => isOver;
}

function signalAll(pids: readonly number[], name: Deno.Signal): boolean {
  const denied = pids.filter((pid) => !signal(pid, name));
  return pids.length === 0 || denied.length < pids.length;
}

/** Sends a signal. Returns false if permission is denied; true even if the process has already ended. */
function signal(pid: number, name: Deno.Signal): boolean {
  try {
    Deno.kill(pid, name);
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.PermissionDenied);
  }
}
