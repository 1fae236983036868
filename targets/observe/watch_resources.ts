/**
 * CPU, memory and what else processes use, each interval, on the clock of the load. On Linux of all
 * processes of the tree; elsewhere by pidusage, of its first process only.
 */
import type { Watched, WatchedPart } from "../launch/launcher.ts";
import { type RedisUse, watchRedis } from "./redis_watch.ts";
import { watchTrees } from "./trees_watch.ts";
import {
  lookEachInterval,
  type LookTimes,
  type ResourcePoint,
  type ResourceWatch,
  type WatchedUse,
} from "./watch.ts";

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
  // A failure is reported to the caller who stops it later.
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

/** Watches the first process of a target by pidusage: where there is no /proc. */
function watchProcess({ pid, supervised }: Watched, times: LookTimes): ResourceWatch {
  const points: ResourcePoint[] = [];
  const look = async (pid: number): Promise<void> => {
    const { default: pidusage } = await import("pidusage");
    const { cpu, memory } = await pidusage(pid);
    const t = (performance.now() - times.sinceMs) / 1_000;
    if (t > 0) points.push({ t, cpu: cpu / 100, memory });
  };
  const end = pid === null || supervised
    ? () => {}
    : lookEachInterval(times, () => void look(pid).catch(() => {})); // it fails once the process is gone
  return {
    stop(): Promise<WatchedUse> {
      end();
      return Promise.resolve({ resources: points, parts: [] });
    },
  };
}
