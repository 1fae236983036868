/**
 * What processes got of the cores, and how long they stood in line for one: of several trees together,
 * between two looks. Linux only.
 */
import {
  childrenOf,
  processCpuMs,
  readStat,
  readWaits,
  TICKS_PER_SEC,
} from "../../base/system/processes.ts";
import { CpuLedger, type CpuSample } from "./cpu_ledger.ts";

const TICK_MS = 1_000 / TICKS_PER_SEC;

export interface TreesUse {
  /** At the look that ends it. */
  readonly pids: readonly number[];
  readonly cpuMs: number;
  /** Of all threads together; a thread that ends takes its last part along. */
  readonly waitedMs: number;
}

/** A process at one look. */
interface ContentionLook {
  readonly cpu: CpuSample;
  readonly waitsMs: ReadonlyMap<number, number>;
}

/** What the trees have used since they were looked at last, or else since this was made. */
export class TreesContention {
  readonly #cpu = new CpuLedger();
  /** Of each thread, at the last look. */
  #waitsMs: ReadonlyMap<number, number> = new Map();

  /** @param roots Read at each look. One may be in the tree of another. */
  constructor(private readonly roots: () => readonly number[]) {
    this.take();
  }

  take(): TreesUse {
    const seen = new Map<number, ContentionLook>();
    for (const root of this.roots()) lookUnder(root, null, seen);
    const all = [...seen.values()];
    const before = this.#waitsMs;
    this.#waitsMs = new Map(all.flatMap(({ waitsMs }) => [...waitsMs]));
    const waitedMs = [...this.#waitsMs].reduce(
      (sum, [thread, ms]) => sum + Math.max(0, ms - (before.get(thread) ?? 0)),
      0,
    );
    return { pids: [...seen.keys()], cpuMs: this.#cpu.take(all.map(({ cpu }) => cpu)), waitedMs };
  }
}

/** Parents come before their children: what a child used after it was read is never in both. */
function lookUnder(pid: number, parent: number | null, seen: Map<number, ContentionLook>): void {
  const stat = readStat(pid);
  if (stat === null || seen.has(pid)) return;
  const ownMs = processCpuMs(pid) ?? (stat.userTicks + stat.systemTicks) * TICK_MS;
  const waitedMs = (stat.waitedUserTicks + stat.waitedSystemTicks) * TICK_MS;
  const cpu = { pid, parent, start: stat.startTicks, ownMs, waitedMs };
  seen.set(pid, { cpu, waitsMs: readWaits(pid) });
  for (const child of childrenOf(pid)) lookUnder(child, pid, seen);
}
