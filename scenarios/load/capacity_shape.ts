/**
 * The key `capacity` of a load, as written in a file. It asks for a search for the highest rate at which every rule
 * holds.
 */
import * as z from "zod";
import { between } from "../../base/quantity.ts";
import { objective, searchWidth } from "../claims/objective.ts";

/** Defaults of a search, both in files and for flags. */
export const SEARCH_PRESETS = {
  width: "2%",
  trial: ["5s", "30s"],
  recover: "30s",
  budget: "20m",
} as const;

const LEAST_TRIAL_MS = 1_000;
const trialLength = between("1ms", "24h");

/** Lengths of the shortest and the longest trial, in milliseconds. */
export const searchTrial = z.tuple([trialLength, trialLength], {
  error: "Cannot read the trials: write the shortest and the longest, such as 5s,30s",
}).refine(
  ([short, long]) => short >= LEAST_TRIAL_MS && short <= long,
  "Cannot use these trials: the shortest must be 1s or more, and no longer than the longest",
);

const SHARE = /^(\d+(?:\.\d+)?)\s*%\s*of capacity$/;
const MOST_PERCENT = 200;
const NO_SHARE =
  `Cannot read this rate: with capacity, rate is a share of it, up to ${MOST_PERCENT}%, such as 80% of capacity`;

/** Rate of the last part of a run, as a share of the capacity that its search finds: 0.8 for `80% of capacity`. */
export const shareOfCapacity = z.string({ error: NO_SHARE }).transform((text, context) => {
  const percent = Number(SHARE.exec(text.trim())?.[1] ?? 0);
  if (percent > 0 && percent <= MOST_PERCENT) return percent / 100;
  context.addIssue(NO_SHARE);
  return z.NEVER;
}).describe("A share of the capacity, such as 80% of capacity");

/** The share as people write it, such as `80% of capacity`. */
export function shareOfCapacityText(share: number): string {
  return `${Number((share * 100).toPrecision(12))}% of capacity`;
}

/** A rule, kept as text so that results have the words of the file. */
const rule = objective.transform(({ text }) => text);

export const capacitySearch = z.strictObject({
  within: z.union([rule.transform((text) => [text]), z.array(rule).min(1).max(8)]).describe(
    "Rules that must hold, such as p99 < 50ms or success >= 99.9%",
  ),
  width: searchWidth.prefault(SEARCH_PRESETS.width).describe(
    "How far the confidence interval may reach to either side of the capacity, such as 2%",
  ),
  trial: searchTrial.prefault([...SEARCH_PRESETS.trial]).describe("Shortest and longest trial"),
  recover: between("1ms", "1h").prefault(SEARCH_PRESETS.recover).describe(
    "Maximum wait for the target to recover from a trial",
  ),
  budget: between("1s", "24h").prefault(SEARCH_PRESETS.budget).describe(
    "Maximum duration of the search in a run; the capacity is inconclusive if its interval is still too wide by then",
  ),
});

/** The goal of a search. Times are in milliseconds; `width` is a share. */
export type CapacityGoal = z.output<typeof capacitySearch>;
