/**
 * Responses in Redis, which may die, hang and come back at any time. While it is away, requests pass through at once,
 * and pings go to Redis in the background until it replies.
 */
import { Buffer } from "node:buffer";
import { ErrorReply, RESP_TYPES } from "redis";
import { TargetError } from "../../../../base/errors.ts";
import { settlesWithin } from "../../../launch/settles.ts";
import { connectRedis, OWN_KEYS } from "../../../redis/client.ts";
import type { ResponseStore, StoredResponse } from "./store.ts";
import * as z from "zod";

/** The limit for a command: longer than a store on the same machine takes, shorter than a user notices. */
const LIMIT_MS = 250;
const RETRY_MS = 100;

/** The commands that the store needs, with values in bytes. */
export interface RedisCommands {
  get(key: string): Promise<Uint8Array | null>;
  set(key: string, value: Uint8Array, keepMs: number): Promise<unknown>;
  ping(): Promise<unknown>;
  close(): void;
}

export class RedisStore implements ResponseStore {
  /** A part of every key that no other store has, not even that of the previous run. */
  readonly #run = crypto.randomUUID();
  #emptied = 0;
  #isUp = true;
  #isClosed = false;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly redis: RedisCommands) {}

  async get(key: string): Promise<StoredResponse | null> {
    const bytes = await this.#send(() => this.redis.get(this.#keyed(key)));
    return bytes === null ? null : decodeResponse(bytes);
  }

  async set(key: string, response: StoredResponse, keepMs: number): Promise<void> {
    const wholeMs = Math.ceil(keepMs); // PX takes whole numbers only
    await this.#send(() => this.redis.set(this.#keyed(key), encodeResponse(response), wholeMs));
  }

  /** Makes the stored responses impossible to find; they expire by themselves. */
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

  /**
   * Sends a command. Null if Redis refuses it, is down or takes too long; in the last two cases, Redis gets no command
   * until it responds again.
   */
  async #send<Reply>(command: () => Promise<Reply>): Promise<Reply | null> {
    if (!this.#isUp) return null;
    try {
      const reply = command();
      if (await settlesWithin(reply, LIMIT_MS)) return await reply;
      reply.catch(() => {}); // the reply comes too late to be used
    } catch (error) {
      if (error instanceof ErrorReply) return null; // Redis is there, and has refused
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
      const reply = this.redis.ping();
      const isUp = await settlesWithin(reply, LIMIT_MS).catch(() => false);
      reply.catch(() => {});
      if (this.#isClosed) return;
      if (isUp) this.#isUp = true;
      else this.#retryLater();
    }, RETRY_MS);
  }
}

/** Opens the store. Throws a TargetError when Redis does not respond at the start. */
export async function openRedisStore(url: string | null): Promise<RedisStore> {
  if (url === null) {
    throw new TargetError(
      "Cannot store responses in Redis: no Redis is known; name one with --redis URL or REDIS_URL",
    );
  }
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

/** The head of a stored response. It is stored as four bytes of length, the head as JSON, and the body as it is. */
const head = z.object({
  status: z.int(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  keptAtMs: z.number(),
  freshUntilMs: z.number(),
});

const LENGTH_BYTES = 4;

export function encodeResponse({ body, ...rest }: StoredResponse): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(rest));
  const bytes = new Uint8Array(LENGTH_BYTES + text.length + body.length);
  new DataView(bytes.buffer).setUint32(0, text.length);
  bytes.set(text, LENGTH_BYTES);
  bytes.set(body, LENGTH_BYTES + text.length);
  return bytes;
}

/** The stored response; null if the bytes are not one that this proxy has stored. */
export function decodeResponse(bytes: Uint8Array): StoredResponse | null {
  if (bytes.length < LENGTH_BYTES) return null;
  const bodyAt = LENGTH_BYTES + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  try {
    const text = new TextDecoder().decode(bytes.subarray(LENGTH_BYTES, bodyAt));
    return {
      ...head.parse(JSON.parse(text)),
      body: Uint8Array.from(bytes.subarray(bodyAt)),
    };
  } catch {
    return null;
  }
}
