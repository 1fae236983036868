/**
 * Shows a comparison of two sides as a table. Each row says how far a figure of one side may be from that of the other,
 * according to the 95 % interval of their ratio.
 */
import type { ResultsComparison } from "../../report/subjects/comparison/comparison.ts";
import { comparisonOf } from "../../report/judge/comparison.ts";
import { ratioText } from "../../report/writing/ratios.ts";
import { figureName, verdictText } from "../../report/findings/judgements.ts";
import { atMost } from "../bar.ts";
import type { Row, Section } from "../bench.ts";

interface Interval {
  readonly low: number;
  readonly high: number;
}

/** How far a ratio may be from 1, computed from the interval of the ratio. */
interface Off {
  /** The deviation of the requests/s, for which lower is worse. */
  readonly rate: (interval: Interval) => number;
  /** The deviation of p99 and of CPU time, for which higher is worse. */
  readonly time: (interval: Interval) => number;
  /** The figures whose deviation must be within the margin. */
  readonly judged: readonly Figure[];
}

const FIGURES = ["rate", 99, "cpuPerRequest"] as const;
type Figure = typeof FIGURES[number];

/** Counts only deviations for the worse. */
export const LOSS: Off = {
  rate: ({ low }) => 1 - low,
  time: ({ high }) => high - 1,
  judged: ["rate", 99],
};

const either = ({ low, high }: Interval): number => Math.max(1 - low, high - 1);
/** Counts deviations in either direction. */
export const CHANGE: Off = { rate: either, time: either, judged: FIGURES };

/** Makes the section for a comparison with a single cell. */
export function comparedSection(
  caption: string,
  { cells: [{ comparison }], marginRatio }: ResultsComparison,
  off: Off,
): Section {
  return {
    caption,
    unit: "%",
    rows: FIGURES.map((figure): Row => {
      const { interval } = comparisonOf(comparison, figure);
      const { rate, time, judged } = off;
      const ratio = interval === null ? NaN : (figure === "rate" ? rate : time)(interval);
      const row = { what: figureName(figure), samples: [100 * ratio] };
      return judged.includes(figure) ? { ...row, bar: atMost(100 * marginRatio) } : row;
    }),
    notes: FIGURES.map((figure) => {
      const one = comparisonOf(comparison, figure);
      return `${figureName(figure)} ${ratioText(one)}: ${verdictText(one, marginRatio)}.`;
    }),
  };
}
