/**
 * A read-through cache, and its behaviour in a stampede, when many requests want a missing key at once: one fetches
 * from the origin and the others wait for its result, or all of them fetch.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { RedisClient } from "../../redis/client.ts";

interface CacheLookup {
  readonly text: string;
  /**
   * Whether the text came from the cache; false for the request that fetched it from the origin ("paid"). A request
   * that waited for another's fetch counts as a hit, as with nginx's `proxy_cache_lock`.
   */
  readonly hit: boolean;
}

export type Cache = (key: string) => Promise<CacheLookup>;

/** The interval at which an instance checks whether the instance that pays is done. */
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
 * A cache for one process: of the requests that miss a key, only one goes on to `payOnce`; the others wait for its
 * result.
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
 * Pays unless another process that shares the store does. The store is read again once the key is held, because another
 * process may have filled it in between.
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
 * The texts of a cache by key: in this process, or in Redis, where all instances share them.
 * `tests/targets/user_cache_test.ts` runs the same suite over both.
 */
export interface TextStore {
  /** The text; null if it is not in the store, or has expired. */
  readonly read: (key: string) => Promise<string | null>;
  readonly keep: (key: string, text: string) => Promise<void>;
  /**
   * Holds `key` while the caller fills it, against everyone who shares the store: returns a function that releases the
   * hold, or null if someone else has it.
   */
  readonly hold: (key: string) => Promise<(() => Promise<void>) | null>;
}

/** A store in this process. Holds do nothing, because no other process shares the store. */
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

/** Releases a hold if it is still this process's: it may have run out, and be someone else's by now. */
const RELEASE =
  `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end`;

/**
 * A store in Redis, under keys that begin with `prefix`. A hold ends by itself after `holdMs`, in case its holder does
 * not live to release it.
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
