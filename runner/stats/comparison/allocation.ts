/**
 * How a comparison spends its time best: how long to make runs, how many runs to make in a session, and how many
 * sessions, given what each level costs and how much it varies (T. Kalibera and R. Jones, "Rigorous benchmarking in
 * reasonable time", ISMM 2013). The paper's optimum is √(c_{i+1}/c_i · T_i²/T_{i+1}²) repetitions of a level in each
 * repetition of the level above (equation 5). It suits many repetitions. With few, the spread is poorly known and
 * counts must be whole numbers, so the paper's allocation takes up to 2.8 times as long as necessary. So all counts are
 * tried here, each with the shortest run that suffices. Pure.
 */
import { effectSeen, type PlannedFamily } from "./planning.ts";

/** Variances of the logarithm of a figure between runs of the same program. */
export interface RunNoise {
  /** The part of the variance that remains however long runs are. */
  readonly run: number;
  /**
   * The part of the variance that shrinks as runs get longer, for a run of one second; for L seconds, it is 1/L of
   * that.
   */
  readonly second: number;
}

/**
 * @param pairVariance The variance of the logarithm of the ratio of two adjacent runs.
 * @param runS The length of a run.
 * @param parts For each run, the logarithms of the figure in successive parts of `partS` seconds.
 */
export function runNoiseOf(
  pairVariance: number,
  runS: number,
  { parts, partS }: { readonly parts: readonly (readonly number[])[]; readonly partS: number },
): RunNoise {
  const squares = parts.flatMap((values) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.map((value) => (value - mean) ** 2);
  });
  const freedom = squares.length - parts.length;
  const second = partS * squares.reduce((sum, square) => sum + square, 0) / freedom;
  // The variance within runs alone can't exceed the variance between runs. If the estimates say
  // that it does, all of the variance between runs is taken to come from within runs.
  const ofRun = pairVariance / 2;
  return second / runS >= ofRun
    ? { run: 0, second: ofRun * runS }
    : { run: ofRun - second / runS, second };
}

/** What a comparison costs besides the measured time. */
export interface PlannedCosts {
  /** Seconds for the start, warm-up and stop of a run, and the pauses around it. */
  readonly runS: number;
  /**
   * The shortest and longest run that may be advised, in seconds. There is a longest, because the variance of runs much
   * longer than those measured is a guess.
   */
  readonly shortestS: number;
  readonly longestS: number;
  /** Absent for comparisons within one session, which does not show how sessions differ. */
  readonly sessions?: {
    /** Standard deviation, between sessions, of the logarithm of the ratio of the two sides. */
    readonly stdev: number;
    readonly setUpS: number;
  };
}

export interface Allocation {
  /** Seconds to measure in one run. */
  readonly runS: number;
  /** Runs per side in each session. */
  readonly runs: number;
  readonly sessions: number;
  /** Seconds for one cell, both sides and all sessions included. */
  readonly totalS: number;
}

/** Larger counts of runs or sessions are never advised. */
const MOST = 1_000;
/** With fewer repetitions than this, their spread can't be estimated. */
const LEAST = 3;

/**
 * The cheapest allocation that detects a change in 80 of 100 comparisons; null if even 1,000 runs or sessions would not
 * detect it.
 * @param change The change as a ratio less one.
 */
export function allocationFor(
  change: number,
  noise: RunNoise,
  costs: PlannedCosts,
  family: PlannedFamily,
): Allocation | null {
  const room = Math.log1p(change) - Math.log1p(family.marginRatio);
  const { sessions, runS, shortestS } = costs;
  const setUpS = sessions?.setUpS ?? 0;
  const leastS = (count: number): number => count * (setUpS + 2 * (runS + shortestS));
  let best: Allocation | null = null;
  for (let count = LEAST; count <= MOST; count++) {
    if (best !== null && leastS(count) >= best.totalS) break;
    const variance = (room / effectSeen(count, family)) ** 2;
    const found = sessions
      ? withSessions(count, variance - sessions.stdev ** 2, noise, costs)
      : withRuns(count, { runs: 1, variance }, noise, costs);
    if (found !== null && found.totalS < (best?.totalS ?? Infinity)) best = found;
  }
  if (best === null || sessions) return best;
  return { ...best, runs: best.sessions, sessions: 1 };
}

/** @param variance The largest variance that the mean of a session may have because runs differ. */
function withSessions(
  count: number,
  variance: number,
  noise: RunNoise,
  costs: PlannedCosts,
): Allocation | null {
  let best: Allocation | null = null;
  for (let runs = 1; runs <= MOST; runs++) {
    const leastS = runs * 2 * (costs.runS + costs.shortestS) + (costs.sessions?.setUpS ?? 0);
    if (variance <= 0 || (best !== null && count * leastS >= best.totalS)) break;
    const found = withRuns(count, { runs, variance }, noise, costs);
    if (found !== null && found.totalS < (best?.totalS ?? Infinity)) best = found;
  }
  return best;
}

/**
 * The allocation with the shortest runs that keep the variance of the mean of `runs` pairs at or below `variance`; null
 * if even the longest runs exceed it.
 */
function withRuns(
  count: number,
  { runs, variance }: { readonly runs: number; readonly variance: number },
  noise: RunNoise,
  { runS, shortestS, longestS, sessions }: PlannedCosts,
): Allocation | null {
  const bySeconds = variance * runs / 2 - noise.run;
  if (bySeconds <= 0) return null;
  const neededS = Math.max(shortestS, noise.second / bySeconds);
  if (neededS > longestS) return null;
  const totalS = count * ((sessions?.setUpS ?? 0) + runs * 2 * (runS + neededS));
  return { runS: neededS, runs, sessions: count, totalS };
}
