/**
 * A read-through cache. Its behaviour in a cache stampede, when many requests miss the same key at once, can be chosen:
 * one request fetches from the origin while the others wait for its result, or all of them fetch.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { RedisClient } from "../../redis/client.ts";

interface CacheLookup {
  readonly text: string;
  /**
   * Whether the text came from the cache; false if this request fetched it from the origin. A request that waited for
   * another request's fetch counts as a hit, as with nginx's `proxy_cache_lock`.
   */
  readonly hit: boolean;
}

export type Cache = (key: string) => Promise<CacheLookup>;

/** How often an instance checks whether the instance that is fetching has finished. */
const LOOK_MS = 5;

export function openCache(
  { store, pay, stampede }: {
    store: TextStore;
    /** Fetches the text from the origin. */
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

/**
 * A cache that lets only one request of this process at a time look for a key's text with `payOnce`; other requests for
 * the same key wait for its result.
 */
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
 * Fetches the text unless another process that shares the store is fetching it. The store is read again after the
 * attempt to hold the key, because another process may have filled it since the caller's look-up.
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
 * Stores a cache's texts by key, either in this process or in Redis, which all instances share.
 * `tests/targets/user_cache_test.ts` runs the same suite for both.
 */
export interface TextStore {
  /** The text; null if it is missing or has expired. */
  readonly read: (key: string) => Promise<string | null>;
  readonly keep: (key: string, text: string) => Promise<void>;
  /**
   * Claims `key` while the caller fills it, so that nobody else who shares the store can. Returns a function that
   * releases the key, or null if someone else holds it.
   */
  readonly hold: (key: string) => Promise<(() => Promise<void>) | null>;
}

/** A store in the memory of this process. Holding a key has no effect, because no other process shares the store. */
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

/**
 * Releases a key only if this process still holds it. Its hold may have expired, and someone else may hold the key now.
 */
const RELEASE =
  `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end`;

/**
 * A store in Redis whose keys begin with `prefix`. A hold expires after `holdMs`, in case its holder ends before it
 * releases the key.
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
