/**
 * The search for a capacity: the trials so far → the next one, or the end. Pure. In the manner of MLRsearch (IETF
 * draft-ietf-bmwg-mlrsearch): a start from outside, steps that double in log space until both a rate that holds and one
 * that breaks are known, bisection, then long trials, and bounds that long trials confirm.
 *
 * It differs in what a bound is. MLRsearch weighs the seconds of bad trials against those of good ones. Near its capacity
 * a queue makes a trial of half a minute good or bad by chance. Here the shares of all trials together show where the
 * capacity is (`crossing.ts`), and the bounds are the ends of its interval.
 */
import { clustersOf, type Crossing, crossingOf, rateAt } from "./crossing.ts";
import type { TrialShare } from "./slices.ts";

export interface SearchGoal {
  /** By rule: the share of requests that may miss it, above 0. */
  readonly allowed: readonly number[];
  /** How far the ends of the interval may be from the value: 0.02 is 2 % on either side. */
  readonly widthRatio: number;
  readonly shortS: number;
  readonly longS: number;
  /** A long trial may be as long, where requests are late in rare clusters. */
  readonly longestS: number;
  /** Served in a closed loop: the rate of the first trial. */
  readonly peakPerSec: number;
}

/** A trial that counts. */
export interface SearchedTrial {
  readonly ratePerSec: number;
  /** As planned: one whose outcome was certain may have ended before. */
  readonly plannedS: number;
  /** In the order of the rules. */
  readonly shares: readonly TrialShare[];
  /** Completed without an error. */
  readonly servedPerSec: number;
}

/** Where earlier searches of the same found the capacity. */
export interface PriorInterval {
  readonly low: number;
  readonly high: number;
}

export interface CapacityEstimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Index of the rule that most probably breaks first. */
  readonly binding: number;
}

export type SearchStep =
  | { readonly kind: "trial"; readonly ratePerSec: number; readonly plannedS: number }
  | { readonly kind: "found" };

/** Of each side of the interval: less than 2.5 %, as the search looks again and again, and stops when it is short. */
const TAIL = 0.01;
/** First step away from the start, in widths of the whole interval. */
const FIRST_STEP = 2;
/** A rate at which fewer missed the rule, by this factor over those that may, is near the capacity. */
const NEARLY_HELD = 8;
/** In first steps. */
const FAR = 4;
/** Bounds that are farther apart, in widths, are bisected by short trials. */
const COARSE = 2.2;
/** Distance of the trials from the middle, of half a width: they show the ends, and how steep the share rises between. */
const SPREAD = 0.6;
/** At the share that the rule allows. */
const CLUSTERS_A_TRIAL = 1.5;
/** In widths: another trial of the usual length may narrow such an interval enough. */
const NEARLY_NARROW = 1.8;
/** A server that completes less of a rate is overloaded: what it completed shows better than a step where to go on. */
const NEARLY_SERVED = 0.98;
/** One that completes less of every rate is not overloaded but fails: then steps double all the same. */
const MOST_OVERLOADS = 4;

/**
 * @param prior Begin just outside it instead. It says where to look and nothing else: no estimate uses it, so that one that
 * is wrong costs trials and no coverage.
 */
export function nextStep(
  goal: SearchGoal,
  trials: readonly SearchedTrial[],
  prior: PriorInterval | null = null,
): SearchStep {
  const { held, broken } = sidesOf(goal, trials);
  const outside = prior && outsideStep(goal, { held, broken }, prior);
  if (outside) return outside;
  if (trials.length === 0) return shortTrial(goal, goal.peakPerSec);
  const step = FIRST_STEP * widthLogOf(goal);
  if (held.length === 0) {
    // Near the capacity by what was completed: long enough to show its share, and over at once where it breaks by much.
    return { kind: "trial", ratePerSec: below(goal, trials), plannedS: goal.longS };
  }
  if (broken.length === 0) {
    return shortTrial(goal, Math.max(...held) * Math.exp(doubled(step, held.length)));
  }
  const [low, high] = [Math.max(...held), Math.min(...broken)];
  const apart = Math.log(high / low);
  if (apart <= COARSE * widthLogOf(goal)) return fineStep(goal, trials);
  // Far from a rate that broke by much, the one that held is the better guide.
  return shortTrial(goal, apart > FAR * step ? low * Math.exp(step) : Math.sqrt(low * high));
}

/**
 * Both ends of a prior interval; null once they are tried, or the first of them shows that it is wrong; null at once of a
 * wide one, as the peak then is the better guide.
 */
function outsideStep(
  goal: SearchGoal,
  { held, broken }: RatesBySide,
  { low, high }: PriorInterval,
): SearchStep | null {
  if (broken.length > 0 || held.length > 1) return null;
  if (Math.log(high / low) > COARSE * widthLogOf(goal)) return null;
  const margin = Math.exp(widthLogOf(goal) / 4);
  const ratePerSec = held.length === 0 ? low / margin : high * margin;
  return { kind: "trial", ratePerSec, plannedS: goal.longS };
}

/** How many trials only show that the server was overloaded. */
function overloads(trials: readonly SearchedTrial[]): number {
  const overloaded = trials.filter((one) => one.servedPerSec < NEARLY_SERVED * one.ratePerSec);
  return Math.min(overloaded.length, MOST_OVERLOADS);
}

function doubled(step: number, tried: number): number {
  return step * 2 ** (tried - 1);
}

/**
 * What a server completes under overload is near what it can, or less; at least a quarter of what was tried. Where it broke
 * by little, its capacity is near, and steps begin anew with a smaller one.
 */
function below(goal: SearchGoal, trials: readonly SearchedTrial[]): number {
  const width = widthLogOf(goal);
  const lowest = Math.min(...trials.map(({ ratePerSec }) => ratePerSec));
  const near = trials.filter((trial) => excessOf(goal, trial) < NEARLY_HELD);
  const away = near.some(({ ratePerSec }) => ratePerSec === lowest)
    ? doubled(width, near.length)
    : doubled(FIRST_STEP * width, trials.length - overloads(trials));
  const served = Math.min(...trials.map(({ servedPerSec }) => servedPerSec)) *
    Math.exp(-FIRST_STEP * width / 2);
  return Math.max(Math.min(served, lowest * Math.exp(-away)), lowest / 4);
}

/** Requests that missed a rule, over those that may: of the rule that broke the most. */
function excessOf({ allowed }: SearchGoal, { shares }: SearchedTrial): number {
  return Math.max(...shares.map(({ beyond, requests }, i) => beyond / (allowed[i] * requests)));
}

function shortTrial({ shortS }: SearchGoal, ratePerSec: number): SearchStep {
  return { kind: "trial", ratePerSec, plannedS: shortS };
}

/** Around the most probable capacity, on the side that has seen less; at the end the bounds themselves. */
function fineStep(goal: SearchGoal, trials: readonly SearchedTrial[]): SearchStep {
  const { value, low, high } = estimateCapacity(goal, trials);
  if (Math.log(high / low) <= widthLogOf(goal)) return confirmation(goal, trials, { low, high });
  const fine = trials.filter(({ plannedS }) => plannedS >= goal.longS);
  const seconds = (isThere: (ratePerSec: number) => boolean): number =>
    fine.reduce((sum, trial) => isThere(trial.ratePerSec) ? sum + trial.plannedS : sum, 0);
  const away = SPREAD * widthLogOf(goal) / 2;
  const isAbove = seconds((rate) => rate > value) < seconds((rate) => rate <= value);
  const ratePerSec = value * Math.exp(isAbove ? away : -away);
  // One that may be the last is no longer than it must be.
  const isWide = Math.log(high / low) > NEARLY_NARROW * widthLogOf(goal);
  return { kind: "trial", ratePerSec, plannedS: isWide ? clusteredS(goal, trials) : goal.longS };
}

/** Seconds with one cluster of late requests, or none, show chance: a trial lasts for some, once their size is known. */
function clusteredS(
  { allowed, longS, longestS }: SearchGoal,
  trials: readonly SearchedTrial[],
): number {
  const clusters = allowed.map((share, rule) =>
    clustersOf(trials.map(({ shares }) => shares[rule]), share)
  ).filter(({ isKnown }) => isKnown);
  const wanted = CLUSTERS_A_TRIAL * Math.max(0, ...clusters.map(({ clusterS }) => clusterS));
  return Math.min(Math.max(longS, wanted), longestS);
}

/** Long trials must have held at the lower end, and broken at the higher one. */
function confirmation(
  goal: SearchGoal,
  trials: readonly SearchedTrial[],
  { low, high }: Pick<CapacityEstimate, "low" | "high">,
): SearchStep {
  const near = Math.exp(widthLogOf(goal) / 4);
  const sides = sidesOf(goal, trials.filter(({ plannedS }) => plannedS >= goal.longS));
  const isLowHeld = sides.held.some((rate) => rate >= low / near);
  const isHighBroken = sides.broken.some((rate) => rate <= high * near);
  if (isLowHeld && isHighBroken) return { kind: "found" };
  return { kind: "trial", ratePerSec: isLowHeld ? high : low, plannedS: goal.longS };
}

/** Null until both a rate that holds and one that breaks are known. */
export function capacityOf(
  goal: SearchGoal,
  trials: readonly SearchedTrial[],
): CapacityEstimate | null {
  const { held, broken } = sidesOf(goal, trials);
  return held.length === 0 || broken.length === 0 ? null : estimateCapacity(goal, trials);
}

function estimateCapacity(goal: SearchGoal, trials: readonly SearchedTrial[]): CapacityEstimate {
  const crossings = crossingsOf(goal, trials);
  const least = leastOf(crossings);
  const [low, value, high] = [TAIL, 0.5, 1 - TAIL].map((share) => rateAt(least, share));
  const medians = crossings.map((crossing) => rateAt(crossing, 0.5));
  return { low, value, high, binding: medians.indexOf(Math.min(...medians)) };
}

/** Whether every rule held in the trial. */
export function holdsIn(goal: Pick<SearchGoal, "allowed">, shares: readonly TrialShare[]): boolean {
  return shares.every(({ beyond, requests }, rule) => beyond <= goal.allowed[rule] * requests);
}

/** Rates at which all rules held, and at which one broke. */
interface RatesBySide {
  readonly held: readonly number[];
  readonly broken: readonly number[];
}

function sidesOf(goal: SearchGoal, trials: readonly SearchedTrial[]): RatesBySide {
  const rates = (isHeld: boolean): number[] =>
    trials.filter(({ shares }) => holdsIn(goal, shares) === isHeld)
      .map(({ ratePerSec }) => ratePerSec);
  return { held: rates(true), broken: rates(false) };
}

/** How far beyond the bounds the capacity may be, in their distances: a trial may be on the wrong side by chance. */
const BEYOND_BOUNDS = 2;

/** Of each rule. */
function crossingsOf(goal: SearchGoal, trials: readonly SearchedTrial[]): Crossing[] {
  const { held, broken } = sidesOf(goal, trials);
  const ends = [Math.max(...held), Math.min(...broken)];
  const apart = Math.max(Math.abs(Math.log(ends[1] / ends[0])), 4 * widthLogOf(goal));
  const range = {
    low: Math.min(...ends) * Math.exp(-BEYOND_BOUNDS * apart),
    high: Math.max(...ends) * Math.exp(BEYOND_BOUNDS * apart),
  };
  return goal.allowed.map((allowed, rule) =>
    crossingOf(trials.map(({ shares }) => shares[rule]), {
      allowed,
      range,
      peakPerSec: goal.peakPerSec,
      longS: goal.longS,
    })
  );
}

/** The capacity under all rules is the least of their crossings. */
function leastOf([first, ...others]: readonly Crossing[]): Crossing {
  const cumulative = first.cumulative.map((atMost, i) =>
    1 - others.reduce((above, other) => above * (1 - other.cumulative[i]), 1 - atMost)
  );
  return { logRates: first.logRates, cumulative };
}

/** Of the whole interval. */
function widthLogOf({ widthRatio }: SearchGoal): number {
  return 2 * Math.log1p(widthRatio);
}
