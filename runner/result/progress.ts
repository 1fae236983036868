/**
 * Events while Plateau measures, as they happen; the terminal shows them, nothing depends on them.
 */
import type { IntervalTimes } from "../../base/figures/figure.ts";
import type { CapacityTrial } from "./capacity.ts";
import type { Measurement, Missing, Run } from "./result.ts";
import type { SparseHistogram } from "../stats/histogram/histogram.ts";

/** One agent of a fleet, by its last report. */
export interface LiveAgent {
  readonly name: string;
  readonly ratePerSec: number;
  /** CPU of the busiest worker, as a share of one core. */
  readonly cpuRatio: number;
  /** Milliseconds since its last report. */
  readonly silentMs: number;
}

/** What the runs of a cell show so far. */
export interface CellProgress {
  /** The runs by repetition, at least one. */
  readonly runs: readonly Run[];
  /** The figure by which cells are compared: requests/s, or p99 in ms where requests come at a pace of their own. */
  readonly figure: "rate" | "p99";
  /** Value of all runs together; null if they have no such figure. */
  readonly value: number | null;
  /** The 95 % interval of the report; null for one run. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /**
   * What the stopping rule watches: half the width of the widest interval of requests/s and p50, 0.02 for ± 2 %. Null
   * without such a rule, and of one run.
   */
  readonly halfWidth: number | null;
}

/** Messages of streams and WebSockets in an interval. */
export interface LiveMessages extends IntervalTimes<LiveTimes> {
  readonly received: number;
  readonly failed: number;
  readonly perSec: number;
  /**
   * The times that say most about the run: latencies of messages, or the gaps between them; null: the latencies of
   * requests.
   */
  readonly lead: "message" | "gap" | null;
}

interface LiveTimes {
  readonly all: SparseHistogram;
  /** The values of `all` that are lower bounds. */
  readonly censored: SparseHistogram;
}

export type Progress =
  /** Before the first run: what is left to do, and how long it is expected to take; at least and at most. */
  | {
    readonly kind: "planned";
    readonly cells: number;
    readonly runs: number;
    readonly expectedMs: number;
    readonly mostRuns: number;
    readonly mostMs: number;
    /** Whether even fewer runs than `runs` may do. */
    readonly mayEndEarly: boolean;
    /** The half width that ends the repetitions, 0.02 for ± 2 %; null without such a rule. */
    readonly until: number | null;
  }
  /** One line for the user, such as which Redis is used or why a cell is skipped. */
  | {
    readonly kind: "note";
    readonly text: string;
    /** Something has failed that the exit code does not tell, so it is shown even where progress is not. */
    readonly isWarning?: true;
  }
  | {
    readonly kind: "starting";
    readonly order: number;
    readonly runs: number;
    /** Whether fewer runs may do, because someone looks at them after each repetition. */
    readonly mayEndEarly: boolean;
    /** Repetitions of each cell until all runs are made or a stopping rule is checked. */
    readonly repetitions: number;
    readonly target: string;
    /** The target that it takes turns with, whose run is the next one; absent: it runs alone. */
    readonly partner?: string;
    readonly scenario: string;
    readonly repetition: number;
    readonly parameters: Run["parameters"];
    readonly remainingMs: number;
  }
  /** About once an interval while a run loads its target, of two in turns the first; figures are of the last interval. */
  | {
    readonly kind: "live";
    /** The first that is requested. */
    readonly url: string;
    readonly elapsedMs: number;
    /** Null if the run ends by count. */
    readonly durationMs: number | null;
    readonly ratePerSec: number;
    readonly p50Ms: number;
    readonly p99Ms: number;
    readonly failed: number;
    readonly latency: SparseHistogram;
    /** Absent where no response is a stream, and none opens a WebSocket. */
    readonly messages?: LiveMessages;
    /** Completed requests of the run so far, and how many are requested; null when the run ends by time. */
    readonly completed: number;
    readonly requests: number | null;
    readonly workers: {
      readonly count: number;
      /** Share of one core that the busiest worker uses. */
      readonly cpuRatio: number;
      /** Longest time that something new waited for its worker. */
      readonly lateMs: number;
    };
    /** Agents of the fleet; absent if this process loads alone. */
    readonly agents?: readonly LiveAgent[];
  }
  | {
    readonly kind: "measured";
    readonly order: number;
    readonly measurement: Measurement;
    /** The partner's measurement, if the run had a partner. */
    readonly partner?: Measurement;
    /** Time of the runs after it; absent if it is the only one. */
    readonly remainingMs?: number;
  }
  /** After each run, and at first of cells with runs of an earlier sitting. */
  | { readonly kind: "cell"; readonly cell: CellProgress }
  | { readonly kind: "missing"; readonly missing: Missing }
  /** A trial of a search for a capacity, and where the capacity is by now, requests per second; null: unknown. */
  | {
    readonly kind: "trial";
    readonly number: number;
    readonly trial: CapacityTrial;
    readonly low: number | null;
    readonly high: number | null;
  };

export type OnProgress = (event: Progress) => void;
