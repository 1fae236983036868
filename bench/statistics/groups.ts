/** Simulates groups of runs of a single cell, whose true figures are known. */
import { bootstrap } from "../../runner/stats/confidence/bootstrap.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { intervalOf } from "../../runner/stats/confidence/confidence_interval.ts";
import type { PooledFigure, RunBlock } from "../../runner/stats/confidence/pool.ts";
import { twoSidedP } from "../../runner/stats/confidence/student_t.ts";
import type { Random } from "./random.ts";

export const FIGURES = ["rate", "mean", 50, 99] as const satisfies readonly PooledFigure[];
type SimulatedFigure = typeof FIGURES[number];

/**
 * Standard deviations of logarithms: of the factors for all times in a run and in a block, and of the time of a single
 * request.
 */
export interface Noise {
  readonly run: number;
  readonly block: number;
  readonly request: number;
}

const BLOCKS = 10;
const WAVES = 0.3;
/**
 * The share of seconds in which everything takes 1.2 times as long, as if because of a neighbour, a garbage collection
 * or a flush.
 */
const SLOW_SHARE = 1 / 30;
const SLOW_FACTOR = 1.2;
const MEDIAN_US = 5_000;
const PER_SECOND = 2_000;
/** The number of latencies recorded per block. */
const RECORDED = 100;

/** Reused, and emptied for each block. */
const latency = new Histogram();

/** Simulates a run as ten blocks of one second. */
function simulateRun(random: Random, noise: Noise): RunBlock[] {
  const run = noise.run * random.normal();
  return random.waves(BLOCKS, { stdev: noise.block, correlation: WAVES }).map((block) => {
    const spike = random.uniform() < SLOW_SHARE ? SLOW_FACTOR : 1;
    const factor = spike * Math.exp(run + block);
    for (let i = 0; i < RECORDED; i++) {
      latency.record(MEDIAN_US * factor * Math.exp(noise.request * random.normal()));
    }
    return { seconds: 1, completed: Math.round(PER_SECOND / factor), latency: latency.drain() };
  });
}

/** The true figure over all possible runs. */
function trueFigure(figure: SimulatedFigure, { run, block, request }: Noise): number {
  const shared = run ** 2 + block ** 2;
  const whole = shared + request ** 2;
  const average = (slow: number): number => 1 - SLOW_SHARE + SLOW_SHARE * slow;
  if (figure === "rate") return PER_SECOND * Math.exp(shared / 2) * average(1 / SLOW_FACTOR);
  if (figure === "mean") return MEDIAN_US * Math.exp(whole / 2) * average(SLOW_FACTOR);
  return MEDIAN_US * Math.exp(mixtureQuantile(figure / 100, Math.sqrt(whole)));
}

/**
 * Finds a quantile of the logarithm of a request's time, relative to the median in seconds that are not slow, by
 * bisection.
 */
function mixtureQuantile(share: number, stdev: number): number {
  const below = (x: number): number =>
    (1 + Math.sign(x) * (1 - twoSidedP(x / stdev, Infinity))) / 2;
  let [low, high] = [-5, 5];
  for (let i = 0; i < 60; i++) {
    const x = (low + high) / 2;
    const found = (1 - SLOW_SHARE) * below(x) + SLOW_SHARE * below(x - Math.log(SLOW_FACTOR));
    if (found < share) low = x;
    else high = x;
  }
  return low;
}

/** For each figure, the share of `cases` groups whose 95 % interval contains the true value. */
export function coverage(
  random: Random,
  cases: number,
  { runs, noise }: { runs: number; noise: Noise },
): number[] {
  const covered = FIGURES.map(() => 0);
  for (let i = 0; i < cases; i++) {
    const group = Array.from({ length: runs }, () => simulateRun(random, noise));
    bootstrap(group, { figures: FIGURES }).forEach((one, f) => {
      const interval = one && intervalOf(one);
      const truth = trueFigure(FIGURES[f], noise);
      if (interval && interval.low <= truth && truth <= interval.high) covered[f]++;
    });
  }
  return covered.map((count) => count / cases);
}
