/**
 * How often the cells of an experiment are repeated, as far as that is known beforehand. Every start of `plateau check`
 * loads this module, so it imports nothing that takes long to load. Pure.
 */
import { durationText } from "../../base/quantity.ts";
import type { Repeat } from "../../scenarios/plan/repetition.ts";
import { LOOKS } from "../stats/confidence/sequential.ts";

/**
 * The fewest repetitions, made even if they exceed the time budget, because a single run does not show how much runs
 * vary.
 */
export const LEAST_IN_BUDGET = 2;

/** Upper limit of the number of repetitions, whatever the time budget; Infinity if only the budget limits it. */
export function mostRepetitions({ until, atMost }: Exclude<Repeat, number>): number {
  const last = until === null ? Infinity : LOOKS[LOOKS.length - 1];
  return Math.min(atMost ?? Infinity, last);
}

/** The least and the greatest number of repetitions that are possible, as far as that is known in advance. */
export function boundsOf(repeat: Repeat, blockMs: number): { least: number; most: number } {
  if (typeof repeat === "number") return { least: repeat, most: repeat };
  const { until, budget } = repeat;
  const fitting = budget === null
    ? Infinity
    : Math.max(LEAST_IN_BUDGET, Math.floor(budget / blockMs));
  const most = Math.min(mostRepetitions(repeat), fitting);
  return { least: until === null ? most : Math.min(LOOKS[0], most), most };
}

/** How many repetitions are planned, as words that follow "Repeats"; null for a fixed number. */
export function repeatSentence(repeat: Repeat): string | null {
  if (typeof repeat === "number") return null;
  const { until, budget, atMost } = repeat;
  const looks = LOOKS.filter((look) => look <= mostRepetitions(repeat));
  return [
    ...(until === null ? [] : [
      `until the widest interval is ± ${percent(until)}, checked after ${
        looks.join(", ")
      } repetitions`,
    ]),
    ...(budget === null ? [] : [
      until === null
        ? `as many repetitions as fit into ${durationText(budget)}`
        : `no longer than ${durationText(budget)}`,
    ]),
    ...(atMost === null ? [] : [`at most ${atMost} repetitions`]),
  ].join("; ");
}

export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`;
}
