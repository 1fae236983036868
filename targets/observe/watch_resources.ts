/**
 * CPU, memory and what else processes use, each interval, on the clock of the load. On Linux of all
 * processes of the tree; elsewhere by pidusage, of its first process only.
 */
import { JoinedSeries, mostIntervalsOf } from "../../base/intervals.ts";
import type { WatchedPart, WatchedTree } from "../launch/launcher.ts";
import { type RedisUse, watchRedis } from "./redis_watch.ts";
import {
  lookEachInterval,
  type LookTimes,
  type ResourceWatch,
  sumOfUses,
  type UsePoint,
  UseSeries,
  type WatchedUse,
} from "./watch.ts";
import { TreeUse } from "./tree_use.ts";

interface ResourceWatchOptions {
  readonly intervalMs: number;
  /** The moment of t = 0, on this isolate's `performance.now()`. */
  readonly sinceMs: number;
  /** So long from then on; absent or null: until it is stopped. */
  readonly forMs?: number | null;
  /** The Redis of the run, which is no part of the target; the caller closes it. */
  readonly redis?: RedisUse | null;
}

/** What is watched: its own process tree, or those that it consists of. */
type WatchedTarget = WatchedTree & { readonly parts?: () => readonly WatchedPart[] };

/** Starts to watch `target` and, where it is given, the Redis of the run. */
export function watchResources(
  target: WatchedTarget,
  options: ResourceWatchOptions,
): ResourceWatch {
  const watches = [
    Deno.build.os === "linux" ? watchTrees(target, options) : watchProcess(target, options),
    ...options.redis ? [watchRedis(options.redis, options)] : [],
  ];
  let stopped: Promise<WatchedUse> | null = null;
  const stop = (): Promise<WatchedUse> => {
    clearTimeout(timer);
    return stopped ??= stopAll(watches);
  };
  const { sinceMs, forMs = null } = options;
  // A failure is reported to the caller who stops it later.
  const timer = forMs === null
    ? undefined
    : setTimeout(() => stop().catch(() => {}), waitUntil(sinceMs + forMs));
  return { stop };
}

/**
 * A timer drops fractions, and would end too early. On a machine that halts, a short run may be over before it is
 * watched, and the runtime warns of a negative time on standard error.
 */
function waitUntil(moment: number): number {
  return Math.max(0, Math.ceil(moment - performance.now()));
}

async function stopAll(watches: readonly ResourceWatch[]): Promise<WatchedUse> {
  const used = await Promise.all(watches.map((watch) => watch.stop()));
  return {
    resources: used.flatMap(({ resources }) => resources),
    parts: used.flatMap(({ parts }) => parts),
  };
}

/** Watches the first process of a target by pidusage: where there is no /proc. */
function watchProcess({ pid, supervised }: WatchedTree, times: LookTimes): ResourceWatch {
  const points = new JoinedSeries(mostIntervalsOf(times.intervalMs), joinPoints);
  const look = async (pid: number): Promise<void> => {
    const { default: pidusage } = await import("pidusage");
    const { cpu, memory } = await pidusage(pid);
    const endS = (performance.now() - times.sinceMs) / 1_000;
    if (endS > 0) points.add({ endS, cpu: cpu / 100, memory });
  };
  const end = pid === null || supervised
    ? () => {}
    : lookEachInterval(times, () => void look(pid).catch(() => {})); // it fails once the process is gone
  return {
    stop(): Promise<WatchedUse> {
      end();
      return Promise.resolve({ resources: [...points.entries], parts: [] });
    },
  };
}

/** Intervals of one length, one after the other. */
function joinPoints(one: UsePoint, next: UsePoint): UsePoint {
  const peakCpu = Math.max(one.peakCpu ?? one.cpu, next.peakCpu ?? next.cpu);
  const memory = Math.max(one.memory, next.memory);
  return { endS: next.endS, cpu: (one.cpu + next.cpu) / 2, peakCpu, memory };
}

/** Watches the process trees of a target, all together and each part apart. Linux only. */
function watchTrees(target: WatchedTarget, times: LookTimes): ResourceWatch {
  const trees = new Trees(target, times);
  const end = lookEachInterval(times, (nowMs) => trees.look(nowMs));
  return {
    stop(): Promise<WatchedUse> {
      end();
      trees.look(performance.now());
      return Promise.resolve(trees.used());
    },
  };
}

class Trees {
  readonly #trees = new Map<number, TreeUse>();
  readonly #whole: UseSeries;
  readonly #parts = new Map<string, { readonly part: WatchedPart; readonly series: UseSeries }>();

  constructor(private readonly target: WatchedTarget, private readonly times: LookTimes) {
    this.#whole = new UseSeries(times);
  }

  look(nowMs: number): void {
    const alone: WatchedPart = { ...this.target, role: "upstream", name: "" };
    const used = (this.target.parts?.() ?? [alone]).flatMap((part) => {
      const tree = this.#treeOf(part);
      return tree === null ? [] : [{ part, use: tree.take() }];
    });
    if (used.length === 0) return;
    this.#whole.add(nowMs, sumOfUses(used.map(({ use }) => use)));
    for (const group of Map.groupBy(used, ({ part }) => `${part.role} ${part.name}`).values()) {
      this.#seriesOf(group[0].part).add(nowMs, sumOfUses(group.map(({ use }) => use)));
    }
  }

  used(): WatchedUse {
    const parts = [...this.#parts.values()].map(({ part: { role, name }, series }) => {
      return { role, name, points: series.points() };
    });
    // What is not known of one of them is not known of the whole.
    if ([...this.#trees.values()].some(({ isSeen }) => !isSeen)) {
      return { resources: [], parts: [] };
    }
    return { resources: this.#whole.points(), parts: parts.length > 1 ? parts : [] };
  }

  #treeOf({ pid, supervised }: WatchedTree): TreeUse | null {
    if (pid === null) return null;
    const tree = this.#trees.get(pid) ?? new TreeUse({ pid, supervised });
    this.#trees.set(pid, tree);
    return tree;
  }

  #seriesOf(part: WatchedPart): UseSeries {
    const key = `${part.role} ${part.name}`;
    const { series } = this.#parts.get(key) ?? { series: new UseSeries(this.times) };
    this.#parts.set(key, { part, series });
    return series;
  }
}
