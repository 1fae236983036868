/**
 * CPU and memory of a process tree, each interval. On Linux from /proc, for all processes of the tree;
 * elsewhere by pidusage, for its first process only.
 */
import type { Watched } from "./launch/launcher.ts";
import { descendantsOf, readMemoryBytes, readStat, TICKS_PER_SEC } from "./launch/proc.ts";

/** What one process tree used at one moment; rates are over the interval that ends there. */
export interface ResourcePoint {
  /** Seconds since the start of the load. */
  readonly t: number;
  /** Cores in use: 1 is one whole core. Linux counts in ticks of 10 ms: ± 0.04 at 250 ms. */
  readonly cpu: number;
  /** Resident memory, bytes; what processes share is counted for each. */
  readonly memory: number;
}

export interface WatchOptions {
  readonly intervalMs: number;
  /** The moment of t = 0, on this isolate's `performance.now()`. */
  readonly sinceMs: number;
}

export interface ResourceWatch {
  /** Ends the watch; its points in order, none when there is no process of ours. */
  stop(): ResourcePoint[];
}

const NOTHING: ResourceWatch = { stop: () => [] };

/** What is watched: its process tree, and those that belong to it besides, of which more may come. */
type Subject = Watched & { readonly alongside?: () => readonly Watched[] };

/** Starts to watch `target`. Elsewhere than on Linux, only its first process. */
export function watchResources(target: Subject, options: WatchOptions): ResourceWatch {
  const { pid, supervised } = target;
  if (pid === null) return NOTHING;
  if (Deno.build.os === "linux") return watchTree(new ForestUse(target), options);
  return supervised ? NOTHING : watchProcess(pid, options);
}

function watchTree(tree: ForestUse, { intervalMs, sinceMs }: WatchOptions): ResourceWatch {
  const points: ResourcePoint[] = [];
  let lastMs = performance.now();
  tree.take(0);
  const look = (): void => {
    const nowMs = performance.now();
    points.push({ t: (nowMs - sinceMs) / 1_000, ...tree.take(nowMs - lastMs) });
    lastMs = nowMs;
  };
  const timer = setInterval(look, intervalMs);
  return {
    stop(): ResourcePoint[] {
      clearInterval(timer);
      if (performance.now() - lastMs >= intervalMs / 2) look();
      return points;
    },
  };
}

/** What all process trees of a target have used since the last time they were asked. */
class ForestUse {
  readonly #trees = new Map<number, TreeUse>();

  constructor(private readonly target: Subject) {}

  take(elapsedMs: number): { cpu: number; memory: number } {
    const sum = { cpu: 0, memory: 0 };
    for (const { pid, supervised } of [this.target, ...this.target.alongside?.() ?? []]) {
      if (pid === null) continue;
      const tree = this.#trees.get(pid) ?? new TreeUse(pid, supervised);
      this.#trees.set(pid, tree);
      const { cpu, memory } = tree.take(elapsedMs);
      sum.cpu += cpu;
      sum.memory += memory;
    }
    return sum;
  }
}

/** What a process tree has used since the last time it was asked. */
export class TreeUse {
  readonly #root: number;
  readonly #supervised: boolean;
  /** CPU time of each process that was ever seen, at the last look. */
  readonly #ticks = new Map<number, number>();

  constructor(root: number, supervised: boolean) {
    this.#root = root;
    this.#supervised = supervised;
  }

  /** `elapsedMs` is the time since the last look; the first look has nothing to compare with. */
  take(elapsedMs: number): { cpu: number; memory: number } {
    const pids = descendantsOf(this.#root);
    if (!this.#supervised) pids.push(this.#root);
    let usedTicks = 0;
    let memory = 0;
    for (const pid of pids) {
      const ticks = readStat(pid)?.cpuTicks ?? 0;
      usedTicks += Math.max(0, ticks - (this.#ticks.get(pid) ?? 0));
      this.#ticks.set(pid, ticks);
      memory += readMemoryBytes(pid);
    }
    const cpu = elapsedMs > 0 ? usedTicks / TICKS_PER_SEC / (elapsedMs / 1_000) : 0;
    return { cpu, memory };
  }
}

function watchProcess(pid: number, { intervalMs, sinceMs }: WatchOptions): ResourceWatch {
  const points: ResourcePoint[] = [];
  const look = async (): Promise<void> => {
    const { default: pidusage } = await import("pidusage");
    const { cpu, memory } = await pidusage(pid);
    points.push({ t: (performance.now() - sinceMs) / 1_000, cpu: cpu / 100, memory });
  };
  const timer = setInterval(() => void look().catch(() => {}), intervalMs); // it fails once the process is gone
  return {
    stop(): ResourcePoint[] {
      clearInterval(timer);
      return points;
    },
  };
}
