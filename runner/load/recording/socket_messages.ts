/**
 * Records a worker's WebSockets, and the messages that are sent on them. No clock is read: every moment is an argument,
 * microseconds since the start of the run. Each socket has a pacer, which makes messages due from when the socket opens
 * until the user leaves it.
 *
 * A message is received when its answer has come. It has failed if the socket was cut, closed or timed out before its
 * answer came; it is unfinished if the load ended first; it is dropped if it was due and never sent. As with requests,
 * the time waited is a lower bound of the latency of a message that timed out, was unfinished or was dropped. Messages
 * that the server sends on its own are counted by `messages.ts`, like the messages of streams.
 */
import { Histogram } from "../../stats/histogram/histogram.ts";
import {
  BoundedTimes,
  type BoundedTotals,
  type Extent,
  type MessageCounts,
  type MessagePart,
  type StreamEnd,
  sumOfBounded,
  TimedCount,
} from "./message_counts.ts";
import { type MessagePace, PacedMessages } from "./paced_messages.ts";

/** Messages of the WebSockets of one step. */
export interface SocketTotals extends MessageCounts {
  readonly step: number;
  /** WebSockets whose opening handshake succeeded. */
  readonly opened: number;
  readonly sent: number;
  /** Messages from the server, of any kind. */
  readonly came: number;
  /** Messages from the server, of any kind, that came before the load's duration was over. */
  readonly cameInTime: number;
  /** Messages from the server that should have been answers but match no sent message. */
  readonly unmatched: number;
  /** Time from when a message was due to its answer. */
  readonly latency: BoundedTotals;
  /** Sockets by the code of the server's close frame: 1005 for a frame without a code, 1006 without a frame. */
  readonly closeCodes: readonly (readonly [code: number, sockets: number])[];
}

/**
 * The most codes that are counted separately. Further codes are counted together, so that a server can't exhaust the
 * memory.
 */
export const MOST_CODES = 20;
/** The code under which further codes are counted. */
export const OTHER_CODES = 0;

/** The messages of one step. */
class SocketTally {
  due = 0;
  received = 0;
  readonly failed = new TimedCount();
  unfinished = 0;
  dropped = 0;
  opened = 0;
  sent = 0;
  readonly came = new TimedCount();
  unmatched = 0;
  readonly latency = new BoundedTimes();
  readonly closeCodes = new Map<number, number>();
  /** Whether anything may have changed since the last `take`. */
  isChanged = true;

  constructor(readonly step: number) {}
}

/** A socket that is open, with its messages. */
export interface CountedSocket {
  readonly tally: SocketTally;
  readonly messages: PacedMessages;
}

interface SocketSteps {
  /** Steps whose requests open WebSockets. A load with a single step has step 0. */
  readonly steps: ReadonlySet<number>;
  /** Steps whose server sends on its own; its messages are counted in intervals together with those of streams. */
  readonly pushed: ReadonlySet<number>;
}

export class SocketRecorder {
  readonly #tallies: readonly SocketTally[];
  /** The steps whose messages are answers. In intervals, messages of the other steps count with those of streams. */
  readonly #answered: readonly SocketTally[];
  /** By slot; null: no socket is open there. */
  readonly #open: (CountedSocket | null)[];
  /** Buffer in which the waits of one step's open sockets are collected. */
  readonly #waits = new Histogram();

  constructor(slots: number, { steps, pushed }: SocketSteps) {
    this.#tallies = [...steps].map((step) => new SocketTally(step));
    this.#answered = this.#tallies.filter(({ step }) => !pushed.has(step));
    this.#open = new Array(slots).fill(null);
  }

  /** Called when a socket has opened: its messages are due from now on. */
  open(slot: number, step: number, pace: MessagePace): CountedSocket {
    const tally = this.#tallies.find((tally) => tally.step === step);
    if (tally === undefined) throw new Error("A socket was opened that is not part of the load");
    tally.opened++;
    tally.isChanged = true;
    return this.#open[slot] = { tally, messages: new PacedMessages(pace) };
  }

  // hot: runs for every message.
  /** Called when the next message of a socket is sent. */
  send({ tally, messages }: CountedSocket): void {
    tally.sent++;
    if (!messages.isAnswered) return messages.skip();
    tally.due++;
    messages.send();
  }

  // hot: runs for every received message.
  come({ tally }: CountedSocket): void {
    tally.came.whole++;
  }

  // hot: runs for every received message.
  /**
   * Called when a received message is the answer to message n of a socket. Returns false if message n is not in flight.
   */
  answer({ tally, messages }: CountedSocket, n: number, nowUs: number): boolean {
    const dueUs = messages.take(n);
    if (Number.isNaN(dueUs)) return false;
    tally.received++;
    tally.latency.record(nowUs - dueUs);
    return true;
  }

  /** Counts a received message that should have been an answer, but answers no message in flight. */
  mismatch({ tally }: CountedSocket): void {
    tally.unmatched++;
  }

  /** @param code 1006: the server sent no close frame. */
  closed({ tally }: CountedSocket, code: number): void {
    const { closeCodes } = tally;
    tally.isChanged = true;
    const isKnown = closeCodes.has(code) || closeCodes.size < MOST_CODES;
    const key = isKnown ? code : OTHER_CODES;
    closeCodes.set(key, (closeCodes.get(key) ?? 0) + 1);
  }

  /** Ends an open socket; does nothing if none is open. */
  end(slot: number, how: StreamEnd, nowUs: number): void {
    const open = this.#open[slot];
    if (open === null) return;
    this.#open[slot] = null;
    const { tally, messages } = open;
    if (how === "left") tally.unfinished += messages.inFlight;
    else tally.failed.whole += messages.inFlight;
    const isBound = how === "left" || how === "late";
    if (isBound) messages.forEach((dueUs) => tally.latency.recordBound(nowUs - dueUs));
    messages.forEachUnsent(nowUs, (dueUs) => {
      tally.due++;
      tally.dropped++;
      tally.latency.recordBound(nowUs - dueUs);
    });
  }

  /** Called at the deadline: later messages do not count in rates. */
  seal(): void {
    for (const { came } of this.#tallies) came.seal();
  }

  /** Messages since the last call, which was at the end of the previous interval. */
  takeInterval(): Pick<MessagePart, "received" | "failed" | "message"> {
    const answered = this.#answered;
    return {
      received: answered.reduce((sum, { came }) => sum + came.take(), 0),
      failed: answered.reduce((sum, { failed }) => sum + failed.take(), 0),
      message: sumOfBounded(answered.map(({ latency }) => latency.take())),
    };
  }

  /**
   * Totals as if the run had ended now, with open sockets counted as left. The sockets stay open.
   * @param extent `take`: only steps that have an open socket, or had one since the last `take`. Their counts cover the
   * run so far; their times are those of the last `takeInterval`, of messages in flight, and of due messages not sent
   * yet.
   */
  totals(nowUs: number, extent: Extent = "whole"): SocketTotals[] {
    return this.#tallies.flatMap((tally) => {
      if (extent === "take" && !tally.isChanged) return [];
      const open = this.#waits;
      let [sockets, inFlight, unsent] = [0, 0, 0];
      for (const socket of this.#open) {
        if (socket?.tally !== tally) continue;
        sockets++;
        const { messages } = socket;
        inFlight += messages.inFlight;
        messages.forEach((dueUs) => open.record(nowUs - dueUs));
        messages.forEachUnsent(nowUs, (dueUs) => {
          unsent++;
          open.record(nowUs - dueUs);
        });
      }
      if (extent === "take") tally.isChanged = sockets > 0;
      const { step, due, received, failed, unfinished, dropped, came, closeCodes } = tally;
      const { opened, sent, unmatched } = tally;
      return [{
        ...{ step, received, opened, sent, unmatched },
        due: due + unsent,
        failed: failed.whole,
        unfinished: unfinished + inFlight,
        dropped: dropped + unsent,
        came: came.whole,
        cameInTime: came.inTime,
        latency: tally.latency.totals(open.drain(), extent),
        closeCodes: [...closeCodes].sort(([one], [other]) => one - other),
      }];
    });
  }
}
