/** Starts a Redis of the bench's own. */
import { TargetError } from "../../base/errors.ts";
import { provideRedis } from "../../targets/redis/provide.ts";

/** The URL of a private Redis, which the stack stops. */
export async function privateRedis(stack: AsyncDisposableStack): Promise<string> {
  const { signal } = new AbortController();
  const redis = await provideRedis({ url: null, signal, wellKnownUrl: "redis://127.0.0.1:1" });
  if (redis === null) {
    throw new TargetError("Cannot measure a fleet: redis-server is not installed");
  }
  stack.defer(redis.stop);
  return redis.url;
}
