/**
 * How long trials must be for what is searched. Waits grow by an overload's share of the time, so that one that is shorter
 * than the limit of a rule holds at any rate.
 */
import { MOST_PER_SEC } from "../../scenarios/load/load_spec.ts";
import type { SearchGoal } from "../stats/capacity/search.ts";
import type { SearchTerms } from "./search_terms.ts";

/**
 * An overload at the end of the interval reaches the limit within a third of a long trial, and one of twice the capacity
 * within two thirds of a short one.
 */
const PATIENCE = 3;

/** A longer trial would leave no budget for others. */
const MOST_OF_BUDGET = 0.125;

/** @param peakPerSec Completed in a closed loop. */
export function goalOf(
  { objectives, widthRatio, trialS: [shortS, longS], budgetS }: SearchTerms,
  peakPerSec: number,
): SearchGoal {
  const longestS = Math.max(longS, budgetS * MOST_OF_BUDGET);
  const patientS = PATIENCE * limitS(objectives);
  return {
    allowed: objectives.map(({ allowed }) => allowed),
    widthRatio,
    shortS: Math.min(longestS, Math.max(shortS, patientS)),
    longS: Math.min(longestS, Math.max(longS, patientS / widthRatio)),
    longestS,
    peakPerSec: Math.min(Math.max(peakPerSec, 1), MOST_PER_SEC),
  };
}

/** An overload that reaches no limit within a long trial of the budget, as a share; 0 where that is within the width. */
export function unseenRatio(
  { objectives }: Pick<SearchTerms, "objectives">,
  { longS, widthRatio }: SearchGoal,
): number {
  const ratio = limitS(objectives) / longS;
  return ratio > widthRatio ? ratio : 0;
}

/** The longest that a rule allows, s. */
function limitS(objectives: SearchTerms["objectives"]): number {
  return Math.max(...objectives.map(({ limitMs }) => limitMs)) / 1_000;
}
