/**
 * Records the messages of streams, which follow one another on each slot, for one worker. No clock is read: every
 * moment is an argument, microseconds since the start of the run.
 *
 * An open stream waits for one message, its first or its next: that message is due. If the stream ends as it should, no
 * other message was due. If the stream is cut, the awaited message has failed; if the load ends or the virtual user
 * leaves, it is unfinished; if the request was never sent, it was dropped. The wait so far is then a lower bound of the
 * gap. It is also a lower bound of the time to the first message, unless the stream was cut: a cut, like a refused
 * request, says nothing about how long the message would have taken.
 */
import {
  CompactHistogram,
  EMPTY,
  Histogram,
  type SparseHistogram,
} from "../../stats/histogram/histogram.ts";
import {
  BoundedTimes,
  type BoundedTotals,
  type Extent,
  type MessageCounts,
  type MessagePart,
  NO_TIMES,
  type StreamEnd,
  sumOfBounded,
  TimedCount,
} from "./message_counts.ts";

/** Messages with the same name. */
export interface NamedMessages {
  readonly name: string;
  readonly received: number;
  /** Times since the previous message of the same stream, whatever its name; none for the first. */
  readonly gap: SparseHistogram;
}

/** Messages of the streams of one step. */
export interface MessageTotals extends MessageCounts {
  readonly step: number;
  /** Messages received by the deadline. */
  readonly inTime: number;
  /** Streams that ended as expected. */
  readonly whole: number;
  readonly interruptions: Interruptions;
  /** Time to the first message, from the same moment as the latency of the request. */
  readonly first: BoundedTotals;
  /** Time between consecutive messages of a stream. */
  readonly gap: BoundedTotals;
  /** Message names, in the order of their first appearance. */
  readonly names: readonly NamedMessages[];
  /** Whether the step's messages are searched for tokens. */
  readonly hasTokens: boolean;
  readonly tokens: number;
  /** Tokens received by the deadline. */
  readonly tokensInTime: number;
  /**
   * Time to the first token; a lower bound if the stream timed out or was left before it came, or if it was never
   * requested.
   */
  readonly firstToken: BoundedTotals;
  /**
   * For each complete stream with at least two tokens: the time from the first token to the last, divided by the number
   * of tokens after the first.
   */
  readonly perToken: SparseHistogram;
}

/**
 * How often the streams of a step were interrupted and had to be requested again: because the response `ended`, was
 * `cut`, or the connection for the next request was `refused`. The awaited message remains due, so its gap contains the
 * interruption.
 */
export interface Interruptions {
  readonly ended: number;
  readonly cut: number;
  readonly refused: number;
}

/**
 * The most names that are counted separately. Further names are counted together, so that a server can't exhaust the
 * memory.
 */
export const MOST_NAMES = 20;
/**
 * The name under which further names are counted. No server can give an event an empty name (WHATWG HTML, section 9.2).
 */
export const OTHER_NAMES = "";

interface Named {
  received: number;
  /** `received` at the last `take`. */
  taken: number;
  readonly gap: CompactHistogram;
}

interface TokenTimes {
  readonly first: BoundedTimes;
  readonly perToken: CompactHistogram;
}

/** The messages of one step. */
class StreamTally {
  due = 0;
  readonly received = new TimedCount();
  readonly failed = new TimedCount();
  unfinished = 0;
  dropped = 0;
  whole = 0;
  readonly interruptions = { ended: 0, cut: 0, refused: 0 };
  readonly tokens = new TimedCount();
  readonly first = new BoundedTimes();
  readonly gap = new BoundedTimes();
  /** Null if the step's messages have no tokens. */
  readonly tokenTimes: TokenTimes | null;
  readonly names = new Map<string, Named>();
  /** Whether anything may have changed since the last `take`. */
  isChanged = true;

  constructor(readonly step: number, hasTokens: boolean) {
    this.tokenTimes = hasTokens
      ? { first: new BoundedTimes(), perToken: new CompactHistogram() }
      : null;
  }

  named(name: string): Named {
    const known = this.names.get(name);
    if (known !== undefined) return known;
    if (this.names.size >= MOST_NAMES && name !== OTHER_NAMES) return this.named(OTHER_NAMES);
    const named = { received: 0, taken: 0, gap: new CompactHistogram() };
    this.names.set(name, named);
    return named;
  }

  totals(open: OpenWaits, extent: Extent): MessageTotals {
    const { step, due, received, failed, unfinished, dropped, whole, tokens, tokenTimes } = this;
    return {
      ...{ step, due, dropped, whole, hasTokens: tokenTimes !== null },
      received: received.whole,
      failed: failed.whole,
      unfinished: unfinished + open.count,
      inTime: received.inTime,
      interruptions: { ...this.interruptions },
      first: this.first.totals(open.first, extent),
      gap: this.gap.totals(open.gap, extent),
      names: this.#namesIn(extent),
      tokens: tokens.whole,
      tokensInTime: tokens.inTime,
      firstToken: tokenTimes?.first.totals(open.firstToken, extent) ?? NO_TIMES,
      perToken: tokenTimes?.perToken[extent]() ?? EMPTY,
    };
  }

  #namesIn(extent: Extent): NamedMessages[] {
    const all: NamedMessages[] = [];
    for (const [name, named] of this.names) {
      const { received, taken, gap } = named;
      if (extent === "take") {
        if (received === taken) continue;
        named.taken = received;
      }
      all.push({ name, received, gap: gap[extent]() });
    }
    return all;
  }
}

const CLOSED = 0;
const AWAITS_FIRST = 1;
const AWAITS_NEXT = 2;
/** The stream awaits no message, and its exchange is not over yet. */
const ENDED = 3;

interface StreamSteps {
  /** Steps whose requests are streams with counted messages. A load with a single step has step 0. */
  readonly steps: ReadonlySet<number>;
  /** Steps whose streams have tokens. */
  readonly withTokens: ReadonlySet<number>;
}

export class MessageRecorder {
  readonly #tallies: readonly StreamTally[];
  // State by slot.
  readonly #state: Uint8Array;
  /** By slot: the counts of its step; undefined before its first stream. */
  readonly #tally: (StreamTally | undefined)[];
  /** By slot: the moment from which the latency of the request counts. */
  readonly #dueUs: Float64Array;
  /** By slot: when the last message arrived. */
  readonly #lastUs: Float64Array;
  readonly #tokensOf: Uint32Array;
  readonly #firstTokenUs: Float64Array;
  readonly #lastTokenUs: Float64Array;
  /** Buffers in which the waits of one step's open streams are collected. */
  readonly #waits = { first: new Histogram(), gap: new Histogram(), firstToken: new Histogram() };

  constructor(slots: number, { steps, withTokens }: StreamSteps) {
    this.#tallies = [...steps].map((step) => new StreamTally(step, withTokens.has(step)));
    this.#state = new Uint8Array(slots);
    this.#tally = new Array(slots).fill(undefined);
    this.#dueUs = new Float64Array(slots);
    this.#lastUs = new Float64Array(slots);
    this.#tokensOf = new Uint32Array(slots);
    this.#firstTokenUs = new Float64Array(slots);
    this.#lastTokenUs = new Float64Array(slots);
  }

  isOpen(slot: number): boolean {
    const state = this.#state[slot];
    return state === AWAITS_FIRST || state === AWAITS_NEXT;
  }

  /** Counts of a step; undefined if its requests are not streams, or have no counted messages. */
  #of(step: number): StreamTally | undefined {
    return this.#tallies.find((tally) => tally.step === step);
  }

  /** The request of a stream was sent, so its first message is due, and its first token if it has tokens. */
  begin(slot: number, step: number, dueUs: number): void {
    const tally = this.#of(step);
    if (tally === undefined) throw new Error("A stream began that is not part of the load");
    tally.due++;
    tally.isChanged = true;
    this.#tally[slot] = tally;
    this.#state[slot] = AWAITS_FIRST;
    this.#dueUs[slot] = dueUs;
    this.#tokensOf[slot] = 0;
  }

  #begun(slot: number): StreamTally {
    const tally = this.#tally[slot];
    if (tally === undefined) throw new Error("A message arrived on a stream that had not begun");
    return tally;
  }

  // hot: runs for every message.
  /** A message has arrived on an open stream, and the next is due. */
  receive(slot: number, name: string, nowUs: number): void {
    const tally = this.#begun(slot);
    tally.received.whole++;
    tally.due++;
    const named = tally.named(name);
    named.received++;
    if (this.#state[slot] === AWAITS_FIRST) tally.first.record(nowUs - this.#dueUs[slot]);
    else {
      const gapUs = nowUs - this.#lastUs[slot];
      tally.gap.record(gapUs);
      named.gap.fresh.record(gapUs);
    }
    this.#state[slot] = AWAITS_NEXT;
    this.#lastUs[slot] = nowUs;
  }

  /** The message that has just arrived contained a token. */
  takeToken(slot: number, nowUs: number): void {
    const tally = this.#begun(slot);
    tally.tokens.whole++;
    if (this.#tokensOf[slot]++ === 0) {
      this.#firstTokenUs[slot] = nowUs;
      tally.tokenTimes?.first.record(nowUs - this.#dueUs[slot]);
    }
    this.#lastTokenUs[slot] = nowUs;
  }

  /** Ends an open stream; does nothing if none is open. */
  end(slot: number, how: StreamEnd, nowUs: number): void {
    const tally = this.#tally[slot];
    if (tally === undefined || !this.isOpen(slot)) return;
    const state = this.#state[slot];
    this.#state[slot] = ENDED;
    if (how === "whole") {
      tally.due--; // no further message was due
      tally.whole++;
      const tokens = this.#tokensOf[slot];
      if (tokens > 1) {
        const perTokenUs = (this.#lastTokenUs[slot] - this.#firstTokenUs[slot]) / (tokens - 1);
        tally.tokenTimes?.perToken.fresh.record(perTokenUs);
      }
      return;
    }
    if (how === "left") tally.unfinished++;
    else tally.failed.whole++;
    if (state === AWAITS_NEXT) tally.gap.recordBound(nowUs - this.#lastUs[slot]);
    // For a stream that was cut, no time to the first message is recorded: a cut, like a refused
    // request, says nothing about how long the message would have taken.
    if (how === "cut") return;
    const waitedUs = nowUs - this.#dueUs[slot];
    if (state === AWAITS_FIRST) tally.first.recordBound(waitedUs);
    if (this.#awaitsToken(slot, tally)) tally.tokenTimes?.first.recordBound(waitedUs);
  }

  #awaitsToken(slot: number, { tokenTimes }: StreamTally): boolean {
    return tokenTimes !== null && this.#tokensOf[slot] === 0;
  }

  /** The exchange of a stream has ended, after the stream itself. Returns false if no stream had begun on the slot. */
  close(slot: number): boolean {
    const hasBegun = this.#state[slot] !== CLOSED;
    this.#state[slot] = CLOSED;
    return hasBegun;
  }

  /** An open stream is interrupted, and will be requested again. */
  interrupt(slot: number, how: keyof Interruptions): void {
    this.#begun(slot).interruptions[how]++;
  }

  /** Counts the first message of a request that failed before it was sent; no time is recorded. */
  failUnsent(step: number): void {
    const tally = this.#of(step);
    if (tally === undefined) return;
    tally.due++;
    tally.failed.whole++;
    tally.isChanged = true;
  }

  /**
   * Counts the first message of a request that was not sent by the end of the run.
   * @param waitedUs Time since the message was due.
   */
  missUnsent(step: number, how: "unfinished" | "dropped", waitedUs: number): void {
    const tally = this.#of(step);
    if (tally === undefined) return;
    tally.due++;
    tally[how]++;
    tally.isChanged = true;
    tally.first.recordBound(waitedUs);
    tally.tokenTimes?.first.recordBound(waitedUs);
  }

  /** Called at the deadline: later messages do not count in rates. */
  seal(): void {
    for (const { received, tokens } of this.#tallies) {
      received.seal();
      tokens.seal();
    }
  }

  /** Messages since the last call, which was at the end of the previous interval. */
  takeInterval(): Omit<MessagePart, "message"> {
    const tallies = this.#tallies;
    return {
      received: tallies.reduce((sum, { received }) => sum + received.take(), 0),
      failed: tallies.reduce((sum, { failed }) => sum + failed.take(), 0),
      ttfe: sumOfBounded(tallies.map(({ first }) => first.take())),
      gap: sumOfBounded(tallies.map(({ gap }) => gap.take())),
      ttft: sumOfBounded(tallies.map(({ tokenTimes }) => tokenTimes?.first.take() ?? NO_TIMES)),
    };
  }

  /**
   * Totals as if the run had ended now, with open streams counted as left. The streams stay open.
   * @param extent `take`: only steps that have an open stream, or had one since the last `take`. Their counts cover the
   * run so far. Their times are those of the last `takeInterval` and of open streams. They list only the names under
   * which messages came since the last `take`.
   */
  totals(nowUs: number, extent: Extent = "whole"): MessageTotals[] {
    return this.#tallies.flatMap((tally) => {
      if (extent === "take" && !tally.isChanged) return [];
      const open = this.#openAt(nowUs, tally);
      if (extent === "take") tally.isChanged = open.count > 0;
      return [tally.totals(open, extent)];
    });
  }

  #openAt(nowUs: number, tally: StreamTally): OpenWaits {
    const { first, gap, firstToken } = this.#waits;
    let count = 0;
    for (let slot = 0; slot < this.#state.length; slot++) {
      if (this.#tally[slot] !== tally || !this.isOpen(slot)) continue;
      count++;
      const waitedUs = nowUs - this.#dueUs[slot];
      if (this.#state[slot] === AWAITS_FIRST) first.record(waitedUs);
      else gap.record(nowUs - this.#lastUs[slot]);
      if (this.#awaitsToken(slot, tally)) firstToken.record(waitedUs);
    }
    return { count, first: first.drain(), gap: gap.drain(), firstToken: firstToken.drain() };
  }
}

/** How long open streams have waited, as lower bounds. */
interface OpenWaits {
  readonly count: number;
  readonly first: SparseHistogram;
  readonly gap: SparseHistogram;
  readonly firstToken: SparseHistogram;
}
