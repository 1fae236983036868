/**
 * An agent's view of its coordinator's run state: whether the coordinator lives, whether it still wants this run, and
 * when the run starts.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { RedisClient } from "../../../targets/redis/client.ts";
import { type RunState, runState } from "../protocol/agent_message.ts";
import { OUT_OF_TOUCH_MS, POLL_MS, RUN_STATE_MS, runStateKey } from "../protocol/redis_keys.ts";
import { replyWithin } from "../protocol/redis_link.ts";

/**
 * Why a load ends early. stopped: the coordinator wants the results so far; in all other cases it wants none. over: the
 * coordinator has moved on to another run, or to none. gone: the coordinator no longer renews its run state. out of
 * touch: Redis does not respond.
 */
export type End = "stopped" | "over" | "gone" | "out of touch";

/** The run state as read from Redis, and its age; `runState` is null if there is none. */
interface SeenRunState {
  readonly runState: RunState | null;
  readonly ageMs: number;
}

/**
 * What the coordinator's run state means for one run. Pure: times are arguments, in milliseconds of any clock that is
 * the same for all calls.
 */
export class RunStateView {
  #writtenMs: number;
  #repliedMs: number;
  #inTouchSinceMs: number;
  #isSilent = false;

  constructor(private readonly run: string, nowMs: number) {
    this.#writtenMs = this.#repliedMs = this.#inTouchSinceMs = nowMs;
  }

  /**
   * To be called when Redis has responded, perhaps without a run state. Returns why the load must end; null if it may
   * go on.
   */
  see({ runState, ageMs }: SeenRunState, nowMs: number): End | null {
    if (this.#isSilent) this.#inTouchSinceMs = nowMs;
    this.#isSilent = false;
    this.#repliedMs = nowMs;
    if (runState?.run === this.run) {
      this.#writtenMs = nowMs - ageMs;
      return runState.stop ? "stopped" : null;
    }
    if (runState !== null) return "over"; // a later run's: each run is announced before its jobs
    const sinceMs = Math.max(this.#writtenMs, this.#inTouchSinceMs);
    return nowMs - sinceMs > RUN_STATE_MS.lives ? "gone" : null;
  }

  /** To be called when Redis has not responded. Returns why the load must end; null if it may go on. */
  seeNothing(nowMs: number): End | null {
    this.#isSilent = true;
    return nowMs - this.#repliedMs > OUT_OF_TOUCH_MS ? "out of touch" : null;
  }
}

/** Reads the run state from Redis. Rejects when Redis does not respond. */
export async function readRunState(
  client: RedisClient,
  coordinator: string,
): Promise<SeenRunState> {
  const key = runStateKey(coordinator);
  const [text, leftMs] = await replyWithin(Promise.all([client.get(key), client.pTTL(key)]));
  return {
    runState: parsed(text),
    ageMs: leftMs < 0 ? 0 : Math.max(0, RUN_STATE_MS.lives - leftMs),
  };
}

function parsed(text: string | null): RunState | null {
  try {
    return runState.parse(JSON.parse(text ?? "null"));
  } catch {
    return null;
  }
}

interface RunStateWatchOptions {
  readonly client: RedisClient;
  readonly coordinator: string;
  readonly run: string;
}

/** Polls a coordinator's run state until `close` is called. */
export class RunStateWatch {
  readonly #ends = new AbortController();
  readonly #lost = new AbortController();
  readonly #closed = new AbortController();
  readonly #start = Promise.withResolvers<number>();
  readonly #sight: RunStateView;
  readonly #over: Promise<void>;
  #pauseMs: number = POLL_MS.waiting;
  #isReported = false;
  #ended: End | null = null;

  constructor(private readonly options: RunStateWatchOptions) {
    this.#sight = new RunStateView(options.run, performance.now());
    this.#start.promise.catch(() => {}); // there may be nobody to await it
    this.#over = this.#look();
  }

  /** Why the load must end early; null while it goes on. */
  get ended(): End | null {
    return this.#ended;
  }

  /** Aborts when the load must end early. */
  get ends(): AbortSignal {
    return this.#ends.signal;
  }

  /** Aborts when nobody waits for the results any more. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** The start of the run by Redis's clock; rejects if the run ends before it starts. */
  startAtMs(): Promise<number> {
    return this.#start.promise;
  }

  /** Resolves when nobody waits for the run's results any more, at the time limit, or on abort. */
  async over(limitMs: number, signal: AbortSignal): Promise<void> {
    this.#pauseMs = POLL_MS.waiting;
    const endMs = performance.now() + limitMs;
    const isOpen = (): boolean => !this.lost.aborted && !signal.aborted;
    while (isOpen() && performance.now() < endMs) await sleep(POLL_MS.waiting);
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
      const seen = await readRunState(this.options.client, this.options.coordinator);
      const end = this.#sight.see(seen, performance.now());
      const startAtMs = seen.runState?.run === this.options.run ? seen.runState.startAtMs : null;
      if (startAtMs !== null && !this.#isReported) {
        this.#isReported = true;
        this.#pauseMs = POLL_MS.loading;
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
