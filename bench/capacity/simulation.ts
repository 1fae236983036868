/** Runs the search of `plateau capacity` on simulated servers. */
import {
  type CapacityEstimate,
  capacityOf,
  lowerBoundOf,
  nextStep,
  type PriorInterval,
  type SearchedTrial,
  type TrialPlan,
} from "../../runner/stats/capacity/search.ts";
import { LEVELS } from "../../runner/stats/capacity/queue.ts";
import {
  certainlyBroken,
  shareOfTrial,
  type TrialSlice,
} from "../../runner/stats/capacity/slices.ts";
import { goalWithin } from "../../runner/capacity/search_terms.ts";
import { GeneratorCeiling } from "../../runner/capacity/ceiling.ts";
import { FastRandom } from "./fast_random.ts";
import type { ServerKind, SimulatedServer, Terms } from "./servers.ts";

/** The search options, equal to the defaults of the command's flags. */
const SEARCH = { widthRatio: 0.02, trialS: [5, 30], budgetS: 1_200 } as const;
const SLICE_S = 0.25;
/** Simulated seconds between two trials. */
const BETWEEN_S = 0.3;

export interface SimulatedSearch {
  readonly estimate: CapacityEstimate | null;
  /** The lower bound on the capacity if the search ended because the generator was the limit; otherwise null. */
  readonly atLeast: number | null;
  readonly end: "found" | "budget" | "unsustained" | "generator";
  readonly seconds: number;
  /** The number of trials, including the closed loop that precedes them. */
  readonly trials: number;
}

interface Simulated {
  readonly kind: ServerKind;
  readonly terms: Terms;
  /** The true capacity in requests per second, from `capacityIn`. */
  readonly capacity: number;
}

/** @param prior The interval in which earlier searches found the capacity; null if there were none. */
export function simulateSearch(
  { kind, terms, capacity }: Simulated,
  seed: number,
  prior: PriorInterval | null = null,
): SimulatedSearch {
  const random = new FastRandom(seed);
  const peakPerSec = terms.perSec * (kind.peak ?? 1) * (0.99 + 0.02 * random.uniform());
  const goal = goalWithin([terms], SEARCH, peakPerSec);
  const isLimited = kind.generatorWithin !== undefined;
  const off = (kind.generatorWithin ?? 0) * (2 * random.uniform() - 1);
  const sentAtMost = isLimited ? capacity * (1 + off) : Infinity;
  const ceiling = new GeneratorCeiling();
  const trials: SearchedTrial[] = [];
  let seconds = goal.shortS;
  const ended = (end: SimulatedSearch["end"]): SimulatedSearch => ({
    estimate: capacityOf(goal, trials),
    atLeast: end === "generator" ? lowerBoundOf(goal, trials) : null,
    ...{ end, seconds, trials: trials.length + 1 },
  });
  for (;;) {
    const step = nextStep(goal, trials, prior);
    if (step.kind !== "trial") return ended(step.kind);
    const plan = ceiling.below(step, goal, trials);
    if (plan === "generator") return ended(plan);
    if (seconds + plan.plannedS > SEARCH.budgetS) return ended("budget");
    const server = kind.start(terms, seconds, random);
    const { elapsedS, ...trial } = simulateTrial(
      server,
      { ...terms, ...plan, isEven: kind.isEven },
      random,
    );
    seconds += elapsedS + BETWEEN_S;
    if (plan.ratePerSec <= sentAtMost) trials.push(trial);
    else ceiling.doubt(plan.ratePerSec);
  }
}

interface PlannedLoad extends TrialPlan, Terms {
  readonly isEven?: boolean;
}

/**
 * Number of counts per slice: all requests and, for each level (a multiple of the time limit), those that take longer.
 */
const COUNTS = LEVELS.length + 1;
/** The most requests that can be counted as in flight at the end. If more are in flight, the oldest count as served. */
const MOST_OPEN = 1 << 14;

function simulateTrial(
  server: SimulatedServer,
  plan: PlannedLoad,
  random: FastRandom,
): SearchedTrial & { elapsedS: number } {
  const { ratePerSec, plannedS, limitS, startS, burst, isEven = false } = plan;
  const counts = new Int32Array(Math.ceil(plannedS / SLICE_S) * COUNTS);
  const enough = certainlyBroken(plan, plan);
  const done = new Float64Array(MOST_OPEN);
  const [halfS, quarterS, doubleS] = [limitS / 2, limitS / 4, limitS * 2];
  const watchedS = burst === null ? 0 : startS;
  const usualGapS = 1 / ratePerSec;
  const [burstS, burstGapS] = burst === null ? [0, 0] : [burst.seconds, 1 / burst.ratePerSec];
  let all = 0, beyond = 0, at = -1, atS = 0;
  for (;;) {
    const gapS = atS < burstS ? burstGapS : usualGapS;
    atS += isEven ? gapS : random.exponential() * gapS;
    if (atS >= plannedS) break;
    const slice = COUNTS * Math.floor(atS * (1 / SLICE_S));
    if (slice !== at) {
      if (beyond >= enough) break; // only where a slice begins, as real figures arrive by slice
      at = slice;
    }
    const doneS = server.respond(atS, random);
    done[all++ & MOST_OPEN - 1] = doneS;
    const tookS = doneS - atS;
    counts[slice]++;
    if (tookS < quarterS) continue;
    counts[slice + 3]++;
    if (tookS < halfS) continue;
    counts[slice + 2]++;
    if (tookS <= limitS) continue;
    counts[slice + 1]++;
    if (tookS > doubleS) counts[slice + 4]++;
    if (atS >= watchedS) beyond++;
  }
  const elapsedS = Math.min(atS, plannedS);
  const isCutShort = atS < plannedS;
  const slices = slicesOf(counts, Math.ceil(elapsedS / SLICE_S), limitS);
  const counted = isCutShort && burst === null ? 0 : startS;
  return {
    ...{ ratePerSec, plannedS, isSustained: burst !== null, elapsedS },
    servedPerSec: (all - openAt(elapsedS, done, all)) / elapsedS,
    shares: [shareOfTrial(slices, { ratePerSec, sliceS: SLICE_S, startS: counted })],
  };
}

function openAt(endS: number, done: Float64Array, all: number): number {
  let open = 0;
  for (let i = Math.max(0, all - MOST_OPEN); i < all; i++) {
    const doneS = done[i & MOST_OPEN - 1];
    if (doneS > endS && doneS !== Infinity) open++;
  }
  return open;
}

/**
 * Converts the counts to slices. Without a time limit, a request that breaks the rule counts as beyond the limit, and
 * beyond half and a quarter of it, but not beyond its double.
 */
function slicesOf(counts: Int32Array, length: number, limitS: number): TrialSlice[] {
  return Array.from({ length }, (_, i) => {
    const [requests, ...beyond] = counts.subarray(COUNTS * i, COUNTS * (i + 1));
    return { requests, beyond: limitS === 0 ? [beyond[0], beyond[0], beyond[0], 0] : beyond };
  });
}

const LONG_REQUESTS = 2e7;
const LONG_ROUNDS = 10;

/**
 * Returns the true capacity, by a formula or by bisection over very long runs. The runs begin with a backlog, because a
 * rate that a server sustains only until its first overload is not a capacity.
 */
export function capacityIn(kind: ServerKind, terms: Terms): (atS: number) => number {
  const { capacity } = kind;
  if (capacity !== null) return (atS) => capacity(terms, atS);
  let [low, high] = [terms.perSec * 0.7, terms.perSec];
  for (let round = 0; round < LONG_ROUNDS; round++) {
    const middle = (low + high) / 2;
    if (longShare(kind, terms, middle) > terms.allowed) high = middle;
    else low = middle;
  }
  return () => (low + high) / 2;
}

function longShare(kind: ServerKind, terms: Terms, ratePerSec: number): number {
  const random = new FastRandom(1);
  const started = kind.start(terms, 0, random);
  const { limitS } = terms;
  for (let i = 0; i < 6 * limitS * terms.perSec; i++) started.respond(0, random);
  let [atS, beyond] = [0, 0];
  for (let i = 0; i < LONG_REQUESTS; i++) {
    atS += random.exponential() / ratePerSec;
    if (started.respond(atS, random) - atS > limitS && i > LONG_REQUESTS / 10) beyond++;
  }
  return beyond / LONG_REQUESTS / 0.9;
}
