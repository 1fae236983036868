/** What a search for a capacity is given, and how long its trials must be for that. */
import type { Objective } from "../../scenarios/claims/objective.ts";
import { MOST_PER_SEC } from "../../scenarios/load/load_shape.ts";
import { relaxationS, type Rule } from "../stats/capacity/queue.ts";
import type { PriorInterval, SearchGoal } from "../stats/capacity/search.ts";
import type { TrialHooks, TrialRequest } from "./trial.ts";

/** What a search is to find, and how long it may take. */
export interface SearchTerms {
  readonly objectives: readonly Objective[];
  /** How far the interval may reach to either side: 0.02 is 2 %. */
  readonly widthRatio: number;
  /** Shortest and longest trial. */
  readonly trialS: readonly [short: number, long: number];
  /** For all of the search: calibration, peak, trials, the wait for their last responses, recoveries. */
  readonly budgetS: number;
  /** Longest wait for the target to recover from a trial. */
  readonly recoverS: number;
}

/** The subject of a search: what is loaded, and what is known of it. */
export interface SearchSubject {
  readonly request: TrialRequest;
  /** Interval that earlier searches of it found, requests per second; null: none did. */
  readonly earlier: PriorInterval | null;
}

export interface CapacityHooks extends TrialHooks {
  /** Time of any monotonic clock. */
  readonly nowMs: () => number;
  /** When the budget began, by that clock; absent: now. */
  readonly beganMs?: number;
}

export interface SearchHooks extends CapacityHooks {
  /** Where a target that did not recover was started anew; null: it can't be, or was too often. */
  readonly restart?: () => Promise<Pick<TrialRequest, "origin"> | null>;
  /** Aborted when the target that was started last has ended. */
  readonly ended?: () => AbortSignal;
}

/** How long the last responses of a trial may take: what a rule allows, or one at rest does, and no more than the time-out. */
export function lastResponsesS(
  { objectives }: Pick<SearchTerms, "objectives">,
  { timeoutMs, restMs }: { readonly timeoutMs: number; readonly restMs: number },
): number {
  const longestMs = Math.max(restMs, ...objectives.map(({ limitMs }) => limitMs));
  return Math.min(timeoutMs, longestMs) / 1_000;
}

// Waits grow by an overload's share of the time: a trial that is shorter than the limit of a rule holds at any rate.

/**
 * An overload at the end of the interval reaches the limit within a third of a long trial, and one of twice the capacity
 * within two thirds of a short one.
 */
const PATIENCE = 3;

/** A longer trial would leave no budget for others. */
const MOST_OF_BUDGET = 0.125;

/** How many relaxation times a queue needs in a trial that shows its usual length. */
const RELAXED = 20;

/** @param peakPerSec Served in a closed loop. */
export function goalOf(
  { objectives, ...terms }: Pick<SearchTerms, "objectives" | "widthRatio" | "trialS" | "budgetS">,
  peakPerSec: number,
): SearchGoal {
  const rules = objectives.map(({ allowed, limitMs }) => ({ allowed, limitS: limitMs / 1_000 }));
  return goalWithin(rules, terms, peakPerSec);
}

export function goalWithin(
  rules: readonly Rule[],
  { widthRatio, trialS: [shortS, longS], budgetS }: Pick<
    SearchTerms,
    "widthRatio" | "trialS" | "budgetS"
  >,
  peak: number,
): SearchGoal {
  const peakPerSec = Math.min(Math.max(peak, 1), MOST_PER_SEC);
  const longestS = Math.max(longS, budgetS * MOST_OF_BUDGET);
  const patientS = PATIENCE * limitOf(rules);
  const relaxedS = RELAXED * Math.max(...rules.map((rule) => relaxationS(peakPerSec, rule)));
  return {
    rules,
    widthRatio,
    shortS: Math.min(longestS, Math.max(shortS, patientS)),
    longS: Math.min(longestS, Math.max(longS, patientS / widthRatio, relaxedS)),
    longestS,
    peakPerSec,
  };
}

/** An overload that reaches no limit within a long trial of the budget, as a share; 0 where that is within the width. */
export function unseenRatio({ rules, longS, widthRatio }: SearchGoal): number {
  const ratio = limitOf(rules) / longS;
  return ratio > widthRatio ? ratio : 0;
}

/** Time's worth of requests beyond its rate that a target may take at once: bursts of rate limiters are about as large. */
const BURST_S = 0.1;

/** The longest that a rule allows, s. Where none has a time, an overload shows once it has used up a burst. */
function limitOf(rules: readonly Rule[]): number {
  const longestS = Math.max(...rules.map(({ limitS }) => limitS));
  return longestS === 0 ? BURST_S : longestS;
}
