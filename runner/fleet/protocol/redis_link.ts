/**
 * A process's connections to the Redis of its fleet: one for plain keys, on which a request fails at once while
 * Redis is away, and one for BullMQ, which waits until it is back.
 */
import type { JobsOptions, Queue, Worker, WorkerOptions } from "bullmq";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, TargetError } from "../../../base/errors.ts";
import { connectRedis, type RedisClient } from "../../../targets/redis/client.ts";
import { OUT_OF_TOUCH_MS, PREFIX, REPLY_MS } from "./redis_keys.ts";
import { performance } from "node:perf_hooks";
import type { ClockReading } from "./agent_message.ts";

export interface LinkOptions {
  readonly url: string;
  /** Authorities that are trusted besides the usual ones, as PEM. */
  readonly caCerts?: readonly string[];
}

type Take = (data: unknown) => Promise<void>;

export interface Link {
  /** The client for plain keys. */
  readonly client: RedisClient;
  queue(name: string): Queue;
  /**
   * Takes the jobs of a queue, `concurrency` at a time, each at most once: a job that was begun is never begun again.
   * Rejects if Redis denies access.
   */
  worker(name: string, take: Take, concurrency: number): Promise<Worker>;
  /** Like `worker`, but takes each job at least once: what was being processed when Redis died comes again. */
  reader(name: string, take: Take, concurrency: number): Promise<Worker>;
  close(): Promise<void>;
}

/** Options of every job: it is tried once, and leaves nothing behind. */
export const ONCE = {
  attempts: 1,
  removeOnComplete: true,
  removeOnFail: true,
} as const satisfies JobsOptions;

/** A process that is stopped for longer than the lock lasts loses the job that it had. */
const TAKEN_ONCE = { lockDuration: 60_000, maxStalledCount: 0 };
/**
 * A message that is not processed while its lock lasts is handed out again, because its taker probably never got it.
 */
const TAKEN_AGAIN = { lockDuration: 500, stalledInterval: 250, maxStalledCount: 1_000_000 };

type Taking = Pick<WorkerOptions, "concurrency" | "lockDuration" | "maxStalledCount">;

/** Opens both connections. Throws as `connectRedis` does. */
export async function openLink({ url, caCerts }: LinkOptions): Promise<Link> {
  const { createNodeRedisClient, LinkWorker, Queue, RETRY_MS } = await import("./bullmq.ts");
  const client = await connectRedis(url, { caCerts });
  const engine = await connectRedis(url, { caCerts, waits: true });
  engine.setMaxListeners(0); // each queue adds a listener
  // One connection for all queues: a connection that a queue makes for itself has no listener once the queue is closed.
  const connection = createNodeRedisClient(engine).on("error", unheeded);
  const common = { connection, prefix: PREFIX };
  const workers: InstanceType<typeof LinkWorker>[] = [];
  const begin = async (name: string, take: Take, taking: Taking): Promise<Worker> => {
    // A worker that is run before it is ready, and never becomes ready, would spin without a pause.
    const timing = { runRetryDelay: RETRY_MS, drainDelay: 1, autorun: false };
    const worker = new LinkWorker(name, ({ data }) => take(data), {
      ...common,
      ...taking,
      ...timing,
    });
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
      await Promise.all(workers.map((worker) => worker.rest()));
    },
  };
}

/**
 * Ignores errors, since the plain connection reports problems of Redis; without a listener they would end the program.
 */
function unheeded(): void {}

// Time limits for Redis: a request to a server that is away or cut off may never get a reply.

const RETRY_AFTER_MS = 100;

/** Rejects if the reply takes longer than `limitMs`, or on abort; a later reply is ignored. */
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
 * when Redis stays away for `limitMs`.
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
  const why = `its Redis was unusable for ${limitMs / 1_000} s: ${messageOf(error)}`;
  return new TargetError(`Cannot load from the fleet: ${why}`);
}

// The offset of Redis's clock from this machine's. Redis's reply tells a moment between the request and the arrival of
// the reply, so the middle of the two is off by at most half the time between them (F. Cristian, Probabilistic clock
// synchronization, 1989). The fastest response is the most exact.

/** One reading of both clocks, this machine's and Redis's. Milliseconds since the epoch. */
export interface ClockSample {
  readonly sentMs: number;
  readonly redisMs: number;
  readonly receivedMs: number;
}

/** @param samples At least one. */
export function clockFrom(samples: readonly ClockSample[]): ClockReading {
  const [fastest] = samples.toSorted((a, b) => roundTripMs(a) - roundTripMs(b));
  const { sentMs, redisMs, receivedMs } = fastest;
  return { offsetMs: redisMs - (sentMs + receivedMs) / 2, uncertaintyMs: roundTripMs(fastest) / 2 };
}

function roundTripMs({ sentMs, receivedMs }: ClockSample): number {
  return receivedMs - sentMs;
}

/** This machine's clock with fractions of a millisecond; later changes of the system time do not affect it. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * How far in the future a coordinator may place the start, and how far in the past it may be when the message arrives.
 */
const FARTHEST_START_MS = 30_000;

/**
 * The start that a coordinator names, by this machine's clock. Throws if it can't be the start of this run, because
 * Redis's clock was changed between the coordinator's reading and this agent's.
 */
export function startHereMs(atMs: number, nowMs: number): number {
  const aheadMs = atMs - nowMs;
  if (Math.abs(aheadMs) <= FARTHEST_START_MS) return atMs;
  const far = `${Math.round(Math.abs(aheadMs) / 1_000)} s in the ${
    aheadMs > 0 ? "future" : "past"
  }`;
  throw new Error(`its coordinator announced a start ${far}: Redis's clock was changed meanwhile`);
}

/** Compares the clocks several times. Rejects if Redis does not respond. */
export async function readClock(client: RedisClient, requests = 8): Promise<ClockReading> {
  const samples: ClockSample[] = [];
  for (let i = 0; i < requests; i++) samples.push(await readOnce(client));
  return clockFrom(samples);
}

async function readOnce(client: RedisClient): Promise<ClockSample> {
  const sentMs = nowMs();
  const [seconds, micros] = await client.sendCommand<[string, string]>(["TIME"]);
  const receivedMs = nowMs();
  return { sentMs, redisMs: Number(seconds) * 1_000 + Number(micros) / 1_000, receivedMs };
}
