/**
 * Provides the Redis for a run: the one that the user named; otherwise one that is running on this machine; otherwise a
 * private one.
 */
import { startSupervised } from "../launch/child.ts";
import type { WatchedTree } from "../launch/launcher.ts";
import { awaitStartUp } from "../launch/start_up.ts";
import { cleanEnv, findProgram, freePort } from "../launch/environment.ts";
import { connectRedis, forgetKeys, OWN_KEYS, printableUrl, type RedisClient } from "./client.ts";
import { messageOf, TargetError } from "../../base/errors.ts";

/** A Redis (or Valkey) server that has replied. */
export interface ProvidedRedis extends WatchedTree {
  /** The URL, which may contain a password. To print it, use `printableUrl` of client.ts. */
  readonly url: string;
  /**
   * Where the Redis comes from. given: named by the user; found: running at 127.0.0.1:6379; private: started for this
   * run.
   */
  readonly kind: "given" | "found" | "private";
  /** The version, such as `7.0.15`. */
  readonly version: string;
  /**
   * Removes what earlier runs have left: all keys of a private server, but in any other only the keys of Plateau's own
   * servers. Throws a TargetError if the server refuses.
   */
  forget(): Promise<void>;
  /** Stops a private server, and does nothing to any other. Idempotent. */
  stop(): Promise<void>;
}

interface RedisOptions {
  /** The URL that the user gave (`--redis`, `REDIS_URL`); null if none. */
  readonly url: string | null;
  /** Stops the wait for a private Redis to start. */
  readonly signal: AbortSignal;
  /** Where to look for a running Redis if `url` is null. */
  readonly wellKnownUrl?: string;
  /** The environment of a private Redis. Its executable is looked up in this environment's PATH. */
  readonly env?: Record<string, string>;
}

const PROGRAMS = ["redis-server", "valkey-server"];

const START_MS = 5_000;

/**
 * The Redis for a run; null if the user named none, none is running, and none is installed. Throws as `connectRedis`
 * does if the one that the user named does not reply, and a TargetError if a private one does not start.
 */
export async function provideRedis(
  { url, signal, wellKnownUrl = "redis://127.0.0.1:6379", env = cleanEnv() }: RedisOptions,
): Promise<ProvidedRedis | null> {
  if (url !== null) return foreign(url, "given", await readVersion(url));
  signal.throwIfAborted();
  const found = await readVersion(wellKnownUrl).catch(() => null);
  if (found !== null) return foreign(wellKnownUrl, "found", found);
  return await startPrivate(env, signal);
}

function foreign(url: string, kind: "given" | "found", version: string): ProvidedRedis {
  const forget = (): Promise<void> =>
    tidy(url, async (client) => {
      for (const prefix of Object.values(OWN_KEYS)) await forgetKeys(client, prefix);
    });
  const stop = (): Promise<void> => Promise.resolve();
  return { url, kind, version, pid: null, supervised: false, forget, stop };
}

async function tidy(url: string, use: (client: RedisClient) => Promise<unknown>): Promise<void> {
  const client = await connectRedis(url);
  try {
    await use(client);
  } catch (error) {
    const why = messageOf(error);
    throw new TargetError(
      `Cannot remove what earlier runs have left in Redis at ${printableUrl(url)}: ${why}`,
    );
  } finally {
    client.destroy();
  }
}

/** The version of the server. Throws as `connectRedis` does. */
async function readVersion(url: string): Promise<string> {
  const client = await connectRedis(url);
  try {
    const info = await client.info("server").catch(() => ""); // the server's ACL may forbid INFO
    return /^(?:valkey|redis)_version:(\S+)/m.exec(info)?.[1] ?? "unknown";
  } finally {
    client.destroy();
  }
}

/** Starts a private server, which writes nothing to disk and ends with this process. Null if Redis is not installed. */
async function startPrivate(
  env: Record<string, string>,
  signal: AbortSignal,
): Promise<ProvidedRedis | null> {
  const here = { path: env.PATH ?? "", cwd: Deno.cwd() };
  const program = PROGRAMS.map((name) => findProgram(name, here)).find((path) => path !== null);
  if (program === undefined) return null;
  const port = freePort();
  const options = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const url = `redis://127.0.0.1:${port}`;
  const child = startSupervised([program, ...options], { env });
  const { result } = await awaitStartUp({
    child,
    what: "a private Redis",
    request: "PING",
    limitMs: START_MS,
    signal,
    attempt: () => readVersion(url),
  });
  const { pid, supervised, stop } = child;
  const forget = (): Promise<void> => tidy(url, (client) => client.flushAll());
  return { url, kind: "private", version: result, pid, supervised, forget, stop };
}
