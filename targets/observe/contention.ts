/**
 * What processes got of the cores, and how long they stood in line for one: of several trees together,
 * between two looks. Linux only.
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
  /** Processes at the second of the two looks. */
  readonly pids: readonly number[];
  readonly cpuMs: number;
  /** Time for which threads waited for a core, all together; a thread that ends takes its last part along. */
  readonly waitedMs: number;
  /** The thread that used most, with its process; null where threads can't be seen. */
  readonly busiest: BusiestThread | null;
}

export interface BusiestThread {
  /** Name of the process. */
  readonly name: string;
  readonly cpuMs: number;
  /** CPU time of all threads of its process that are there at the end. */
  readonly processMs: number;
  /** Other processes with the same command line, except its ancestors; null if there are none. */
  readonly peers: {
    readonly processes: number;
    /** CPU time of the busiest thread in that process whose busiest thread used least. */
    readonly leastMs: number;
  } | null;
}

interface UsedThread {
  readonly pid: number;
  readonly cpuMs: number;
}

/** A process at one look. */
interface ContentionLook {
  readonly cpu: CpuSample;
  readonly threads: ReadonlyMap<number, ThreadTimes>;
}

/** What the trees have used since the last look, or since this object was made. */
export class TreesContention {
  readonly #cpu = new CpuLedger();
  /** Times of each thread at the last look. */
  #threads: ReadonlyMap<number, ThreadTimes> = new Map();

  /** @param roots Read at each look. One may be in the tree of another. */
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

/** The process, and all above it. */
function lineageOf(pid: number): ReadonlySet<number> {
  const line = new Set<number>();
  for (let at = pid; at > 0 && !line.has(at); at = readStat(at)?.parent ?? 0) line.add(at);
  return line;
}

/** Parents come before their children: what a child used after it was read is never in both. */
function lookUnder(pid: number, parent: number | null, seen: Map<number, ContentionLook>): void {
  const stat = readStat(pid);
  if (stat === null || seen.has(pid)) return;
  const ownMs = processCpuMs(pid) ?? (stat.userTicks + stat.systemTicks) * TICK_MS;
  const waitedMs = (stat.waitedUserTicks + stat.waitedSystemTicks) * TICK_MS;
  const cpu = { pid, parent, start: stat.startTicks, ownMs, waitedMs };
  seen.set(pid, { cpu, threads: readThreadTimes(pid) });
  for (const child of childrenOf(pid)) lookUnder(child, pid, seen);
}
