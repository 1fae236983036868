/** A connection to Redis (or Valkey), and the address of Redis in a form that may be printed. */
import type { createClient } from "redis";
import { messageOf, TargetError, UserError } from "../../base/errors.ts";
import { settlesWithin } from "../launch/settles.ts";

/** The limit for the first reply. A server over TLS, on a busy machine, may take some seconds. */
const FIRST_REPLY_MS = 5_000;
const RECONNECT_MS = 100;

export type RedisClient = ReturnType<typeof createClient>;

interface ConnectOptions {
  /** Authorities that are trusted besides the usual ones, as PEM; for rediss. */
  readonly caCerts?: readonly string[];
  /** Whether commands wait while the connection is lost; if not, they fail at once. */
  readonly waits?: boolean;
}

/**
 * Connects to Redis and waits for a reply to PING. A connection that is lost later is dialled again. Throws a UserError
 * if `url` is invalid, or a TargetError that names the server, without its password, if it does not reply.
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

/** The address without user name and password. */
export function printableUrl(url: string): string {
  const printable = new URL(url);
  printable.username = printable.password = "";
  return printable.href;
}

/**
 * The prefixes of the keys of Plateau's own servers, in a Redis that others may use, too. All of them begin with
 * `plateau:`.
 */
export const OWN_KEYS = { user: "plateau:user:", proxy: "plateau:proxy:" } as const;

/** Removes all keys that begin with `prefix`; others stay. */
export async function forgetKeys(client: RedisClient, prefix: string): Promise<void> {
  for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1_000 })) {
    if (keys.length > 0) await client.unlink(keys);
  }
}
