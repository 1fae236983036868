/** Records how much CPU, memory and other resources a process tree uses in each interval, on the clock of the load. */
import { type ProcessTable, processTableOn } from "../../base/system/process_table.ts";
import type { WatchedPart, WatchedTree } from "../launch/launcher.ts";
import { type RedisUse, watchRedis } from "./redis_watch.ts";
import {
  lookEachInterval,
  type LookTimes,
  type ResourceWatch,
  sumOfUses,
  type TreeWatch,
  UseSeries,
  type WatchedUse,
} from "./use_series.ts";
import { TableUse } from "./table_use.ts";
import { TreeUse } from "./tree_use.ts";

interface ResourceWatchOptions {
  readonly intervalMs: number;
  /** The moment of t = 0 in terms of this isolate's `performance.now()`. */
  readonly sinceMs: number;
  /** How long to watch from t = 0, in ms; null or absent to watch until `stop` is called. */
  readonly forMs?: number | null;
  /** The Redis that the run uses. It is not part of the target, and the caller must close it. */
  readonly redis?: RedisUse | null;
}

/** The watched target: its own process tree, or the trees of its parts. */
type WatchedTarget = WatchedTree & { readonly parts?: () => readonly WatchedPart[] };

/** How process trees are measured on a system. */
interface TreeSight {
  open(root: WatchedTree & { readonly pid: number }): TreeWatch;
  /** The shortest interval between looks. Looking more often would cost too much CPU time. */
  readonly shortestMs: number;
}

/** Trees looked at within this time share one reading of the process table. */
const SHARED_MS = 20;
/** The shortest interval if `ps` is used, because it takes some 10 ms of CPU time. */
const SHORTEST_PS_MS = 1_000;

/**
 * How process trees are measured on `os`: through /proc, or through a table of all processes if the system has no
 * /proc.
 */
export function treeSightOn(
  os: typeof Deno.build.os = Deno.build.os,
  table: ProcessTable | null = processTableOn(os),
): TreeSight {
  if (table === null) return { open: (root) => new TreeUse(root), shortestMs: 0 };
  const shared = sharedFor(SHARED_MS, table);
  return {
    open: (root) => new TableUse(root, shared),
    shortestMs: os === "darwin" ? SHORTEST_PS_MS : 0,
  };
}

function sharedFor(forMs: number, table: ProcessTable): ProcessTable {
  let readMs = -Infinity;
  let rows: ReturnType<ProcessTable> = [];
  return () => {
    if (performance.now() - readMs < forMs) return rows;
    rows = table();
    readMs = performance.now();
    return rows;
  };
}

/** Starts to watch `target` and, if given, the Redis of the run. */
export function watchResources(
  target: WatchedTarget,
  options: ResourceWatchOptions,
  sight: TreeSight = treeSightOn(),
): ResourceWatch {
  const watches = [
    watchTrees(target, options, sight),
    ...options.redis ? [watchRedis(options.redis, options)] : [],
  ];
  let stopped: Promise<WatchedUse> | null = null;
  const stop = (): Promise<WatchedUse> => {
    clearTimeout(timer);
    return stopped ??= stopAll(watches);
  };
  const { sinceMs, forMs = null } = options;
  // The error is ignored here, because the caller who stops the watch later gets it, too.
  const timer = forMs === null
    ? undefined
    : setTimeout(() => stop().catch(() => {}), waitUntil(sinceMs + forMs));
  return { stop };
}

/**
 * The time until a moment, in ms. It is rounded up, because timers drop fractions and would fire too early. It is never
 * negative, because the runtime prints a warning for a negative delay; after a pause of the whole machine, a short run
 * may already be over.
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

/** Watches the process trees of a target, both together and separately for each part. */
function watchTrees(target: WatchedTarget, asked: LookTimes, sight: TreeSight): ResourceWatch {
  const times = { ...asked, intervalMs: Math.max(asked.intervalMs, sight.shortestMs) };
  const trees = new Trees(target, times, sight);
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
  readonly #trees = new Map<number, TreeWatch>();
  readonly #whole: UseSeries;
  readonly #parts = new Map<string, { readonly part: WatchedPart; readonly series: UseSeries }>();

  constructor(
    private readonly target: WatchedTarget,
    private readonly times: LookTimes,
    private readonly sight: TreeSight,
  ) {
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
    // If one tree was never seen, the sums would be too low, so there are none.
    if ([...this.#trees.values()].some(({ isSeen }) => !isSeen)) {
      return { resources: [], parts: [] };
    }
    return { resources: this.#whole.points(), parts: parts.length > 1 ? parts : [] };
  }

  #treeOf({ pid, supervised }: WatchedTree): TreeWatch | null {
    if (pid === null) return null;
    const tree = this.#trees.get(pid) ?? this.sight.open({ pid, supervised });
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
