/** The messages that one WebSocket sends at its own pace: when each is due, and which are in flight. Reads no clock. */
import { isWithin } from "../../../base/limits.ts";

/** When the messages of one socket are due, and how many there are at most (`most`). */
export interface MessagePace {
  readonly openUs: number;
  /** No message is due from this time on. */
  readonly untilUs: number;
  readonly everyUs: number;
  readonly most: number;
  /** Whether each message is expected to be answered; otherwise none of them counts as due. */
  readonly isAnswered: boolean;
}

const FEW = 4;
const NO_MOMENTS = new Float64Array(0);

/** Messages of a socket, numbered 0, 1, 2 … */
export class PacedMessages {
  /** Number of the next message. */
  next = 0;
  inFlight = 0;
  /** Number of the oldest message in flight; `next` if there is none. */
  #oldest = 0;
  /** By message number, modulo the length of this array: when a message in flight was due; NaN once it is answered. */
  #dueUs: Float64Array = NO_MOMENTS;

  constructor(private readonly pace: MessagePace) {}

  get isAnswered(): boolean {
    return this.pace.isAnswered;
  }

  /** When the next message is due; Infinity: there is no next message. */
  get nextDueUs(): number {
    const { openUs, untilUs, everyUs, most } = this.pace;
    if (this.next >= most) return Infinity;
    const dueUs = openUs + this.next * everyUs;
    return dueUs < untilUs ? dueUs : Infinity;
  }

  /**
   * Whether one more message may be sent. The limit counts all messages since the oldest in flight, whether or not they
   * were answered.
   */
  get hasRoom(): boolean {
    return isWithin("messagesInFlight", this.next - this.#oldest + 1);
  }

  /** Called when the next message is sent, if an answer is expected. */
  send(): void {
    const dueUs = this.nextDueUs;
    if (this.next - this.#oldest === this.#dueUs.length) this.#grow();
    this.#dueUs[this.next++ % this.#dueUs.length] = dueUs;
    this.inFlight++;
  }

  /** Called when the next message is sent, if no answer is expected. */
  skip(): void {
    if (this.#oldest === this.next) this.#oldest++;
    this.next++;
  }

  #grow(): void {
    const larger = new Float64Array(Math.max(FEW, 2 * this.#dueUs.length));
    for (let n = this.#oldest; n < this.next; n++) {
      larger[n % larger.length] = this.#dueUs[n % this.#dueUs.length];
    }
    this.#dueUs = larger;
  }

  /** The number of the oldest message in flight; there must be one. */
  get oldest(): number {
    return this.#oldest;
  }

  /** When the oldest message in flight was due; Infinity without one. */
  get oldestDueUs(): number {
    return this.inFlight === 0 ? Infinity : this.#dueUs[this.#oldest % this.#dueUs.length];
  }

  /** Removes message n from those in flight; returns when it was due, or NaN if it is not in flight. */
  take(n: number): number {
    if (n < this.#oldest || n >= this.next) return NaN;
    const at = n % this.#dueUs.length;
    const dueUs = this.#dueUs[at];
    if (Number.isNaN(dueUs)) return dueUs;
    this.#dueUs[at] = NaN;
    this.inFlight--;
    while (
      this.#oldest < this.next && Number.isNaN(this.#dueUs[this.#oldest % this.#dueUs.length])
    ) this.#oldest++;
    return dueUs;
  }

  /** Visits the due time of each message in flight. */
  forEach(visit: (dueUs: number) => void): void {
    for (let n = this.#oldest, left = this.inFlight; left > 0; n++) {
      const dueUs = this.#dueUs[n % this.#dueUs.length];
      if (Number.isNaN(dueUs)) continue;
      left--;
      visit(dueUs);
    }
  }

  /** Visits the due times of messages that are due by now but were not sent. Visits none if no answers are expected. */
  forEachUnsent(nowUs: number, visit: (dueUs: number) => void): void {
    if (!this.isAnswered) return;
    const { openUs, everyUs } = this.pace;
    const { next } = this;
    for (; this.nextDueUs <= nowUs; this.next++) visit(openUs + this.next * everyUs);
    this.next = next;
  }
}
