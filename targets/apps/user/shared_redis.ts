/** The Redis that instances share: each has one connection, as in the study. */
import { TargetError } from "../../../base/errors.ts";
import { forgetKeys, OWN_KEYS } from "../../own_keys.ts";
import { connectRedis, type RedisClient } from "../../redis_client.ts";

/** Name of every instance's connection. */
const NAME = "plateau-user";

/**
 * Connects. The first of the instances that run forgets what earlier ones have left, so that they begin
 * cold whoever starts them; one that joins others leaves what they share as it is.
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
  if (await client.clientId() === firstId) await forgetKeys(client, OWN_KEYS.user);
  return client;
}
