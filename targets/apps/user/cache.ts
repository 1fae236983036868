/**
 * A read-through cache, and its behaviour in a stampede, when many requests at once want a missing key: one
 * fetches from the origin and the others wait for its result, or all fetch.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { TextStore } from "./store.ts";

export interface CacheLookup {
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

/** Of those who miss a key in this process one goes on to `payOnce`; the others wait for its result. */
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
