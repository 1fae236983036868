/**
 * Ratios of several fresh pairs of processes → how much of what they differ by their slices explain, and how much is between
 * processes: two levels of variance (T. Kalibera and R. Jones, "Rigorous benchmarking in reasonable time", ISMM 2013). Layout
 * of memory, decisions of a compiler and hash seeds are fixed when a process starts, and no number of its slices shows them.
 * Pure.
 */
import { meanOf } from "../quantile.ts";

/** Of a figure, of one pair of processes. */
export interface PairOfProcesses {
  /** New over base. */
  readonly logRatio: number;
  /** Of the log ratio, by the pair's own slices (`SliceRatio`); null where nobody knows, as of percentiles. */
  readonly standardError: number | null;
}

/** What an interval over pairs of processes, by Student's t over their log ratios, is as wide as it is for. */
export interface ProcessLevels {
  /** Pairs of processes. */
  readonly processes: number;
  /** Standard deviation of their log ratios. */
  readonly stdev: number;
  /** The part of it that the slices of a pair explain; null where nobody knows. */
  readonly withinStdev: number | null;
  /** What they do not explain is between processes; null with the other. */
  readonly betweenStdev: number | null;
  /** What would narrow the interval: `slices`: longer pairs would, as well as more of them; `processes`: more pairs alone. */
  readonly limitedBy: "slices" | "processes" | null;
}

/** @returns Null of fewer than two pairs: one says nothing about the next. */
export function processLevelsOf(pairs: readonly PairOfProcesses[]): ProcessLevels | null {
  const processes = pairs.length;
  if (processes < 2) return null;
  const mean = meanOf(pairs.map(({ logRatio }) => logRatio));
  const squares = pairs.reduce((sum, { logRatio }) => sum + (logRatio - mean) ** 2, 0);
  const variance = squares / (processes - 1);
  const errors = pairs.flatMap(({ standardError }) => standardError ?? []);
  const levels = { processes, stdev: Math.sqrt(variance) };
  if (errors.length < processes) {
    return { ...levels, withinStdev: null, betweenStdev: null, limitedBy: null };
  }
  const within = meanOf(errors.map((error) => error ** 2));
  const between = Math.max(0, variance - within);
  return {
    ...levels,
    withinStdev: Math.sqrt(within),
    betweenStdev: Math.sqrt(between),
    limitedBy: between > within ? "processes" : "slices",
  };
}
