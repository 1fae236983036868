/** Simulated groups of runs with known true figures. */
import { bootstrap, type Estimate } from "../../runner/stats/bootstrap.ts";
import { Histogram } from "../../runner/stats/histogram.ts";
import { holm } from "../../runner/stats/holm.ts";
import { intervalOf, pValueOf, ratioOf } from "../../runner/stats/interval.ts";
import { mannWhitney } from "../../runner/stats/mann_whitney.ts";
import type { Block, Figure } from "../../runner/stats/pool.ts";
import { isNarrow, LOOK_CONFIDENCE, LOOKS } from "../../runner/stats/sequential.ts";
import { twoSidedP } from "../../runner/stats/student_t.ts";
import { type Verdict, verdictOf } from "../../runner/stats/verdict.ts";
import type { Random } from "./random.ts";

export const FIGURES = ["rate", "mean", 50, 99] as const satisfies readonly Figure[];
export type SimulatedFigure = typeof FIGURES[number];

/** Standard deviations of logarithms: what multiplies the time of all requests of a run, of a block, of one. */
export interface Noise {
  readonly run: number;
  readonly block: number;
  readonly request: number;
}

const BLOCKS = 10;
const WAVES = 0.3;
/** One second in thirty, all takes 1.2 times as long: a neighbour, a collection, a flush. */
const SLOW_SHARE = 1 / 30;
const SLOW_FACTOR = 1.2;
const MEDIAN_US = 5_000;
const PER_SECOND = 2_000;
/** Fewer than in earnest, where it is 10,000, as thousands of groups are drawn. */
const RESAMPLES = 1_000;

/** Reused: emptied for each block. */
const latency = new Histogram();

/** Blocks of one second; all times `slower` times as long; latencies of so many `requests` of each block. */
function simulateRun(random: Random, noise: Noise, { slower = 1, requests = 100 } = {}): Block[] {
  const run = noise.run * random.normal();
  return random.waves(BLOCKS, { stdev: noise.block, correlation: WAVES }).map((block) => {
    const spike = random.uniform() < SLOW_SHARE ? SLOW_FACTOR : 1;
    const factor = slower * spike * Math.exp(run + block);
    for (let i = 0; i < requests; i++) {
      latency.record(MEDIAN_US * factor * Math.exp(noise.request * random.normal()));
    }
    return { seconds: 1, completed: Math.round(PER_SECOND / factor), latency: latency.drain() };
  });
}

/** Of all runs that there could be. */
function trueFigure(figure: SimulatedFigure, { run, block, request }: Noise): number {
  const shared = run ** 2 + block ** 2;
  const whole = shared + request ** 2;
  const average = (slow: number): number => 1 - SLOW_SHARE + SLOW_SHARE * slow;
  if (figure === "rate") return PER_SECOND * Math.exp(shared / 2) * average(1 / SLOW_FACTOR);
  if (figure === "mean") return MEDIAN_US * Math.exp(whole / 2) * average(SLOW_FACTOR);
  return MEDIAN_US * Math.exp(mixtureQuantile(figure / 100, Math.sqrt(whole)));
}

/** Quantile of the logarithm of a request's time over the median of quick blocks, by bisection. */
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

function simulateGroup(
  random: Random,
  runs: number,
  { noise, slower }: { noise: Noise; slower?: number },
): Block[][] {
  return Array.from({ length: runs }, () => simulateRun(random, noise, { slower }));
}

function estimate(
  random: Random,
  runs: readonly Block[][],
  figures: readonly Figure[],
): Estimate[] {
  const estimates = bootstrap(runs, { figures, resamples: RESAMPLES });
  return estimates.filter((one) => one !== null);
}

/** In which share of `cases` groups the 95 % interval of each figure covers the true one. */
export function coverage(
  random: Random,
  cases: number,
  { runs, noise }: { runs: number; noise: Noise },
): number[] {
  const covered = FIGURES.map(() => 0);
  for (let i = 0; i < cases; i++) {
    estimate(random, simulateGroup(random, runs, { noise }), FIGURES).forEach((one, f) => {
      const interval = intervalOf(one);
      const truth = trueFigure(FIGURES[f], noise);
      if (interval && interval.low <= truth && truth <= interval.high) covered[f]++;
    });
  }
  return covered.map((count) => count / cases);
}

/** The verdict on a new group whose times are `slower` times the base's, for one figure. */
export function compare(
  random: Random,
  figure: SimulatedFigure,
  { runs, noise, slower }: { runs: number; noise: Noise; slower: number },
): Verdict {
  const groups = [slower, 1].map((factor) =>
    simulateGroup(random, runs, { noise, slower: factor })
  );
  const [of, to] = groups.map((group) => estimate(random, group, [figure])[0]);
  const ratio = ratioOf(of, to);
  if (!ratio) return "inconclusive";
  return verdictOf({
    ratio,
    adjustedP: holm([pValueOf(ratio)])[0],
    mannWhitney: mannWhitney(of.byRun, to.byRun),
    marginRatio: 0.02,
    better: figure === "rate" ? "higher" : "lower",
  });
}

/** Repeats until the rate is known to ± `targetRatio`; whether the interval then covers, and after how many runs. */
export function repeatUntil(
  random: Random,
  targetRatio: number,
  noise: Noise,
): { covers: boolean; repetitions: number } {
  const runs: Block[][] = [];
  let covers = false;
  for (const look of LOOKS) {
    while (runs.length < look) runs.push(simulateRun(random, noise, { requests: 1 }));
    const [rate] = estimate(random, runs, ["rate"]);
    const interval = intervalOf(rate, LOOK_CONFIDENCE);
    const truth = trueFigure("rate", noise);
    covers = interval !== null && interval.low <= truth && truth <= interval.high;
    if (isNarrow([interval], targetRatio)) break;
  }
  return { covers, repetitions: runs.length };
}
