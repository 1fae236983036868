/**
 * A program and all processes that it has started. Its supervisor finds and signals them by the means of each system.
 */
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
 * A program and all that it has started, as its supervisor finds and signals them. On Linux these are the
 * descendants of the supervisor, which adopts orphans (a daemon forks twice to get away); where it may not adopt
 * them, also processes with the program's mark in their environment. On Windows they are the members of a job object,
 * which ends with the supervisor; on macOS the supervisor's descendants, and the process group that the program leads.
 * Where none of this can be seen, only that group is signalled.
 */
export interface ProcessFamily {
  /** The processes that have not ended, as far as they can be found. */
  living(): number[];
  /** Sends a signal to all processes; false if all living processes belong to another user and refuse it. */
  signal(name: Deno.Signal): boolean;
}

/** The way in which a program must be started so that its family can be found. */
export interface Upbringing {
  /** Whether the program leads a process group of its own. */
  readonly detached: boolean;
  /** Variables that are added to the program's environment. */
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

/** The means of a system without /proc to find processes. */
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
  // A sandbox may deny ps, which then shows no process at all, not even this one.
  const isSeen = job !== null || (table?.() ?? []).length > 0;
  if (!isSeen) return { detached: true, env: {}, of: (child) => processGroup(child, os) };
  // On Windows no process leads a group, and only a detached process gets a console of its own.
  const detached = os !== "windows";
  const membersOf = (program: number): number[] =>
    job?.members() ?? membersIn(table?.() ?? [], program);
  const others = (program: number): number[] =>
    membersOf(program).filter((pid) => pid !== Deno.pid);
  return { detached, env: {}, of: (child) => family(child, () => others(child.pid), () => true) };
}

/** All processes under this one, and those that the program has left behind in the group that it led. */
function membersIn(rows: readonly TableRow[], program: number): number[] {
  const group = rows.filter((row) => row.group === program);
  return [Deno.pid, ...group.map(({ pid }) => pid)]
    .flatMap((pid) => treeIn(rows, pid)).map(({ pid }) => pid);
}

/** Whether processes can be seen in /proc. If not, a program leads a process group. */
export function showsProcesses(): boolean {
  return Deno.build.os === "linux" && readStat(Deno.pid) !== null;
}

function ourDescendants(): number[] {
  return descendantsOf(Deno.pid);
}

/**
 * The family of a program. Another user's process may be hidden (`hidepid` of proc(5)), so the program itself counts as
 * living until it has been waited for.
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
 * Whether a process lives. A zombie that this process has adopted counts as ended only if it can be reaped: its other
 * threads may outlive the first, and must not outlive this process.
 */
function lives(pid: number): boolean {
  const { state = "Z", parent = 0 } = readStat(pid) ?? {};
  return state !== "Z" || (parent === Deno.pid && !reap(pid));
}

/** The processes that a killed supervisor has left, as its parent finds them; see `orphansOf`. */
export function orphanedFamily(supervisor: number, others: ReadonlySet<number>): ProcessFamily {
  const living = (): number[] => orphansOf(supervisor, others).filter(lives);
  return { living, signal: (name) => signalAll(living(), name) };
}

/** The processes of the program's group, while the program itself lives; those that outlive it are not found. */
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

/** Sends a signal; false if it is denied. A process that has ended already needs no signal. */
function signal(pid: number, name: Deno.Signal): boolean {
  try {
    Deno.kill(pid, name);
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.PermissionDenied);
  }
}
