/** Events during a measurement, as they happen; the terminal shows them, and nothing depends on them. */
import type { IntervalTimes } from "../../base/figures/figure.ts";
import type { CapacityTrial } from "./capacity.ts";
import type { Measurement, Missing, Run } from "./result.ts";
import type { SparseHistogram } from "../stats/histogram/histogram.ts";

/** The state of one agent of a fleet, from its last report. */
export interface LiveAgent {
  readonly name: string;
  readonly ratePerSec: number;
  /** CPU of the busiest worker, as a share of one core. */
  readonly cpuRatio: number;
  /** Milliseconds since the agent's last report. */
  readonly silentMs: number;
}

/** What the runs of a cell show so far. */
export interface CellProgress {
  /** The runs by repetition, at least one. */
  readonly runs: readonly Run[];
  /** The figure by which cells are compared: requests/s if all runs are closed loops, otherwise p99 in ms. */
  readonly figure: "rate" | "p99";
  /** The figure over all runs; null if the runs do not have it. */
  readonly value: number | null;
  /** The 95 % interval, as in the report; null for a single run. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /**
   * What the stopping rule checks: half the width of the widest of the intervals of requests/s and p50, relative to the
   * figure; 0.02 means ± 2 %. Null without such a rule, and for a single run.
   */
  readonly halfWidth: number | null;
}

/** Messages of streams and WebSockets in an interval. */
export interface LiveMessages extends IntervalTimes<LiveTimes> {
  readonly received: number;
  readonly failed: number;
  readonly perSec: number;
  /**
   * Which times tell most about the run: latencies of messages, or gaps between messages; null: latencies of requests.
   */
  readonly lead: "message" | "gap" | null;
}

interface LiveTimes {
  readonly all: SparseHistogram;
  /** The values of `all` that are lower bounds. */
  readonly censored: SparseHistogram;
}

export type Progress =
  /** Reported before the first run: what is left to do, and the expected time for the fewest and for the most runs. */
  | {
    readonly kind: "planned";
    readonly cells: number;
    readonly runs: number;
    readonly expectedMs: number;
    readonly mostRuns: number;
    readonly mostMs: number;
    /** Whether fewer runs than `runs` may be enough. */
    readonly mayEndEarly: boolean;
    /** The half width at which repetition stops, 0.02 for ± 2 %; null without such a rule. */
    readonly until: number | null;
  }
  /** One line for the user, such as which Redis is used or why a cell is skipped. */
  | {
    readonly kind: "note";
    readonly text: string;
    /**
     * Set if something has failed that the exit code does not show. The note is then shown even where progress is not.
     */
    readonly isWarning?: true;
  }
  | {
    readonly kind: "starting";
    readonly order: number;
    readonly runs: number;
    /** Whether fewer runs may be enough, because the caller judges them after each repetition. */
    readonly mayEndEarly: boolean;
    /** Repetitions of each cell until all runs are made, or until a stopping rule is next checked. */
    readonly repetitions: number;
    readonly target: string;
    /**
     * The target that takes turns with this one, and whose run is reported next; absent: no other target takes turns.
     */
    readonly partner?: string;
    readonly scenario: string;
    readonly repetition: number;
    readonly parameters: Run["parameters"];
    readonly remainingMs: number;
  }
  /**
   * Sent about once per interval of a load; if two targets take turns, only for the first. Figures are those of the
   * last interval.
   */
  | {
    readonly kind: "live";
    /** The first URL that is requested. */
    readonly url: string;
    readonly elapsedMs: number;
    /** Null if the run ends by count. */
    readonly durationMs: number | null;
    readonly ratePerSec: number;
    readonly p50Ms: number;
    readonly p99Ms: number;
    readonly failed: number;
    readonly latency: SparseHistogram;
    /** Absent if no response is a stream, and none opens a WebSocket. */
    readonly messages?: LiveMessages;
    /** Requests of the run completed so far; `requests`: the planned number, null if the run ends by time. */
    readonly completed: number;
    readonly requests: number | null;
    readonly workers: {
      readonly count: number;
      /** Share of a core that the busiest worker uses. */
      readonly cpuRatio: number;
      /** The longest that an event waited for its worker. */
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
    /** Expected time of the runs after this one; absent if it is the only one. */
    readonly remainingMs?: number;
  }
  /** Sent after each run and, when an experiment is resumed, at the beginning for each cell that already has runs. */
  | { readonly kind: "cell"; readonly cell: CellProgress }
  | { readonly kind: "missing"; readonly missing: Missing }
  /** A trial of a search for a capacity, and the rates between which the capacity now seems to lie; null if unknown. */
  | {
    readonly kind: "trial";
    readonly number: number;
    readonly trial: CapacityTrial;
    readonly low: number | null;
    readonly high: number | null;
  };

export type OnProgress = (event: Progress) => void;
