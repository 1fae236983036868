/** The start of each run that counts for nothing in the report. */
import type { PhasesWay } from "./phase_ways.ts";
import { DEFAULT_DURATION_MS, type Load } from "./load.ts";
import { between, durationText } from "./quantity.ts";

export const discard = between("0s", "1h");

/**
 * Why so much can't be left out of the runs; null when it can.
 * @param given May be wrong in every part: that is told of elsewhere.
 */
export function discardMisfit(
  { discard, load }: { readonly discard?: unknown; readonly load?: unknown },
): string | null {
  if (typeof discard !== "number" || discard === 0 || typeof load !== "object") return null;
  const loads: Partial<Load> = load ?? {};
  if ("requests" in loads && loads.requests !== undefined) {
    return "Cannot leave out the start of runs that end by a number of requests: give load a duration";
  }
  const shortestMs = shortestOf(loads);
  if (shortestMs > discard) return null;
  return `Cannot leave out ${durationText(discard)} of runs of ${durationText(shortestMs)}: ` +
    "nothing would be left";
}

function lengthMs({ phases }: PhasesWay): number {
  return phases.reduce((sum, { durationUs }) => sum + durationUs / 1_000, 0);
}

function shortestOf(load: Partial<Load>): number {
  if ("phases" in load && Array.isArray(load.phases)) {
    return Math.min(...load.phases.map(lengthMs));
  }
  const durations = "duration" in load ? load.duration : undefined;
  return Array.isArray(durations) ? Math.min(...durations) : DEFAULT_DURATION_MS;
}
