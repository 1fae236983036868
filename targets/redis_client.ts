/** A connection to Redis (or Valkey), and its address as it may be printed. */
import type { createClient } from "redis";
import { messageOf, TargetError, UserError } from "../base/errors.ts";
import { settlesWithin } from "./launch/settles.ts";

/** A server that takes longer to its first answer is not used. */
const FIRST_ANSWER_MS = 2_000;
const RECONNECT_MS = 100;

export type RedisClient = ReturnType<typeof createClient>;

export interface ConnectOptions {
  /** Authorities that are trusted besides the usual ones, as PEM; for rediss. */
  readonly caCerts?: readonly string[];
  /** What is asked while the connection is lost waits until it is back; else it fails at once. */
  readonly waits?: boolean;
}

/**
 * Connects and sees PING answered. A connection that is lost later is dialled again. Throws a UserError
 * when `url` is none, a TargetError that names the server, without its password, when it does not answer.
 */
export async function connectRedis(
  url: string,
  { caCerts, waits = false }: ConnectOptions = {},
): Promise<RedisClient> {
  if (!/^rediss?:$/.test(URL.parse(url)?.protocol ?? "")) throw notAnAddress();
  const { makeClient } = await import("./redis_package.ts");
  let answered = false;
  const client: RedisClient = makeClient({
    url,
    disableOfflineQueue: !waits,
    socket: {
      ...caCerts !== undefined && { ca: [...caCerts] },
      connectTimeout: FIRST_ANSWER_MS,
      reconnectStrategy: () => answered && RECONNECT_MS,
    },
  });
  client.on("error", () => {}); // told by the command that fails
  try {
    const first = client.connect().then(() => client.ping());
    answered = await settlesWithin(first, FIRST_ANSWER_MS);
    if (answered) return client;
    throw new Error(`no answer in ${FIRST_ANSWER_MS / 1_000} s`);
  } catch (error) {
    client.destroy();
    throw new TargetError(
      `Cannot use Redis at ${printableUrl(url)} as it does not answer PING: ${messageOf(error)}`,
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
