import { TargetError } from "../../base/errors.ts";
import { provideRedis } from "../../targets/redis/provide.ts";

/**
 * Starts a Redis that only this bench uses, and returns its URL. Disposing of the stack stops it. Throws a TargetError
 * if redis-server is not installed.
 */
export async function privateRedis(stack: AsyncDisposableStack): Promise<string> {
  const { signal } = new AbortController();
  const redis = await provideRedis({ url: null, signal, wellKnownUrl: "redis://127.0.0.1:1" });
  if (redis === null) {
    throw new TargetError("Cannot measure a fleet: redis-server is not installed");
  }
  stack.defer(redis.stop);
  return redis.url;
}
