/**
 * Simulated experiments: cells that run in blocks, with known true ratios, on machines with the disturbances of real
 * ones.
 */
import { bootstrap, type Estimate } from "../../runner/stats/confidence/bootstrap.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import type { PooledFigure, RunBlock } from "../../runner/stats/confidence/pool.ts";
import { tQuantile } from "../../runner/stats/confidence/student_t.ts";
import type { Random } from "./random.ts";

export const FIGURES = ["rate", 50, 99] as const satisfies readonly PooledFigure[];

/**
 * The disturbances of a machine. Standard deviations are of logarithms of how long everything takes; absent effects do
 * not occur.
 */
export interface Machine {
  /** The standard deviation between runs, independent of each other. */
  readonly run?: number;
  /** The standard deviation between repetitions, shared by all cells of one repetition. */
  readonly block?: number;
  /**
   * The standard deviation of waves: run means in the order of time, each correlated 0.8 with the one before (AR(1)).
   */
  readonly waves?: number;
  /** How much longer the last run takes than the first; runs in between change evenly. */
  readonly drift?: number;
  /** How much longer all runs take from some moment on. */
  readonly step?: number;
  /** The standard deviation of levels, each of which holds for a sixth of all runs on average. */
  readonly levels?: number;
  /** A sine: runs are slower and faster in turns by this much, with a period of this many runs. */
  readonly sine?: { readonly height: number; readonly period: number };
  /** The share of the runs that take `SLOW_FACTOR` times as long, each on its own. */
  readonly slowShare?: number;
  /** The mean share of a run's time in which the server stalls, exponential. */
  readonly stall?: number;
  /** The standard deviation between sessions, shared by all runs of one session. */
  readonly session?: number;
  /** Returns a further term by which a run takes longer: one value for each run, in the order of time. */
  readonly noise?: () => number;
}

export const SLOW_FACTOR = 1.25;
const WAVES = 0.8;
const MEDIAN_US = 5_000;
const SECONDS = 10;
const PER_SECOND = 2_000;
/** The standard deviation of the logarithm of request times; with it, the p99 is 3.2 times the p50. */
const REQUEST = 0.5;
/** The latencies recorded for each run; fewer than there were, for speed. */
const RECORDED = 2_000;
/** The length of the stall that some requests meet. */
const STALL_US = 100_000;
const STALLED_PER_TIME = 0.1;

/** Log-normal request times of a run without noise, as quantiles to draw from. */
const TIMES_US = Float64Array.from({ length: 4_096 }, (_, i) => {
  const share = (i + 0.5) / 4_096;
  const normal = Math.sign(share - 0.5) * tQuantile(Math.abs(2 * share - 1), Infinity);
  return MEDIAN_US * Math.exp(REQUEST * normal);
});

/** Reused: emptied for each run. */
const latency = new Histogram();

function simulateRun(
  random: Random,
  { logSlowness, stall, recorded }: { logSlowness: number; stall: number; recorded: number },
): RunBlock[] {
  const factor = Math.exp(logSlowness);
  for (let i = 0; i < recorded; i++) {
    latency.record(factor * TIMES_US[random.whole(0, TIMES_US.length - 1)]);
  }
  for (let i = Math.round(stall * STALLED_PER_TIME * recorded); i > 0; i--) {
    latency.record(STALL_US * random.uniform(1, 2));
  }
  const completed = Math.round(SECONDS * PER_SECOND * (1 - stall) / factor);
  return [{ seconds: SECONDS, completed, latency: latency.drain() }];
}

export interface Plan {
  readonly cells: number;
  readonly repetitions: number;
  readonly machine: Machine;
  /** How many times as long everything takes in each cell; default 1. */
  readonly slower?: readonly number[];
  /** The number of latencies of each run. */
  readonly recorded?: number;
  /** Whether the two cells of each pair run next to each other in a block; default: random order. */
  readonly inPairs?: boolean;
}

/** Simulates the runs of each cell, by repetition; within a repetition, the cells run in random order. */
export function simulateCells(
  random: Random,
  { cells, repetitions, machine, slower = [], recorded = RECORDED, inPairs = false }: Plan,
): RunBlock[][][] {
  const runs: RunBlock[][][] = Array.from({ length: cells }, () => []);
  const { run = 0, slowShare = 0, stall = 0 } = machine;
  const inTime = timeEffects(random, cells * repetitions, machine);
  const session = (machine.session ?? 0) * random.normal();
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const block = (machine.block ?? 0) * random.normal();
    const order = inPairs
      ? orderOf(random, cells / 2).flatMap((pair) =>
        orderOf(random, 2).map((side) => 2 * pair + side)
      )
      : orderOf(random, cells);
    order.forEach((cell, place) => {
      const isSlow = random.uniform() < slowShare;
      const logSlowness = session + block + inTime[repetition * cells + place] +
        run * random.normal() + Math.log(slower[cell] ?? 1) + (isSlow ? Math.log(SLOW_FACTOR) : 0);
      const stalled = Math.min(0.9, -stall * Math.log(1 - random.uniform()));
      runs[cell].push(simulateRun(random, { logSlowness, stall: stalled, recorded }));
    });
  }
  return runs;
}

/** For each run, the logarithm of how many times longer everything takes because of the moment of the run. */
function timeEffects(random: Random, runs: number, machine: Machine): number[] {
  const { waves = 0, drift = 0, step = 0, levels = 0, sine = { height: 0, period: 1 } } = machine;
  const { noise: handedIn = () => 0 } = machine;
  const noise = random.waves(runs, { stdev: waves, correlation: WAVES });
  const from = random.uniform(0, runs);
  const phase = random.uniform(0, 2 * Math.PI);
  let level = levels * random.normal();
  return noise.map((wave, i) => {
    if (random.uniform() < 6 / runs) level = levels * random.normal();
    return wave + drift * i / Math.max(1, runs - 1) + (i >= from ? Math.log1p(step) : 0) + level +
      sine.height * Math.sin(2 * Math.PI * i / sine.period + phase) + handedIn();
  });
}

function orderOf(random: Random, cells: number): number[] {
  return Array.from({ length: cells }, (_, cell) => ({ cell, at: random.uniform() }))
    .sort((a, b) => a.at - b.at).map(({ cell }) => cell);
}

/** The estimates for cells of one session, whose runs are paired. */
export function estimatesOf(
  cells: readonly RunBlock[][][],
  figures: readonly PooledFigure[] = FIGURES,
  session: string | null = "one",
): (Estimate | null)[][] {
  return cells.map((runs) =>
    bootstrap(runs, {
      figures,
      sampling: { session, repetitions: runs.map((_, i) => i + 1) },
    })
  );
}
