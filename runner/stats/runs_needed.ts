/** How many runs would decide what so many did not. */
import { POWER } from "./verdict.ts";
import { tQuantile } from "./student_t.ts";

export interface Undecided {
  /** From the estimate to the limit that its interval has to stay clear of; of logarithms, for ratios. */
  readonly distance: number;
  /** Of the estimate, in the same unit, after `runs` runs. */
  readonly standardError: number;
  /** Of each side that is compared, or of the one there is. */
  readonly runs: number;
  /** 1 for an interval over runs, 2 for a ratio of two sides. */
  readonly sides?: 1 | 2;
  readonly confidence?: number;
}

/** More than anybody would do. */
const MOST_RUNS = 1_000;

/**
 * The least number of runs, of each side, after which the interval is clear of the limit in 4 of 5 experiments like
 * this one, were the estimate the truth: (t₀.₉₇₅ + t₀.₈) standard errors, which shrink with √runs
 * (J. Cohen, "Statistical Power Analysis for the Behavioral Sciences", 1988). The estimate is a guess itself, so
 * the number says whether five more runs are missing or five hundred. Infinity beyond a thousand.
 */
export function runsToDecide(
  { distance, standardError, runs, sides = 1, confidence = 0.95 }: Undecided,
): number {
  const deviation = standardError * Math.sqrt(runs);
  const isEnough = (count: number): boolean => {
    const degreesOfFreedom = sides * (count - 1);
    // The one-sided 80 % point is the two-sided 60 % one.
    const errors = tQuantile(confidence, degreesOfFreedom) +
      tQuantile(2 * POWER - 1, degreesOfFreedom);
    return errors * deviation / Math.sqrt(count) <= Math.abs(distance);
  };
  if (!isEnough(MOST_RUNS)) return Infinity;
  let [short, enough] = [1, MOST_RUNS];
  while (enough - short > 1) {
    const middle = (short + enough) >> 1;
    if (isEnough(middle)) enough = middle;
    else short = middle;
  }
  return enough;
}
