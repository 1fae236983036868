/**
 * CPU, memory and what else processes use, each interval, on the clock of the load. On Linux of all
 * processes of the tree; elsewhere by pidusage, of its first process only.
 */
import type { Watched, WatchedPart } from "./launch/launcher.ts";
import { watchProcess } from "./resources/process_watch.ts";
import { type RedisUse, watchRedis } from "./resources/redis_watch.ts";
import { watchTrees } from "./resources/trees_watch.ts";
import type { ResourceWatch, WatchedUse } from "./resources/watch.ts";

interface WatchOptions {
  readonly intervalMs: number;
  /** The moment of t = 0, on this isolate's `performance.now()`. */
  readonly sinceMs: number;
  /** So long from then on; absent or null: until it is stopped. */
  readonly forMs?: number | null;
  /** The Redis of the run, which is no part of the target; the caller closes it. */
  readonly redis?: RedisUse | null;
}

/** What is watched: its own process tree, or those that it consists of. */
type Subject = Watched & { readonly parts?: () => readonly WatchedPart[] };

/** Starts to watch `target` and, where it is given, the Redis of the run. */
export function watchResources(target: Subject, options: WatchOptions): ResourceWatch {
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
  // Whoever stops it later hears what went wrong.
  const timer = forMs === null
    ? undefined
    : setTimeout(() => stop().catch(() => {}), Math.max(0, sinceMs + forMs - performance.now()));
  return { stop };
}

async function stopAll(watches: readonly ResourceWatch[]): Promise<WatchedUse> {
  const used = await Promise.all(watches.map((watch) => watch.stop()));
  return {
    resources: used.flatMap(({ resources }) => resources),
    parts: used.flatMap(({ parts }) => parts),
  };
}
