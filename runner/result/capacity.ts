/**
 * The result of a search for a capacity: the highest rate at which every rule holds, with its interval, and all trials.
 * Times are milliseconds, rates requests per second, shares 0–1, unless a key says otherwise.
 */
import * as z from "zod";
import { OPTION_RESULTS } from "../../base/load_options.ts";
import { bottleneck, trustFinding } from "./findings.ts";
import { TRUSTS } from "./generator.ts";
import { ERRORS } from "./outcome.ts";

const rate = z.number().min(0);
const count = z.int().min(0);
const share = z.number().min(0).max(1);
const ms = z.number().min(0);
const seconds = z.number().min(0);

export const TRIAL_OUTCOMES = ["held", "broken"] as const;

const ruleInTrial = z.strictObject({
  rule: z.string(),
  requests: count,
  beyond: count.describe("Number of the trial's requests that missed the limit of the rule"),
  allowed: z.number().positive().describe(
    "Share of the requests that may miss the limit without breaking the rule",
  ),
});

const capacityTrial = z.strictObject({
  ratePerSec: rate.describe("Rate at which requests were due"),
  plannedS: seconds,
  elapsedS: seconds.describe("Duration of the trial; shorter if the outcome was certain earlier"),
  completedPerSec: rate,
  isSustained: z.literal(true).optional().describe(
    "Whether the trial began with an overload of 1.5 times the rate, from which the target had to recover; absent: no",
  ),
  outcome: z.enum(TRIAL_OUTCOMES),
  counts: z.boolean().describe(
    "Whether the trial counts: false if a rule broke and the generator or the machine may be the cause",
  ),
  rules: z.array(ruleInTrial),
  p50: ms,
  p99: ms,
  success: share.describe(
    "Share of right responses among the requests that ended, or were never sent",
  ),
  droppedRatio: share.optional().describe(
    "Share of never sent requests among those that ended or were never sent; absent in older results",
  ),
  errors: z.partialRecord(z.enum(ERRORS), count).optional().describe(
    "Failed requests by kind; absent if none failed",
  ),
  wrong: count.optional().describe("Number of wrong responses; absent: none"),
  trust: z.enum(TRUSTS),
  findings: z.array(trustFinding),
  bottleneck: bottleneck.optional().describe(
    "What kept the target from serving more in this trial; only if the target's processes can be seen",
  ),
  recoveryS: seconds.nullable().describe(
    "Seconds after the trial until single requests were as fast again as before the search; null: they never were",
  ),
});

export const CAPACITY_ENDS = [
  "found",
  "budget",
  "generator",
  "disturbed",
  "unsustained",
  "nothing-holds",
  "not-recovered",
  "interrupted",
] as const;

/** The goal of a search for a capacity, its trials and its result. */
const search = {
  within: z.array(z.string()).describe("The rules that must hold, as the experiment states them"),
  widthRatio: z.number().positive().describe(
    "How far the confidence interval may reach to either side of the capacity, as a share of the capacity",
  ),
  trialS: z.tuple([seconds, seconds]).describe(
    "Length of the shortest trial, and of the longest trial before the final, sustained one",
  ),
  budgetS: seconds,
  peakPerSec: rate.describe(
    "Rate served without a wrong response in a closed loop, before the trials",
  ),
  end: z.enum(CAPACITY_ENDS).describe("Why the search ended"),
  wouldTakeS: seconds.optional().describe(
    "If the budget ended the search: a budget that would probably suffice; absent if unknown",
  ),
  capacity: z.strictObject({
    value: rate,
    low: rate.describe("Lower end of the 95 % interval"),
    high: rate.nullable().describe("Upper end of the 95 % interval; null: unknown"),
    bound: z.enum(["target", "generator"]).describe(
      "What limited the search. target: the target; generator: the load generator, so the capacity is at least value",
    ),
  }).nullable().describe("The capacity; null: no rate is known at which every rule holds"),
  binding: z.string().nullable().describe("The rule that breaks first; null: none broke"),
  breaking: z.array(z.strictObject({
    ofCapacity: z.number().positive(),
    ratePerSec: rate,
    p99: ms,
    success: share,
    recoveryS: seconds.nullable(),
  })).describe("Trials near 0.8, 1.0, 1.1 and 1.3 times the capacity, if there were any"),
  trials: z.array(capacityTrial),
};

/** The search of one run, on a target that was started for it. */
export const runCapacity = z.strictObject(search);

export const capacityResult = z.strictObject({
  schema: z.literal("plateau.capacity/1"),
  version: z.string(),
  url: z.string(),
  load: z.strictObject({
    connections: z.int().min(1),
    arrivals: z.enum(["uniform", "poisson"]),
    ...OPTION_RESULTS,
  }),
  seed: z.int(),
  elapsedS: seconds,
  ...search,
});

export type RunCapacity = z.output<typeof runCapacity>;
export type CapacityTrial = z.output<typeof capacityTrial>;
export type CapacityResult = z.output<typeof capacityResult>;
export type CapacityEnd = CapacityResult["end"];
