/** Comparisons of one figure as they might come out. */
import type { FigureComparison } from "../../report/judge/comparison.ts";

export const NO_INTERVAL: FigureComparison = {
  figure: "rate",
  base: 1_000,
  next: 1_610,
  ratio: 1.61,
  interval: null,
  bound: null,
  p: null,
  adjustedP: null,
  exact: null,
  pairs: null,
  runs: 3,
  pairingGain: null,
  between: null,
  sliced: null,
  stages: null,
  groups: null,
  unsteady: [],
  silent: null,
  isDoubted: false,
  isAheadInHalves: false,
  verdict: "inconclusive",
  reason: null,
  smallestChange: null,
  runsNeeded: null,
  sessionsNeeded: null,
};

/** With this interval of the ratio. */
export function compared(
  low: number,
  high: number,
  change: Partial<FigureComparison>,
): FigureComparison {
  const ratio = Math.sqrt(low * high);
  const interval = { value: ratio, low, high, logStandardError: 0.1, degreesOfFreedom: 2 };
  return { ...NO_INTERVAL, ratio, interval, ...change };
}
