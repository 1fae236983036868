/** The stores by name. */
import type { StoreName } from "../../../../base/target/gateway_shape.ts";
import type { ResponseStore } from "./store.ts";

interface StoreContext {
  readonly redisUrl: string | null;
}

/** Each is loaded only where it is used. */
const openers = {
  memory: async () => new (await import("./memory.ts")).MemoryStore(),
  redis: async ({ redisUrl }) => (await import("./redis.ts")).openRedisStore(redisUrl),
} satisfies Record<StoreName, (context: StoreContext) => Promise<ResponseStore>>;

/** Throws a TargetError when the store does not respond at the start. */
export function openStore(name: StoreName, context: StoreContext): Promise<ResponseStore> {
  return openers[name](context);
}
