/** The run state that a coordinator announces to its agents, kept in Redis for as long as the coordinator lives. */
import type { RedisClient } from "../../../targets/redis/client.ts";
import type { RunState } from "../protocol/agent_message.ts";
import { RUN_STATE_MS, runStateKey } from "../protocol/redis_keys.ts";
import { replyWithin } from "../protocol/redis_link.ts";

/** Lifetime of the last run state: long enough for waiting agents, which poll every 50 ms, to see it. */
const LAST_MS = 200;

export const IDLE: RunState = { run: null, startAtMs: null, stop: false };

export class RunStateKeeper {
  #runState = IDLE;
  #renewal: ReturnType<typeof setInterval> | undefined;
  /** When Redis last responded, and since when it has responded without a gap; both by performance.now(). */
  #repliedMs = -Infinity;
  #inTouchSinceMs = Infinity;

  constructor(private readonly client: RedisClient, private readonly coordinator: string) {}

  async begin(): Promise<void> {
    await this.publish(IDLE);
    this.#renewal = setInterval(() => this.#write().catch(() => {}), RUN_STATE_MS.renewed);
  }

  /** Announces a run state. Throws if Redis does not respond; the state is then written later. */
  async publish(runState: RunState): Promise<void> {
    this.#runState = runState;
    await this.#write();
  }

  async #write(): Promise<void> {
    const text = JSON.stringify(this.#runState);
    const expiration = { type: "PX", value: RUN_STATE_MS.lives } as const;
    const written = this.client.set(runStateKey(this.coordinator), text, { expiration });
    await replyWithin(written.then(() => this.#touch()));
  }

  #touch(): void {
    const nowMs = performance.now();
    if (nowMs - this.#repliedMs > RUN_STATE_MS.lives) this.#inTouchSinceMs = nowMs;
    this.#repliedMs = nowMs;
  }

  /**
   * The moment since which Redis has responded without a gap, by performance.now(); Infinity while Redis does not
   * respond.
   */
  get inTouchSinceMs(): number {
    return performance.now() - this.#repliedMs > RUN_STATE_MS.lives
      ? Infinity
      : this.#inTouchSinceMs;
  }

  /** Milliseconds since Redis last responded. */
  get silentMs(): number {
    return performance.now() - this.#repliedMs;
  }

  /** Announces that no run is wanted any more, because agents notice this sooner than the absence of a run state. */
  async end(): Promise<void> {
    clearInterval(this.#renewal);
    const expiration = { type: "PX", value: LAST_MS } as const;
    const key = runStateKey(this.coordinator);
    await replyWithin(this.client.set(key, JSON.stringify(IDLE), { expiration })).catch(() => {});
  }
}
