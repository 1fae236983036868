/**
 * How far Redis's clock is from this machine's. Redis gives its time: its reply is of a moment
 * between the question and the answer's arrival, so half of that is how wrong the middle can be
 * (F. Cristian, Probabilistic clock synchronization, 1989). The fastest answer is the most exact.
 */
import { performance } from "node:perf_hooks";
import type { RedisClient } from "../../../targets/redis/client.ts";
import type { ClockReading } from "./agent_message.ts";

/** One question; by this machine's clock, and by Redis's. Milliseconds since the epoch. */
export interface ClockSample {
  readonly sentMs: number;
  readonly redisMs: number;
  readonly receivedMs: number;
}

/** @param samples One at least. */
export function clockFrom(samples: readonly ClockSample[]): ClockReading {
  const [fastest] = samples.toSorted((a, b) => roundTripMs(a) - roundTripMs(b));
  const { sentMs, redisMs, receivedMs } = fastest;
  return { offsetMs: redisMs - (sentMs + receivedMs) / 2, uncertaintyMs: roundTripMs(fastest) / 2 };
}

function roundTripMs({ sentMs, receivedMs }: ClockSample): number {
  return receivedMs - sentMs;
}

/** This machine's clock, which is not set while the program runs, with fractions of a millisecond. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** No coordinator names a start further away, and no message to an agent takes longer. */
const FARTHEST_START_MS = 30_000;

/**
 * The start that a coordinator names, by this machine's clock. Throws where that is no start of this run: Redis's
 * clock was set between the coordinator's reading and this agent's.
 */
export function startHereMs(atMs: number, nowMs: number): number {
  const aheadMs = atMs - nowMs;
  if (Math.abs(aheadMs) <= FARTHEST_START_MS) return atMs;
  const when = `${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? "ahead" : "ago"}`;
  throw new Error(`its coordinator named a start ${when}: Redis's clock was set meanwhile`);
}

/** Rejects when Redis does not respond. */
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
