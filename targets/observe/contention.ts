/**
 * The CPU time that several process trees together used between two readings of /proc, and how long their threads
 * waited for a core. Linux only.
 */
import {
  childrenOf,
  processCpuMs,
  readCommandLine,
  readName,
  readStat,
  readThreadTimes,
  type ThreadTimes,
  TICKS_PER_SEC,
} from "../../base/system/processes.ts";
import { CpuLedger, type CpuSample } from "./cpu_ledger.ts";

const TICK_MS = 1_000 / TICKS_PER_SEC;

export interface TreesUse {
  /** Ids of the processes at the later reading. */
  readonly pids: readonly number[];
  readonly cpuMs: number;
  /**
   * The time that all threads together waited for a core. For a thread that ended, the time since the last reading is
   * missing.
   */
  readonly waitedMs: number;
  /** The thread that used the most CPU time; null if threads cannot be seen. */
  readonly busiest: BusiestThread | null;
}

export interface BusiestThread {
  /** The name of the thread's process. */
  readonly name: string;
  readonly cpuMs: number;
  /** The CPU time of all threads of the process that are still alive at the end. */
  readonly processMs: number;
  /**
   * Other processes in the trees with the same command line, such as other workers; ancestors of the thread's process
   * don't count. Null if there are none.
   */
  readonly peers: {
    readonly processes: number;
    /** Each peer's busiest thread used at least this much CPU time. */
    readonly leastMs: number;
  } | null;
}

interface UsedThread {
  readonly pid: number;
  readonly cpuMs: number;
}

interface ContentionLook {
  readonly cpu: CpuSample;
  readonly threads: ReadonlyMap<number, ThreadTimes>;
}

/**
 * Measures what the trees have used since the last call of `take` or, at its first call, since this object was made.
 */
export class TreesContention {
  readonly #cpu = new CpuLedger();
  /** The times of each thread at the last reading. */
  #threads: ReadonlyMap<number, ThreadTimes> = new Map();

  /** @param roots Returns the root processes; called at each reading. One root may be in the tree of another. */
  constructor(private readonly roots: () => readonly number[]) {
    this.take();
  }

  take(): TreesUse {
    const seen = new Map<number, ContentionLook>();
    for (const root of this.roots()) lookUnder(root, null, seen);
    const all = [...seen.values()];
    const before = this.#threads;
    this.#threads = new Map(all.flatMap(({ threads }) => [...threads]));
    const since = (id: number, of: keyof ThreadTimes): number =>
      Math.max(0, (this.#threads.get(id)?.[of] ?? 0) - (before.get(id)?.[of] ?? 0));
    const waitedMs = [...this.#threads.keys()].reduce((sum, id) => sum + since(id, "waitedMs"), 0);
    const used = [...seen].flatMap(([pid, { threads }]) =>
      [...threads.keys()].map((id) => ({ pid, cpuMs: since(id, "cpuMs") }))
    );
    const most = used.toSorted((a, b) => b.cpuMs - a.cpuMs).at(0);
    return {
      pids: [...seen.keys()],
      cpuMs: this.#cpu.take(all.map(({ cpu }) => cpu)),
      waitedMs,
      busiest: most === undefined ? null : busiestOf(most, used),
    };
  }
}

function busiestOf({ pid, cpuMs }: UsedThread, used: readonly UsedThread[]): BusiestThread {
  const byProcess = Map.groupBy(used, (thread) => thread.pid);
  const times = (of: number): number[] => byProcess.get(of)?.map((thread) => thread.cpuMs) ?? [];
  const command = readCommandLine(pid);
  const line = lineageOf(pid);
  const peers = [...byProcess.keys()]
    .filter((other) => !line.has(other) && command && readCommandLine(other) === command);
  return {
    name: readName(pid) ?? "",
    cpuMs,
    processMs: times(pid).reduce((sum, ms) => sum + ms, 0),
    peers: peers.length === 0 ? null : {
      processes: peers.length,
      leastMs: Math.min(...peers.map((peer) => Math.max(...times(peer)))),
    },
  };
}

function lineageOf(pid: number): ReadonlySet<number> {
  const line = new Set<number>();
  for (let at = pid; at > 0 && !line.has(at); at = readStat(at)?.parent ?? 0) line.add(at);
  return line;
}

/**
 * Reads the processes of a tree. A parent is read before its children. Otherwise, a child that ends between the two
 * readings would be counted twice: by itself, and in its parent's time for ended children.
 */
function lookUnder(pid: number, parent: number | null, seen: Map<number, ContentionLook>): void {
  const stat = readStat(pid);
  if (stat === null || seen.has(pid)) return;
  const ownMs = processCpuMs(pid) ?? (stat.userTicks + stat.systemTicks) * TICK_MS;
  const waitedMs = (stat.waitedUserTicks + stat.waitedSystemTicks) * TICK_MS;
  const cpu = { pid, parent, start: stat.startTicks, ownMs, waitedMs };
  seen.set(pid, { cpu, threads: readThreadTimes(pid) });
  for (const child of childrenOf(pid)) lookUnder(child, pid, seen);
}
