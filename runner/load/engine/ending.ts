/**
 * The end of a load, as both loops have it. At the deadline nothing new is sent, and what is in flight is waited for:
 * up to each request's own time-out, and no longer than `LONGEST_DRAIN_US`. Without the wait the last request of
 * every connection would be a lower bound, also on a server that does well. Whatever is left then is unfinished, and
 * what was due and never sent is dropped: both are in the latency at the time that they waited. Rates end at the deadline.
 */
import type { Job } from "./job.ts";
import type { LoopParts } from "./loop_parts.ts";
import type { WorkerTotals } from "../recording/totals.ts";

export const LONGEST_DRAIN_US = 5_000_000;

/**
 * How long a request in flight at the end may still be answered before its connection is closed. The
 * answer no longer counts; but a server that finds the connection closed may not even have read the
 * request, and the two sides would disagree about how many there were.
 */
export const LINGER_US = 100_000;

/** What a loop does at its end; called by its `Ending` alone. */
export interface EndingLoop {
  /** Gives up what is not yet sent: dials under way are unfinished. */
  stopSending(endUs: number): void;
  /** Leaves unfinished all that is in flight, and closes what is idle. */
  leaveUnfinished(endUs: number): void;
}

export class Ending {
  /** What was recorded; null until the load is over. */
  totals: WorkerTotals | null = null;
  /** From the start until nothing new was sent any more, microseconds. */
  elapsedUs = 0;
  /** Whether the deadline has passed, and what is in flight is waited for. */
  isDraining = false;
  /** What happens from here on does not count as it did before: the deadline, the end of the wait; −∞ after that. */
  untilUs: number;

  constructor(
    private readonly job: Pick<Job, "stop" | "durationUs">,
    private readonly parts: Pick<LoopParts, "recorder" | "supply" | "onDeadline">,
    private readonly loop: EndingLoop,
  ) {
    this.untilUs = job.durationUs;
  }

  /** Ends what is to end by now; gives whether the load is over. */
  isOver(nowUs: number): boolean {
    if (nowUs < this.untilUs) return false;
    if (this.totals !== null) return true;
    if (!this.isDraining) this.#drain();
    if (this.#isDone || nowUs >= this.untilUs) this.finish(this.untilUs);
    return this.totals !== null;
  }

  /** As `isOver`, also for what is looked at only now and then: that the load is stopped, or done. */
  isOverEarly(nowUs: number): boolean {
    // Before the start a load can be stopped, too; it has lasted no time then.
    if (Atomics.load(this.job.stop, 0) !== 0) this.finish(Math.max(0, nowUs));
    else if (this.#isDone) this.finish(this.parts.recorder.lastUs);
    return this.totals !== null;
  }

  /** A closed loop ends with its last answer; an open one lasts as long as it was to. */
  get #isDone(): boolean {
    const { supply, recorder: { due, completed, failed, unfinished } } = this.parts;
    const left = supply.left + due - completed - failed - unfinished;
    return left === 0 && (this.isDraining || !supply.intended);
  }

  #drain(): void {
    this.#stopSending(this.job.durationUs);
    this.isDraining = true;
    this.untilUs = this.job.durationUs + LONGEST_DRAIN_US;
    this.parts.onDeadline?.();
  }

  #stopSending(endUs: number): void {
    this.elapsedUs = endUs;
    this.parts.recorder.seal(endUs);
    this.loop.stopSending(endUs);
    this.parts.supply.stop();
  }

  /** Ends the load at once. */
  finish(endUs: number): void {
    const { recorder, supply } = this.parts;
    if (!this.isDraining) this.#stopSending(endUs);
    this.loop.leaveUnfinished(endUs);
    supply.drop(this.elapsedUs, (dueUs) => recorder.drop(dueUs, this.elapsedUs));
    this.totals = recorder.finish(this.elapsedUs);
    this.untilUs = -Infinity;
  }
}
