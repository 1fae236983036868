/**
 * What a Redis uses whose process is not ours to watch, as it says itself. To say it takes it some 50 µs,
 * four times a second; that is in its own figures.
 */
import { connectRedis, type RedisClient } from "../redis_client.ts";
import type { Use } from "./use.ts";

export class RedisInfo {
  #last: Told | null = null;

  private constructor(private readonly client: RedisClient) {}

  /** Null when it does not answer, or may not be asked. */
  static async open(url: string): Promise<RedisInfo | null> {
    const client = await connectRedis(url).catch(() => null);
    if (client === null) return null;
    const redis = new RedisInfo(client);
    if (await redis.take() !== null) return redis;
    redis.close();
    return null;
  }

  /** As `RedisUse.take`. */
  async take(): Promise<Use | null> {
    const texts = [this.client.info("cpu"), this.client.info("memory")];
    const info = await Promise.all(texts).catch(() => null);
    const told = info && parseInfo(info.join("\n"));
    if (told === null) return null;
    const last = this.#last ?? told;
    this.#last = told;
    const cpuMs = Math.max(0, told.cpuMs - last.cpuMs);
    const systemMs = Math.min(cpuMs, Math.max(0, told.systemMs - last.systemMs));
    const { memoryBytes } = told;
    return { cpuMs, systemMs, memoryBytes, threads: null, files: null, switches: null };
  }

  close(): void {
    this.client.destroy();
  }
}

type Told = Pick<Use, "cpuMs" | "systemMs" | "memoryBytes">;

/** CPU time since it started, with that of ended children, and memory; null when a line of these is missing. */
export function parseInfo(text: string): Told | null {
  const read = (field: string): number =>
    Number(new RegExp(`^${field}:([\\d.]+)`, "m").exec(text)?.[1] ?? NaN);
  const systemMs = (read("used_cpu_sys") + read("used_cpu_sys_children")) * 1_000;
  const userMs = (read("used_cpu_user") + read("used_cpu_user_children")) * 1_000;
  const memoryBytes = read("used_memory_rss");
  return Number.isNaN(systemMs + userMs + memoryBytes)
    ? null
    : { cpuMs: systemMs + userMs, systemMs, memoryBytes };
}
