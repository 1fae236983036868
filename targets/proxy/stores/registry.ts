/** The stores by name. */
import type { Store } from "./store.ts";

export const storeNames = ["memory", "redis"] as const;
export type StoreName = (typeof storeNames)[number];

interface StoreContext {
  readonly redisUrl: string | null;
}

/** Each is loaded only where it is used. */
const openers = {
  memory: async () => new (await import("./memory.ts")).MemoryStore(),
  redis: async ({ redisUrl }) => (await import("./redis.ts")).openRedisStore(redisUrl),
} satisfies Record<StoreName, (context: StoreContext) => Promise<Store>>;

/** Throws a TargetError when the store does not answer at the start. */
export function openStore(name: StoreName, context: StoreContext): Promise<Store> {
  return openers[name](context);
}
