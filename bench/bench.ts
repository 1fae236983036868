/**
 * The contract of a bench: it measures one promise of Plateau and returns its figures beside the baseline that it
 * measured in the same run. Each bench has one file, and one line in `registry.ts`; `table.ts` does the arithmetic over
 * the rounds and lays everything out.
 */
import type { Bar } from "./bar.ts";

export interface Bench {
  readonly about: string;
  /** The number of rounds unless the user asks for another. */
  readonly rounds: number;
  /** Runs the bench. Throws a TargetError when something that it needs is not available. */
  run(effort: Effort): Promise<readonly Section[]>;
}

export interface Effort {
  readonly rounds: number;
  /**
   * Whether to check only that the bench works, with a few seconds for each measurement; the figures then mean little.
   */
  readonly short: boolean;
  /** Limits the bench to the parts whose names contain this text; for benches that support it. */
  readonly only?: string;
  /** Noise that the user supplies, in place of the bench's own kinds; for benches that support it. */
  readonly noise?: NoiseOf;
  /** The moment, on the clock of `performance.now()`, after which no trial begins; for benches that support it. */
  readonly untilMs?: number;
  /** A file to which each trial is appended, so that a bench can be measured in parts; for benches that support it. */
  readonly log?: string;
}

/**
 * Makes a stream of noise from a seed, with mean 0 and standard deviation 1; successive values may depend on each
 * other.
 */
export type NoiseOf = (seed: number) => () => number;

/** A table of figures of one kind. */
export interface Section {
  readonly caption: string;
  readonly unit: string;
  /** What the baselines of the rows are, if there are any. */
  readonly baseline?: string;
  readonly rows: readonly Row[];
  /** Sentences below the table. */
  readonly notes?: readonly string[];
}

export interface Row {
  readonly what: string;
  /** The value of each round; the row's figure is their median. */
  readonly samples: readonly number[];
  readonly baseline?: number;
  readonly bar?: Bar;
}
