/** The search of `plateau capacity` on simulated servers, beside a bisection that an oracle helps. */
import type {
  CapacityEstimate,
  PriorInterval,
  SearchedTrial,
} from "../../runner/stats/capacity/search.ts";
import { capacityOf, nextStep, type SearchGoal } from "../../runner/stats/capacity/search.ts";
import {
  certainlyBroken,
  shareOfTrial,
  type TrialSlice,
} from "../../runner/stats/capacity/slices.ts";
import { Random } from "../statistics/random.ts";
import type { ServerModel } from "./servers.ts";

const BUDGET_S = 600;
/** As of the defaults of the file. */
const GOAL = { widthRatio: 0.02, shortS: 5, longS: 30, longestS: BUDGET_S / 8 };
const SLICE_S = 0.25;
/** From trial to trial. */
const BETWEEN_S = 0.3;

export interface SimulatedSearch {
  readonly estimate: CapacityEstimate | null;
  /** Whether the interval is narrow enough, within the budget. */
  readonly isFound: boolean;
  readonly seconds: number;
  /** With the closed loop before them. */
  readonly trials: number;
}

/** @param prior Where earlier searches found the capacity. */
export function simulateSearch(
  server: ServerModel,
  seed: number,
  prior: PriorInterval | null = null,
): SimulatedSearch {
  const random = new Random(seed);
  const peakPerSec = server.peakPerSec * random.uniform(0.99, 1.01);
  const goal: SearchGoal = { ...GOAL, peakPerSec, allowed: [server.allowed] };
  const trials: SearchedTrial[] = [];
  let seconds = GOAL.shortS;
  for (;;) {
    const step = nextStep(goal, trials, prior);
    const isFound = step.kind === "found";
    if (isFound || seconds + step.plannedS > BUDGET_S) {
      return { estimate: capacityOf(goal, trials), isFound, seconds, trials: trials.length + 1 };
    }
    const { ratePerSec, plannedS } = step;
    const { elapsedS, servedPerSec, ...share } = simulateTrial(
      server,
      { ...step, fromS: seconds },
      random,
    );
    trials.push({ ratePerSec, plannedS, servedPerSec, shares: [share] });
    seconds += elapsedS + BETWEEN_S;
  }
}

interface SimulatedTrial {
  readonly ratePerSec: number;
  readonly plannedS: number;
  readonly fromS: number;
}

const NONE: TrialSlice = {
  requests: 0,
  beyond: 0,
  beyondQuarter: 0,
  beyondHalf: 0,
  beyondDouble: 0,
};

/** Arrivals come by chance (Poisson). */
function simulateTrial(
  server: ServerModel,
  { ratePerSec, plannedS, fromS }: SimulatedTrial,
  random: Random,
): SearchedTrial["shares"][number] & { elapsedS: number; servedPerSec: number } {
  const started = server.start(fromS, random);
  const slices: Record<keyof TrialSlice, number>[] = [];
  const enough = certainlyBroken(server.allowed, ratePerSec * plannedS);
  const done: number[] = [];
  let beyond = 0;
  let atS = random.exponential() / ratePerSec;
  for (; atS < plannedS; atS += random.exponential() / ratePerSec) {
    const slice = slices[Math.floor(atS / SLICE_S)] ??= { ...NONE };
    if (slice.requests === 0 && beyond >= enough) break; // the live figures come by interval
    slice.requests++;
    const doneS = started.respond(atS, random);
    if (doneS <= plannedS) done.push(doneS);
    count(slice, doneS - atS, server.limitS);
    if (doneS - atS > server.limitS) beyond++;
  }
  const isCutShort = atS < plannedS;
  const share = shareOfTrial(slices, { ratePerSec, sliceS: SLICE_S, isCutShort });
  const elapsedS = Math.min(atS, plannedS);
  const served = done.filter((doneS) => doneS <= elapsedS).length;
  return { ...share, elapsedS, servedPerSec: served / elapsedS };
}

function count(
  slice: Record<keyof TrialSlice, number>,
  latencyS: number,
  limitS: number,
): void {
  if (latencyS >= limitS / 4) slice.beyondQuarter++;
  if (latencyS >= limitS / 2) slice.beyondHalf++;
  if (latencyS > limitS) slice.beyond++;
  if (limitS > 0 && latencyS > 2 * limitS) slice.beyondDouble++;
}

const LONG_REQUESTS = 3e7;
const LONG_ROUNDS = 11;

/** By a formula, or by bisection with very long runs: to 0.05 % for 30 million requests each. */
export function trueCapacity(server: ServerModel): (atS: number) => number {
  if (server.knownPerSec !== null) return server.knownPerSec;
  let [low, high] = [server.peakPerSec / 2, server.peakPerSec];
  for (let round = 0; round < LONG_ROUNDS; round++) {
    const middle = (low + high) / 2;
    if (longShare(server, middle) > server.allowed) high = middle;
    else low = middle;
  }
  return () => (low + high) / 2;
}

function longShare(server: ServerModel, ratePerSec: number): number {
  const random = new Random(1);
  const started = server.start(0, random);
  let [atS, beyond] = [0, 0];
  for (let i = 0; i < LONG_REQUESTS; i++) {
    atS += random.exponential() / ratePerSec;
    if (started.respond(atS, random) - atS > server.limitS) beyond++;
  }
  return beyond / LONG_REQUESTS;
}

/**
 * What a bisection needs to which an oracle shows the side of the capacity that a rate is on: the closed loop, the half of its
 * peak and further halves, the peak, then the middle until both ends are as close as the interval's; one longest trial
 * for each.
 */
export function bisectionWithOracle(
  { peakPerSec }: ServerModel,
  capacity: number,
): { trials: number; seconds: number } {
  let trials = 1;
  let low = peakPerSec / 2;
  while (low > capacity) {
    low /= 2;
    trials++;
  }
  let high = Math.min(2 * low, peakPerSec);
  for (trials++; high / low > (1 + GOAL.widthRatio) ** 2; trials++) {
    const middle = Math.sqrt(low * high);
    if (middle > capacity) high = middle;
    else low = middle;
  }
  return { trials: trials + 1, seconds: GOAL.shortS + trials * GOAL.longS };
}
