/**
 * The parts that the recorders of streams and of WebSockets share. Each message that was due ended in one of four ways:
 *
 *     due = received + failed + unfinished + dropped
 *
 * Both recorders count by step, so that each request of a mix or flow has figures of its own messages; the figures of
 * the load are their sum.
 */
import type { IntervalTimes } from "../../../base/figures/figure.ts";
import {
  addSparse,
  EMPTY,
  GrowingHistogram,
  type SparseHistogram,
  sumOfSparse,
} from "../../stats/histogram/histogram.ts";

export interface MessageCounts {
  readonly due: number;
  readonly received: number;
  readonly failed: number;
  readonly unfinished: number;
  readonly dropped: number;
}

/** Times, some of which are lower bounds. */
export interface BoundedTotals {
  readonly all: SparseHistogram;
  /** The values of `all` that are lower bounds. */
  readonly censored: SparseHistogram;
  /** Lower bounds for messages that are still awaited; absent if `all` contains them. */
  readonly open?: SparseHistogram;
}

/** `whole`: everything recorded; `take`: only what is new since the previous report. */
export type Extent = "whole" | "take";

export const NO_TIMES: BoundedTotals = { all: EMPTY, censored: EMPTY };

/** Messages of one interval. */
export interface MessagePart extends IntervalTimes<BoundedTotals> {
  /** Messages received; those after the deadline do not count. */
  readonly received: number;
  /**
   * Messages that failed; in the last interval also after the deadline, because a failure counts whenever it happens.
   */
  readonly failed: number;
}

/**
 * How an open stream or socket ends: as expected, cut by the server, timed out, or left by the load or its virtual
 * user.
 */
export type StreamEnd = "whole" | "cut" | "late" | "left";

/** A count that also knows its value at the deadline, and its growth since the last interval. */
export class TimedCount {
  whole = 0;
  #inTime: number | null = null;
  #taken = 0;

  /** The count at the deadline; before that, the current count. */
  get inTime(): number {
    return this.#inTime ?? this.whole;
  }

  /** Called at the deadline. */
  seal(): void {
    this.#inTime ??= this.whole;
  }

  /** The count since the last call, up to the deadline. */
  take(): number {
    const taken = this.inTime - this.#taken;
    this.#taken += taken;
    return taken;
  }
}

export class BoundedTimes {
  readonly #all = new GrowingHistogram();
  /** Null while there is no lower bound. */
  #censored: GrowingHistogram | null = null;
  #taken = NO_TIMES;

  record(us: number): void {
    this.#all.fresh.record(us);
  }

  recordBound(us: number): void {
    this.#all.fresh.record(us);
    (this.#censored ??= new GrowingHistogram()).fresh.record(us);
  }

  /** Times recorded since the last call of `take`. */
  take(): BoundedTotals {
    return this.#taken = { all: this.#all.take(), censored: this.#censored?.take() ?? EMPTY };
  }

  /**
   * @param open Lower bounds for messages still open.
   * @param extent `whole`: all times, with `open` added; `take`: the times that the last call of `take` returned, with
   * `open` kept apart.
   */
  totals(open: SparseHistogram, extent: Extent): BoundedTotals {
    if (extent === "take") return { ...this.#taken, open };
    return {
      all: addSparse(this.#all.whole(), open),
      censored: addSparse(this.#censored?.whole() ?? EMPTY, open),
    };
  }
}

export function sumOfBounded(parts: readonly BoundedTotals[]): BoundedTotals {
  return {
    all: sumOfSparse(parts.map(({ all }) => all)),
    censored: sumOfSparse(parts.map(({ censored }) => censored)),
  };
}
