import type { Provider } from "@nestjs/common";
import { createClient } from "redis";

export const REDIS = Symbol("REDIS");
export type Redis = Awaited<ReturnType<typeof connect>>;

async function connect(url: string) {
  const redis = await createClient({ url }).connect();
  await redis.set("plateau:counter", 1);
  return redis;
}

export const redisProvider: Provider = {
  provide: REDIS,
  useFactory: async () => {
    const { REDIS_URL } = process.env;
    return REDIS_URL ? await connect(REDIS_URL) : null;
  },
};
