/**
 * The search for a capacity: takes the trials so far, and returns the next one or ends. Pure. It follows MLRsearch
 * (IETF draft-ietf-bmwg-mlrsearch): it starts from a given rate, doubles its steps in log space until it knows both a
 * rate that holds (at which no rule is broken) and one that breaks, bisects, then makes long trials, which confirm the
 * bounds.
 *
 * It differs in what a bound is. MLRsearch weighs the seconds of bad trials against those of good ones. But near the
 * capacity of a queue, chance decides whether a trial of half a minute is good or bad. So here the shares of late
 * requests in all trials together give an estimate of the capacity (`crossing.ts`), and the bounds are the ends of that
 * estimate's confidence interval.
 */
import {
  type Crossing,
  crossingOf,
  ENOUGH_CLUSTERS,
  type Grid,
  probabilityAt,
  rateAt,
} from "./crossing.ts";
import { relaxationS, type Rule } from "./queue.ts";
import type { TrialShare } from "./slices.ts";

export interface SearchGoal {
  readonly rules: readonly Rule[];
  /** How far each end of the interval may be from the estimate: 0.02 is 2 % on either side. */
  readonly widthRatio: number;
  readonly shortS: number;
  readonly longS: number;
  /** Length of the sustained trial, which confirms a result. */
  readonly longestS: number;
  /**
   * Peak throughput in a closed loop. The first trial has this rate, unless earlier searches found a narrow interval.
   */
  readonly peakPerSec: number;
}

export interface TrialPlan {
  readonly ratePerSec: number;
  readonly plannedS: number;
  /** Seconds at the beginning that do not count, because the server is idle at first, or recovers from an overload. */
  readonly startS: number;
  /**
   * An overload at the beginning, from which the target must recover. Requests that are late because of it do not
   * count. Null for trials without one.
   */
  readonly burst: Burst | null;
}

/** An overload at the beginning of a trial. */
export interface Burst {
  readonly ratePerSec: number;
  readonly seconds: number;
}

/** A valid trial that has ended. */
export interface SearchedTrial {
  readonly ratePerSec: number;
  /** The planned length. The trial may have been shorter, because a trial whose outcome is certain ends early. */
  readonly plannedS: number;
  /** Whether this was the sustained trial, which begins with an overload. */
  readonly isSustained: boolean;
  /** One for each rule, in the order of `SearchGoal.rules`. */
  readonly shares: readonly TrialShare[];
  /** Requests per second that completed without an error. */
  readonly servedPerSec: number;
}

/** The interval in which earlier searches found the capacity of the same cell. */
export interface PriorInterval {
  readonly low: number;
  readonly high: number;
}

export interface CapacityEstimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Index of the rule that probably breaks at the lowest rate. */
  readonly binding: number;
  /** Number of clusters of late requests on which the estimate for the binding rule rests. */
  readonly clusters: number;
}

type TrialStep = { readonly kind: "trial" } & TrialPlan;

/**
 * unsustained: the rate near the lower end of the interval held in shorter trials, but not in the sustained trial. So
 * neither those trials nor the interval say anything about longer times.
 */
export type SearchStep =
  | TrialStep
  | { readonly kind: "found" }
  | { readonly kind: "unsustained" };

/**
 * Probability in each tail of a 95 % interval. It is below 2.5 %, because the search checks repeatedly and stops as
 * soon as the interval is narrow enough.
 */
const TAIL = 0.01;
/** First step away from the first rate, in widths of the requested interval. */
const FIRST_STEP = 2;
/**
 * A rate that broke a rule is still near the capacity if fewer than this multiple of the allowed number of requests
 * broke it.
 */
const NEARLY_HELD = 8;
/**
 * If the rate that held and the rate that broke are more than this many first steps apart, the search steps up from the
 * rate that held instead of bisecting.
 */
const FAR = 4;
/**
 * Short trials bisect the range between the bounds while it is wider than this many widths of the requested interval.
 */
const COARSE = 2.2;
/**
 * Distance of the long trials from the estimate, in half widths of the requested interval. Trials on both sides show
 * the ends of the interval, and how steeply the share of late requests rises between them.
 */
const SPREAD = 0.6;
/** At most this many long trials are below the estimate for each one above it. */
const MOST_BELOW = 2;
/**
 * A server that completes less than this share of a rate is overloaded, and its throughput then guides the search
 * better than a fixed step.
 */
const NEARLY_SERVED = 0.98;
/**
 * At most this many trials of an overloaded server leave the step as it is; each further one doubles it. A server that
 * completes less than every rate tried is failing rather than overloaded.
 */
const MOST_OVERLOADS = 4;

/**
 * @param prior Unless this interval is wide, the search begins just outside of it instead of at the peak. No estimate
 * uses it, so a wrong interval costs trials but no coverage.
 */
export function nextStep(
  goal: SearchGoal,
  trials: readonly SearchedTrial[],
  prior: PriorInterval | null = null,
): SearchStep {
  const { held, broken } = sidesOf(goal, trials);
  if (trials.some(({ isSustained, shares }) => isSustained && !holdsIn(goal, shares))) {
    return { kind: "unsustained" };
  }
  const outside = prior && outsideStep(goal, { held, broken }, prior);
  if (outside) return outside;
  if (trials.length === 0) return shortTrial(goal, goal.peakPerSec);
  const step = FIRST_STEP * widthLogOf(goal);
  // The throughput of an overloaded server shows roughly where the capacity is. A long trial near
  // that rate gives a share of late requests, and ends early if it clearly breaks a rule.
  if (held.length === 0) return longTrial(goal, below(goal, trials));
  if (broken.length === 0) {
    return shortTrial(goal, Math.max(...held) * Math.exp(doubled(step, held.length)));
  }
  const [low, high] = [Math.max(...held), Math.min(...broken)];
  const apart = Math.log(high / low);
  if (apart <= COARSE * widthLogOf(goal)) return fineStep(goal, trials);
  // If the rate that broke is far above the one that held, step up from the rate that held.
  return shortTrial(goal, apart > FAR * step ? low * Math.exp(step) : Math.sqrt(low * high));
}

/**
 * A trial just below the prior interval, then one just above it. Null once both were made, or once the first shows that
 * the interval is wrong. Always null for a wide interval, because the peak is then the better guide.
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
  return longTrial(goal, ratePerSec);
}

/** Number of trials in which the server was overloaded, counted up to `MOST_OVERLOADS`. */
function overloads(trials: readonly SearchedTrial[]): number {
  const overloaded = trials.filter((one) => one.servedPerSec < NEARLY_SERVED * one.ratePerSec);
  return Math.min(overloaded.length, MOST_OVERLOADS);
}

function doubled(step: number, tried: number): number {
  return step * 2 ** (tried - 1);
}

/**
 * The next rate, below all rates that broke. It follows what the server completed under overload, which is its capacity
 * or less, but is at least a quarter of the lowest rate tried. If the lowest rate broke a rule only slightly, the
 * capacity is near, and the steps start again from a smaller one.
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

/**
 * Requests that broke a rule, as a multiple of the allowed number. If there are several rules, the largest multiple is
 * returned.
 */
function excessOf({ rules }: SearchGoal, { shares }: SearchedTrial): number {
  const excess = ({ levels: [{ beyond }], requests }: TrialShare, i: number): number =>
    beyond / (rules[i].allowed * requests);
  return Math.max(...shares.map(excess));
}

/**
 * The share of a trial, at its beginning, in which the caches, pools and queue of the target reach their usual state.
 */
const STARTING = 0.1;
const SETTLES = 2;

export function shortTrial(goal: SearchGoal, ratePerSec: number): TrialStep {
  return plainTrial(goal, ratePerSec, goal.shortS);
}

export function longTrial(goal: SearchGoal, ratePerSec: number): TrialStep {
  return plainTrial(goal, ratePerSec, goal.longS);
}

function plainTrial(goal: SearchGoal, ratePerSec: number, plannedS: number): TrialStep {
  const startS = Math.max(STARTING * plannedS, SETTLES * longestRelaxationS(goal, ratePerSec));
  return {
    kind: "trial",
    ...{ ratePerSec, plannedS, burst: null },
    startS: Math.min(startS, plannedS / 2),
  };
}

function longestRelaxationS({ rules }: Pick<SearchGoal, "rules">, ratePerSec: number): number {
  return Math.max(...rules.map((rule) => relaxationS(ratePerSec, rule)));
}

/**
 * Returns a long trial on the side on which the interval is wider. Once the interval is narrow enough, returns the
 * sustained trial. Its rate is just above the lower end of the interval, or just above the lower end of an interval of
 * the requested width around the estimate, whichever end is lower.
 */
function fineStep(goal: SearchGoal, trials: readonly SearchedTrial[]): SearchStep {
  const { value, low, high, clusters } = estimateCapacity(goal, trials);
  if (Math.log(high / low) <= widthLogOf(goal) && clusters >= ENOUGH_CLUSTERS) {
    return sustainedStep(goal, trials, { value, low });
  }
  const away = SPREAD * widthLogOf(goal) / 2;
  const fine = trials.filter(({ plannedS }) => plannedS >= goal.longS);
  const above = fine.filter(({ ratePerSec }) => ratePerSec > value).length;
  // The trial goes to the side on which the interval is wider. But if few trials are above the
  // estimate, it goes above: otherwise only assumptions about queues would set the upper end.
  const isAbove = high / value > value / low || above * MOST_BELOW < fine.length - above;
  return longTrial(goal, value * Math.exp(isAbove ? away : -away));
}

/**
 * How far above the lower end of the interval the sustained trial runs, in widths of the requested interval. A rate that
 * held in one trial may have held by chance, so the interval begins somewhat below it.
 */
const INSIDE = 1 / 8;

/** The rate of the overload at the beginning of a sustained trial, as a multiple of the trial's rate. */
const OVERLOAD = 1.5;
/**
 * The wait that the backlog left by the overload should cause, as a multiple of the longest time limit of any rule. The
 * overload is shorter if the trial would be too short to recover from so large a backlog.
 */
const BACKLOG = 5;
/**
 * The overload lasts at least this long if the trial is long enough. A shorter one leaves a backlog that may vanish by
 * chance, even on a target that responds more slowly while it has a backlog.
 */
const LEAST_BURST_S = 0.5;
const SHORTEST_BURST_S = 0.02;

/**
 * Returns the sustained trial, or ends the search if there was already one at about this rate or above. A result stands
 * only if a rate near its lower end holds for a long time and after an overload. A target that stays slow after an
 * overload, or fails after a minute, does not have this capacity (N. Bronson et al., Metastable failures in distributed
 * systems, HotOS 2021).
 */
function sustainedStep(
  goal: SearchGoal,
  trials: readonly SearchedTrial[],
  { value, low }: Pick<CapacityEstimate, "value" | "low">,
): SearchStep {
  const lowest = Math.min(low, value * Math.exp(-widthLogOf(goal) / 2));
  const ratePerSec = lowest * Math.exp(INSIDE * widthLogOf(goal));
  const near = ratePerSec * Math.exp(-widthLogOf(goal) / 4);
  if (trials.some((trial) => trial.isSustained && trial.ratePerSec >= near)) {
    return { kind: "found" };
  }
  const { longestS: plannedS, rules } = goal;
  const limitS = Math.max(...rules.map((rule) => rule.limitS));
  const settlesS = SETTLES * longestRelaxationS(goal, ratePerSec);
  // The backlog drains at the difference between the capacity and the rate, so draining it takes
  // this many times as long as building it up.
  const recovers = (OVERLOAD * ratePerSec - value) / (value - ratePerSec);
  const wantedS = Math.max(LEAST_BURST_S, BACKLOG * limitS / (OVERLOAD - 1));
  const mostS = (plannedS / 2 - settlesS) / (1 + recovers);
  const seconds = Math.max(Math.min(wantedS, mostS), SHORTEST_BURST_S);
  const burst = { ratePerSec: OVERLOAD * ratePerSec, seconds };
  return { kind: "trial", ratePerSec, plannedS, burst, startS: plannedS / 2 };
}

/**
 * The estimate; null until both a rate that holds and one that breaks are known. After a sustained trial, the interval
 * begins below that trial's rate (see `INSIDE`), because it is unknown whether the target sustains a higher rate and
 * recovers from an overload at it.
 */
export function capacityOf(
  goal: SearchGoal,
  trials: readonly SearchedTrial[],
): CapacityEstimate | null {
  const { held, broken } = sidesOf(goal, trials);
  if (held.length === 0 || broken.length === 0) return null;
  const estimate = estimateCapacity(goal, trials);
  const sustained = trials.filter(({ isSustained }) => isSustained).map(({ ratePerSec }) =>
    ratePerSec
  );
  return sustained.length === 0 ? estimate : {
    ...estimate,
    low: Math.min(estimate.low, Math.max(...sustained) * Math.exp(-INSIDE * widthLogOf(goal))),
  };
}

/** The most time that is worth advising, as a multiple of the time that the long trials have taken so far. */
const MOST_TIMES = 20;

/**
 * Seconds of further trials, including the sustained one, that would probably make the interval narrow enough. Null if
 * there is no estimate yet, or if they would take far longer than the trials so far.
 */
export function secondsToDecide(
  goal: SearchGoal,
  trials: readonly SearchedTrial[],
): number | null {
  const estimate = capacityOf(goal, trials);
  if (estimate === null) return null;
  const { low, high, clusters } = estimate;
  const tooWide = Math.log(high / low) / widthLogOf(goal);
  // The width of an interval shrinks with the square root of the time.
  const times = Math.max(tooWide ** 2, ENOUGH_CLUSTERS / Math.max(clusters, 1e-9), 1);
  const fineS = trials.filter(({ plannedS }) => plannedS >= goal.longS)
    .reduce((sum, { plannedS }) => sum + plannedS, 0);
  return times > MOST_TIMES ? null : (times - 1) * fineS + goal.longestS;
}

function estimateCapacity(goal: SearchGoal, trials: readonly SearchedTrial[]): CapacityEstimate {
  const crossings = crossingsOf(goal, trials);
  const least = leastOf(crossings);
  const [low, value, high] = [TAIL, 0.5, 1 - TAIL].map((share) => rateAt(least, share));
  const medians = crossings.map((crossing) => rateAt(crossing, 0.5));
  const binding = medians.indexOf(Math.min(...medians));
  return { low, value, high, binding, clusters: crossings[binding].clusters };
}

/**
 * A rate that the capacity exceeds with a probability of 95 %, for a search in which all trials held. It is computed at
 * 98 %, because the search checks repeatedly. Null if no trial held, or if the bound lies in the lower half of the
 * rates considered. In that case the trials that held were too short to show much, and the bound would depend only on
 * how far down the search looks, which depends on the requested width.
 */
export function lowerBoundOf(goal: SearchGoal, trials: readonly SearchedTrial[]): number | null {
  const { held } = sidesOf(goal, trials);
  if (held.length === 0) return null;
  const high = Math.max(...held);
  const low = high * Math.exp(-BEYOND_BOUNDS * NARROWEST * widthLogOf(goal));
  const bound = rateAt(leastOf(crossingsIn(goal, trials, { low, high })), 2 * TAIL);
  return bound > Math.sqrt(low * high) ? bound : null;
}

export function holdsIn(
  { rules }: Pick<SearchGoal, "rules">,
  shares: readonly TrialShare[],
): boolean {
  return shares.every(({ levels: [{ beyond }], requests }, rule) =>
    beyond <= rules[rule].allowed * requests
  );
}

/** Rates at which all rules held, and rates at which any rule broke. */
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

/**
 * How far outside the bounds the capacity may be, as a multiple of the distance between them. It may be outside because
 * a trial held or broke by chance.
 */
const BEYOND_BOUNDS = 2;
/** The bounds count as at least this many widths of the requested interval apart. */
const NARROWEST = 4;

/** The rate at which each rule breaks. */
function crossingsOf(goal: SearchGoal, trials: readonly SearchedTrial[]): Crossing[] {
  const { held, broken } = sidesOf(goal, trials);
  const ends = [Math.max(...held), Math.min(...broken)];
  const apart = Math.max(Math.abs(Math.log(ends[1] / ends[0])), NARROWEST * widthLogOf(goal));
  return crossingsIn(goal, trials, {
    low: Math.min(...ends) * Math.exp(-BEYOND_BOUNDS * apart),
    high: Math.max(...ends) * Math.exp(BEYOND_BOUNDS * apart),
  });
}

function crossingsIn(
  { rules }: SearchGoal,
  trials: readonly SearchedTrial[],
  range: { readonly low: number; readonly high: number },
): Crossing[] {
  return rules.map((rule, i) => crossingOf(trials.map(({ shares }) => shares[i]), { rule, range }));
}

/** Number of grid points if there are several rules. The grid covers the rates at which the lowest crossing may be. */
const LEAST_POINTS = 240;

/**
 * The distribution of the lowest crossing (the rate at which the first rule breaks), which is the capacity under all
 * rules.
 */
function leastOf(crossings: readonly Crossing[]): Grid {
  if (crossings.length === 1) return crossings[0];
  const from = Math.min(...crossings.map(({ logRates }) => logRates[0]));
  const to = Math.min(...crossings.map(({ logRates }) => logRates[logRates.length - 1]));
  const logRates = Float64Array.from(
    { length: LEAST_POINTS },
    (_, i) => from + (to - from) * i / (LEAST_POINTS - 1),
  );
  const cumulative = logRates.map((logRate) =>
    1 - crossings.reduce((above, crossing) => above * (1 - probabilityAt(crossing, logRate)), 1)
  );
  return { logRates, cumulative };
}

/** Width of the whole requested interval on a logarithmic scale. */
function widthLogOf({ widthRatio }: SearchGoal): number {
  return 2 * Math.log1p(widthRatio);
}
