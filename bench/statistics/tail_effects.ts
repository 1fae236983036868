/** Tests whether the intervals of the effects of factors on p99 contain the true effects. */
import {
  distributionOf,
  quantileEffects,
  type RegressedCell,
} from "../../runner/stats/regression/quantile_regression.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import type { NoiseOf, Row, Section } from "../bench.ts";
import { atLeast } from "../bar.ts";
import { Random } from "./random.ts";

const CASES = 300;
const REQUESTS = 1_500;
const MEDIAN_US = 5_000;

interface TailCase {
  readonly name: string;
  /** The number of values of each factor. */
  readonly levels: readonly number[];
  readonly runs: number;
  /**
   * What is added to the logarithm of the latency: `run` once for all requests of a run, `request` for each request.
   */
  readonly run: (random: Random) => number;
  readonly request: (random: Random) => number;
  /**
   * What the moment of a run adds to the logarithm of its latencies. Each call returns the value for the next run in
   * the order of time.
   */
  readonly inTime?: () => number;
}

const normal = (random: Random): number => 0.5 * random.normal();
const exponential = (random: Random): number => Math.log(random.exponential() + 1e-6);

export const TAIL_CASES: readonly TailCase[] = [
  {
    ...{ name: "log-normal, runs differ by 5 %", levels: [2, 2], runs: 5, request: normal },
    run: (random) => 0.05 * random.normal(),
  },
  {
    ...{ name: "exponential, runs differ by 10 %", levels: [2, 2], runs: 3, request: exponential },
    run: (random) => 0.1 * random.normal(),
  },
  {
    ...{ name: "log-normal, each fifth run is slow", levels: [2, 3], runs: 5, request: normal },
    run: (random) => 0.05 * random.normal() + (random.uniform() < 0.2 ? 0.3 : 0),
  },
  {
    ...{ name: "log-normal, runs are skewed", levels: [2, 2], runs: 5, request: normal },
    run: (random) => 0.1 * random.exponential(),
  },
];

/**
 * Two cases with the noise that the user supplies, in the order of time: once for the runs, and once for the requests
 * of a run.
 */
function casesOf(noise: NoiseOf): TailCase[] {
  const between = noise(1);
  const within = noise(2);
  return [
    {
      ...{ name: "log-normal, runs differ by 5 % of the noise", levels: [2, 2], runs: 5 },
      run: () => 0,
      request: normal,
      inTime: () => 0.05 * between(),
    },
    {
      ...{ name: "requests by the noise, runs differ by 5 %", levels: [2, 2], runs: 5 },
      run: (random) => 0.05 * random.normal(),
      request: () => 0.5 * within(),
    },
  ];
}

export function tailEffects(noise?: NoiseOf): Section {
  const cases = noise === undefined ? TAIL_CASES : casesOf(noise);
  return {
    caption: `Intervals of what factors do to p99 that hold the truth: ${CASES} experiments a line`,
    unit: "%",
    rows: cases.map((given): Row => {
      const random = new Random(97);
      const held = Array.from({ length: CASES }, (_, seed) => heldShare(random, given, seed));
      const share = 100 * held.reduce((sum, one) => sum + one, 0) / CASES;
      return {
        what: `${given.name}; ${given.levels.join(" × ")} cells, ${given.runs} runs each`,
        samples: [share],
        bar: atLeast(93),
      };
    }),
  };
}

/** The share of an experiment's intervals that contain the true effect. */
export function heldShare(random: Random, given: TailCase, seed: number): number {
  const { levels } = given;
  const truth = levels.flatMap((count, factor) =>
    Array.from({ length: count - 1 }, (_, i) => 0.15 * (factor + 1) * (i + 1) - 0.1)
  );
  const moments = momentsOf(combinations(levels).length, given, seed);
  const cells = combinations(levels).map((values, cell): RegressedCell => {
    const parts = levels.flatMap((count, factor) =>
      Array.from({ length: count - 1 }, (_, i) => Number(values[factor] === i + 1))
    );
    const shift = parts.reduce((sum, part, i) => sum + part * truth[i], 0);
    const runs = moments[cell].map((moment) => runOf(random, given, shift + moment));
    return {
      row: [1, ...parts],
      runs: runs.flatMap((run) => distributionOf(run.toSparse()) ?? []),
    };
  });
  const found = quantileEffects(cells, { share: 0.99, seed }) ?? [];
  const held = truth.filter((part, i) => found[i + 1].low <= part && part <= found[i + 1].high);
  return held.length / truth.length;
}

/** For each cell, what `inTime` adds to each of its runs. Every block contains each cell once, in random order. */
function momentsOf(cells: number, { runs, inTime }: TailCase, seed: number): number[][] {
  const found: number[][] = Array.from({ length: cells }, () => []);
  const random = new Random(seed + 1);
  for (let block = 0; block < runs; block++) {
    for (
      const { of } of found.map((of) => ({ of, at: random.uniform() })).sort((a, b) => a.at - b.at)
    ) {
      of.push(inTime?.() ?? 0);
    }
  }
  return found;
}

function runOf(random: Random, { run, request }: TailCase, shift: number): Histogram {
  const histogram = new Histogram();
  const level = shift + run(random);
  for (let i = 0; i < REQUESTS; i++) {
    histogram.record(Math.max(1, Math.round(MEDIAN_US * Math.exp(level + request(random)))));
  }
  return histogram;
}

function combinations(levels: readonly number[]): number[][] {
  return levels.reduce<number[][]>(
    (all, count) => all.flatMap((one) => Array.from({ length: count }, (_, i) => [...one, i])),
    [[]],
  );
}
