/**
 * Answers in Redis. It may die, hang and come back at any time: then requests pass through at once, and
 * it is asked again in the background until it answers.
 */
import { Buffer } from "node:buffer";
import { ErrorReply, RESP_TYPES } from "redis";
import { TargetError } from "../../../base/errors.ts";
import { settlesWithin } from "../../launch/settles.ts";
import { OWN_KEYS } from "../../own_keys.ts";
import { connectRedis } from "../../redis_client.ts";
import { decodeAnswer, encodeAnswer } from "./encoding.ts";
import type { KeptAnswer, Store } from "./store.ts";

/** Longer than a store on the same machine takes, shorter than a user notices. */
const LIMIT_MS = 250;
const RETRY_MS = 100;

/** What is asked of Redis, in bytes. */
export interface RedisCommands {
  get(key: string): Promise<Uint8Array | null>;
  set(key: string, value: Uint8Array, keepMs: number): Promise<unknown>;
  ping(): Promise<unknown>;
  close(): void;
}

export class RedisStore implements Store {
  /** Nobody else's answers, not even those of the run before, are under these keys. */
  readonly #run = crypto.randomUUID();
  #emptied = 0;
  #isUp = true;
  #isClosed = false;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly redis: RedisCommands) {}

  async get(key: string): Promise<KeptAnswer | null> {
    const bytes = await this.#ask(() => this.redis.get(this.#keyed(key)));
    return bytes === null ? null : decodeAnswer(bytes);
  }

  async set(key: string, answer: KeptAnswer, keepMs: number): Promise<void> {
    const wholeMs = Math.ceil(keepMs); // PX takes no others
    await this.#ask(() => this.redis.set(this.#keyed(key), encodeAnswer(answer), wholeMs));
  }

  /** What was kept is never asked for again, and ends by its time. */
  empty(): void {
    this.#emptied++;
  }

  close(): void {
    clearTimeout(this.#retry);
    this.#isUp = false;
    this.#isClosed = true;
    this.redis.close();
  }

  #keyed(key: string): string {
    return `${OWN_KEYS.proxy}${this.#run}:${this.#emptied}:${key}`;
  }

  /** Null when Redis refuses; and when it is down or takes too long: then nobody asks it until it answers again. */
  async #ask<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
    if (!this.#isUp) return null;
    try {
      const answer = ask();
      if (await settlesWithin(answer, LIMIT_MS)) return await answer;
      answer.catch(() => {}); // it comes too late
    } catch (error) {
      if (error instanceof ErrorReply) return null; // it is there
    }
    this.#down();
    return null;
  }

  #down(): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#retryLater();
  }

  #retryLater(): void {
    this.#retry = setTimeout(async () => {
      const answer = this.redis.ping();
      const isUp = await settlesWithin(answer, LIMIT_MS).catch(() => false);
      answer.catch(() => {});
      if (this.#isClosed) return;
      if (isUp) this.#isUp = true;
      else this.#retryLater();
    }, RETRY_MS);
  }
}

/** Throws a TargetError when Redis does not answer at the start. */
export async function openRedisStore(url: string | null): Promise<RedisStore> {
  if (url === null) throw new TargetError("Cannot keep answers in Redis: there is none");
  const client = await connectRedis(url);
  const inBytes = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  return new RedisStore({
    get: (key) => inBytes.get(key),
    set: (key, value, keepMs) =>
      client.set(key, Buffer.from(value), { expiration: { type: "PX", value: keepMs } }),
    ping: () => client.ping(),
    close: () => client.destroy(),
  });
}
