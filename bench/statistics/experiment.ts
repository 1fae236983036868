/** Simulated experiments: cells that run in blocks, with known true ratios, on machines that misbehave as real ones do. */
import { bootstrap, type Estimate } from "../../runner/stats/confidence/bootstrap.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import type { PooledFigure, RunBlock } from "../../runner/stats/confidence/pool.ts";
import { tQuantile } from "../../runner/stats/confidence/student_t.ts";
import type { Random } from "./random.ts";

export const FIGURES = ["rate", 50, 99] as const satisfies readonly PooledFigure[];

/** Standard deviations are of logarithms of how long everything takes; what is absent does not happen. */
export interface Machine {
  /** Between runs, independent of each other. */
  readonly run?: number;
  /** Between repetitions, shared by all cells of one. */
  readonly block?: number;
  /** Of run means in the order of time, each 0.8 like the one before: AR(1). */
  readonly waves?: number;
  /** By how much the last run takes longer than the first, evenly in between. */
  readonly drift?: number;
  /** By how much all runs take longer from some moment on. */
  readonly step?: number;
  /** Standard deviation of levels that hold for a sixth of all runs on average. */
  readonly levels?: number;
  /** In turns slower and faster by so much, with a period of this many runs. */
  readonly sine?: { readonly height: number; readonly period: number };
  /** Share of the runs that take `SLOW_FACTOR` times as long, each for itself. */
  readonly slowShare?: number;
  /** Mean of the share of a run's time that the server stalls, exponential. */
  readonly stall?: number;
  /** Between sessions, shared by all runs of one. */
  readonly session?: number;
  /** What else a run takes longer by: the next value, in the order of time. */
  readonly noise?: () => number;
}

export const SLOW_FACTOR = 1.25;
const WAVES = 0.8;
const MEDIAN_US = 5_000;
const SECONDS = 10;
const PER_SECOND = 2_000;
/** Standard deviation of the logarithm of request times: the p99 is 3.2 times the p50. */
const REQUEST = 0.5;
/** Latencies that are recorded of a run: fewer than there were, to be quick about it. */
const RECORDED = 2_000;
/** Of requests that met a stall, how long it was. */
const STALL_US = 100_000;
const STALLED_PER_TIME = 0.1;

/** Log-normal times of requests of a run of no noise: as many quantiles, to draw from. */
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
  /** Latencies of each run. */
  readonly recorded?: number;
  /** Whether a block holds each two cells next to each other; default: all of a block in random order. */
  readonly inPairs?: boolean;
}

/** The runs of each cell, by repetition; within one they come in random order. */
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

/** What the moment of a run does to it. */
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

/** Of cells of one session, which pair. */
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
