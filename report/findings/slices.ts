/** Sentences about a comparison in slices: how it is judged, what its verdict is about, and who disturbs whom. */
import type { Disturbance } from "../../runner/stats/slices/disturbance.ts";
import { PROCESS_LOOK_SIGNIFICANCE, PROCESS_LOOKS } from "../../runner/stats/slices/looks.ts";
import { capitalized, listed } from "../writing/words.ts";
import { percentText } from "../writing/ratios.ts";
import { disturbanceText } from "./judgements.ts";

/** The note below a table that splits the spread into that of slices and that between rounds. */
export const LEVELS_NOTE =
  "A round is one pair of processes; if servers are never restarted, it is one stretch of time. Spread: the standard " +
  "deviation of the ratio of a round. By slices: the part of the spread that comes from the slices. Between rounds: the rest of the spread. " +
  "Percentiles are taken over all slices of a round together, so their spread is not split. Limited by slices: longer " +
  "rounds or more rounds narrow the interval. Limited by rounds: only more rounds do.";

/** What a verdict requires: the note below a table of ratios. */
export const LOOKS_NOTE =
  "The sides were loaded in turns, slice by slice, so whatever moves both at once cancels out. " +
  `The ratio is checked after ${listed(PROCESS_LOOKS.map(String), "and")} rounds. ` +
  `Each check requires p ≤ ${PROCESS_LOOK_SIGNIFICANCE}, so that all checks together are wrong in at most 5 % of ` +
  "comparisons. The exception is servers that are never restarted: if their ratio rises and falls in waves that last " +
  "longer than the first rounds, a verdict may be wrong more often.";

/** Accompanies a verdict about one pair of processes that is never restarted. */
export const THESE_TWO =
  "The verdict is about these two processes: after a restart, the ratio may differ.";

/** Starts a sentence. @param cell Name of the cell, never capitalised; "" if there is only one. */
export function disturbanceSentence(cell: string, disturbance: Disturbance): string {
  const who = disturbanceText(disturbance);
  return `${cell === "" ? capitalized(who) : `${cell}: ${who}`}, ` +
    `which may change the requests/s of that other side by up to ${
      percentText(disturbance.mostRatio)
    }, ` +
    "and its latencies by more";
}
