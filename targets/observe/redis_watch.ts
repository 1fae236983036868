/** Watches the Redis of a run: a private one by its processes, another by what it says of itself. */
import { connectRedis, type RedisClient } from "../redis/client.ts";
import { settlesWithin } from "../launch/settles.ts";
import type { ProvidedRedis } from "../redis/provide.ts";
import { TreeUse } from "./tree_use.ts";
import { type UseSample, UseSeries } from "./use.ts";
import {
  type Keyspace,
  lookEachInterval,
  type LookTimes,
  type ResourceWatch,
  type WatchedUse,
} from "./watch.ts";

/** Read again and again; a connection may belong to it. */
export interface RedisUse {
  /** Since the last time, the first time none; null when it can't be had. */
  take(): Promise<UseSample | null>;
  /** Since it began; null when it can't be had. */
  keyspace(): Promise<Keyspace | null>;
  close(): void;
}

/** Null where it is unknown. */
export async function openRedisUse(
  { url, pid, supervised }: Pick<ProvidedRedis, "url" | "pid" | "supervised">,
): Promise<RedisUse | null> {
  if (pid === null || Deno.build.os !== "linux") return await RedisInfo.open(url);
  const tree = new TreeUse({ pid, supervised });
  const client = await connectRedis(url).catch(() => null);
  return {
    take: () => Promise.resolve(tree.take()),
    keyspace: () => client === null ? Promise.resolve(null) : readKeyspace(client),
    close: () => client?.destroy(),
  };
}

async function readKeyspace(client: RedisClient): Promise<Keyspace | null> {
  const text = await client.info("stats").catch(() => "");
  const [hits, misses] = ["hits", "misses"].map((of) =>
    Number(new RegExp(`^keyspace_${of}:(\\d+)`, "m").exec(text)?.[1] ?? NaN)
  );
  return Number.isNaN(hits + misses) ? null : { hits, misses };
}

/** One that hangs does not keep the run from ending. */
const LAST_LOOK_MS = 500;

export function watchRedis(redis: RedisUse, times: LookTimes): ResourceWatch {
  const series = new UseSeries(times);
  const before = redis.keyspace();
  let after: Keyspace | null = null;
  let looked = Promise.resolve();
  const look = (): void => {
    looked = looked.then(async () => {
      const use = await redis.take();
      if (use !== null) series.add(performance.now(), use);
    });
  };
  const end = lookEachInterval(times, look);
  return {
    async stop(): Promise<WatchedUse> {
      end();
      look();
      looked = looked.then(async () => {
        after = since(await before, await redis.keyspace());
      });
      await settlesWithin(looked, LAST_LOOK_MS);
      const points = series.points();
      const redisPart = { role: "redis" as const, name: "Redis", points };
      return {
        resources: [],
        parts: points.length > 0 ? [{ ...redisPart, ...after && { keyspace: after } }] : [],
      };
    },
  };
}

/** Null where either is unknown, or Redis began to count anew meanwhile. */
function since(before: Keyspace | null, after: Keyspace | null): Keyspace | null {
  if (before === null || after === null || after.hits < before.hits) return null;
  return { hits: after.hits - before.hits, misses: Math.max(0, after.misses - before.misses) };
}

/**
 * The use of a Redis whose process is not ours to watch, by its own INFO. Each INFO costs it some 50 µs, four
 * times a second; that is in its own figures.
 */
export class RedisInfo {
  #last: RedisTotals | null = null;

  private constructor(private readonly client: RedisClient) {}

  /** Null when it does not reply, or refuses INFO. */
  static async open(url: string): Promise<RedisInfo | null> {
    const client = await connectRedis(url).catch(() => null);
    if (client === null) return null;
    const redis = new RedisInfo(client);
    if (await redis.take() !== null) return redis;
    redis.close();
    return null;
  }

  /** As `RedisUse.take`. */
  async take(): Promise<UseSample | null> {
    const texts = [this.client.info("cpu"), this.client.info("memory")];
    const info = await Promise.all(texts).catch(() => null);
    const totals = info && parseInfo(info.join("\n"));
    if (totals === null) return null;
    const last = this.#last ?? totals;
    this.#last = totals;
    const cpuMs = Math.max(0, totals.cpuMs - last.cpuMs);
    const systemMs = Math.min(cpuMs, Math.max(0, totals.systemMs - last.systemMs));
    const { memoryBytes } = totals;
    return { cpuMs, systemMs, memoryBytes, threads: null, files: null, switches: null };
  }

  keyspace(): Promise<Keyspace | null> {
    return readKeyspace(this.client);
  }

  close(): void {
    this.client.destroy();
  }
}

type RedisTotals = Pick<UseSample, "cpuMs" | "systemMs" | "memoryBytes">;

/** CPU time since it started, with that of ended children, and memory; null when a line of these is missing. */
export function parseInfo(text: string): RedisTotals | null {
  const read = (field: string): number =>
    Number(new RegExp(`^${field}:([\\d.]+)`, "m").exec(text)?.[1] ?? NaN);
  const systemMs = (read("used_cpu_sys") + read("used_cpu_sys_children")) * 1_000;
  const userMs = (read("used_cpu_user") + read("used_cpu_user_children")) * 1_000;
  const memoryBytes = read("used_memory_rss");
  return Number.isNaN(systemMs + userMs + memoryBytes)
    ? null
    : { cpuMs: systemMs + userMs, systemMs, memoryBytes };
}
