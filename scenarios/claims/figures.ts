/** Which part of each run the report's figures are of. */
import { z } from "zod";
import { shortestOf } from "../load/discard.ts";
import type { Load } from "../load/load.ts";
import { durationText } from "../../base/quantity.ts";

export const figures = z.enum(["whole", "steady"]).optional().describe(
  "What the report's rates and latencies are of: whole runs (default), or the steady part of each; a run without " +
    "one then has no figures",
);
export type Figures = z.output<typeof figures>;

/** Intervals that a steady part takes to be found; `runner/stats/steady_state/steady_state.ts` has the same. */
export const LEAST_INTERVALS = 20;

/** Why runs of this load have no steady part to take figures of; null when they may have. Times in milliseconds. */
export function figuresMisfit(
  { figures, interval, load }: {
    readonly figures: Figures;
    readonly interval: number;
    readonly load: Load;
  },
): string | null {
  if (figures !== "steady") return null;
  if ("phases" in load) {
    return "Cannot take figures of the steady part of phases: their load itself changes";
  }
  if ("requests" in load && load.requests !== undefined) return null;
  const [leastMs, shortestMs] = [LEAST_INTERVALS * interval, shortestOf(load)];
  if (shortestMs >= leastMs) return null;
  return `Cannot find the steady part of runs of ${durationText(shortestMs)}: ` +
    `it takes ${LEAST_INTERVALS} intervals, ${durationText(leastMs)}`;
}
