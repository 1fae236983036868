/**
 * Measures a process tree on macOS and Windows, where processes can be seen only in a table of the whole system. If a
 * process ends between two readings of the table, the CPU time that it used since the first of them is lost. Open
 * files, their limits and context switches are not in the table.
 */
import { type ProcessTable, type TableRow, treeIn } from "../../base/system/process_table.ts";
import type { WatchedTree } from "../launch/launcher.ts";
import { CpuLedger, type CpuSample } from "./cpu_ledger.ts";
import type { TreeWatch, UseSample } from "./use_series.ts";

/**
 * Measures what a process tree has used since the last call of `take`; at the first call, since this object was made.
 */
export class TableUse implements TreeWatch {
  readonly #cpu = new CpuLedger();
  readonly #system = new CpuLedger();
  #isSeen = false;

  constructor(
    private readonly root: WatchedTree & { readonly pid: number },
    private readonly table: ProcessTable,
  ) {
    this.take();
  }

  get isSeen(): boolean {
    return this.#isSeen;
  }

  take(): UseSample {
    const { pid, supervised } = this.root;
    const all = treeIn(this.table(), pid);
    const own = supervised ? all.filter((row) => row.pid !== pid) : all;
    this.#isSeen ||= own.length > 0;
    const cpuMs = this.#cpu.take(own.map((row) => sampleOf(row, row.cpuMs)));
    const systemMs = this.#system.take(own.map((row) => sampleOf(row, row.systemMs)));
    const threads = own.map((row) => row.threads);
    return {
      cpuMs,
      systemMs: Math.min(systemMs, cpuMs),
      memoryBytes: sumOf(own.map(({ memoryBytes }) => memoryBytes)),
      processes: own.length,
      threads: threads.every((count) => count !== null) ? sumOf(threads) : null,
      files: null,
      filesLeft: null,
      switches: null,
    };
  }
}

function sampleOf({ pid, parent, start }: TableRow, ownMs: number): CpuSample {
  return { pid, parent, start, ownMs, waitedMs: 0 };
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
