/**
 * Limits how many requests each client may send per window; a window begins with the client's first request.
 * rate-limiter-flexible counts them, either in this process or in Redis. In Redis a script counts atomically, so the
 * limit is exact for any number of instances.
 */
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { Context, Env, MiddlewareHandler } from "hono";
import type { RedisClient } from "../../redis/client.ts";

interface RateLimit {
  /** The number of requests that a client may send in each window. */
  readonly limit: number;
  /** The length of a window, a whole number of seconds. */
  readonly windowSec: number;
}

interface LimitVerdict {
  readonly allowed: boolean;
  /** The number of requests that the client may still send in this window. */
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
}

export interface Limiter {
  /** Middleware that counts requests per client, and responds with 429 to a client that has sent too many. */
  readonly middleware: <Bindings extends Env>(
    clientOf: (c: Context<Bindings>) => string,
    onRefusal: () => void,
  ) => MiddlewareHandler<Bindings>;
  readonly close: () => void;
}

/** @param redis The Redis client and the prefix of the limiter's keys; null to count requests in this process. */
export function openLimiter(
  limit: RateLimit,
  redis: { client: RedisClient; prefix: string } | null,
): Limiter {
  const counting = { points: limit.limit, duration: limit.windowSec };
  const memory = new RateLimiterMemory(counting);
  const counter = redis === null ? memory : new RateLimiterRedis({
    ...counting,
    storeClient: redis.client,
    useRedisPackage: true,
    keyPrefix: redis.prefix,
  });
  const count = async (client: string): Promise<LimitVerdict> => {
    const [result, allowed] = await counter.consume(client).then(
      (result) => [result, true] as const,
      (reason: unknown) => {
        if (reason instanceof RateLimiterRes) return [reason, false] as const;
        throw reason;
      },
    );
    return { allowed, remaining: result.remainingPoints, resetMs: result.msBeforeNext };
  };
  return {
    middleware: (clientOf, onRefusal) => async (c, next) => {
      const verdict = await count(clientOf(c));
      const fields = limitHeaders(limit, verdict);
      for (const [name, value] of Object.entries(fields)) c.header(name, value);
      if (verdict.allowed) return await next();
      onRefusal();
      return c.json({ error: "Too many requests" }, 429);
    },
    close(): void {
      // Each client that is counted in this process has a timer; deleting the client stops it.
      for (const { key } of memory.dump().storage) void memory.delete(key);
    },
  };
}

/**
 * The rate-limit fields of a response: `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-10,
 * the fields of that draft up to version 6, which most servers send and most clients read, and `Retry-After` (RFC 9110
 * §10.2.3) if the client has to wait. Times are rounded up to whole seconds.
 */
function limitHeaders(
  { limit, windowSec }: RateLimit,
  { allowed, remaining, resetMs }: LimitVerdict,
): Record<string, string> {
  const resetSec = Math.ceil(resetMs / 1_000);
  return {
    "ratelimit-policy": `"user";q=${limit};w=${windowSec}`,
    "ratelimit": `"user";r=${remaining};t=${resetSec}`,
    "ratelimit-limit": `${limit}`,
    "ratelimit-remaining": `${remaining}`,
    "ratelimit-reset": `${resetSec}`,
    ...allowed ? {} : { "retry-after": `${resetSec}` },
  };
}
