/**
 * A comparison in two stages. A cell that may be worse after the first blocks is measured in the same number of fresh
 * blocks, and then judged by all blocks together. Pure.
 *
 * This is a group-sequential test whose first look can only end without an alarm (C. Jennison and B. W. Turnbull,
 * "Group Sequential Methods", 2000, §4 and §8). A cell that looks worse by chance goes on to the second stage, so the
 * ratio over all blocks is, on average, too bad. The estimate and its interval therefore take this selection into
 * account. Let D₁ be how much worse the first blocks are, D how much worse all blocks are, d the measured value of D, c
 * the value that D₁ must exceed for a cell to go on, and δ the true change. The probability
 *
 *     P(D ≥ d | D₁ > c; δ)
 *
 * is ½ at the estimate of δ, and α/2 and 1 − α/2 at the ends of its interval. This is the conditional form of the
 * median-unbiased estimate of K. Fairbanks and R. Madsen (Biometrika 1982; for its bias J. Whitehead, Biometrika 1986;
 * for the conditional form X. Fan, D. DeMets and K. Lan, J. Biopharm. Stat. 2004). If the variance of the blocks is
 * known, D₁ given D is normal around D, whatever δ is. But the variance is only estimated, with few degrees of freedom,
 * so the probability is averaged over it. `deno task bench confirm` measures the actual error rates and coverage.
 */
import { type ConfidenceInterval, pBeyond } from "../confidence/confidence_interval.ts";
import { tQuantile } from "../confidence/student_t.ts";

/** What counts as worse. */
export interface WorseRule {
  /** Changes up to this size count as no difference; 0.02 is 2 %. */
  readonly marginRatio: number;
  readonly better: "lower" | "higher";
}

/**
 * Which cells go on to the second stage. They fall short of the margin by at most one standard error, so that hardly
 * any slowdown beyond the margin is missed. They are also worse by at least a quarter of a standard error, so that at
 * most 40 % of unchanged cells go on, however much the first blocks vary.
 */
const SHORT_ERRORS = 1;
const LEAST_ERRORS = 0.25;

/** How much worse the new side is, as a logarithm; negative if it is better. */
function worseBy({ value }: ConfidenceInterval, { better }: WorseRule): number {
  return (better === "higher" ? -1 : 1) * Math.log(value);
}

function cutOf({ logStandardError }: ConfidenceInterval, { marginRatio }: WorseRule): number {
  return Math.max(
    Math.log1p(marginRatio) - SHORT_ERRORS * logStandardError,
    LEAST_ERRORS * logStandardError,
  );
}

/** Whether the first blocks leave it possible that the cell is worse than the margin allows. */
export function mayBeWorse(first: ConfidenceInterval, rule: WorseRule): boolean {
  return worseBy(first, rule) > cutOf(first, rule);
}

export interface Stages {
  /** Ratio of new over base in the first blocks. */
  readonly first: ConfidenceInterval;
  /** Ratio of new over base in all blocks, the first and the fresh ones. */
  readonly pooled: ConfidenceInterval;
  readonly blocks: { readonly first: number; readonly all: number };
}

/** The ratio of new over base in the fresh blocks alone. */
export function freshRatio({ first, pooled, blocks }: Stages): number {
  const fresh = blocks.all - blocks.first;
  return Math.exp(
    (blocks.all * Math.log(pooled.value) - blocks.first * Math.log(first.value)) / fresh,
  );
}

/** Whether the ratio of the fresh blocks alone is also beyond the margin, on the worse side. */
export function isBorneOut(stages: Stages, rule: WorseRule): boolean {
  const value = freshRatio(stages);
  return worseBy({ ...stages.pooled, value }, rule) > Math.log1p(rule.marginRatio);
}

/**
 * The ratio over all blocks, corrected for the selection, and its two-sided p-value against all true ratios within the
 * margin.
 */
export interface StagedRatio {
  readonly interval: ConfidenceInterval;
  readonly p: number;
}

/** @param stages The stages of a cell for which `mayBeWorse` was true after the first blocks. */
export function afterSelection(
  stages: Stages,
  rule: WorseRule,
  confidence: number,
): StagedRatio {
  const { pooled, blocks } = stages;
  const found = worseBy(pooled, rule);
  const error = pooled.logStandardError;
  if (!(error > 0)) return { interval: pooled, p: found > Math.log1p(rule.marginRatio) ? 0 : 1 };
  const beyond = selectedTail({
    ...{ found, error, cut: cutOf(stages.first, rule) },
    degreesOfFreedom: pooled.degreesOfFreedom,
    firstShare: blocks.first / blocks.all,
  });
  const [least, middle, most] = [(1 - confidence) / 2, 0.5, (1 + confidence) / 2]
    .map((share) => crossingOf((change) => beyond(change) - share, found, error));
  const turn = rule.better === "higher" ? -1 : 1;
  const ends = [least, most].map((change) => Math.exp(turn * change)).sort((a, b) => a - b);
  const interval: ConfidenceInterval = {
    value: Math.exp(turn * middle),
    ...{ low: ends[0], high: ends[1] },
    logStandardError: (most - least) / 2 / tQuantile(confidence, pooled.degreesOfFreedom),
    degreesOfFreedom: pooled.degreesOfFreedom,
  };
  const margin = Math.log1p(rule.marginRatio);
  return {
    interval,
    p: middle > margin ? 2 * beyond(margin) : pBeyond(interval, rule.marginRatio),
  };
}

interface Selected {
  /** The measured value d of the difference D, and its standard error. */
  readonly found: number;
  readonly error: number;
  readonly cut: number;
  readonly degreesOfFreedom: number;
  /** The first blocks as a share of all blocks. */
  readonly firstShare: number;
}

/** Steps of the numerical integration over the variance of the blocks (`SPREADS`) and over D (`STEPS`). */
const SPREADS = 16;
const STEPS = 24;
/** Number of standard errors beyond which probability is negligible. */
const FAR = 7;

/** Returns P(D ≥ d | D₁ > c; δ) as a function of δ. */
function selectedTail(
  { found, error, cut, degreesOfFreedom, firstShare }: Selected,
): (change: number) => number {
  const spreads = spreadsOf(degreesOfFreedom);
  return (change) =>
    spreads.reduce((sum, { factor, weight }) => {
      const own = error * factor;
      const bridge = own * Math.sqrt(1 / firstShare - 1);
      const selected = normalTail((cut - change) * Math.sqrt(firstShare) / own);
      const from = Math.max((found - change) / own, -FAR);
      const to = Math.max(from, 0) + FAR;
      const step = (to - from) / STEPS;
      let both = 0;
      for (let i = 0; i <= STEPS; i++) {
        const at = from + i * step;
        const simpson = i === 0 || i === STEPS ? 1 : i % 2 === 0 ? 2 : 4;
        both += simpson * Math.exp(-at * at / 2) * normalTail((cut - change - at * own) / bridge);
      }
      both *= step / 3 / Math.sqrt(2 * Math.PI);
      return sum + weight * Math.min(1, selected > 0 ? both / selected : 0);
    }, 0);
}

interface Spread {
  /** The true standard error divided by the estimated one. */
  readonly factor: number;
  readonly weight: number;
}

/**
 * Weights each factor by the density of k, which is the estimated standard error over the true one. k is a χ variable
 * divided by the square root of its degrees of freedom v, so its density is proportional to kᵛ⁻¹ · exp(−v·k²/2).
 */
function spreadsOf(degreesOfFreedom: number): Spread[] {
  const reach = 4 / Math.sqrt(2 * degreesOfFreedom);
  const [low, high] = [Math.max(0.02, 1 - reach), 1 + reach];
  const found = Array.from({ length: SPREADS }, (_, i) => {
    const k = low + (i + 0.5) * (high - low) / SPREADS;
    const log = (degreesOfFreedom - 1) * Math.log(k) - degreesOfFreedom * (k * k - 1) / 2;
    return { factor: 1 / k, weight: Math.exp(log) };
  });
  const sum = found.reduce((all, { weight }) => all + weight, 0);
  return found.map(({ factor, weight }) => ({ factor, weight: weight / sum }));
}

/** Where an increasing function is 0, found by bisection within 40 standard errors of the measured value. */
function crossingOf(rising: (at: number) => number, found: number, error: number): number {
  let [low, high] = [found - 40 * error, found + 40 * error];
  for (let i = 0; i < 30; i++) {
    const middle = (low + high) / 2;
    if (rising(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * Probability that a standard normal value exceeds z (W. H. Press and others, "Numerical Recipes", §6.2: accurate to 7
 * digits everywhere).
 */
function normalTail(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.5 * x);
  const series = COEFFICIENTS.reduce((sum, coefficient) => sum * t + coefficient, 0);
  const tail = t * Math.exp(-x * x + series) / 2;
  return z >= 0 ? tail : 1 - tail;
}

/** Coefficients of the Chebyshev fit to erfc, from the highest power to the lowest. */
const COEFFICIENTS = [
  0.17087277,
  -0.82215223,
  1.48851587,
  -1.13520398,
  0.27886807,
  -0.18628806,
  0.09678418,
  0.37409196,
  1.00002368,
  -1.26551223,
];
