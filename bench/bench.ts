/**
 * The interface of a bench. A bench measures one promise of Plateau and returns figures, each, if possible, with a
 * baseline that was measured in the same run. Every bench has its own file and one line in `registry.ts`. `table.ts`
 * summarises the rounds and lays out the tables.
 */
import type { Bar } from "./bar.ts";

export interface Bench {
  readonly about: string;
  /** Number of rounds if the user does not choose another. */
  readonly rounds: number;
  /** Throws a TargetError if something that the bench needs is not available. */
  run(effort: Effort): Promise<readonly Section[]>;
}

export interface Effort {
  readonly rounds: number;
  /**
   * Whether to check only that the bench works. Each measurement then takes only a few seconds, so the figures mean
   * little.
   */
  readonly short: boolean;
  /** Runs only the parts whose names contain this text. Not every bench supports it. */
  readonly only?: string;
  /** Noise that the user supplies, instead of the bench's own. Not every bench supports it. */
  readonly noise?: NoiseOf;
  /** Time of `performance.now()` after which no trial begins. Not every bench supports it. */
  readonly untilMs?: number;
  /**
   * Path of a file to which each trial is appended, so that a bench can be run in parts. Not every bench supports it.
   */
  readonly log?: string;
}

/**
 * Makes a source of noise from a seed. The noise has mean 0 and standard deviation 1; successive values may be
 * correlated.
 */
export type NoiseOf = (seed: number) => () => number;

/** A table of figures with the same unit. */
export interface Section {
  readonly caption: string;
  readonly unit: string;
  /** Describes the baselines of the rows; absent if the rows have none. */
  readonly baseline?: string;
  readonly rows: readonly Row[];
  /** Sentences shown below the table. */
  readonly notes?: readonly string[];
}

export interface Row {
  readonly what: string;
  /** One value per round. The row shows their median. */
  readonly samples: readonly number[];
  readonly baseline?: number;
  readonly bar?: Bar;
}
