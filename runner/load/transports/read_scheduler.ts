/**
 * Decides which connection may read when more are ready than Deno's runtime handles at once.
 *
 * Each time the runtime polls the system, it lets 128 socket operations through (tokio's task budget): new operations
 * first, then those that became ready last. As long as 128 connections have something new each time, no other
 * connection is read or opened, for seconds. And while other tasks are ready, the runtime polls only once every 61
 * tasks. So once an iteration of the event loop has had 64 events, connections that were served recently wait for their
 * next read, first come, first served, so that the runtime gets to the connections that it passed over. Dials go before
 * reads, because a server may accept no connection as long as it has requests.
 */
import { SlotQueue } from "../engine/slot_queues.ts";
import { setImmediate } from "node:timers";
import type { BusyPeriods } from "../recording/busy_periods.ts";

const CROWD = 64;

/**
 * A connection that was not served for this many rounds need not wait for its next read; a round is long enough to
 * serve every connection once. Connections go unserved for so long if a server stalls during an open loop. Once it
 * wakes up, its responses arrive all at once.
 */
const FAIR_ROUNDS = 16;

/**
 * Connections that wait for their next read continue after this many milliseconds, even if no socket has an event or
 * many connections are being dialed. The timer makes the runtime poll.
 */
const PATIENCE_MS = 1;

export class ReadScheduler {
  /** Number of dials in progress, counted by the transport. */
  dialing = 0;
  readonly #waiting: SlotQueue;
  /** By slot: the iteration in which it was last served. */
  readonly #servedIn: Int32Array;
  readonly #fairIterations: number;
  /** Whether any waiting slot was allowed to read since the timer was set. The timer runs as long as a slot waits. */
  #goesOn = false;
  #isTimerSet = false;

  /** @param read Lets the slot read now; it may have been closed meanwhile. */
  constructor(
    slots: number,
    private readonly iteration: LoopIteration,
    private readonly read: (slot: number) => void,
  ) {
    this.#waiting = new SlotQueue(slots);
    this.#fairIterations = FAIR_ROUNDS * Math.ceil(slots / CROWD);
    this.#servedIn = new Int32Array(slots).fill(-this.#fairIterations);
    iteration.onEnd = (): void => {
      if (this.#waiting.length > 0 && this.dialing < CROWD) this.#goOn();
    };
  }

  // hot: runs for every read. Whether the served slot may read again immediately; if not, it is scheduled.
  mayReadOn(slot: number): boolean {
    const { index, events } = this.iteration;
    const isGreedy = index - this.#servedIn[slot] < this.#fairIterations;
    this.#servedIn[slot] = index;
    const hasRoom = events < CROWD && this.#waiting.length === 0;
    if (!isGreedy || hasRoom) return true;
    this.#waiting.add(slot);
    if (!this.#isTimerSet) this.#setTimer();
    return false;
  }

  #goOn(): void {
    this.#goesOn = true;
    for (let count = Math.min(CROWD, this.#waiting.length); count > 0; count--) {
      this.read(this.#waiting.take());
    }
  }

  #setTimer(): void {
    this.#isTimerSet = true;
    this.#goesOn = false;
    setTimeout(this.#onTimer, PATIENCE_MS);
  }

  readonly #onTimer = (): void => {
    this.#isTimerSet = false;
    if (!this.#goesOn) this.#goOn();
    if (this.#waiting.length > 0) this.#setTimer();
  };
}

/**
 * One iteration of the worker's event loop, from the first event of a socket until all ready events have been handled.
 * All of this time counts as busy, because anything that becomes ready meanwhile has to wait.
 */
export class LoopIteration {
  index = 0;
  /** Socket events in this iteration. */
  events = 0;
  /** Called after each iteration with at least one event. */
  onEnd = (): void => {};
  /** When the first event of the iteration came. */
  #beganUs = 0;

  /** @param now Microseconds since the start of the run. */
  constructor(private readonly now: () => number, private readonly busy: BusyPeriods) {}

  // hot: a connection was opened, or has received something.
  count(nowUs: number): void {
    if (++this.events > 1) return;
    this.#beganUs = nowUs;
    setImmediate(this.#end);
  }

  readonly #end = (): void => {
    this.busy.add(this.#beganUs, this.now());
    this.events = 0;
    this.index++;
    this.onEnd();
  };
}
