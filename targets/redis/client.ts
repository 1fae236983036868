/** Connects to Redis (or Valkey), and makes its address safe to print. */
import type { createClient } from "redis";
import { messageOf, TargetError, UserError } from "../../base/errors.ts";
import { settlesWithin } from "../launch/settles.ts";

/** The time limit for the first reply. On a busy machine, TLS may take some seconds. */
const FIRST_REPLY_MS = 5_000;
const RECONNECT_MS = 100;

export type RedisClient = ReturnType<typeof createClient>;

interface ConnectOptions {
  /** Certificate authorities to trust in addition to the usual ones, in PEM, for `rediss:` URLs. */
  readonly caCerts?: readonly string[];
  /** Whether commands wait for a new connection if the connection is lost. Otherwise they fail at once. */
  readonly waits?: boolean;
}

/**
 * Connects to Redis, and waits for a reply to PING. If the connection is lost later, it is re-established. Throws a
 * UserError if `url` is invalid, or a TargetError if the server does not reply. The error names the server without its
 * password.
 */
export async function connectRedis(
  url: string,
  { caCerts, waits = false }: ConnectOptions = {},
): Promise<RedisClient> {
  if (!/^rediss?:$/.test(URL.parse(url)?.protocol ?? "")) throw notAnAddress();
  const { makeClient } = await import("./package.ts");
  let replied = false;
  const client: RedisClient = makeClient({
    url,
    disableOfflineQueue: !waits,
    socket: {
      ...caCerts !== undefined && { ca: [...caCerts] },
      connectTimeout: FIRST_REPLY_MS,
      reconnectStrategy: () => replied && RECONNECT_MS,
    },
  });
  client.on("error", () => {}); // the command that fails reports the error
  try {
    const first = client.connect().then(() => client.ping());
    replied = await settlesWithin(first, FIRST_REPLY_MS);
    if (replied) return client;
    throw new Error(`no reply in ${FIRST_REPLY_MS / 1_000} s`);
  } catch (error) {
    client.destroy();
    throw new TargetError(
      `Cannot use Redis at ${printableUrl(url)}, because it does not reply to PING: ${
        messageOf(error)
      }`,
    );
  }
}

function notAnAddress(): UserError {
  const message = "Cannot read the address of Redis";
  return new UserError([{ place: "--redis, REDIS_URL", message, fix: "write redis://host:port" }]);
}

/** The URL without user name and password. */
export function printableUrl(url: string): string {
  const printable = new URL(url);
  printable.username = printable.password = "";
  return printable.href;
}

/**
 * The prefixes of all keys that Plateau's own servers use. They begin with `plateau:`, because others may use the same
 * Redis.
 */
export const OWN_KEYS = { user: "plateau:user:", proxy: "plateau:proxy:" } as const;

export async function forgetKeys(client: RedisClient, prefix: string): Promise<void> {
  for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1_000 })) {
    if (keys.length > 0) await client.unlink(keys);
  }
}
