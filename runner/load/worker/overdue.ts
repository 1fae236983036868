/**
 * Decides when a worker counts as stuck: how late its next message may be before the pool ends the worker. Pure:
 * moments are arguments, in milliseconds by any one clock.
 *
 * - A load that lasts a given time is over when, after its deadline, the wait for requests in flight (`drainUsOf`) and
 *   the time for closing connections have passed.
 * - A load that ends by a number of requests, or with its last virtual user, has no deadline. Its worker posts each
 *   interval as it ends, even while nothing responds, and may then be silent for as long as the longest wait for
 *   requests in flight.
 * - An interrupted load ends at once.
 */
import { drainUsOf, LINGER_US, LONGEST_DRAIN_US } from "../engine/ending.ts";
import type { Job } from "../engine/job.ts";

/** How late a worker may be before it is ended. */
export const WORKER_GRACE_MS = 1_000;
/** How often the workers are checked. */
export const WATCH_STEP_MS = 100;
/**
 * The most that one check adds to the lateness. If the machine was halted, the check comes late, but then the workers
 * were halted, too.
 */
const MOST_STEP_MS = 2 * WATCH_STEP_MS;

const LINGER_MS = LINGER_US / 1_000;

export interface WorkerTiming {
  readonly share: Pick<Job, "durationUs" | "timeoutUs" | "intervalUs" | "waitsForLast">;
  /** Null before the start. */
  readonly startMs: number | null;
  /** When the load was interrupted; null if it was not. */
  readonly interruptedMs: number | null;
  /** When the worker last posted a message, or was last sent one. */
  readonly lastMessageMs: number;
}

/**
 * When the worker's next message must have arrived: its final report if the load has a deadline or was interrupted,
 * otherwise either an interval or the final report. Infinity if nothing is due yet.
 */
export function dueMsOf({ share, startMs, interruptedMs, lastMessageMs }: WorkerTiming): number {
  const { durationUs, intervalUs, waitsForLast } = share;
  const interrupted = interruptedMs === null ? Infinity : interruptedMs + LINGER_MS;
  if (startMs === null) return interrupted;
  const hasDeadline = durationUs < Infinity && !waitsForLast;
  const waitMs = drainUsOf(share) / 1_000 + LINGER_MS;
  const nextMessageMs = Math.max(startMs, lastMessageMs) + (intervalUs + LONGEST_DRAIN_US) / 1_000;
  return Math.min(interrupted, hasDeadline ? startMs + durationUs / 1_000 + waitMs : nextMessageMs);
}

/** Measures how late one worker is. */
export class Lateness {
  #lateMs = 0;

  constructor(private lookedMs: number) {}

  /** Called at every check; returns whether the worker has been late for longer than the grace time. */
  look(dueMs: number, nowMs: number): boolean {
    const stepMs = Math.min(nowMs - Math.max(this.lookedMs, dueMs), MOST_STEP_MS);
    this.lookedMs = nowMs;
    this.#lateMs = stepMs > 0 ? this.#lateMs + stepMs : 0;
    return this.#lateMs > WORKER_GRACE_MS;
  }
}
