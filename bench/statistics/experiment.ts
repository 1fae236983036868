/**
 * Simulates experiments: cells with known true ratios run in blocks, on machines with disturbances like those of real
 * machines.
 */
import { bootstrap, type Estimate } from "../../runner/stats/confidence/bootstrap.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import type { PooledFigure, RunBlock } from "../../runner/stats/confidence/pool.ts";
import { tQuantile } from "../../runner/stats/confidence/student_t.ts";
import type { Random } from "./random.ts";

export const FIGURES = ["rate", 50, 99] as const satisfies readonly PooledFigure[];

/**
 * The disturbances of a machine; absent ones do not occur. Standard deviations are those of the logarithm of the time
 * that everything takes.
 */
export interface Machine {
  /** The standard deviation between runs, which are independent of each other. */
  readonly run?: number;
  /** The standard deviation between repetitions; all cells share the deviation of a repetition. */
  readonly block?: number;
  /**
   * The standard deviation of waves in the order of time, in which consecutive runs have a correlation of 0.8 (AR(1)).
   */
  readonly waves?: number;
  /**
   * How much longer, in the logarithm of the time, the last run takes than the first. In between it increases evenly.
   */
  readonly drift?: number;
  /** By which share all runs take longer from a random run on. */
  readonly step?: number;
  /**
   * The standard deviation of the levels between which the machine's speed jumps. Each level holds for a sixth of all
   * runs on average.
   */
  readonly levels?: number;
  /**
   * A sine by which runs become slower and faster. Its amplitude is `height` in the logarithm of the time, and its
   * period is in runs.
   */
  readonly sine?: { readonly height: number; readonly period: number };
  /** The share of runs that take `SLOW_FACTOR` times as long, independently of each other. */
  readonly slowShare?: number;
  /** The mean share of a run's time for which the server stalls; this share is exponential. */
  readonly stall?: number;
  /** The standard deviation between sessions; all runs of a session share its deviation. */
  readonly session?: number;
  /** Returns one value per run, in the order of time, to be added to the logarithm of the run's time. */
  readonly noise?: () => number;
}

export const SLOW_FACTOR = 1.25;
const WAVES = 0.8;
const MEDIAN_US = 5_000;
const SECONDS = 10;
const PER_SECOND = 2_000;
/** The standard deviation of the logarithm of request times. With it, p99 is 3.2 times p50. */
const REQUEST = 0.5;
/** The number of latencies recorded per run. It is less than the number of requests, for speed. */
const RECORDED = 2_000;
/** Requests that meet a stall take between one and two times this long. */
const STALL_US = 100_000;
const STALLED_PER_TIME = 0.1;

/** The request times of a run without noise, which are log-normal, as quantiles from which to draw. */
const TIMES_US = Float64Array.from({ length: 4_096 }, (_, i) => {
  const share = (i + 0.5) / 4_096;
  const normal = Math.sign(share - 0.5) * tQuantile(Math.abs(2 * share - 1), Infinity);
  return MEDIAN_US * Math.exp(REQUEST * normal);
});

/** Reused, and emptied for each run. */
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
  /** For each cell, how many times as long everything takes; default 1. */
  readonly slower?: readonly number[];
  /** The number of latencies recorded per run. */
  readonly recorded?: number;
  /**
   * Whether the two cells of each pair run next to each other in a block. Otherwise the order of all cells is random.
   */
  readonly inPairs?: boolean;
}

/**
 * Simulates the runs of each cell. The result is by cell, then by repetition; within a repetition, the cells run in
 * random order, or with `inPairs`, the pairs of cells.
 */
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

/** For each run in the order of time, the logarithm of the factor by which everything takes longer at that moment. */
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

/** Estimates the figures of cells whose runs are paired by repetition. By default, all runs belong to one session. */
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
