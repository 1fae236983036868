/**
 * Who may read when more connections have news than Deno's runtime handles at once.
 *
 * Each time that it asks the system for news, it lets 128 socket operations through (tokio's budget of a
 * task); what is new goes first, then what came last. As long as 128 connections have something new each
 * time, no other is read or opened, for seconds. And while there is anything else to do, it asks only
 * every 61st time. So when a turn of the event loop gets half as full, whoever was served lately waits
 * for his next read, first come, first served, and those that were passed over get through. Dials get
 * through first: a server may accept no connection as long as it has requests.
 */
import { SlotQueue } from "../engine/slot_queues.ts";
import { setImmediate } from "node:timers";
import type { LoopWatch } from "../recording/busy_periods.ts";

const CROWD = 64;

/**
 * Who was not served for as many rounds, each of which serves everybody once, is not held up. An open
 * loop's answers that come all at once, as a server wakes up, are such.
 */
const FAIR_ROUNDS = 16;

/**
 * Waiting slots go on this often even when nothing happens or many are dialed, milliseconds. A timer lets
 * the runtime ask for news.
 */
const PATIENCE_MS = 1;

export class ReadTurns {
  /** Dials under way; whoever dials counts them. */
  dialing = 0;
  readonly #waiting: SlotQueue;
  /** The turn in which each slot was served last. */
  readonly #servedIn: Int32Array;
  readonly #fairTurns: number;
  /** Whether somebody has gone on since the timer was set; it is set while somebody waits. */
  #goesOn = false;
  #isTimerSet = false;

  /** @param read The slot's turn to read has come; it may have been closed meanwhile. */
  constructor(
    slots: number,
    private readonly turn: Turn,
    private readonly read: (slot: number) => void,
  ) {
    this.#waiting = new SlotQueue(slots);
    this.#fairTurns = FAIR_ROUNDS * Math.ceil(slots / CROWD);
    this.#servedIn = new Int32Array(slots).fill(-this.#fairTurns);
    turn.onEnd = (): void => {
      if (this.#waiting.length > 0 && this.dialing < CROWD) this.#goOn();
    };
  }

  // hot: once a read. Whether who was served may read again at once; if not, it waits for its turn.
  mayReadOn(slot: number): boolean {
    const { index, events } = this.turn;
    const isGreedy = index - this.#servedIn[slot] < this.#fairTurns;
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
 * A turn of the worker's event loop, from the first news of a socket until all that is new has been
 * handled: whatever became ready meanwhile had to wait for its end.
 */

export class Turn {
  /** Turns before this one. */
  index = 0;
  /** News of sockets in this turn. */
  events = 0;
  /** Called after each turn that had any; set by whoever has to know. */
  onEnd = (): void => {};
  /** When the first of them was told. */
  #beganUs = 0;

  /** @param now Microseconds since the start of the run. */
  constructor(private readonly now: () => number, private readonly watch: LoopWatch) {}

  // hot: a connection was opened, or has brought something.
  count(nowUs: number): void {
    if (++this.events > 1) return;
    this.#beganUs = nowUs;
    setImmediate(this.#end);
  }

  readonly #end = (): void => {
    this.watch.held(this.#beganUs, this.now());
    this.events = 0;
    this.index++;
    this.onEnd();
  };
}
