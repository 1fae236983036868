/**
 * At which rate does the share of requests beyond a limit cross what a rule allows? Each trial gives a noisy share at
 * its rate. The crossing has a likelihood over all trials, from which the unknowns that are not of interest are summed
 * out. Pure.
 *
 * - A share grows as exp(k·r) with the rate r: in heavy traffic it is exp(−κ·(µ − r)·L) (J. F. C. Kingman, 1961), where
 *   κ is 1 for M/M/1, larger for more regular arrivals and service times, smaller for less regular ones. If the rule
 *   has no time limit, the server may instead refuse exactly what it cannot take: then the share is the part of the
 *   rate that it does not serve.
 * - Requests of a queue are late in clusters, not one by one, so a trial counts as many observations as it has clusters
 *   (quasi-likelihood: R. W. M. Wedderburn, 1974).
 * - The speed of a server may differ from trial to trial. The crossing is where the mean share over trials crosses the
 *   allowed one.
 * - If requests beyond the limit come in too few clusters, requests beyond a half or a quarter of the limit decide,
 *   because there are more of them. How fast the tail falls from there to the limit is estimated from the trials,
 *   around an exponential tail; the uncertainty of the estimate makes the interval wider.
 */
import { clusterEveryS, LEVELS, relaxationS, type Rule } from "./queue.ts";
import type { LevelShare, TrialShare } from "./slices.ts";

/** Cumulative probabilities over rates. */
export interface Grid {
  /** Logarithms of rates, evenly spaced. */
  readonly logRates: Float64Array;
  /** Probability that the crossing is at most the rate with the same index. */
  readonly cumulative: Float64Array;
}

export interface Crossing extends Grid {
  /** Expected number of clusters of late requests at the allowed share, in the trials near the crossing. */
  readonly clusters: number;
  /** Seconds between clusters at the allowed share. */
  readonly clusterEveryS: number;
}

/** With fewer clusters than this, nothing can be decided. */
export const ENOUGH_CLUSTERS = 10;

interface RateRange {
  readonly low: number;
  readonly high: number;
}

/** @param range The rates between which the crossing lies. */
export function crossingOf(
  trials: readonly TrialShare[],
  { rule, range }: { readonly rule: Rule; readonly range: RateRange },
): Crossing {
  const { level, unknownNats, isFlat } = levelOf(trials, rule, range);
  const weighed = trials.flatMap((trial) => weighedOf(trial, rule, level));
  const middle = Math.sqrt(range.low * range.high);
  const ofLevel = {
    allowed: level.allowed,
    growth: growthOf(middle, rule, level.part),
    limit: { allowed: rule.allowed, growth: growthOf(middle, rule, 1) },
    mayRefuse: rule.limitS === 0,
    ...{ unknownNats, isFlat },
  };
  const { clusters, everyS: clusterEveryS } = level;
  const coarse = cumulativeOf(weighed, ofLevel, range);
  const near = {
    low: rateAt(coarse, NEGLIGIBLE) * Math.exp(-2 * stepOf(coarse)),
    high: rateAt(coarse, 1 - NEGLIGIBLE) * Math.exp(2 * stepOf(coarse)),
  };
  return { ...cumulativeOf(weighed, ofLevel, near), clusters, clusterEveryS };
}

const POINTS = 40;
/** Probability that is cut off on either side before the grid is refined. */
const NEGLIGIBLE = 1e-4;

/** The rate below which the crossing lies with this probability. */
export function rateAt({ logRates, cumulative }: Grid, probability: number): number {
  const found = cumulative.findIndex((value) => value >= probability);
  const i = found === -1 ? cumulative.length - 1 : found;
  const before = i === 0 ? 0 : cumulative[i - 1];
  const part = cumulative[i] > before ? (probability - before) / (cumulative[i] - before) : 0.5;
  return Math.exp(logRates[i] + (part - 0.5) * (logRates[1] - logRates[0]));
}

/** Probability that the crossing is at most this rate. */
export function probabilityAt(grid: Grid, logRate: number): number {
  const { logRates, cumulative } = grid;
  const at = (logRate - logRates[0]) / stepOf(grid);
  if (at < 0) return 0;
  const i = Math.min(Math.floor(at), cumulative.length - 1);
  const next = Math.min(i + 1, cumulative.length - 1);
  return cumulative[i] + (cumulative[next] - cumulative[i]) * Math.min(at - i, 1);
}

function stepOf({ logRates }: Grid): number {
  return logRates[1] - logRates[0];
}

// Which part of the limit decides.

/** The whole limit or a part of it, and how requests beyond it are clustered at the capacity. */
interface Level {
  readonly index: number;
  readonly part: number;
  /** Share of requests beyond this part when the share beyond the whole limit is exactly the allowed one. */
  readonly allowed: number;
  readonly everyS: number;
  readonly clusters: number;
}

/**
 * If a trial's share differs from the allowed one by more than this factor, the trial only shows on which side of the
 * capacity its rate is.
 */
const NEAR = 8;
/**
 * Trials at less than the highest rate divided by this factor are left out, because they show nothing about clusters at
 * the capacity. Trials with far more late requests than allowed are left out before the highest rate is determined.
 */
const NEAR_RATE = 1.15;
/**
 * In a flat tail, this many clusters count as one. Most trials lack the rare large requests, so the measured dispersion
 * is too small.
 */
const RARE_TIMES = 3;

/**
 * The highest part of the limit with enough clusters, or else the part with the most. In a flat tail it is the limit
 * itself.
 */
function levelOf(
  trials: readonly TrialShare[],
  rule: Rule,
  range: RateRange,
): { readonly level: Level; readonly unknownNats: number; readonly isFlat: boolean } {
  const near = nearTrials(trials, rule);
  const tail = tailOf(near, rule);
  const [limit, ...parts] = tail.falls.map((_, index) =>
    ofIndex(near, index, { rule, range, tail })
  );
  const { isFlat } = tail;
  if (isFlat) {
    const [everyS, clusters] = [limit.everyS * RARE_TIMES, limit.clusters / RARE_TIMES];
    return { level: { ...limit, everyS, clusters }, unknownNats: 0, isFlat };
  }
  if (limit.clusters >= ENOUGH_CLUSTERS || rule.limitS === 0) {
    return { level: limit, unknownNats: 0, isFlat };
  }
  const level = parts.find(({ clusters }) => clusters >= ENOUGH_CLUSTERS) ??
    parts[parts.length - 1];
  const { falls, unknown } = tail;
  const unknownNats = -Math.log(level.allowed) * unknown[level.index] / falls[level.index];
  return { level, unknownNats, isFlat };
}

function nearTrials(trials: readonly TrialShare[], { allowed }: Rule): TrialShare[] {
  const under = trials.filter(({ requests, levels: [limit] }) =>
    requests > 0 && limit.beyond <= NEAR * allowed * requests
  );
  const highest = Math.max(...under.map(({ ratePerSec }) => ratePerSec));
  return under.filter(({ ratePerSec }) => ratePerSec * NEAR_RATE >= highest);
}

interface TailTerms {
  readonly rule: Rule;
  readonly range: RateRange;
  readonly tail: Tail;
}

function ofIndex(
  near: readonly TrialShare[],
  index: number,
  { rule, range, tail }: TailTerms,
): Level {
  const allowed = rule.allowed ** (1 / tail.falls[index]);
  const expectedS = clusterEveryS(Math.sqrt(range.low * range.high), rule, allowed);
  const everyS = blended(expectedS, near, { index, allowed });
  const clusters = near.reduce((sum, trial) => sum + settledS(trial, rule) / everyS, 0);
  return { index, part: LEVELS[index], allowed, everyS, clusters };
}

/** The theory of the time between clusters has the weight of this many observed clusters. */
const THEORY_CLUSTERS = 4;

/** Seconds between clusters: the theory's value and the trials' value, weighted by their numbers of clusters. */
function blended(
  expectedS: number,
  near: readonly TrialShare[],
  { index, allowed }: Pick<Level, "index" | "allowed">,
): number {
  let [sum, all, seen] = [0, 0, 0];
  for (const { levels, requests, seconds } of near) {
    const { beyond, dispersion } = levels[index];
    if (dispersion === null) continue;
    const each = Math.max(1, dispersion);
    // Weighted by late requests, because trials with many of them are nearer to the capacity than
    // those with many small clusters.
    sum += beyond * each * seconds / (requests * allowed);
    all += beyond;
    seen += beyond / each;
  }
  if (all === 0) return expectedS;
  return (THEORY_CLUSTERS * expectedS + seen * sum / all) / (THEORY_CLUSTERS + seen);
}

/**
 * The seconds of a trial that count as settled. A queue that was empty at first has its usual length after two
 * relaxation times. If the start of the trial that is left out is shorter than that, the missing seconds are deducted
 * twice.
 */
function settledS({ ratePerSec, seconds, startS }: TrialShare, rule: Rule): number {
  const missing = Math.max(0, 2 * relaxationS(ratePerSec, rule) - startS);
  return Math.max(0, seconds - 2 * missing);
}

/**
 * How fast the tail falls from each level, such as half of the limit, to the limit itself. Arrays are in the order of
 * `LEVELS`.
 */
interface Tail {
  /**
   * The logarithm of the share beyond the limit over that of the share beyond the part; 1, 2 and 4 for an exponential
   * tail.
   */
  readonly falls: readonly number[];
  /** Standard deviations of `falls`. */
  readonly unknown: readonly number[];
  /**
   * Whether the tail falls much less than an exponential one. Then waits are due to single long requests rather than to
   * sums of many, so parts of the limit say nothing about the limit.
   */
  readonly isFlat: boolean;
}

/** Prior standard deviation of the fall from one level to the next, around that of an exponential tail. */
const TAILS_VARY = 0.3;
const FLATTEST = 0.5;
/**
 * The largest fall that counts, because a tail is steeper at first than later if parts of the limit are as short as
 * single requests.
 */
const STEEPEST = 1.5;

/**
 * Estimates the tail from the shares of all trials together, because the rule is about mean shares: in a single short
 * trial, the shares beyond all parts of the limit vary together, and their tail is steeper than that of the mean. Only
 * trials near the capacity count, because over several rates any tail looks flat.
 */
function tailOf(near: readonly TrialShare[], { allowed, limitS }: Rule): Tail {
  if (limitS === 0) {
    return {
      ...{ falls: [1], unknown: [0] },
      isFlat: false,
    };
  }
  const toHalf = fallOf(nearCapacity(near, 2, allowed), 2, 1);
  const toLimit = fallOf(nearCapacity(near, 1, allowed), 1, 0);
  const [half, ofHalf] = shrunk(toHalf);
  const [limit, ofLimit] = shrunk(toLimit);
  return {
    falls: [1, 1 + limit, (1 + limit) * (1 + half)],
    unknown: [0, ofLimit, Math.hypot(ofLimit * (1 + half), ofHalf * (1 + limit))],
    // Requests that wait for twice the limit are rare, so for that level all trials count, except
    // overloads.
    isFlat: [toHalf, toLimit, fallOf(withoutOverloads(near, allowed), 0, 3)].some((
      { fall, variance },
    ) => fall < FLATTEST - Math.sqrt(variance)),
  };
}

/** The fall, shrunk towards that of an exponential tail, and its standard deviation. */
function shrunk({ fall, variance }: Fall): [fall: number, stdev: number] {
  const weight = 1 / (1 + variance / TAILS_VARY ** 2);
  const seen = 1 + weight * (fall - 1);
  return [Math.min(Math.max(seen, FLATTEST), STEEPEST), TAILS_VARY * Math.sqrt(1 - weight)];
}

/**
 * A trial is near the capacity if its share differs by at most this factor from the share that an exponential tail has
 * at the capacity.
 */
const NEAR_CAPACITY = 2;

function nearCapacity(
  trials: readonly TrialShare[],
  level: number,
  allowed: number,
): readonly TrialShare[] {
  const expected = allowed ** LEVELS[level];
  return trials.filter(({ levels, requests }) => {
    const times = levels[level].beyond / requests / expected;
    return times <= NEAR_CAPACITY && times >= 1 / NEAR_CAPACITY;
  });
}

/** A trial whose share exceeds the allowed one by this factor has the tail of an overload. */
const NEAR_TAIL = 3;

function withoutOverloads(trials: readonly TrialShare[], allowed: number): readonly TrialShare[] {
  return trials.filter(({ levels: [{ beyond }], requests }) =>
    beyond <= NEAR_TAIL * allowed * requests
  );
}

/** With fewer clusters than this, a share is too uncertain to be used. */
const SHOWN_CLUSTERS = 2;

interface Fall {
  readonly fall: number;
  readonly variance: number;
}

/**
 * How far the logarithm of the share falls from one level to the next, divided by how far it has fallen at the first of
 * these levels. Its variance is that of a ratio of two sums over trials (W. G. Cochran, "Sampling techniques", 1977,
 * §6.3), or that of counting clusters, whichever is larger.
 */
function fallOf(trials: readonly TrialShare[], from: number, to: number): Fall {
  let [all, before, after, clusters] = [0, 0, 0, 0];
  for (const { levels, requests } of trials) {
    const { beyond, dispersion } = levels[to];
    all += requests;
    before += levels[from].beyond;
    after += beyond;
    clusters += dispersion === null ? 0 : beyond / Math.max(1, dispersion);
  }
  const nats = -Math.log(before / all);
  if (clusters < SHOWN_CLUSTERS || !(nats > 0)) return { fall: 1, variance: Infinity };
  const squares = trials.reduce(
    (sum, { levels }) => sum + (levels[to].beyond - after / before * levels[from].beyond) ** 2,
    0,
  );
  const ofTrials = trials.length < 2
    ? 1
    : squares * trials.length / (trials.length - 1) / after ** 2;
  return {
    fall: Math.log(before / after) / nats,
    variance: Math.max(ofTrials, 1 / clusters) / nats ** 2,
  };
}

// The likelihood.

/** A trial in terms of its clusters. */
interface WeighedTrial {
  readonly ratePerSec: number;
  /** Number of clusters of requests beyond the limit; `within`: the requests within it, on the same scale. */
  readonly beyond: number;
  readonly within: number;
  /**
   * Bounds of the log ratio of the share to the allowed one. Beyond them, every share explains the trial equally well.
   */
  readonly least: number;
  readonly most: number;
}

/**
 * Number of relaxation times that a trial must last. An overflowing queue grows throughout a trial, so the share of a
 * shorter trial is too small.
 */
const LONG_ENOUGH = 15;

/**
 * The most clusters that a trial counts for, because no share is exactly exponential in the rate and servers vary
 * between trials.
 */
const MOST_CLUSTERS = 20;

/** The weighed trial; nothing if it had no requests, or ended before the queue could have grown. */
function weighedOf(trial: TrialShare, rule: Rule, level: Level): WeighedTrial[] {
  const { ratePerSec, requests, seconds } = trial;
  const { allowed, index, everyS } = level;
  if (requests === 0) return [];
  const { beyond }: LevelShare = trial.levels[index];
  const share = beyond / requests;
  const isMore = share > allowed;
  const near = Math.min(share, NEAR * allowed, (1 + allowed) / 2);
  const isAtLeast = share > near ||
    (isMore && seconds < LONG_ENOUGH * relaxationS(ratePerSec, rule));
  const clusters = (isMore ? seconds : settledS(trial, rule)) / everyS;
  const samples = Math.min(Math.min(clusters, MOST_CLUSTERS) / allowed, requests);
  if (samples === 0) return [];
  return [{
    ratePerSec,
    beyond: samples * near,
    within: samples * (1 - near),
    least: share < allowed / NEAR ? Math.log(Math.max(share, 1e-12) / allowed) : -Infinity,
    most: isAtLeast ? Math.log(near / allowed) : Infinity,
  }];
}

/** Elasticity of the share with respect to the rate in an M/M/1 queue. */
function growthOf(ratePerSec: number, { allowed, limitS }: Rule, part: number): number {
  return limitS === 0 ? -2 * Math.log(allowed) : limitS * ratePerSec * part;
}

/**
 * Multiples of the M/M/1 growth, with relative prior probabilities: those from 1 to 8 are equally probable, all others
 * less so.
 */
const GROWTHS = [
  ...[[0.1, 0.1], [0.25, 0.2], [0.5, 0.5], [0.7, 0.8], [1, 1]] as const,
  ...[[1.5, 1], [2.5, 1], [8, 1], [32, 0.7]] as const,
];
/** `GROWTHS` for a flat tail, in which the share grows slowly with the rate. */
const FLAT_GROWTHS = [
  ...[[0.03, 1], [0.06, 1], [0.12, 1], [0.25, 1]] as const,
  ...[[0.5, 1], [1, 0.5]] as const,
];
/** By how much the server's speed may vary between trials, as a share, with prior probabilities. */
const SPEEDS_VARY = [[0, 0.8], [0.01, 0.15], [0.03, 0.05]] as const;
/** Gauss–Hermite nodes and weights for a standard normal. */
const NORMAL = [
  ...[[-2.857, 0.011257], [-1.3556, 0.222076], [0, 0.533333], [1.3556, 0.222076]] as const,
  [2.857, 0.011257],
] as const;

/**
 * The standard normal at 41 evenly spaced nodes, for means that are dominated by a few large values, for which five
 * nodes are too few.
 */
const FINE_NORMAL = Array.from({ length: 41 }, (_, i) => {
  const z = (i - 20) / 4;
  return [z, Math.exp(-z * z / 2) / 4 / Math.sqrt(2 * Math.PI)] as const;
});

/** The standard normal with three nodes. */
const OFFSETS = [[-1.732, 1 / 6], [0, 2 / 3], [1.732, 1 / 6]] as const;

interface LevelTerms {
  readonly allowed: number;
  readonly growth: number;
  /** `allowed` and `growth` of the limit itself. */
  readonly limit: { readonly allowed: number; readonly growth: number };
  readonly mayRefuse: boolean;
  readonly isFlat: boolean;
  /** Standard deviation of the logarithm of the share at the crossing, which is uncertain for a part of the limit. */
  readonly unknownNats: number;
}

function cumulativeOf(
  trials: readonly WeighedTrial[],
  { allowed, growth, limit, mayRefuse, isFlat, unknownNats }: LevelTerms,
  range: RateRange,
): Grid {
  const [from, to] = [Math.log(range.low), Math.log(range.high)];
  const logRates = Float64Array.from(
    { length: POINTS },
    (_, i) => from + (to - from) * (i + 0.5) / POINTS,
  );
  const shares = new Shares(allowed);
  const fall = Math.log(limit.allowed) / Math.log(allowed);
  const all: { readonly weight: number; readonly logs: Float64Array }[] = [];
  const offsets = unknownNats === 0 ? [[0, 1] as const] : OFFSETS;
  for (const [times, ofGrowth] of isFlat ? FLAT_GROWTHS : GROWTHS) {
    for (const [varies, ofSpeed] of SPEEDS_VARY) {
      const spread = times * growth * varies;
      // The rule is about the mean share beyond the limit, which varies more between trials than
      // the share beyond a part of the limit.
      const below = belowMean(limit.allowed, times * limit.growth * varies) / fall;
      for (const [offset, ofOffset] of offsets) {
        const logs = logRates.map((logRate) =>
          logLikelihood(trials, shares, {
            crossing: Math.exp(logRate),
            growth: times * growth,
            spread,
            atCrossing: offset * unknownNats - below,
          })
        );
        all.push({ weight: ofGrowth * ofSpeed * ofOffset, logs });
      }
    }
  }
  if (mayRefuse) {
    // A priori, a server that refuses is as probable as all servers that queue together.
    const weight = all.reduce((sum, one) => sum + one.weight, 0);
    all.push({ weight, logs: logRates.map((log) => refusalLikelihood(trials, log, allowed)) });
  }
  return { logRates, cumulative: cumulated(summed(all)) };
}

/** Sums likelihoods, up to a constant factor. */
function summed(
  all: readonly { readonly weight: number; readonly logs: Float64Array }[],
): Float64Array {
  const most = Math.max(...all.map(({ logs }) => logs.reduce((a, b) => Math.max(a, b), -Infinity)));
  const sums = new Float64Array(POINTS);
  for (const { weight, logs } of all) {
    for (let i = 0; i < POINTS; i++) sums[i] += weight * Math.exp(logs[i] - most);
  }
  return sums;
}

interface Growth {
  readonly crossing: number;
  readonly growth: number;
  /** Standard deviation between trials, in nats of their shares. */
  readonly spread: number;
  /** The median of the shares at the crossing relative to the allowed one, in nats. */
  readonly atCrossing: number;
}

function logLikelihood(
  trials: readonly WeighedTrial[],
  shares: Shares,
  { crossing, growth, spread, atCrossing }: Growth,
): number {
  let log = 0;
  for (const trial of trials) {
    const at = growth * (trial.ratePerSec / crossing - 1) + atCrossing;
    if (spread === 0) {
      log += shares.logOf(trial, at);
      continue;
    }
    let sum = 0;
    for (const [z, weight] of NORMAL) {
      sum += weight * Math.exp(shares.logOf(trial, at + spread * z));
    }
    log += Math.log(Math.max(sum, Number.MIN_VALUE));
  }
  return log;
}

/**
 * Tables of the logarithms of shares and of their complements, indexed by nats above the allowed share, because a
 * look-up is faster than a calculation.
 */
class Shares {
  readonly #step = 0.04;
  readonly #least = -14;
  readonly #logs: Float64Array;
  readonly #complements: Float64Array;

  constructor(allowed: number) {
    const most = Math.log(MOST_SHARE / allowed);
    const length = Math.ceil((most - this.#least) / this.#step) + 1;
    const share = (i: number): number =>
      Math.min(MOST_SHARE, allowed * Math.exp(this.#least + i * this.#step));
    this.#logs = Float64Array.from({ length }, (_, i) => Math.log(share(i) / allowed));
    this.#complements = Float64Array.from(
      { length },
      (_, i) => Math.log((1 - share(i)) / (1 - allowed)),
    );
  }

  #at(nats: number): number {
    const i = Math.round((nats - this.#least) / this.#step);
    return i < 0 ? 0 : Math.min(i, this.#logs.length - 1);
  }

  /** Log likelihood of a trial whose share is `nats` above the allowed one, relative to that at the allowed share. */
  logOf({ beyond, within, least, most }: WeighedTrial, nats: number): number {
    const i = this.#at(nats < least ? least : nats > most ? most : nats);
    return beyond * this.#logs[i] + within * this.#complements[i];
  }
}

const MOST_SHARE = 0.97;

/** If shares vary by `spread` nats and their mean is the allowed share, how many nats their median is below it. */
function belowMean(allowed: number, spread: number): number {
  if (spread === 0) return 0;
  let [low, high] = [0, spread * 4 + spread ** 2];
  for (let round = 0; round < 20; round++) {
    const middle = (low + high) / 2;
    const mean = FINE_NORMAL.reduce(
      (sum, [z, weight]) =>
        sum + weight * Math.min(MOST_SHARE / allowed, Math.exp(spread * z - middle)),
      0,
    );
    if (mean > 1) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * The logarithm of the likelihood of the trials if the server refuses everything beyond its capacity, relative to that
 * if the share in every trial were `allowed`.
 * @param logRate Logarithm of the rate at which exactly the share `allowed` is refused.
 */
function refusalLikelihood(
  trials: readonly WeighedTrial[],
  logRate: number,
  allowed: number,
): number {
  const servedAtMost = (1 - allowed) * Math.exp(logRate);
  let log = 0;
  for (const { ratePerSec, beyond, within, least, most } of trials) {
    const share = Math.max(1 - servedAtMost / ratePerSec, 1e-12);
    const nats = Math.min(Math.max(Math.log(share / allowed), least), most);
    const known = Math.min(allowed * Math.exp(nats), MOST_SHARE);
    log += beyond * Math.log(known / allowed) + within * Math.log((1 - known) / (1 - allowed));
  }
  return log;
}

function cumulated(values: Float64Array): Float64Array {
  let sum = 0;
  const sums = values.map((value) => sum += value);
  return sums.map((value) => value / sum);
}
