/**
 * How latency and rate change over a run, as stored in the result file; computed by
 * `stats/steady_state/steady_state.ts`.
 */
import * as z from "zod";
import {
  classifyRun,
  STEADY_LABELS,
  UNSETTLED_REASONS,
} from "../stats/steady_state/steady_state.ts";

const seconds = z.number().min(0);

export const warmup = z.strictObject({
  label: z.enum(STEADY_LABELS)
    .describe("How latency and throughput developed over the run: the worse label of the two"),
  steadyFromS: seconds.nullable()
    .describe("Seconds until latency and throughput are both steady; null when they never are"),
  withinRatio: z.number().min(0).nullable().optional().describe(
    "How far the medians of windows (each a tenth of the steady part) lie at most from the steady level, as a share of " +
      "that level: the larger of the shares for latency and for throughput; null without a steady part",
  ),
  withinMs: z.number().min(0).nullable().optional()
    .describe(
      "If 50 µs are more than 5 % of the latency: how far the windows' medians of latency lie at most from the steady level, " +
        "in milliseconds; withinRatio is then only about throughput",
    ),
  unsettled: z.enum(UNSETTLED_REASONS).nullable().optional().describe(
    "Why there is no steady state: freezes, drift (a straight line), cycle (a regular swing), levels (jumps between " +
      "two), returns (comes back to a level that it had left), wander (other changes of the level), late (a change in the last quarter)",
  ),
  driftRatio: z.number().optional()
    .describe(
      "If unsettled is drift: how far a straight line through the run rises or falls, as a share of the level",
    ),
  cyclePeriodS: seconds.optional().describe(
    "If unsettled is cycle: seconds from one peak to the next",
  ),
  freezes: z.strictObject({
    count: z.int().min(1),
    longestS: seconds,
    shareRatio: z.number().min(0).max(1).describe("Share of the run that the freezes took"),
    periodS: seconds.nullable()
      .describe(
        "Time from the start of one freeze to that of the next; null if that varies, or there is only one freeze",
      ),
  }).optional().describe(
    "Freezes: times with no responses, or almost none; absent: there were none",
  ),
});

export type Warmup = z.output<typeof warmup>;

/** Whether the load itself changes, so that the run has no steady state. */
export function isChanging(
  load: { readonly kind: string; readonly stages?: readonly unknown[] },
): boolean {
  return load.kind === "phases" || load.stages !== undefined;
}

/** An interval of the timeline, reduced to what is needed to decide when the run is steady. */
interface TimedPoint {
  /** End of the interval, seconds since the start of the run. */
  readonly endS: number;
  readonly completed: number;
  /** Median latency, milliseconds. */
  readonly p50: number;
}

/** @param intervalS Length of the intervals, of which the last may be shorter. */
export function warmupOf(points: readonly TimedPoint[], intervalS: number): Warmup {
  const found = classifyRun(points.map(({ endS, completed, p50 }, index) => ({
    seconds: endS - index * intervalS,
    completed,
    medianMs: completed === 0 ? null : p50,
  })));
  const { label, steadyFrom, withinRatio, withinMs, unsettled, driftRatio, freezes } = found;
  return {
    label,
    steadyFromS: steadyFrom === null ? null : steadyFrom * intervalS,
    withinRatio,
    withinMs,
    unsettled,
    ...driftRatio === null ? {} : { driftRatio },
    ...found.cyclePeriod === null ? {} : { cyclePeriodS: found.cyclePeriod * intervalS },
    ...freezes === null ? {} : { freezes },
  };
}
