/**
 * An agent's view of its coordinator's orders: whether the coordinator lives, still wants this run, and
 * when it starts.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { RedisClient } from "../../../targets/redis/client.ts";
import { type Orders, orders } from "../protocol/agent_message.ts";
import { LOOK_MS, ORDERS_MS, ordersKey, OUT_OF_TOUCH_MS } from "../protocol/redis_keys.ts";
import { answerWithin } from "../protocol/redis_link.ts";

/**
 * stopped: the coordinator wants what there is. The others want nothing any more: over, it is at another
 * run or at none; gone, it renews its orders no longer; out of touch, Redis does not answer.
 */
export type End = "stopped" | "over" | "gone" | "out of touch";

/** Orders, and how long ago they were written; null orders for none. */
export interface Seen {
  readonly orders: Orders | null;
  readonly ageMs: number;
}

/** What to make of the orders of one run. Pure: times are milliseconds by any one clock. */
export class OrdersSight {
  #writtenMs: number;
  #answeredMs: number;
  #inTouchSinceMs: number;
  #isSilent = false;

  constructor(private readonly run: string, nowMs: number) {
    this.#writtenMs = this.#answeredMs = this.#inTouchSinceMs = nowMs;
  }

  /** Redis has answered. */
  see({ orders, ageMs }: Seen, nowMs: number): End | null {
    if (this.#isSilent) this.#inTouchSinceMs = nowMs;
    this.#isSilent = false;
    this.#answeredMs = nowMs;
    if (orders?.run === this.run) {
      this.#writtenMs = nowMs - ageMs;
      return orders.stop ? "stopped" : null;
    }
    if (orders !== null) return "over"; // a run is ordered before its jobs are given
    const sinceMs = Math.max(this.#writtenMs, this.#inTouchSinceMs);
    return nowMs - sinceMs > ORDERS_MS.lives ? "gone" : null;
  }

  /** Redis has not answered. */
  seeNothing(nowMs: number): End | null {
    this.#isSilent = true;
    return nowMs - this.#answeredMs > OUT_OF_TOUCH_MS ? "out of touch" : null;
  }
}

/** What lies in Redis. Rejects when it does not answer. */
export async function readOrders(client: RedisClient, coordinator: string): Promise<Seen> {
  const key = ordersKey(coordinator);
  const [text, leftMs] = await answerWithin(Promise.all([client.get(key), client.pTTL(key)]));
  return { orders: parsed(text), ageMs: leftMs < 0 ? 0 : Math.max(0, ORDERS_MS.lives - leftMs) };
}

function parsed(text: string | null): Orders | null {
  try {
    return orders.parse(JSON.parse(text ?? "null"));
  } catch {
    return null;
  }
}

export interface WatchOptions {
  readonly client: RedisClient;
  readonly coordinator: string;
  readonly run: string;
}

/** Looks at the orders until it is closed. */
export class OrdersWatch {
  readonly #ends = new AbortController();
  readonly #lost = new AbortController();
  readonly #closed = new AbortController();
  readonly #start = Promise.withResolvers<number>();
  readonly #sight: OrdersSight;
  readonly #over: Promise<void>;
  #pauseMs: number = LOOK_MS.waiting;
  #isTold = false;
  #ended: End | null = null;

  constructor(private readonly options: WatchOptions) {
    this.#sight = new OrdersSight(options.run, performance.now());
    this.#start.promise.catch(() => {}); // nobody may be waiting for it
    this.#over = this.#look();
  }

  /** Why the load ends early; null while it goes on. */
  get ended(): End | null {
    return this.#ended;
  }

  /** Aborts when the load is to end early. */
  get ends(): AbortSignal {
    return this.#ends.signal;
  }

  /** Aborts when nobody waits any more for what is told. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** When to start, by Redis's clock; rejects when the run ends before. */
  startAtMs(): Promise<number> {
    return this.#start.promise;
  }

  /** Resolves when nobody waits any more for what is told, when the time is over, or when the signal aborts. */
  async over(limitMs: number, signal: AbortSignal): Promise<void> {
    this.#pauseMs = LOOK_MS.waiting;
    const endMs = performance.now() + limitMs;
    const isOpen = (): boolean => !this.lost.aborted && !signal.aborted;
    while (isOpen() && performance.now() < endMs) await sleep(LOOK_MS.waiting);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#over;
  }

  async #look(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted && !this.lost.aborted) {
      this.#heed(await this.#see());
      await sleep(this.#pauseMs, undefined, { signal }).catch(() => {});
    }
    this.#start.reject(new Error("Cannot start: the run is over"));
  }

  async #see(): Promise<End | null> {
    try {
      const seen = await readOrders(this.options.client, this.options.coordinator);
      const end = this.#sight.see(seen, performance.now());
      const startAtMs = seen.orders?.run === this.options.run ? seen.orders.startAtMs : null;
      if (startAtMs !== null && !this.#isTold) {
        this.#isTold = true;
        this.#pauseMs = LOOK_MS.loading;
        this.#start.resolve(startAtMs);
      }
      return end;
    } catch {
      return this.#sight.seeNothing(performance.now());
    }
  }

  #heed(end: End | null): void {
    if (end === null || this.#closed.signal.aborted) return;
    this.#ended = end;
    this.#ends.abort();
    if (end === "stopped") this.#start.reject(new Error("Cannot start: the run was stopped"));
    else this.#lost.abort();
  }
}
