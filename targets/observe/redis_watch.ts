/**
 * Watches the Redis of a run: on Linux through its processes if Plateau started it, otherwise through what Redis
 * reports about itself.
 */
import { connectRedis, type RedisClient } from "../redis/client.ts";
import { settlesWithin } from "../launch/settles.ts";
import type { ProvidedRedis } from "../redis/provide.ts";
import { TreeUse } from "./tree_use.ts";
import {
  type Keyspace,
  lookEachInterval,
  type LookTimes,
  type PartUse,
  type ResourceWatch,
  type UseSample,
  UseSeries,
  type WatchedUse,
} from "./use_series.ts";

/** What Redis has counted since it started, or since its counts were reset. */
interface RedisCounts extends Keyspace {
  /** The time that Redis spent on commands, in ms. */
  readonly busyMs: number;
}

/** Measures what a Redis uses. It may hold a connection, so it must be closed. */
export interface RedisUse {
  /**
   * The use since the last call; at the first call, since the measurement was opened. Null if it cannot be measured.
   */
  take(): Promise<UseSample | null>;
  /** The current counts; null if they cannot be read. */
  counts(): Promise<RedisCounts | null>;
  close(): void;
}

/** Begins to measure a Redis. Null if INFO is the only way to measure it, and it does not answer INFO. */
export async function openRedisUse(
  { url, pid, supervised }: Pick<ProvidedRedis, "url" | "pid" | "supervised">,
): Promise<RedisUse | null> {
  if (pid === null || Deno.build.os !== "linux") return await RedisInfo.open(url);
  const tree = new TreeUse({ pid, supervised });
  const client = await connectRedis(url).catch(() => null);
  return {
    take: () => Promise.resolve(tree.take()),
    counts: () => client === null ? Promise.resolve(null) : readCounts(client),
    close: () => client?.destroy(),
  };
}

async function readCounts(client: RedisClient): Promise<RedisCounts | null> {
  const texts = [client.info("stats"), client.info("commandstats")];
  const [stats, commands] = await Promise.all(texts).catch(() => ["", ""]);
  const [hits, misses] = ["hits", "misses"].map((of) =>
    Number(new RegExp(`^keyspace_${of}:(\\d+)`, "m").exec(stats)?.[1] ?? NaN)
  );
  if (Number.isNaN(hits + misses)) return null;
  const usecs = [...commands.matchAll(/^cmdstat_[^:]*:.*\busec=(\d+)/gm)].map(([, us]) =>
    Number(us)
  );
  return { hits, misses, busyMs: usecs.reduce((sum, us) => sum + us, 0) / 1_000 };
}

/** The time limit for the last look: a Redis that hangs must not keep the run from ending. */
const LAST_LOOK_MS = 500;

export function watchRedis(redis: RedisUse, times: LookTimes): ResourceWatch {
  const series = new UseSeries(times);
  const beganMs = performance.now();
  const before = redis.counts();
  let counted: Pick<PartUse, "keyspace" | "busy"> = {};
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
        counted = since(await before, await redis.counts(), performance.now() - beganMs);
      });
      await settlesWithin(looked, LAST_LOOK_MS);
      const points = series.points();
      const redisPart = { role: "redis" as const, name: "Redis", points };
      return {
        resources: [],
        parts: points.length > 0 ? [{ ...redisPart, ...counted }] : [],
      };
    },
  };
}

/**
 * What Redis did between two counts: its look-ups, and the share of the time in which it carried out commands. Empty if
 * either count is unknown, or the counts were reset in between.
 */
function since(
  before: RedisCounts | null,
  after: RedisCounts | null,
  elapsedMs: number,
): Pick<PartUse, "keyspace" | "busy"> {
  if (before === null || after === null || after.hits < before.hits) return {};
  const [hits, misses, busyMs] = (["hits", "misses", "busyMs"] as const)
    .map((of) => Math.max(0, after[of] - before[of]));
  return { keyspace: { hits, misses }, ...elapsedMs > 0 && { busy: busyMs / elapsedMs } };
}

/**
 * Measures a Redis whose process cannot be watched, through the INFO command. With the default interval, INFO is sent
 * four times a second and costs Redis some 50 µs each time; the measured use includes this cost.
 */
export class RedisInfo {
  #last: RedisTotals | null = null;

  private constructor(private readonly client: RedisClient) {}

  /** Opens the connection; null if Redis does not reply, or refuses INFO. */
  static async open(url: string): Promise<RedisInfo | null> {
    const client = await connectRedis(url).catch(() => null);
    if (client === null) return null;
    const redis = new RedisInfo(client);
    if (await redis.take() !== null) return redis;
    redis.close();
    return null;
  }

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
    const unknown = { processes: null, threads: null, files: null, filesLeft: null };
    return { cpuMs, systemMs, memoryBytes, ...unknown, switches: null };
  }

  counts(): Promise<RedisCounts | null> {
    return readCounts(this.client);
  }

  close(): void {
    this.client.destroy();
  }
}

type RedisTotals = Pick<UseSample, "cpuMs" | "systemMs" | "memoryBytes">;

/**
 * Reads, from the reply to INFO, the memory and the CPU time since Redis started, including that of ended children;
 * null if a line is missing.
 */
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
