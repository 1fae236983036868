/** What Plateau's own servers keep in Redis, where others may keep things, too. */
import type { RedisClient } from "./redis_client.ts";

/** What each keeps begins with this; everything of ours begins with `plateau:`. */
export const OWN_KEYS = { user: "plateau:user:", proxy: "plateau:proxy:" } as const;

/** Takes away all keys that begin with `prefix`; others stay. */
export async function forgetKeys(client: RedisClient, prefix: string): Promise<void> {
  for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1_000 })) {
    if (keys.length > 0) await client.unlink(keys);
  }
}
