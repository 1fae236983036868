/** The Redis that instances share: each has one connection, as in the study. */
import { TargetError } from "../../../scenarios/errors.ts";
import { connectRedis, type RedisClient } from "../../redis_client.ts";

/** What is in Redis begins with this. */
export const PREFIX = "plateau:user:";

/** Name of every instance's connection. */
const NAME = "plateau-user";

/**
 * Connects. The first of the instances that run forgets what an earlier run has left, so that a run
 * begins cold; one that joins others leaves what they share as it is.
 */
export async function openRedis(url: string | null): Promise<RedisClient> {
  if (url === null) {
    throw new TargetError(
      "Cannot start user as its settings keep something in Redis and there is none: " +
        "name one with --redis URL or REDIS_URL",
    );
  }
  const client = await connectRedis(url);
  await client.clientSetName(NAME);
  const running = (await client.clientList()).filter(({ name }) => name === NAME);
  const firstId = Math.min(...running.map(({ id }) => id));
  if (await client.clientId() === firstId) await forget(client);
  return client;
}

async function forget(client: RedisClient): Promise<void> {
  for await (const keys of client.scanIterator({ MATCH: `${PREFIX}*`, COUNT: 1_000 })) {
    if (keys.length > 0) await client.unlink(keys);
  }
}
