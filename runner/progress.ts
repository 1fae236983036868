/**
 * What happens while Plateau measures, told as it happens; the terminal shows it, nothing depends on it.
 */
import type { Measurement, Missing, Run } from "./result.ts";

export type Progress =
  /** Before the first run. `expectedMs`: how long the whole is expected to take. */
  | {
    readonly kind: "planned";
    readonly runs: number;
    readonly cells: number;
    readonly expectedMs: number;
  }
  /** One line that the user should know, such as which Redis is used or why a cell is skipped. */
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
  }
  | { readonly kind: "measured"; readonly order: number; readonly measurement: Measurement }
  | { readonly kind: "missing"; readonly missing: Missing };

export type OnProgress = (event: Progress) => void;
