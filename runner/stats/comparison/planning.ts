/**
 * How many runs a comparison needs. Pairs of runs of the same program, made side by side in a block, show the noise
 * between pairs. The noise determines the smallest change that `comparisonVerdict` would call real in 80 of 100
 * comparisons, and the number of pairs needed to detect a given change. Pure.
 *
 * A change counts as detected if both tests of `comparisonVerdict` detect it: the moderated t against the edge of the
 * margin, at the level that Holm's method leaves to the first of all tests, and the exact test of signs if there are
 * enough pairs for it. For up to 60 pairs, a simulation finds the share of comparisons that pass both tests, because
 * the exact test is hard to pass with few pairs. Only standard normal values are drawn, and their results are scaled to
 * the noise, so the same 600 samples, drawn with a fixed seed, serve every noise.
 */
import { drawBy } from "../../../base/random.ts";
import { pBeyond, studentInterval, type Variance } from "../confidence/confidence_interval.ts";
import { tQuantile } from "../confidence/student_t.ts";
import { moderated, variancePriorOf } from "./moderation.ts";
import { holm, signFlip } from "./significance_tests.ts";
import { confidenceAmong, SIGNIFICANCE } from "./verdict.ts";

/** How much a figure varies between pairs, in all compared cells. */
export interface PairNoise {
  /** For each cell, the standard deviation of the log ratio of a pair. */
  readonly stdevs: readonly number[];
  /** Degrees of freedom that each cell borrows from the others; 0 if there are too few cells. */
  readonly borrowed: number;
}

/**
 * @param logRatios For each cell, the log ratio of the sides in each pair. Both sides run the same program, so the true
 * mean is 0 and each pair gives one degree of freedom.
 */
export function pairNoiseOf(logRatios: readonly (readonly number[])[]): PairNoise {
  const found = logRatios.map((ratios): Variance => ({
    variance: ratios.reduce((sum, ratio) => sum + ratio ** 2, 0) / ratios.length,
    degreesOfFreedom: ratios.length,
  }));
  const prior = variancePriorOf(found);
  return {
    stdevs: found.map((own) =>
      Math.sqrt(prior === null ? own.variance : moderated(own, prior).variance)
    ),
    borrowed: prior?.degreesOfFreedom ?? 0,
  };
}

export interface PlannedFamily {
  /** Number of hypotheses that are judged together: cells × deciding figures. */
  readonly tests: number;
  /** Number of cells whose spreads are pooled. */
  readonly cells: number;
  /** Degrees of freedom that each cell borrows from the others, as in `PairNoise`. */
  readonly borrowed: number;
  /** Changes up to this size count as no difference; 0.02 is 2 %. */
  readonly marginRatio: number;
}

/** The smallest change that this many pairs detect in 80 of 100 comparisons, as a ratio less one. */
export function smallestChangeSeen(pairs: number, stdev: number, family: PlannedFamily): number {
  return Math.expm1(Math.log1p(family.marginRatio) + effectSeen(pairs, family) * stdev);
}

/** More pairs than this are never advised. */
const MOST_PLANNED = 1_000;

/** The smallest number of pairs that detects the change in 80 of 100 comparisons; null if even 1,000 pairs do not. */
export function pairsToSee(change: number, stdev: number, family: PlannedFamily): number | null {
  const room = (Math.log1p(change) - Math.log1p(family.marginRatio)) / stdev;
  const isSeen = (pairs: number): boolean => effectSeen(pairs, family) <= room;
  for (let pairs = 3; pairs <= MOST_DRAWN; pairs++) if (isSeen(pairs)) return pairs;
  if (!isSeen(MOST_PLANNED)) return null;
  let [low, high] = [MOST_DRAWN, MOST_PLANNED];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isSeen(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** With more pairs than this, the exact test agrees with the t-test, and takes too long. */
const MOST_COUNTED = 12;
/**
 * With more pairs than this, the spread is known so well that the sum of two quantiles is accurate enough and no
 * simulation is needed (J. Cohen, 1988).
 */
const MOST_DRAWN = 60;
const CASES = 600;
const POWER = 0.8;

/**
 * How far beyond the margin a change must be to be detected in 80 of 100 comparisons, in standard deviations of a pair.
 */
export function effectSeen(pairs: number, family: PlannedFamily): number {
  const borrowed = Math.min(family.borrowed, (family.cells - 1) * (pairs - 1));
  const freedom = pairs - 1 + borrowed;
  const confidence = confidenceAmong(family.tests, family.marginRatio);
  const errors = tQuantile(confidence, freedom);
  if (pairs > MOST_DRAWN) {
    return (errors + tQuantile(2 * POWER - 1, freedom)) / Math.sqrt(pairs);
  }
  const needed = drawn(pairs).map(({ mean, variance, exact }) => {
    const own = { variance, degreesOfFreedom: pairs - 1 };
    const spread = borrowed === 0
      ? own
      : moderated(own, { variance: 1, degreesOfFreedom: borrowed });
    return Math.max(errors * Math.sqrt(spread.variance / pairs) - mean, exact);
  }).sort((a, b) => a - b);
  return needed[Math.ceil(POWER * CASES) - 1];
}

interface DrawnPairs {
  readonly mean: number;
  readonly variance: number;
  /** The smallest effect that the exact test detects; −∞ if the test does not apply. */
  readonly exact: number;
}

const drawnByPairs = new Map<number, readonly DrawnPairs[]>();

/** Simulated samples of pairs without an effect, whose noise has variance 1. */
function drawn(pairs: number): readonly DrawnPairs[] {
  const known = drawnByPairs.get(pairs);
  if (known !== undefined) return known;
  const normal = normalsBy(pairs);
  const made = Array.from({ length: CASES }, (): DrawnPairs => {
    const values = Array.from({ length: pairs }, normal);
    const mean = values.reduce((sum, value) => sum + value, 0) / pairs;
    const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    return { mean, variance: squares / (pairs - 1), exact: exactEffect(values) };
  });
  drawnByPairs.set(pairs, made);
  return made;
}

/**
 * The smallest effect at which the exact test is significant. Bisection finds it, because a larger effect never raises
 * the p-value.
 */
function exactEffect(values: readonly number[]): number {
  if (values.length > MOST_COUNTED || signFlip(values).leastP > SIGNIFICANCE) return -Infinity;
  let [low, high] = [0, Math.max(0, ...values.map((value) => -value)) + 1e-6];
  for (let i = 0; i < 20; i++) {
    const middle = (low + high) / 2;
    if (signFlip(values.map((value) => value + middle)).p <= SIGNIFICANCE) high = middle;
    else low = middle;
  }
  return high;
}

/** Standard normal values (G. E. P. Box and M. E. Muller, 1958). */
function normalsBy(seed: number): () => number {
  const draw = drawBy(seed);
  const uniform = (): number => (draw(0, 2 ** 31 - 2) + 1) / 2 ** 31;
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/**
 * How often the same pairs raise a false alarm if chance decides which side is which. Both sides run the same program,
 * so each such assignment is as likely as the one that was measured.
 *
 * @param figures For each figure and cell, the log ratios as `pairNoiseOf` takes them.
 * @returns The share of all `deals` random assignments.
 */
export function falseAlarmRatio(
  figures: readonly (readonly (readonly number[])[])[],
  { marginRatio, seed, deals }: { marginRatio: number; seed: number; deals: number },
): number {
  const draw = drawBy(seed);
  const cells = figures.flat();
  let alarms = 0;
  for (let deal = 0; deal < deals; deal++) {
    const dealt = cells.map((ratios) => ratios.map((ratio) => draw(0, 1) === 0 ? ratio : -ratio));
    if (isAlarm(dealt, marginRatio)) alarms++;
  }
  return alarms / deals;
}

function isAlarm(cells: readonly (readonly number[])[], marginRatio: number): boolean {
  const intervals = cells.map(intervalOfPairs);
  const ps = holm(intervals.map((interval) => pBeyond(interval, marginRatio)));
  return ps.some((p, i) => {
    const { low, high } = intervals[i];
    const isBeyond = low > 1 + marginRatio || high < 1 / (1 + marginRatio);
    return p <= SIGNIFICANCE && isBeyond && isExact(cells[i], marginRatio);
  });
}

function intervalOfPairs(ratios: readonly number[]): ReturnType<typeof studentInterval> {
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  const squares = ratios.reduce((sum, ratio) => sum + (ratio - mean) ** 2, 0);
  const degreesOfFreedom = ratios.length - 1;
  const variance = squares / degreesOfFreedom / ratios.length;
  return studentInterval(Math.exp(mean), { variance, degreesOfFreedom }, 1 - SIGNIFICANCE);
}

function isExact(ratios: readonly number[], marginRatio: number): boolean {
  if (ratios.length > MOST_COUNTED) return true;
  const edge = Math.log1p(marginRatio);
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0);
  const test = signFlip(ratios.map((ratio) => ratio - Math.sign(mean) * edge));
  return test.p <= SIGNIFICANCE || test.leastP > SIGNIFICANCE;
}
