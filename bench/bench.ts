/**
 * What a bench is: it measures one promise of Plateau and says which figure it found where, beside the
 * baseline that it measured in the same run. One file a member, one line in `registry.ts`; `table.ts`
 * does the arithmetic over the rounds and lays everything out.
 */
import type { Bar } from "./bar.ts";

export interface Bench {
  readonly about: string;
  /** How often everything is measured where nobody asks for another number. */
  readonly rounds: number;
  /** Throws a TargetError when something that it needs cannot be had. */
  run(effort: Effort): Promise<readonly Section[]>;
}

export interface Effort {
  readonly rounds: number;
  /** To see that a bench works: a few seconds a measurement. Its figures say little. */
  readonly short: boolean;
  /** Only the parts whose names hold this text; for benches that say so. */
  readonly only?: string;
  /** Noise that the user hands in, in place of the bench's own kinds; for benches that say so. */
  readonly noise?: NoiseOf;
  /** On the clock of `performance.now()`: no trial begins after it; for benches that say so. */
  readonly untilMs?: number;
  /** A file to which each trial is appended, so that a bench can be measured in parts; for those that say so. */
  readonly log?: string;
}

/** A seed → a stream of noise with mean 0 and standard deviation 1, however its values depend on each other. */
export type NoiseOf = (seed: number) => () => number;

/** One table: figures of one kind. */
export interface Section {
  readonly caption: string;
  readonly unit: string;
  /** What the rows' baselines are, if they have any. */
  readonly baseline?: string;
  readonly rows: readonly Row[];
  /** Sentences below the table. */
  readonly notes?: readonly string[];
}

export interface Row {
  readonly what: string;
  /** One value a round; their median is the figure. */
  readonly samples: readonly number[];
  readonly baseline?: number;
  readonly bar?: Bar;
}
