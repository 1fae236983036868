/** The messages that one WebSocket sends at a pace of its own: when each is due, and which are in flight. It has no clock. */
import { isWithin } from "../../../base/limits.ts";

/** When messages of one socket are due; `most` of them. */
export interface MessagePace {
  readonly openUs: number;
  /** Nothing is due from here on. */
  readonly untilUs: number;
  readonly everyUs: number;
  readonly most: number;
  /** Whether an answer to each is expected: else none of them counts as due. */
  readonly isAnswered: boolean;
}

const FEW = 4;
const NO_MOMENTS = new Float64Array(0);

/** By their numbers 0, 1, 2 … */
export class PacedMessages {
  /** The number of the next. */
  next = 0;
  inFlight = 0;
  /** The oldest that may be in flight. */
  #oldest = 0;
  /** By number, within its length: when a message in flight was due; NaN once it is no longer in flight. */
  #dueUs: Float64Array = NO_MOMENTS;

  constructor(private readonly pace: MessagePace) {}

  get isAnswered(): boolean {
    return this.pace.isAnswered;
  }

  /** When the next is due; Infinity: none is. */
  get nextDueUs(): number {
    const { openUs, untilUs, everyUs, most } = this.pace;
    if (this.next >= most) return Infinity;
    const dueUs = openUs + this.next * everyUs;
    return dueUs < untilUs ? dueUs : Infinity;
  }

  /** Whether one more may be in flight, between the oldest and the newest. */
  get hasRoom(): boolean {
    return isWithin("messagesInFlight", this.next - this.#oldest + 1);
  }

  /** The next is sent, and awaits its answer. */
  send(): void {
    const dueUs = this.nextDueUs;
    if (this.next - this.#oldest === this.#dueUs.length) this.#grow();
    this.#dueUs[this.next++ % this.#dueUs.length] = dueUs;
    this.inFlight++;
  }

  /** The next is sent, and never answered. */
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

  /** The oldest in flight; there is one. */
  get oldest(): number {
    return this.#oldest;
  }

  /** When the oldest in flight was due; Infinity without one. */
  get oldestDueUs(): number {
    return this.inFlight === 0 ? Infinity : this.#dueUs[this.#oldest % this.#dueUs.length];
  }

  /** Takes message n out of flight; gives when it was due, or NaN where it is not in flight. */
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

  /** Visits when each in flight was due. */
  forEach(visit: (dueUs: number) => void): void {
    for (let n = this.#oldest, left = this.inFlight; left > 0; n++) {
      const dueUs = this.#dueUs[n % this.#dueUs.length];
      if (Number.isNaN(dueUs)) continue;
      left--;
      visit(dueUs);
    }
  }

  /** Visits the due moments of messages that are due by now and were not sent; none where no answers are expected. */
  forEachUnsent(nowUs: number, visit: (dueUs: number) => void): void {
    if (!this.isAnswered) return;
    const { openUs, everyUs } = this.pace;
    const { next } = this;
    for (; this.nextDueUs <= nowUs; this.next++) visit(openUs + this.next * everyUs);
    this.next = next;
  }
}
