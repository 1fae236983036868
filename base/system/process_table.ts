/**
 * Lists all processes of the machine on systems without /proc: by ps(1) on macOS, by a call of ntdll on Windows. The
 * list has only living processes, so CPU time that a process uses between the last list and its end is not seen.
 */
import { type ProcessTicks, TICKS_PER_SEC } from "./processes.ts";
import { type WindowsProcess, windowsProcesses } from "./windows.ts";

type System = typeof Deno.build.os;

/** A living process. */
export interface TableRow {
  readonly pid: number;
  readonly parent: number;
  /** The process group; null if the system has none. */
  readonly group: number | null;
  readonly name: string;
  /** When the process started, in any unit. A later process with the same id has a larger number. */
  readonly start: number;
  /** CPU time of all threads since the start of the process. */
  readonly cpuMs: number;
  /** The part of `cpuMs` spent in the kernel. */
  readonly systemMs: number;
  /** Resident memory. */
  readonly memoryBytes: number;
  /** Number of threads; null if the table does not say. */
  readonly threads: number | null;
}

/** Returns all processes, or an empty list if they can't be seen. */
export type ProcessTable = () => TableRow[];

/** How this system lists processes; null if /proc shows them, or nothing does. */
export function processTableOn(os: System = Deno.build.os): ProcessTable | null {
  if (os === "windows") return () => (windowsProcesses() ?? []).map(rowOf);
  return os === "darwin" ? () => parsePs(runPs(PS_COLUMNS)).filter(isNotPs) : null;
}

/** False for the row of `ps` itself, which runs as a child of this process. */
function isNotPs({ parent, name }: TableRow): boolean {
  return parent !== Deno.pid || name !== "ps";
}

function rowOf(
  { pid, parent, name, created, userMs, kernelMs, workingSetBytes, threads }: WindowsProcess,
): TableRow {
  return {
    pid,
    parent,
    group: null,
    name,
    start: created,
    cpuMs: userMs + kernelMs,
    systemMs: kernelMs,
    memoryBytes: workingSetBytes,
    threads,
  };
}

/** Columns of ps on macOS, which reports user time separately. The name comes last, because it may contain spaces. */
export const PS_COLUMNS = ["pid", "ppid", "pgid", "stat", "rss", "time", "utime", "lstart", "comm"];

/** The output of `ps` for all processes; empty if it can't be run. */
export function runPs(columns: readonly string[]): string {
  const args = ["-ax", ...columns.flatMap((column) => ["-o", `${column}=`])];
  try {
    const { stdout } = new Deno.Command("ps", {
      args,
      env: { LC_ALL: "C" }, // for dates in English
      stdin: "null",
      stderr: "null",
    }).outputSync();
    return new TextDecoder().decode(stdout);
  } catch {
    return "";
  }
}

const PS_LINE =
  /^ *(\d+) +(\d+) +(\d+) +(\S+) +(\d+) +([\d:.-]+) +([\d:.-]+) +(\w{3} \w{3} +\d+ [\d:]+ \d{4}) +(.*?) *$/gm;

/** Parses the output of `ps` with PS_COLUMNS, leaving out zombies. */
export function parsePs(text: string): TableRow[] {
  return [...text.matchAll(PS_LINE)].flatMap((fields) => {
    const [, pid, parent, group, state, kilobytes, time, userTime, start, command] = fields;
    if (state.startsWith("Z")) return [];
    const [cpuMs, userMs] = [time, userTime].map(parsePsTime);
    return [{
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      name: command.split("/").at(-1) ?? "",
      start: Date.parse(start),
      cpuMs,
      systemMs: Math.max(0, cpuMs - userMs),
      memoryBytes: Number(kilobytes) * 1_024,
      threads: null,
    }];
  });
}

/** Milliseconds in `4:03.27` (macOS) or `1-02:04:03` (other systems). */
export function parsePsTime(text: string): number {
  const [clock, days = "0"] = text.split("-").toReversed();
  const seconds = clock.split(":").reduce((sum, part) => 60 * sum + Number(part), 0);
  return Math.round(1_000 * (86_400 * Number(days) + seconds));
}

/**
 * The process and its descendants, parents before their children. Also includes every process whose group is led by one
 * of these, with its own descendants, because a process whose parent has ended gets another parent but keeps its group.
 * Empty if the process is gone.
 */
export function treeIn(rows: readonly TableRow[], root: number): TableRow[] {
  const first = rows.find(({ pid }) => pid === root);
  if (first === undefined) return [];
  const found = new Map([[root, first]]);
  for (const row of found.values()) {
    for (const other of rows) {
      const isUnder = other.parent === row.pid || other.group === row.pid;
      // A child that is older than its parent is not its child: the parent got the id of a process that has ended.
      if (isUnder && !found.has(other.pid) && other.start >= row.start) found.set(other.pid, other);
    }
  }
  return [...found.values()];
}

/** CPU use of all processes except this one, in the form that `watchProcesses` takes. */
export function ticksIn(rows: readonly TableRow[]): ReadonlyMap<number, ProcessTicks> {
  return new Map(
    rows.filter(({ pid }) => pid !== Deno.pid)
      .map(({ pid, name, cpuMs }) => [pid, { name, ticks: cpuMs / 1_000 * TICKS_PER_SEC }]),
  );
}
