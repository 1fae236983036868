/**
 * A process's connections to the Redis of its fleet: one for plain keys, on which a request fails at once while
 * Redis is away, and one for BullMQ, which waits until it is back.
 */
import type { JobsOptions, Queue, Worker, WorkerOptions } from "bullmq";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, TargetError } from "../../../base/errors.ts";
import { connectRedis, type RedisClient } from "../../../targets/redis/client.ts";
import { OUT_OF_TOUCH_MS, PREFIX, REPLY_MS } from "./redis_keys.ts";

export interface LinkOptions {
  readonly url: string;
  /** Authorities that are trusted besides the usual ones, as PEM. */
  readonly caCerts?: readonly string[];
}

type Take = (data: unknown) => Promise<void>;

export interface Link {
  /** For plain keys. */
  readonly client: RedisClient;
  queue(name: string): Queue;
  /**
   * Takes the jobs of a queue, `concurrency` at a time, each once: what was begun is never begun again.
   * Rejects when Redis does not let it.
   */
  worker(name: string, take: Take, concurrency: number): Promise<Worker>;
  /** As `worker`, but each at least once: what was on its way when Redis died comes again. */
  reader(name: string, take: Take, concurrency: number): Promise<Worker>;
  close(): Promise<void>;
}

/** Of every job: it is tried once, and leaves nothing behind. */
export const ONCE = {
  attempts: 1,
  removeOnComplete: true,
  removeOnFail: true,
} as const satisfies JobsOptions;

/** How soon a worker tries again when Redis was away. */
const RETRY_MS = 200;
/** A process that is stopped for longer has lost what it was at. */
const TAKEN_ONCE = { lockDuration: 60_000, maxStalledCount: 0 };
/** A message is taken at once, or its taker has never had it. */
const TAKEN_AGAIN = { lockDuration: 500, stalledInterval: 250, maxStalledCount: 1_000_000 };

type Taking = Pick<WorkerOptions, "concurrency" | "lockDuration" | "maxStalledCount">;

/** Throws as connectRedis. */
export async function openLink({ url, caCerts }: LinkOptions): Promise<Link> {
  const { createNodeRedisClient, Queue, Worker } = await import("./bullmq.ts");
  const client = await connectRedis(url, { caCerts });
  const engine = await connectRedis(url, { caCerts, waits: true });
  engine.setMaxListeners(0); // each queue listens
  // One for all: what a queue makes for itself has no listener once that queue is closed.
  const connection = createNodeRedisClient(engine).on("error", unheeded);
  const common = { connection, prefix: PREFIX };
  const workers: Worker[] = [];
  const begin = async (name: string, take: Take, taking: Taking): Promise<Worker> => {
    // One that is run before it is ready, and never gets so, spins without a pause.
    const timing = { runRetryDelay: RETRY_MS, drainDelay: 1, autorun: false };
    const worker = new Worker(name, ({ data }) => take(data), { ...common, ...taking, ...timing });
    workers.push(worker.on("error", unheeded));
    await replyWithin(worker.waitUntilReady(), OUT_OF_TOUCH_MS);
    worker.run().catch(unheeded);
    return worker;
  };
  return {
    client,
    queue: (name) => {
      const queue = new Queue(name, { ...common, skipMetasUpdate: true });
      return queue.on("error", unheeded);
    },
    worker: (name, take, concurrency) => begin(name, take, { concurrency, ...TAKEN_ONCE }),
    reader: (name, take, concurrency) => begin(name, take, { concurrency, ...TAKEN_AGAIN }),
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close(true).catch(() => {})));
      engine.destroy();
      client.destroy();
    },
  };
}

/** The plain keys show what goes wrong with Redis; without a listener it would end the program. */
function unheeded(): void {}

/** Waiting for Redis with a limit: a request to one that is away or cut off may never get a reply. */

const RETRY_AFTER_MS = 100;

/** Rejects when the answer takes longer, or when the signal aborts; one that comes later is nobody's. */
export async function replyWithin<Reply>(
  reply: Promise<Reply>,
  limitMs: number = REPLY_MS,
  signal?: AbortSignal,
): Promise<Reply> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => reject(new Error("Redis does not respond"));
  const timer = setTimeout(giveUp, limitMs);
  signal?.addEventListener("abort", giveUp);
  try {
    return await Promise.race([reply, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  }
}

/**
 * Repeats the request until Redis replies. Throws the signal's reason when it aborts, and a TargetError
 * when Redis stays away for so long.
 */
export async function retryUntilReply<Reply>(
  request: () => Promise<Reply>,
  signal: AbortSignal,
  limitMs = OUT_OF_TOUCH_MS,
): Promise<Reply> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await replyWithin(request(), Math.max(0, endMs - performance.now()), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (performance.now() + RETRY_AFTER_MS >= endMs) throw outOfTouch(limitMs, error);
    }
    await sleep(RETRY_AFTER_MS);
  }
}

function outOfTouch(limitMs: number, error: unknown): TargetError {
  const why = `its Redis could not be used for ${limitMs / 1_000} s: ${messageOf(error)}`;
  return new TargetError(`Cannot load from the fleet: ${why}`);
}
