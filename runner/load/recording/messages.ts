/**
 * What a worker remembers of messages: of the events of streams, one after the other on each slot. It knows no clock: every
 * moment is an argument, microseconds since the start of the run. Each message that was due ended in one of four ways:
 *
 *     due = received + failed + unfinished + dropped
 *
 * A stream that is open waits for one message, its first or its next: that one is due. When the stream ends as it should,
 * nothing more was due. Where it is cut, the message that it waited for has failed; where the load ends, or the virtual user
 * leaves, it is unfinished; where the request was never sent, it was dropped. The wait so far is then a lower bound of the
 * gap. Of the time to the first message it is one where the wait was long because it was given up: as for latency.
 */
import {
  addSparse,
  EMPTY,
  GrowingHistogram,
  Histogram,
  type SparseHistogram,
} from "../../stats/histogram/histogram.ts";

/** Times of which some are lower bounds. */
export interface BoundedTotals {
  readonly all: SparseHistogram;
  /** The values of `all` that are lower bounds. */
  readonly censored: SparseHistogram;
}

/** Messages of one name. */
export interface NamedMessages {
  readonly name: string;
  readonly received: number;
  /** Since the message before on the same stream, whatever its name; none before the first. */
  readonly gap: SparseHistogram;
}

/** Times of messages of which an interval has its own. */
export const INTERVAL_TIMES = ["ttfe", "gap", "ttft"] as const;

/** Messages of one interval. */
export interface MessagePart
  extends Readonly<Record<typeof INTERVAL_TIMES[number], BoundedTotals>> {
  /** In the last interval, by the deadline. */
  readonly received: number;
  /** In the last interval those that failed after the deadline, too: each of them missed what was expected of it. */
  readonly failed: number;
}

export interface MessageTotals {
  readonly due: number;
  readonly received: number;
  readonly failed: number;
  readonly unfinished: number;
  readonly dropped: number;
  /** Messages received by the deadline. */
  readonly inTime: number;
  /** Streams that ended as they should. */
  readonly whole: number;
  readonly interruptions: Interruptions;
  /** Time to the first message, from when the latency of the request counts. */
  readonly first: BoundedTotals;
  /** Between two messages of a stream. */
  readonly gap: BoundedTotals;
  /** In the order in which the names first came. */
  readonly names: readonly NamedMessages[];
  /** Whether tokens are looked for. */
  readonly hasTokens: boolean;
  readonly tokens: number;
  /** Tokens received by the deadline. */
  readonly tokensInTime: number;
  /** To the first token, of streams that brought one, or that could have. */
  readonly firstToken: BoundedTotals;
  /** Time from the first token to the last of each whole stream with two or more, by the tokens after the first. */
  readonly perToken: SparseHistogram;
}

/**
 * How often a stream that is requested again stood still: as its response had ended, as it was cut, or as no connection could
 * be made for the next. The message that it waits for goes on being due, so the wait is in its gap.
 */
export interface Interruptions {
  readonly ended: number;
  readonly cut: number;
  readonly refused: number;
}

/** How a stream ends that is open: as it should, cut by the server, timed out, or left by the load or its virtual user. */
export type StreamEnd = "whole" | "cut" | "late" | "left";

class BoundedTimes {
  readonly #all = new GrowingHistogram();
  readonly #censored = new GrowingHistogram();

  record(us: number): void {
    this.#all.fresh.record(us);
  }

  recordBound(us: number): void {
    this.#all.fresh.record(us);
    this.#censored.fresh.record(us);
  }

  /** What came since the last call. */
  take(): BoundedTotals {
    return { all: this.#all.take(), censored: this.#censored.take() };
  }

  /** @param open More bounds: of what goes on. */
  totals(open: Histogram | null): BoundedTotals {
    const more = open?.toSparse() ?? EMPTY;
    return {
      all: addSparse(this.#all.whole(), more),
      censored: addSparse(this.#censored.whole(), more),
    };
  }
}

/** Names beyond these are one more together, so that a server can't fill the memory. */
export const MOST_NAMES = 20;
/** What those are together: no server can give an event the empty name (WHATWG HTML, section 9.2). */
export const OTHER_NAMES = "";

interface Named {
  received: number;
  readonly gap: Histogram;
}

const CLOSED = 0;
const AWAITS_FIRST = 1;
const AWAITS_NEXT = 2;
/** It awaits no message, and its exchange is not over yet. */
const ENDED = 3;

export class MessageRecorder {
  due = 0;
  received = 0;
  failed = 0;
  unfinished = 0;
  dropped = 0;
  #whole = 0;
  readonly #interruptions = { ended: 0, cut: 0, refused: 0 };
  #tokens = 0;
  /** By the intervals so far. */
  #taken = { received: 0, failed: 0 };
  /** Received by the deadline; null before it. */
  #sealed: { readonly received: number; readonly tokens: number } | null = null;
  readonly #first = new BoundedTimes();
  readonly #gap = new BoundedTimes();
  readonly #firstToken = new BoundedTimes();
  readonly #perToken = new Histogram();
  readonly #names = new Map<string, Named>();
  // By slot.
  readonly #state: Uint8Array;
  /** When the request was due, as its latency counts. */
  readonly #dueUs: Float64Array;
  /** When the last message came. */
  readonly #lastUs: Float64Array;
  /** Whether tokens are looked for in its stream. */
  readonly #hasTokens: Uint8Array;
  readonly #tokensOf: Uint32Array;
  readonly #firstTokenUs: Float64Array;
  readonly #lastTokenUs: Float64Array;

  /** @param hasTokens Whether tokens are looked for in any stream. */
  constructor(slots: number, private readonly hasTokens: boolean) {
    this.#state = new Uint8Array(slots);
    this.#dueUs = new Float64Array(slots);
    this.#lastUs = new Float64Array(slots);
    this.#hasTokens = new Uint8Array(slots);
    this.#tokensOf = new Uint32Array(slots);
    this.#firstTokenUs = new Float64Array(slots);
    this.#lastTokenUs = new Float64Array(slots);
  }

  isOpen(slot: number): boolean {
    const state = this.#state[slot];
    return state === AWAITS_FIRST || state === AWAITS_NEXT;
  }

  /** The request of a stream has been sent: its first message is due, and its first token where it has any. */
  begin(slot: number, dueUs: number, hasTokens = false): void {
    this.due++;
    this.#state[slot] = AWAITS_FIRST;
    this.#dueUs[slot] = dueUs;
    this.#hasTokens[slot] = hasTokens ? 1 : 0;
    this.#tokensOf[slot] = 0;
  }

  /** A message has come on an open stream, and the next is due. */
  receive(slot: number, name: string, nowUs: number): void {
    this.received++;
    this.due++;
    const named = this.#named(name);
    named.received++;
    if (this.#state[slot] === AWAITS_FIRST) this.#first.record(nowUs - this.#dueUs[slot]);
    else {
      const gapUs = nowUs - this.#lastUs[slot];
      this.#gap.record(gapUs);
      named.gap.record(gapUs);
    }
    this.#state[slot] = AWAITS_NEXT;
    this.#lastUs[slot] = nowUs;
  }

  #named(name: string): Named {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    if (this.#names.size >= MOST_NAMES && name !== OTHER_NAMES) return this.#named(OTHER_NAMES);
    const named = { received: 0, gap: new Histogram() };
    this.#names.set(name, named);
    return named;
  }

  /** The message that has just come brought a token. */
  takeToken(slot: number, nowUs: number): void {
    this.#tokens++;
    if (this.#tokensOf[slot]++ === 0) {
      this.#firstTokenUs[slot] = nowUs;
      this.#firstToken.record(nowUs - this.#dueUs[slot]);
    }
    this.#lastTokenUs[slot] = nowUs;
  }

  /** An open stream ends; nothing, where none is open. */
  end(slot: number, how: StreamEnd, nowUs: number): void {
    if (!this.isOpen(slot)) return;
    const state = this.#state[slot];
    this.#state[slot] = ENDED;
    if (how === "whole") {
      this.due--; // nothing more was
      this.#whole++;
      const tokens = this.#tokensOf[slot];
      if (tokens > 1) {
        this.#perToken.record((this.#lastTokenUs[slot] - this.#firstTokenUs[slot]) / (tokens - 1));
      }
      return;
    }
    if (how === "left") this.unfinished++;
    else this.failed++;
    if (state === AWAITS_NEXT) this.#gap.recordBound(nowUs - this.#lastUs[slot]);
    // As with latency, a refusal says nothing about how long the first message would have taken.
    if (how === "cut") return;
    const waitedUs = nowUs - this.#dueUs[slot];
    if (state === AWAITS_FIRST) this.#first.recordBound(waitedUs);
    if (this.#awaitsToken(slot)) this.#firstToken.recordBound(waitedUs);
  }

  #awaitsToken(slot: number): boolean {
    return this.#hasTokens[slot] === 1 && this.#tokensOf[slot] === 0;
  }

  /** The exchange of a stream is over, after its end. False: none was begun there. */
  close(slot: number): boolean {
    const hasBegun = this.#state[slot] !== CLOSED;
    this.#state[slot] = CLOSED;
    return hasBegun;
  }

  /** An open stream stands still, and is to be requested again. */
  interrupt(how: keyof Interruptions): void {
    this.#interruptions[how]++;
  }

  /** The first message of a request that failed before it was sent, which says nothing about its time. */
  failUnsent(): void {
    this.due++;
    this.failed++;
  }

  /** The first message of a request that was never sent, or not by the end. @param waitedUs Since it was due. */
  missUnsent(how: "unfinished" | "dropped", waitedUs: number, hasTokens: boolean): void {
    this.due++;
    this[how]++;
    this.#first.recordBound(waitedUs);
    if (hasTokens) this.#firstToken.recordBound(waitedUs);
  }

  /** The deadline: what comes after it counts in no rate. */
  seal(): void {
    this.#sealed ??= { received: this.received, tokens: this.#tokens };
  }

  /** What came since the last call, which was at the end of the interval before. */
  takeInterval(): MessagePart {
    const received = this.#sealed?.received ?? this.received;
    const { failed } = this;
    const part = {
      received: received - this.#taken.received,
      failed: failed - this.#taken.failed,
      ttfe: this.#first.take(),
      gap: this.#gap.take(),
      ttft: this.#firstToken.take(),
    };
    this.#taken = { received, failed };
    return part;
  }

  /** Totals as if the run had ended now, with open streams counted as left. They stay open. */
  totals(nowUs: number): MessageTotals {
    const { due, received, failed, dropped } = this;
    const open = this.#openAt(nowUs);
    return {
      ...{ due, received, failed, dropped },
      unfinished: this.unfinished + (open?.count ?? 0),
      inTime: this.#sealed?.received ?? received,
      whole: this.#whole,
      interruptions: { ...this.#interruptions },
      first: this.#first.totals(open?.first ?? null),
      gap: this.#gap.totals(open?.gap ?? null),
      names: [...this.#names].map(([name, named]) => ({
        name,
        received: named.received,
        gap: named.gap.toSparse(),
      })),
      hasTokens: this.hasTokens,
      tokens: this.#tokens,
      tokensInTime: this.#sealed?.tokens ?? this.#tokens,
      firstToken: this.#firstToken.totals(open?.firstToken ?? null),
      perToken: this.#perToken.toSparse(),
    };
  }

  /** What the streams wait for that are open; null where none is, as at the end. */
  #openAt(nowUs: number): OpenWaits | null {
    let open: OpenWaits | null = null;
    for (let slot = 0; slot < this.#state.length; slot++) {
      const state = this.#state[slot];
      if (!this.isOpen(slot)) continue;
      open ??= {
        count: 0,
        first: new Histogram(),
        gap: new Histogram(),
        firstToken: new Histogram(),
      };
      open.count++;
      const waitedUs = nowUs - this.#dueUs[slot];
      if (state === AWAITS_FIRST) open.first.record(waitedUs);
      else open.gap.record(nowUs - this.#lastUs[slot]);
      if (this.#awaitsToken(slot)) open.firstToken.record(waitedUs);
    }
    return open;
  }
}

interface OpenWaits {
  count: number;
  readonly first: Histogram;
  readonly gap: Histogram;
  readonly firstToken: Histogram;
}
