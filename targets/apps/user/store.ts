/**
 * Where the cache keeps texts by key: in this process, or in Redis, where all instances share them.
 * `tests/targets/user_cache_test.ts` runs the same suite over both.
 */
import type { RedisClient } from "../../redis/client.ts";

export interface Store {
  /** Null when it is not kept, or no longer. */
  readonly read: (key: string) => Promise<string | null>;
  readonly keep: (key: string, text: string) => Promise<void>;
  /**
   * Holds `key` for whoever fills it, among all who share the store: gives what ends the hold, or null
   * when someone else has it.
   */
  readonly hold: (key: string) => Promise<(() => Promise<void>) | null>;
}

/** In this process: nobody else can hold anything. */
export function memoryStore(ttlMs: number, now: () => number = () => performance.now()): Store {
  const kept = new Map<string, { text: string; endMs: number }>();
  const notHeld = Promise.resolve(() => Promise.resolve());
  return {
    read(key): Promise<string | null> {
      const found = kept.get(key);
      return Promise.resolve(found !== undefined && now() < found.endMs ? found.text : null);
    },
    keep(key, text): Promise<void> {
      kept.set(key, { text, endMs: now() + ttlMs });
      return Promise.resolve();
    },
    hold: () => notHeld,
  };
}

/** Ends a hold that is still ours: it may have run out, and be someone else's by now. */
const RELEASE =
  `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end`;

/**
 * In Redis, under keys that begin with `prefix`. A hold ends by itself after `holdMs`, in case its
 * holder does not live to end it.
 */
export function redisStore(
  redis: RedisClient,
  { prefix, ttlMs, holdMs }: { prefix: string; ttlMs: number; holdMs: number },
): Store {
  return {
    read: (key) => redis.get(`${prefix}${key}`),
    async keep(key, text): Promise<void> {
      await redis.set(`${prefix}${key}`, text, {
        expiration: { type: "PX", value: Math.round(ttlMs) },
      });
    },
    async hold(key): Promise<(() => Promise<void>) | null> {
      const [name, holder] = [`${prefix}hold:${key}`, crypto.randomUUID()];
      const expiration = { type: "PX", value: Math.round(holdMs) } as const;
      const held = await redis.set(name, holder, { condition: "NX", expiration });
      if (held === null) return null;
      return async () => void await redis.eval(RELEASE, { keys: [name], arguments: [holder] });
    },
  };
}
