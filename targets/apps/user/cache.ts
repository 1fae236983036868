/**
 * A read-through cache, and its behaviour in a stampede, when many requests at once want a missing key: one
 * fetches from the origin and the others wait for its result, or all fetch.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { RedisClient } from "../../redis/client.ts";

interface CacheLookup {
  readonly text: string;
  /** False for the request that paid. One that waited for another's payment has a hit, as with nginx's `proxy_cache_lock`. */
  readonly hit: boolean;
}

export type Cache = (key: string) => Promise<CacheLookup>;

/** How often an instance looks whether another, which pays, is done. */
const LOOK_MS = 5;

export function openCache(
  { store, pay, stampede }: {
    store: TextStore;
    /** Fetches from the origin. */
    pay: (key: string) => Promise<string>;
    stampede: "wait" | "all";
  },
): Cache {
  const payAndKeep = async (key: string): Promise<CacheLookup> => {
    const text = await pay(key);
    await store.keep(key, text);
    return { text, hit: false };
  };
  const fill = stampede === "all" ? payAndKeep : oneAtATime(store, payAndKeep);
  return async (key) => {
    const text = await store.read(key);
    return text === null ? await fill(key) : { text, hit: true };
  };
}

/** Among requests that miss a key in this process, one goes on to `payOnce`; the others wait for its result. */
function oneAtATime(store: TextStore, payAndKeep: Cache): Cache {
  const inFlight = new Map<string, Promise<CacheLookup>>();
  return async (key) => {
    const others = inFlight.get(key);
    if (others !== undefined) return { text: (await others).text, hit: true };
    const lookup = payOnce(store, key, payAndKeep).finally(() => inFlight.delete(key));
    inFlight.set(key, lookup);
    return await lookup;
  };
}

/**
 * Pays when nobody else among all who share the store does. The store is read again after the hold, as
 * another may have filled it between our look and our hold.
 */
async function payOnce(store: TextStore, key: string, payAndKeep: Cache): Promise<CacheLookup> {
  for (;; await sleep(LOOK_MS)) {
    const release = await store.hold(key);
    try {
      const text = await store.read(key);
      if (text !== null) return { text, hit: true };
      if (release !== null) return await payAndKeep(key);
    } finally {
      await release?.();
    }
  }
}

/**
 * The cache's texts by key: in this process, or in Redis, where all instances share them.
 * `tests/targets/user_cache_test.ts` runs the same suite over both.
 */
export interface TextStore {
  /** Null if it is not kept, or no longer. */
  readonly read: (key: string) => Promise<string | null>;
  readonly keep: (key: string, text: string) => Promise<void>;
  /**
   * Holds `key` for whoever fills it, among all who share the store: gives what ends the hold, or null
   * when someone else has it.
   */
  readonly hold: (key: string) => Promise<(() => Promise<void>) | null>;
}

/** A store in this process. It needs no holds, because no other process can hold anything. */
export function memoryStore(ttlMs: number, now: () => number = () => performance.now()): TextStore {
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
): TextStore {
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
