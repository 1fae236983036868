/**
 * Ratios of several fresh pairs of processes → how much of what they differ by their slices explain, and how much is between
 * processes: two levels of variance (T. Kalibera and R. Jones, "Rigorous benchmarking in reasonable time", ISMM 2013). Layout
 * of memory, decisions of a compiler and hash seeds are fixed when a process starts, and no number of its slices shows them.
 * Pure.
 */
import { type ConfidenceInterval, studentInterval } from "../confidence/confidence_interval.ts";
import { meanOf } from "../quantile.ts";

/** Of a figure, of one pair of processes. */
export interface PairOfProcesses {
  /** New over base. */
  readonly logRatio: number;
  /** Of the log ratio, by the pair's own slices (`SliceRatio`); null where nobody knows, as of percentiles. */
  readonly standardError: number | null;
}

export interface ProcessLevels {
  /** Pairs of processes. */
  readonly processes: number;
  /** Geometric mean of their ratios, by Student's t over the pairs of processes. */
  readonly ratio: ConfidenceInterval;
  /** Standard deviation of a pair's log ratio by its slices; null where nobody knows it. */
  readonly withinStdev: number | null;
  /** The same between processes: what slices do not explain, at least 0; null with the other. */
  readonly betweenStdev: number | null;
  /** What would narrow the interval: `slices`: longer pairs would, as well as more of them; `processes`: more pairs alone. */
  readonly limitedBy: "slices" | "processes" | null;
}

/**
 * The interval is by the pairs of processes alone, t with one degree of freedom fewer than there are: it holds however the variance is split,
 * and needs no estimate of how slices depend on each other. `deno task bench slices` measures how often it is right.
 *
 * @returns Null of fewer than two pairs: one says nothing about the next.
 */
export function processLevelsOf(
  pairs: readonly PairOfProcesses[],
  confidence: number,
): ProcessLevels | null {
  const processes = pairs.length;
  if (processes < 2) return null;
  const mean = meanOf(pairs.map(({ logRatio }) => logRatio));
  const squares = pairs.reduce((sum, { logRatio }) => sum + (logRatio - mean) ** 2, 0);
  const degreesOfFreedom = processes - 1;
  const variance = squares / degreesOfFreedom;
  const errors = pairs.flatMap(({ standardError }) =>
    standardError !== null && standardError >= 0 ? [standardError ** 2] : []
  );
  const within = errors.length < processes ? null : meanOf(errors);
  const between = within === null ? null : Math.max(0, variance - within);
  return {
    processes,
    ratio: studentInterval(
      Math.exp(mean),
      { variance: variance / processes, degreesOfFreedom },
      confidence,
    ),
    withinStdev: within === null ? null : Math.sqrt(within),
    betweenStdev: between === null ? null : Math.sqrt(between),
    limitedBy: within === null || between === null
      ? null
      : between > within
      ? "processes"
      : "slices",
  };
}
