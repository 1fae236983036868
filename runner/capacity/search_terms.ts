/** What a search for a capacity is given. */
import type { Objective } from "../../scenarios/claims/objective.ts";
import type { PriorInterval } from "../stats/capacity/search.ts";
import type { TrialHooks, TrialRequest } from "./trial.ts";

/** What a search is to find, and how long it may take. */
export interface SearchTerms {
  readonly objectives: readonly Objective[];
  /** 0.02: 2 % to either side. */
  readonly widthRatio: number;
  /** Shortest and longest trial. */
  readonly trialS: readonly [short: number, long: number];
  readonly budgetS: number;
  /** Longest wait for the target to recover from a trial. */
  readonly recoverS: number;
}

/** What is loaded, and what is known of it. */
export interface SearchSubject {
  readonly request: TrialRequest;
  /** Interval that earlier searches of it found, requests per second; null: none did. */
  readonly earlier: PriorInterval | null;
}

export interface CapacityHooks extends TrialHooks {
  /** By any clock that doesn't go back. */
  readonly nowMs: () => number;
}

export interface SearchHooks extends CapacityHooks {
  /** Where a target that did not recover was started anew; null: it can't be, or was too often. */
  readonly restart?: () => Promise<Pick<TrialRequest, "origin"> | null>;
  /** Aborted when the target that was started last has ended. */
  readonly ended?: () => AbortSignal;
}
