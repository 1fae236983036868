/**
 * Sentences about a comparison in slices: what would narrow its interval, what its verdict is about, and which side
 * disturbs the other.
 */
import type { Disturbance } from "../../runner/stats/slices/disturbance.ts";
import type { ProcessLevels } from "../../runner/stats/slices/process_levels.ts";
import { PROCESS_LOOK_SIGNIFICANCE, PROCESS_LOOKS } from "../../runner/stats/slices/looks.ts";
import { capitalized, listed } from "../writing/words.ts";
import { percentText } from "../writing/ratios.ts";
import { disturbanceText } from "./judgements.ts";

/** A word for what would narrow the interval of a ratio; "" if unknown. */
export function limitText(levels: ProcessLevels | null, areTheseTwo: boolean): string {
  return areTheseTwo ? "time" : levels?.limitedBy ?? "";
}

/** The note below a table with both levels. */
export function levelsNote(areTheseTwo: boolean): string {
  const percentiles =
    "Percentiles cover all slices of a process together, so their spread is not " +
    "split.";
  return areTheseTwo
    ? "Spreads are standard deviations of the ratio between rounds of these two processes: in total, the " +
      `part that their slices explain, and the rest. ${percentiles} Only more time narrows an interval.`
    : "Spreads are standard deviations of the ratio between pairs of processes: in total, the part that " +
      `their slices explain, and the rest, which is between processes. ${percentiles} Limited by slices: ` +
      "longer pairs of processes narrow the interval as well as more pairs do. Limited by processes: only " +
      "more pairs do.";
}

/**
 * `Requests/s: pairs of processes differ by 1.3 %, of which their slices explain 0.4 %.`
 * @param figure Name of the figure, capitalised.
 */
export function levelsText(
  figure: string,
  { stdev, withinStdev }: ProcessLevels,
  areTheseTwo: boolean,
): string {
  const explained = withinStdev === null
    ? ""
    : withinStdev >= stdev
    ? ", no more than their slices explain"
    : `, of which their slices explain ${percentText(withinStdev)}`;
  const what = areTheseTwo ? "rounds of these two processes" : "pairs of processes";
  return `${figure}: ${what} differ by ${percentText(stdev)}${explained}.`;
}

/** What a verdict requires, for below a table of ratios. */
export function looksNote(areTheseTwo: boolean): string {
  const looks = listed(PROCESS_LOOKS.map(String), "and");
  const [what, unless] = areTheseTwo
    ? ["rounds", ", unless the ratio drifts more slowly than the first rounds can show"]
    : ["pairs of processes", ""];
  return "The sides were loaded in turn, slice by slice, so whatever moves both at once cancels out. " +
    `The ratio is checked after ${looks} ${what}. Each check asks for p ≤ ${PROCESS_LOOK_SIGNIFICANCE}, ` +
    `so that together they are wrong in at most 5 % of cases${unless}.`;
}

/** Accompanies a verdict about one pair of processes that is never restarted. */
export const THESE_TWO =
  "The verdict is about these two processes: after a restart, the ratio may differ.";

/** Starts a sentence. @param cell Name of the cell, never capitalised; "" if there is only one. */
export function disturbanceSentence(cell: string, disturbance: Disturbance): string {
  const who = disturbanceText(disturbance);
  return `${cell === "" ? capitalized(who) : `${cell}: ${who}`}, ` +
    `which may move the other's requests/s by up to ${percentText(disturbance.mostRatio)}, ` +
    "and its latencies by more";
}
