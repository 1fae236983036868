/**
 * Events while Plateau measures, as they happen; the terminal shows them, nothing depends on them.
 */
import type { CapacityTrial } from "./capacity.ts";
import type { Measurement, Missing, Run } from "./result.ts";
import type { SparseHistogram } from "../stats/histogram/histogram.ts";

/** One agent of a fleet, by its last report. */
export interface LiveAgent {
  readonly name: string;
  readonly ratePerSec: number;
  /** Of its busiest worker: a share of one core. */
  readonly cpuRatio: number;
  /** Since its last report. */
  readonly silentMs: number;
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
  }
  /** One line for the user, such as which Redis is used or why a cell is skipped. */
  | { readonly kind: "note"; readonly text: string }
  | {
    readonly kind: "starting";
    readonly order: number;
    readonly runs: number;
    readonly target: string;
    readonly scenario: string;
    readonly repetition: number;
    readonly parameters: Run["parameters"];
    readonly remainingMs: number;
  }
  /** About once an interval while a run loads its target; figures are of the last interval. */
  | {
    readonly kind: "live";
    readonly elapsedMs: number;
    /** Null when the run ends by count. */
    readonly durationMs: number | null;
    readonly ratePerSec: number;
    readonly p50Ms: number;
    readonly p99Ms: number;
    readonly failed: number;
    readonly latency: SparseHistogram;
    /** Of the run so far, and how many are requested; null when the run ends by time. */
    readonly completed: number;
    readonly requests: number | null;
    readonly workers: {
      readonly count: number;
      /** Of the busiest: a share of one core. */
      readonly cpuRatio: number;
      /** Longest time that something new waited for its worker. */
      readonly lateMs: number;
    };
    /** Of the fleet; absent where this process loads alone. */
    readonly agents?: readonly LiveAgent[];
  }
  | {
    readonly kind: "measured";
    readonly order: number;
    readonly measurement: Measurement;
    /** Of the runs after it; absent where there is one alone. */
    readonly remainingMs?: number;
  }
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
