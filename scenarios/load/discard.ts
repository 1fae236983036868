/** The start of each run that counts for nothing in the report. */
import { DEFAULT_DURATION_MS, type Load } from "./load.ts";
import { lengthMsOf } from "./phase_ways.ts";
import { between, durationText } from "../../base/quantity.ts";

export const discard = between("0s", "1h");

/** Why so much (milliseconds) can't be left out of the runs; null when it can. */
export function discardMisfit(
  { discard, load }: { readonly discard: number; readonly load: Load },
): string | null {
  if (discard === 0) return null;
  if ("requests" in load && load.requests !== undefined) {
    return "Cannot leave out the start of runs that end by a number of requests: give load a duration";
  }
  const shortestMs = shortestOf(load);
  if (shortestMs > discard) return null;
  return `Cannot leave out ${durationText(discard)} of runs of ${durationText(shortestMs)}: ` +
    "nothing would be left";
}

/** The length of the shortest of the runs, milliseconds. */
export function shortestOf(load: Load): number {
  return "phases" in load
    ? Math.min(...load.phases.map(({ phases }) => lengthMsOf(phases)))
    : Math.min(...load.duration ?? [DEFAULT_DURATION_MS]);
}
