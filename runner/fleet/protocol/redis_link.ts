/**
 * A process's two connections to the Redis of its fleet: one for plain keys, on which requests fail at once while Redis
 * is away, and one for BullMQ, on which they wait until Redis is back.
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
  /** Certificate authorities that are trusted in addition to the default ones, as PEM. */
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
  /** Like `worker`, but takes each job at least once: a job that was being processed when Redis died is taken again. */
  reader(name: string, take: Take, concurrency: number): Promise<Worker>;
  close(): Promise<void>;
}

/** Options of every job: it is tried once, and leaves nothing behind. */
export const ONCE = {
  attempts: 1,
  removeOnComplete: true,
  removeOnFail: true,
} as const satisfies JobsOptions;

/** Options of `worker`. The lock on a job is long, because a process that is stopped for longer loses its job. */
const TAKEN_ONCE = { lockDuration: 60_000, maxStalledCount: 0 };
/**
 * Options of `reader`. A message that is not processed before its short lock expires is handed out again, because the
 * reply with which Redis handed it out was probably lost.
 */
const TAKEN_AGAIN = { lockDuration: 500, stalledInterval: 250, maxStalledCount: 1_000_000 };

type Taking = Pick<WorkerOptions, "concurrency" | "lockDuration" | "maxStalledCount">;

/** Opens both connections. Throws as `connectRedis` does. */
export async function openLink({ url, caCerts }: LinkOptions): Promise<Link> {
  const { createNodeRedisClient, LinkWorker, Queue, RETRY_MS } = await import("./bullmq.ts");
  const client = await connectRedis(url, { caCerts });
  const engine = await connectRedis(url, { caCerts, waits: true });
  engine.setMaxListeners(0); // no limit, because each queue adds a listener
  // All queues share one connection, because a connection that a queue makes for itself has no
  // error listener once the queue is closed.
  const connection = createNodeRedisClient(engine).on("error", unheeded);
  const common = { connection, prefix: PREFIX };
  const workers: InstanceType<typeof LinkWorker>[] = [];
  const begin = async (name: string, take: Take, taking: Taking): Promise<Worker> => {
    // Not started here: a worker that is run before it is ready, and never gets ready, would spin
    // without a pause.
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
 * Ignores errors of the BullMQ connection and its workers, because the plain connection reports problems of Redis.
 * Without a listener, such an error would end the program.
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
 * Repeats the request until Redis replies. Throws the signal's reason on abort, and a TargetError if Redis has not
 * replied within `limitMs`.
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

// The offset between Redis's clock and this machine's. Redis's reply contains a time between the
// sending of the request and the arrival of the reply, so the midpoint of these two moments is off
// by at most half the time between them (F. Cristian, Probabilistic clock synchronization, 1989).
// The fastest reply gives the most exact offset.

/** One reading of both clocks, this machine's and Redis's, in milliseconds since the epoch. */
export interface ClockSample {
  readonly sentMs: number;
  readonly redisMs: number;
  readonly receivedMs: number;
}

/**
 * The offset of Redis's clock, from the sample with the shortest round trip.
 * @param samples At least one.
 */
export function clockFrom(samples: readonly ClockSample[]): ClockReading {
  const [fastest] = samples.toSorted((a, b) => roundTripMs(a) - roundTripMs(b));
  const { sentMs, redisMs, receivedMs } = fastest;
  return { offsetMs: redisMs - (sentMs + receivedMs) / 2, uncertaintyMs: roundTripMs(fastest) / 2 };
}

function roundTripMs({ sentMs, receivedMs }: ClockSample): number {
  return receivedMs - sentMs;
}

/** This machine's time with fractions of a millisecond; later changes of the system time do not affect it. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * How far in the future a coordinator may place the start, and how far in the past the start may be when the message
 * arrives.
 */
const FARTHEST_START_MS = 30_000;

/**
 * The announced start, by this machine's clock. Throws if the start is too far away to be this run's, which means that
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

/** Compares this machine's clock with Redis's several times. Rejects if Redis does not respond. */
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
