/**
 * Limits the rate of new connections over any driver. This layer lies below HTTP/2, so that a connection that replaces
 * another is limited, too. Exchanges ask repeatedly whether they may dial (`mayBegin`), and dial only when it is their
 * turn. All other dials, such as those that replace a connection, wait here, first come, first served. If both kinds of
 * dials want a turn, they alternate, so that neither starves the other.
 */
import type { DialTurns, Driver, DriverEvents } from "../engine/driver.ts";
import type { DialTurnsSpec } from "../engine/job.ts";
import { SlotQueue } from "../engine/slot_queues.ts";

/**
 * How far a worker that is late with its turns may catch up, microseconds. Lateness is usual, because loops check for
 * dials only every 10 ms.
 */
const CATCH_UP_US = 20_000;

/**
 * The turns of one worker to dial: evenly spaced, and interleaved with those of the other workers. In any T seconds of
 * a load there are at most 1 + (T + 0.02) × rate dials.
 */
export class Turns {
  readonly #firstUs: number;
  readonly #gapUs: number;
  /** When the next turn is due; NaN until the clock is first read, which is when the turns begin. */
  #nextUs = NaN;

  constructor({ perSec, first, stride }: DialTurnsSpec) {
    this.#firstUs = first * 1e6 / perSec;
    this.#gapUs = stride * 1e6 / perSec;
  }

  /** When the next turn is due, microseconds. The first call sets when the turns begin. */
  nextUs(nowUs: number): number {
    if (Number.isNaN(this.#nextUs)) this.#nextUs = nowUs + this.#firstUs;
    return this.#nextUs;
  }

  take(nowUs: number): void {
    this.#nextUs = Math.max(this.nextUs(nowUs), nowUs - CATCH_UP_US) + this.#gapUs;
  }
}

export class TurnsDriver implements Driver, DialTurns {
  readonly tls: Driver["tls"];
  readonly dialTurns: DialTurns = this;
  readonly #now: () => number;
  readonly #turns: Turns;
  /** Slots whose dial waits. Slots that were closed meanwhile may also still be in this queue. */
  readonly #queue: SlotQueue;
  /** By slot: when a dial was requested, microseconds; NaN if none waits. */
  readonly #askedUs: Float64Array;
  readonly #waitedUs: Float64Array;
  #waiting = 0;
  /** When an exchange was last refused a turn, microseconds. */
  #refusedUs = -Infinity;
  /** Whether the exchanges were told that they may dial; the dial then follows at once. */
  #isPromised = false;
  /** Whether the last turn went to a dial that waited, so that the next goes to the exchanges if they want it. */
  #isTheirTurn = false;

  constructor(
    private readonly driver: Driver,
    { slots, now }: { readonly slots: number; readonly now: () => number },
    turns: DialTurnsSpec,
  ) {
    this.tls = driver.tls;
    this.#now = now;
    this.#turns = new Turns(turns);
    this.#queue = new SlotQueue(slots);
    this.#askedUs = new Float64Array(slots).fill(NaN);
    this.#waitedUs = new Float64Array(slots);
  }

  mayBegin(nowUs: number): boolean {
    const isNext = this.#waiting === 0 || this.#isTheirTurn;
    this.#isPromised = isNext && this.#turns.nextUs(nowUs) <= nowUs;
    if (!this.#isPromised) this.#refusedUs = nowUs;
    return this.#isPromised;
  }

  /**
   * Whether the next turn is kept for the exchanges. While they want a turn, they ask each time they look at the clock,
   * so they still want it if they were refused one recently.
   */
  #isKept(nowUs: number): boolean {
    return this.#isTheirTurn && nowUs - this.#refusedUs <= CATCH_UP_US;
  }

  waitedUs(slot: number): number {
    return this.#waitedUs[slot];
  }

  connect(slot: number): void {
    const nowUs = this.#now();
    this.#askedUs[slot] = nowUs;
    const isPromised = this.#isPromised;
    this.#isPromised = false;
    const isNext = isPromised || (this.#waiting === 0 && !this.#isKept(nowUs));
    if (isNext && this.#turns.nextUs(nowUs) <= nowUs) return this.#begin(slot, nowUs, isPromised);
    this.#waiting++;
    this.#queue.add(slot);
  }

  #begin(slot: number, nowUs: number, isTheirs: boolean): void {
    this.#isTheirTurn = !isTheirs;
    this.#turns.take(nowUs);
    this.#waitedUs[slot] = nowUs - this.#askedUs[slot];
    this.#askedUs[slot] = NaN;
    this.driver.connect(slot);
  }

  /**
   * Begins the waiting dials whose turn has come. Returns the time of the next turn; Infinity if no dial waits, or if
   * the next turn is kept for an exchange.
   */
  #beginWaiting(nowUs: number): number {
    while (this.#waiting > 0) {
      const nextUs = this.#turns.nextUs(nowUs);
      if (nextUs > nowUs) return nextUs;
      if (this.#isKept(nowUs)) return Infinity; // the exchanges ask again in time
      const slot = this.#queue.take();
      if (!this.#waits(slot)) continue;
      this.#waiting--;
      this.#begin(slot, nowUs, false);
    }
    return Infinity;
  }

  #waits(slot: number): boolean {
    return !Number.isNaN(this.#askedUs[slot]);
  }

  close(slot: number): void {
    if (!this.#waits(slot)) return this.driver.close(slot);
    this.#askedUs[slot] = NaN;
    this.#waiting--;
  }

  run(handler: DriverEvents): Promise<void> {
    return this.driver.run({
      punctual: handler.punctual,
      onOpen: (slot, nowUs) => handler.onOpen(slot, nowUs),
      onRefused: (slot, by, reason, nowUs) => handler.onRefused(slot, by, reason, nowUs),
      onBytes: (slot, bytes, length, nowUs) => handler.onBytes(slot, bytes, length, nowUs),
      onEnd: (slot, reset, nowUs) => handler.onEnd(slot, reset, nowUs),
      onTick: (nowUs) => {
        const nextUs = handler.onTick(nowUs);
        return nextUs === Infinity ? Infinity : Math.min(nextUs, this.#beginWaiting(nowUs));
      },
    });
  }

  send(slot: number, bytes: Uint8Array<ArrayBuffer>): void {
    this.driver.send(slot, bytes);
  }

  isSent(slot: number): boolean | null {
    return this.driver.isSent(slot);
  }

  unsentBytes(slot: number): number {
    return this.driver.unsentBytes(slot);
  }
}
