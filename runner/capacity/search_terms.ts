/** The terms of a search for a capacity, and the trial lengths that follow from them. */
import type { Objective } from "../../scenarios/claims/objective.ts";
import { MOST_PER_SEC } from "../../scenarios/load/load_shape.ts";
import { relaxationS, type Rule } from "../stats/capacity/queue.ts";
import type { PriorInterval, SearchGoal } from "../stats/capacity/search.ts";
import type { TrialHooks, TrialRequest } from "./trial.ts";

/** The goal of a search, and its time limits. */
export interface SearchTerms {
  readonly objectives: readonly Objective[];
  /** How far the capacity's interval may extend to either side of the estimate, as a share; 0.02 is 2 %. */
  readonly widthRatio: number;
  /**
   * Lengths of the shortest and the longest trial before the final, sustained one, seconds, unless the rules need
   * longer trials.
   */
  readonly trialS: readonly [short: number, long: number];
  /**
   * Seconds for the whole search: calibration, peak throughput, trials with the wait for their last responses, and
   * recoveries.
   */
  readonly budgetS: number;
  /** Longest wait for the target to recover from a trial, seconds. */
  readonly recoverS: number;
}

/** The subject of a search: the load, and what earlier searches found about it. */
export interface SearchSubject {
  readonly request: TrialRequest;
  /** The interval that earlier searches found for this capacity, requests per second; null if there were none. */
  readonly earlier: PriorInterval | null;
}

export interface CapacityHooks extends TrialHooks {
  /** Reads any monotonic clock. */
  readonly nowMs: () => number;
  /** When the budget began, as a time of `nowMs`; absent: now. */
  readonly beganMs?: number;
}

export interface SearchHooks extends CapacityHooks {
  /**
   * Restarts a target that did not recover, and returns its new origin; null if a restart is impossible, or if there
   * have been too many restarts.
   */
  readonly restart?: () => Promise<Pick<TrialRequest, "origin"> | null>;
  /** Aborts when the most recently started target has ended. */
  readonly ended?: () => AbortSignal;
}

/**
 * Seconds to allow for the last responses of a trial: the longest limit of any rule or the latency of the unloaded
 * server, whichever is longer, capped at the time-out.
 */
export function lastResponsesS(
  { objectives }: Pick<SearchTerms, "objectives">,
  { timeoutMs, restMs }: { readonly timeoutMs: number; readonly restMs: number },
): number {
  const longestMs = Math.max(restMs, ...objectives.map(({ limitMs }) => limitMs));
  return Math.min(timeoutMs, longestMs) / 1_000;
}

// In an overload, the waiting time grows by less than a second each second (by about 0.1 s if the
// overload is 10 %), so in a trial that is shorter than a rule's limit, no rate can break the rule.

/**
 * Unless the budget is too short for that, a short trial lasts at least this many times the longest limit, and a long
 * one this many times that limit divided by `widthRatio`. An overload by `widthRatio` then reaches the limit within a
 * third of a long trial, and a load of twice the capacity within two thirds of a short one.
 */
const PATIENCE = 3;

/**
 * One trial may be as long as this share of the budget, or as the user's longest trial, whichever is longer. A longer
 * one would leave too little for the others.
 */
const MOST_OF_BUDGET = 0.125;

/**
 * The least length of a long trial, budget permitting, in relaxation times of the target's queue, so that the queue
 * reaches its usual length.
 */
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

/**
 * The largest overload, as a share of the capacity, that a long trial may miss because the waiting time does not reach
 * the longest limit before the trial ends; 0 if that share is no larger than `widthRatio`.
 */
export function unseenRatio({ rules, longS, widthRatio }: SearchGoal): number {
  const ratio = limitOf(rules) / longS;
  return ratio > widthRatio ? ratio : 0;
}

/**
 * The burst that a target may absorb beyond its rate, in seconds' worth of requests. Rate limiters allow about this
 * much.
 */
const BURST_S = 0.1;

/**
 * The longest limit of any rule, s. If no rule has a time limit, the length of the burst that a target may absorb,
 * because an overload shows only once that burst is used up.
 */
function limitOf(rules: readonly Rule[]): number {
  const longestS = Math.max(...rules.map(({ limitS }) => limitS));
  return longestS === 0 ? BURST_S : longestS;
}
