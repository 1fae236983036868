/**
 * A read-through cache, and what it does when many want at once what it does not have (a stampede):
 * one pays and the others wait for what it gets, or everybody pays.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "./store.ts";

export interface Answer {
  readonly text: string;
  /** False for who paid. Who waited for another's payment has a hit, as with nginx's `proxy_cache_lock`. */
  readonly hit: boolean;
}

export type Cache = (key: string) => Promise<Answer>;

/** How often an instance looks whether another, which pays, is done. */
const LOOK_MS = 5;

export function openCache(
  { store, pay, stampede }: {
    store: Store;
    /** Asks the origin. */
    pay: (key: string) => Promise<string>;
    stampede: "wait" | "all";
  },
): Cache {
  const payAndKeep = async (key: string): Promise<Answer> => {
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

/** Of those who miss a key in this process one goes on to `payOnce`; the others wait for its answer. */
function oneAtATime(store: Store, payAndKeep: Cache): Cache {
  const underWay = new Map<string, Promise<Answer>>();
  return async (key) => {
    const others = underWay.get(key);
    if (others !== undefined) return { text: (await others).text, hit: true };
    const answer = payOnce(store, key, payAndKeep).finally(() => underWay.delete(key));
    underWay.set(key, answer);
    return await answer;
  };
}

/**
 * Pays when nobody else among all who share the store does. The store is read again after the hold, as
 * another may have filled it between our look and our hold.
 */
async function payOnce(store: Store, key: string, payAndKeep: Cache): Promise<Answer> {
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
