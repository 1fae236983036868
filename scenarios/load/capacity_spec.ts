/** `capacity` in a load: the search for the highest rate at which every rule holds, as people write it. */
import * as z from "zod";
import { between } from "../../base/quantity.ts";
import { objective, searchWidth } from "../claims/objective.ts";

/** What a search does where nothing else is written; the flags have the same. */
export const SEARCH_PRESETS = {
  width: "2%",
  trial: ["5s", "30s"],
  recover: "30s",
  budget: "20m",
} as const;

const LEAST_TRIAL_MS = 1_000;
const trialLength = between("1ms", "24h");

/** Shortest and longest trial, milliseconds. */
export const searchTrial = z.tuple([trialLength, trialLength], {
  error: "Cannot read the trials: write the shortest and the longest, such as 5s,30s",
}).refine(
  ([short, long]) => short >= LEAST_TRIAL_MS && short <= long,
  "Cannot use these trials: the shortest must be 1s or more, and no longer than the longest",
);

/** Kept as texts, so that results say what the file says. */
const rule = objective.transform(({ text }) => text);

export const capacitySearch = z.strictObject({
  within: z.union([rule.transform((text) => [text]), z.array(rule).min(1).max(8)]).describe(
    "Rules that must hold, such as p99 < 50ms or success >= 99.9%",
  ),
  width: searchWidth.prefault(SEARCH_PRESETS.width).describe(
    "How far the interval of a run may reach to either side of its capacity",
  ),
  trial: searchTrial.prefault([...SEARCH_PRESETS.trial]).describe("Shortest and longest trial"),
  recover: between("1ms", "1h").prefault(SEARCH_PRESETS.recover).describe(
    "Longest wait for the target to recover from a trial",
  ),
  budget: between("1s", "24h").prefault(SEARCH_PRESETS.budget).describe(
    "Longest search of a run; the capacity is inconclusive where its interval is wider by then",
  ),
});

/** Times in milliseconds, `width` as a share. */
export type CapacityGoal = z.output<typeof capacitySearch>;
