/** The terms of a search for a capacity, and the length of trials that follows from them. */
import type { Objective } from "../../scenarios/claims/objective.ts";
import { MOST_PER_SEC } from "../../scenarios/load/load_shape.ts";
import { relaxationS, type Rule } from "../stats/capacity/queue.ts";
import type { PriorInterval, SearchGoal } from "../stats/capacity/search.ts";
import type { TrialHooks, TrialRequest } from "./trial.ts";

/** The goal of a search, and its time limits. */
export interface SearchTerms {
  readonly objectives: readonly Objective[];
  /** How far the interval may extend to either side: 0.02 is 2 %. */
  readonly widthRatio: number;
  /** Lengths of the shortest and the longest trial. */
  readonly trialS: readonly [short: number, long: number];
  /** Time for the whole search: calibration, peak, trials with the wait for their last responses, and recoveries. */
  readonly budgetS: number;
  /** Longest wait for the target to recover from a trial. */
  readonly recoverS: number;
}

/** The subject of a search: the load, and the facts known about it. */
export interface SearchSubject {
  readonly request: TrialRequest;
  /** Interval that earlier searches of this subject found, requests per second; null without any. */
  readonly earlier: PriorInterval | null;
}

export interface CapacityHooks extends TrialHooks {
  /** Reads any monotonic clock. */
  readonly nowMs: () => number;
  /** When the budget began, by that clock; absent: now. */
  readonly beganMs?: number;
}

export interface SearchHooks extends CapacityHooks {
  /**
   * Restarts a target that did not recover, and returns its origin; null if that is impossible or was done too often.
   */
  readonly restart?: () => Promise<Pick<TrialRequest, "origin"> | null>;
  /** Aborts when the most recently started target has ended. */
  readonly ended?: () => AbortSignal;
}

/**
 * How long the last responses of a trial may take: as long as a rule allows, or as a response at rest takes, but no
 * longer than the time-out.
 */
export function lastResponsesS(
  { objectives }: Pick<SearchTerms, "objectives">,
  { timeoutMs, restMs }: { readonly timeoutMs: number; readonly restMs: number },
): number {
  const longestMs = Math.max(restMs, ...objectives.map(({ limitMs }) => limitMs));
  return Math.min(timeoutMs, longestMs) / 1_000;
}

// In an overload, waits grow by less than a second each second (by 0.1 s if it is 10 %), so in a trial that is shorter
// than a rule's limit, no rate breaks the rule.

/**
 * With this factor, an overload by the interval's width reaches the limit within a third of a long trial, and a load of
 * twice the capacity within two thirds of a short one.
 */
const PATIENCE = 3;

/** A longer trial would leave too little of the budget for other trials. */
const MOST_OF_BUDGET = 0.125;

/** Relaxation times that a trial must last for a queue to reach its usual length. */
const RELAXED = 20;

/** @param peakPerSec Throughput in a closed loop. */
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

/** The largest overload, as a share, that reaches no limit within a long trial; 0 if the interval's width covers it. */
export function unseenRatio({ rules, longS, widthRatio }: SearchGoal): number {
  const ratio = limitOf(rules) / longS;
  return ratio > widthRatio ? ratio : 0;
}

/** The burst beyond its rate that a target may absorb, in seconds of requests: rate limiters allow about as much. */
const BURST_S = 0.1;

/**
 * The longest limit of any rule, s; without a time limit, the time until an overload has used up the burst that a
 * target may absorb.
 */
function limitOf(rules: readonly Rule[]): number {
  const longestS = Math.max(...rules.map(({ limitS }) => limitS));
  return longestS === 0 ? BURST_S : longestS;
}
