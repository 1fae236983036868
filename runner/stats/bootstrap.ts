/**
 * How far the figures of a group of runs may be off, by a hierarchical bootstrap: a resample draws as many
 * runs as there are, with replacement, and in each of them as many blocks as it has (T. Kalibera and
 * R. Jones, "Rigorous benchmarking in reasonable time", ISMM 2013; L. Traini et al., EMSE 2023).
 *
 * The draws give the shape of the uncertainty, and not its size. Noise inside runs is in them twice: it is
 * part of how runs differ, and drawn again with the blocks (A. C. Davison and D. V. Hinkley, "Bootstrap
 * Methods and their Application", 1997, §3.8); and with n runs their variance is short by (n − 1) / n. The
 * size is therefore taken from draws of whole runs, n / (n − 1) of their variance. See `interval.ts`.
 */
import { type Draw, drawBy } from "../../scenarios/random.ts";
import { mergeBlocks } from "./blocks.ts";
import { type Block, type Figure, Pool } from "./pool.ts";

export interface BootstrapOptions {
  readonly figures: readonly Figure[];
  /** Different for groups that will be compared, so that their draws are independent. */
  readonly seed: number;
  /** Default 10,000. */
  readonly resamples?: number;
}

/** A figure of a group of runs, with what an interval needs. All logarithms are natural. */
export interface Estimate {
  /** Of all runs together: requests per second, or microseconds. */
  readonly value: number;
  /** Of each run, in their order. */
  readonly byRun: readonly number[];
  /** Standard error of ln value, by whole runs; NaN for one run. */
  readonly logStandardError: number;
  /** ln (value of a resample / value), one for each resample, in the order drawn. */
  readonly logDraws: Float64Array;
}

/**
 * @param runs The blocks of each run; every run must have some.
 * @returns One estimate for each figure, in their order; null where the figure of the runs, or of a
 * resample of them, is 0 or has no samples: there is no ratio to nothing.
 */
export function bootstrap(
  runs: readonly (readonly Block[])[],
  options: BootstrapOptions,
): (Estimate | null)[] {
  const { figures, seed, resamples = 10_000 } = options;
  const blockPool = new Pool(runs.flat());
  const runPool = new Pool(runs.map(mergeBlocks));
  const values = figures.map((figure) =>
    runPool.figure(figure, new Float64Array(runs.length).fill(1))
  );
  const blockDraws = figures.map(() => new Float64Array(resamples));
  const runDraws = figures.map(() => new Float64Array(resamples));
  const resample = new Resample(runs, drawBy(seed));
  for (let i = 0; i < resamples; i++) {
    resample.next();
    figures.forEach((figure, f) => {
      blockDraws[f][i] = Math.log(blockPool.figure(figure, resample.blockWeights) / values[f]);
      runDraws[f][i] = Math.log(runPool.figure(figure, resample.runWeights) / values[f]);
    });
  }
  return figures.map((figure, f) => {
    if (![blockDraws[f], runDraws[f]].every((draws) => draws.every(Number.isFinite))) return null;
    return {
      value: values[f],
      byRun: runs.map((_, run) =>
        runPool.figure(figure, Float64Array.from(runs, (_, other) => other === run ? 1 : 0))
      ),
      logStandardError: stdevOf(runDraws[f]) * Math.sqrt(runs.length / (runs.length - 1)),
      logDraws: blockDraws[f],
    };
  });
}

/** How often each run, and each block of all runs, is in the present resample. */
class Resample {
  readonly runWeights: Float64Array;
  readonly blockWeights: Float64Array;
  /** Index of each run's first block among all, and the end. */
  readonly #starts: number[] = [0];

  constructor(runs: readonly (readonly Block[])[], private readonly draw: Draw) {
    for (const blocks of runs) {
      this.#starts.push(this.#starts[this.#starts.length - 1] + blocks.length);
    }
    this.runWeights = new Float64Array(runs.length);
    this.blockWeights = new Float64Array(this.#starts[runs.length]);
  }

  next(): void {
    this.runWeights.fill(0);
    this.blockWeights.fill(0);
    for (let i = 0; i < this.runWeights.length; i++) {
      const run = this.draw(0, this.runWeights.length - 1);
      this.runWeights[run]++;
      const [first, last] = [this.#starts[run], this.#starts[run + 1] - 1];
      for (let j = first; j <= last; j++) this.blockWeights[this.draw(first, last)]++;
    }
  }
}

/** Of the values themselves, not of a sample of them. */
export function stdevOf(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}
