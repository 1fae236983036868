/** What a coordinator wants of its agents, kept alive in Redis for as long as the coordinator lives. */
import type { RedisClient } from "../../../targets/redis/client.ts";
import type { Orders } from "../protocol/agent_message.ts";
import { ORDERS_MS, ordersKey } from "../protocol/redis_keys.ts";
import { answerWithin } from "../protocol/redis_link.ts";

/** The last orders are there for so long: agents look every 50 ms when they wait. */
const LAST_MS = 200;

export const IDLE: Orders = { run: null, startAtMs: null, stop: false };

export class OrdersKeeper {
  #orders = IDLE;
  #renewal: ReturnType<typeof setInterval> | undefined;
  /** When Redis last answered, and since when it has answered without a gap; by performance.now(). */
  #answeredMs = -Infinity;
  #inTouchSinceMs = Infinity;

  constructor(private readonly client: RedisClient, private readonly coordinator: string) {}

  async begin(): Promise<void> {
    await this.give(IDLE);
    this.#renewal = setInterval(() => this.#write().catch(() => {}), ORDERS_MS.renewed);
  }

  /** Throws when Redis does not answer; they are written again all the same. */
  async give(orders: Orders): Promise<void> {
    this.#orders = orders;
    await this.#write();
  }

  async #write(): Promise<void> {
    const text = JSON.stringify(this.#orders);
    const expiration = { type: "PX", value: ORDERS_MS.lives } as const;
    const written = this.client.set(ordersKey(this.coordinator), text, { expiration });
    await answerWithin(written.then(() => this.#touch()));
  }

  #touch(): void {
    const nowMs = performance.now();
    if (nowMs - this.#answeredMs > ORDERS_MS.lives) this.#inTouchSinceMs = nowMs;
    this.#answeredMs = nowMs;
  }

  /** Since when Redis has answered without a gap, by performance.now(); Infinity while it does not. */
  get inTouchSinceMs(): number {
    return performance.now() - this.#answeredMs > ORDERS_MS.lives ? Infinity : this.#inTouchSinceMs;
  }

  /** How long Redis has not answered, milliseconds. */
  get silentMs(): number {
    return performance.now() - this.#answeredMs;
  }

  /** Wants nothing more. Agents have a moment to see that, which is sooner than they notice its absence. */
  async end(): Promise<void> {
    clearInterval(this.#renewal);
    const expiration = { type: "PX", value: LAST_MS } as const;
    const key = ordersKey(this.coordinator);
    await answerWithin(this.client.set(key, JSON.stringify(IDLE), { expiration })).catch(() => {});
  }
}
