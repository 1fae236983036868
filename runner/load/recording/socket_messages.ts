/**
 * What a worker remembers of WebSockets and of the messages that are sent on them. It knows no clock: every moment is an
 * argument, microseconds since the start of the run. Messages are due by a pacer of their socket, from when it is open until
 * it is left, and each of them ends in one of four ways:
 *
 *     due = received + failed + unfinished + dropped
 *
 * Received: its answer has come. Failed: the socket was cut, closed or timed out before. Unfinished: the load ended. Dropped:
 * it was due and never sent. As for requests, the time waited is a lower bound of the latency of those that timed out, and of
 * those unfinished and dropped. What the server sends without being asked is counted by `messages.ts`, as that of streams is.
 */
import { isWithin } from "../../../base/limits.ts";
import { addSparse, EMPTY, Histogram } from "../../stats/histogram/histogram.ts";
import type { BoundedTotals, StreamEnd } from "./messages.ts";

export interface SocketTotals {
  readonly due: number;
  readonly received: number;
  readonly failed: number;
  readonly unfinished: number;
  readonly dropped: number;
  /** WebSockets whose opening handshake was right. */
  readonly opened: number;
  readonly sent: number;
  /** Messages of the server, of whatever kind. */
  readonly came: number;
  /** Messages of the server by the deadline. */
  readonly cameInTime: number;
  /** Messages that should have been answers and are none. */
  readonly unmatched: number;
  /** Time from when a message was due to its answer. */
  readonly latency: BoundedTotals;
  /** Sockets by the code of the server's close frame: 1005 for a frame without one, 1006 without a frame. */
  readonly closeCodes: readonly (readonly [code: number, sockets: number])[];
}

/** Codes beyond these are one more together, so that a server can't fill the memory. */
export const MOST_CODES = 20;
/** What those are together. */
export const OTHER_CODES = 0;

const FEW = 4;

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

/** The messages of one socket, by their numbers 0, 1, 2 …: when each is due, and which are in flight. */
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

  /** Visits when each was due that is so by now and was not sent; none where no answers are expected. */
  forEachUnsent(nowUs: number, visit: (dueUs: number) => void): void {
    if (!this.isAnswered) return;
    const { openUs, everyUs } = this.pace;
    const { next } = this;
    for (; this.nextDueUs <= nowUs; this.next++) visit(openUs + this.next * everyUs);
    this.next = next;
  }
}

const NO_MOMENTS = new Float64Array(0);

export class SocketRecorder {
  due = 0;
  received = 0;
  failed = 0;
  unfinished = 0;
  dropped = 0;
  #opened = 0;
  #sent = 0;
  #came = 0;
  #unmatched = 0;
  /** Came by the deadline; null before it. */
  #cameInTime: number | null = null;
  readonly #latency = new Histogram();
  readonly #censored = new Histogram();
  readonly #closeCodes = new Map<number, number>();
  /** By slot; null: no socket is open there. */
  readonly #open: (PacedMessages | null)[];

  constructor(slots: number) {
    this.#open = new Array(slots).fill(null);
  }

  /** A socket is open: its messages are due from now on. */
  open(slot: number, pace: MessagePace): PacedMessages {
    this.#opened++;
    return this.#open[slot] = new PacedMessages(pace);
  }

  // hot: once a message.
  /** The next message of a socket is sent. */
  send(messages: PacedMessages): void {
    this.#sent++;
    if (!messages.isAnswered) return messages.skip();
    this.due++;
    messages.send();
  }

  // hot: once a message.
  /** The server has sent a message. */
  come(): void {
    this.#came++;
  }

  // hot: once a message. False: message n is not in flight.
  /** What has come is the answer to message n of a socket. */
  answer(messages: PacedMessages, n: number, nowUs: number): boolean {
    const dueUs = messages.take(n);
    if (Number.isNaN(dueUs)) return false;
    this.received++;
    this.#latency.record(nowUs - dueUs);
    return true;
  }

  /** What has come should have been an answer, and is none. */
  mismatch(): void {
    this.#unmatched++;
  }

  /** @param code 1006: without a close frame of the server. */
  closed(code: number): void {
    const isKnown = this.#closeCodes.has(code) || this.#closeCodes.size < MOST_CODES;
    const key = isKnown ? code : OTHER_CODES;
    this.#closeCodes.set(key, (this.#closeCodes.get(key) ?? 0) + 1);
  }

  /** An open socket ends; nothing, where none is open. */
  end(slot: number, how: StreamEnd, nowUs: number): void {
    const messages = this.#open[slot];
    if (messages === null) return;
    this.#open[slot] = null;
    if (how === "left") this.unfinished += messages.inFlight;
    else this.failed += messages.inFlight;
    const isBound = how === "left" || how === "late";
    if (isBound) messages.forEach((dueUs) => this.#recordBound(nowUs - dueUs));
    messages.forEachUnsent(nowUs, (dueUs) => {
      this.due++;
      this.dropped++;
      this.#recordBound(nowUs - dueUs);
    });
  }

  #recordBound(us: number): void {
    this.#latency.record(us);
    this.#censored.record(us);
  }

  /** The deadline: what comes after it counts in no rate. */
  seal(): void {
    this.#cameInTime ??= this.#came;
  }

  /** Totals as if the run had ended now, with open sockets counted as left. They stay open. */
  totals(nowUs: number): SocketTotals {
    const { due, received, failed, unfinished, dropped } = this;
    const open = new Histogram();
    let [inFlight, unsent] = [0, 0];
    for (const messages of this.#open) {
      if (messages === null) continue;
      inFlight += messages.inFlight;
      messages.forEach((dueUs) => open.record(nowUs - dueUs));
      messages.forEachUnsent(nowUs, (dueUs) => {
        unsent++;
        open.record(nowUs - dueUs);
      });
    }
    const more = open.count === 0 ? EMPTY : open.toSparse();
    const censored = this.#censored.count === 0 ? EMPTY : this.#censored.toSparse();
    return {
      due: due + unsent,
      ...{ received, failed },
      unfinished: unfinished + inFlight,
      dropped: dropped + unsent,
      opened: this.#opened,
      sent: this.#sent,
      came: this.#came,
      cameInTime: this.#cameInTime ?? this.#came,
      unmatched: this.#unmatched,
      latency: {
        all: addSparse(this.#latency.toSparse(), more),
        censored: addSparse(censored, more),
      },
      closeCodes: [...this.#closeCodes].sort(([one], [other]) => one - other),
    };
  }
}

/** The sum of the sockets of several workers. */
export function codesOf(
  parts: readonly SocketTotals["closeCodes"][],
): Readonly<Record<string, number>> {
  const all = new Map<number, number>();
  for (const [code, sockets] of parts.flat()) all.set(code, (all.get(code) ?? 0) + sockets);
  const sorted = [...all].sort(([one], [other]) => one - other);
  return Object.fromEntries(sorted.map(([code, sockets]) => [
    code === OTHER_CODES ? "other" : String(code),
    sockets,
  ]));
}
