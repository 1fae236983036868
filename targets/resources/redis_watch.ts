/** Watches the Redis of a run: a private one by its processes, another by what it says of itself. */
import { settlesWithin } from "../launch/settles.ts";
import type { ProvidedRedis } from "../redis.ts";
import { RedisInfo } from "./redis_info.ts";
import { TreeUse } from "./tree_use.ts";
import { Series, type Use } from "./use.ts";
import { lookEachInterval, type LookTimes, type ResourceWatch, type WatchedUse } from "./watch.ts";

/** Asked again and again; a connection may belong to it. */
export interface RedisUse {
  /** Since the last time, the first time none; null when it can't be had. */
  take(): Promise<Use | null>;
  close(): void;
}

/** Null when it does not tell. */
export async function openRedisUse(
  { url, pid, supervised }: Pick<ProvidedRedis, "url" | "pid" | "supervised">,
): Promise<RedisUse | null> {
  if (pid === null || Deno.build.os !== "linux") return await RedisInfo.open(url);
  const tree = new TreeUse({ pid, supervised });
  return { take: () => Promise.resolve(tree.take()), close: () => {} };
}

/** One that hangs does not keep the run from ending. */
const LAST_LOOK_MS = 500;

export function watchRedis(redis: RedisUse, times: LookTimes): ResourceWatch {
  const series = new Series(times);
  let looked = Promise.resolve();
  const look = (): void => {
    looked = looked.then(async () => {
      const use = await redis.take();
      if (use !== null) series.add(performance.now(), use);
    });
  };
  const end = lookEachInterval(times, look);
  return {
    async stop(): Promise<WatchedUse> {
      end();
      look();
      await settlesWithin(looked, LAST_LOOK_MS);
      const points = series.points();
      const parts = points.length > 0 ? [{ role: "redis" as const, name: "Redis", points }] : [];
      return { resources: [], parts };
    },
  };
}
