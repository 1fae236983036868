/**
 * Keeps responses in Redis, which may fail, hang and recover at any time. While it does not respond, requests go
 * straight to the origin, and pings are sent in the background until Redis replies.
 */
import { Buffer } from "node:buffer";
import { ErrorReply, RESP_TYPES } from "redis";
import { TargetError } from "../../../../base/errors.ts";
import { settlesWithin } from "../../../launch/settles.ts";
import { connectRedis, OWN_KEYS } from "../../../redis/client.ts";
import type { ResponseStore, StoredResponse } from "./store.ts";
import * as z from "zod";

/** The longest time for a command: more than a store on the same machine needs, but too short for a user to notice. */
const LIMIT_MS = 250;
const RETRY_MS = 100;

/** The commands that the store needs; values are bytes. */
export interface RedisCommands {
  get(key: string): Promise<Uint8Array | null>;
  set(key: string, value: Uint8Array, keepMs: number): Promise<unknown>;
  ping(): Promise<unknown>;
  close(): void;
}

export class RedisStore implements ResponseStore {
  /** A part of every key that is unique to this store, so that it never finds responses of an earlier run. */
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
    const wholeMs = Math.ceil(keepMs); // PX accepts only integers
    await this.#send(() => this.redis.set(this.#keyed(key), encodeResponse(response), wholeMs));
  }

  /** Makes all stored responses impossible to find; they stay in Redis until they expire. */
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
   * Sends a command. Null if Redis is down, takes too long or refuses the command. After a timeout or a lost
   * connection, no command is sent until Redis responds to pings again.
   */
  async #send<Reply>(command: () => Promise<Reply>): Promise<Reply | null> {
    if (!this.#isUp) return null;
    try {
      const reply = command();
      if (await settlesWithin(reply, LIMIT_MS)) return await reply;
      reply.catch(() => {}); // a late failure is of no interest
    } catch (error) {
      if (error instanceof ErrorReply) return null; // Redis is up but has refused the command
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

/** Opens the store. Throws a TargetError if Redis does not respond. */
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

/**
 * The head of a stored response. A response is stored as the length of its head in four bytes, the head as JSON, and
 * the body.
 */
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

/** Decodes a stored response; null if the bytes were not written by this proxy. */
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
