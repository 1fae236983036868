/** Says how another tool, whose command line was given to `bench --like`, would have measured differently. */
import { formatMs } from "../../report/writing/units.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { decodeInterval } from "../../runner/stats/histogram/hdr.ts";
import { highestUsOf } from "../../runner/stats/histogram/histogram_counts.ts";
import { differencesOf } from "../../scenarios/imports/command_lines/registry.ts";

/**
 * Sentences about the differences that matter for this measurement.
 * @param others Explicit arguments of `bench`, which override those of the tool.
 */
export function toolDifferences(
  commandLine: string,
  measurement: Measurement,
  others: readonly string[] = [],
): string[] {
  const { indices, counts } = decodeInterval(measurement);
  const buckets = Array.from(
    indices,
    (index, at) => ({ highMs: highestUsOf(index) / 1_000, count: counts[at] }),
  );
  return differencesOf(commandLine, { ...measurement, buckets, timeText: formatMs }, others);
}
