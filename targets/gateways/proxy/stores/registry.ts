/** Opens the proxy's store of a given name. */
import type { StoreName } from "../../../../base/target/gateway_shape.ts";
import type { ResponseStore } from "./store.ts";

interface StoreContext {
  readonly redisUrl: string | null;
}

/** Opens the stores; a store's module is loaded only when the store is used. */
const openers = {
  memory: async () => new (await import("./memory.ts")).MemoryStore(),
  redis: async ({ redisUrl }) => (await import("./redis.ts")).openRedisStore(redisUrl),
} satisfies Record<StoreName, (context: StoreContext) => Promise<ResponseStore>>;

/** Opens a store. Throws a TargetError if it does not respond. */
export function openStore(name: StoreName, context: StoreContext): Promise<ResponseStore> {
  return openers[name](context);
}
