/** A comparison of two sides as a table: how far each figure may be off, by the 95 % interval of its ratio. */
import type { ResultsComparison } from "../../report/model/compared_results.ts";
import { comparisonOf } from "../../report/model/comparison/comparison.ts";
import { ratioText } from "../../report/model/comparison/ratios.ts";
import { figureName, verdictText } from "../../report/model/comparison/words.ts";
import { atMost } from "../bar.ts";
import type { Row, Section } from "../bench.ts";

interface Interval {
  readonly low: number;
  readonly high: number;
}

/** What counts as off, as a ratio. */
interface Off {
  /** Of requests/s. */
  readonly rate: (interval: Interval) => number;
  /** Of p99 and of CPU time, which nobody wants more of. */
  readonly time: (interval: Interval) => number;
}

/** How much is lost. */
export const LOSS: Off = { rate: ({ low }) => 1 - low, time: ({ high }) => high - 1 };

const either = ({ low, high }: Interval): number => Math.max(1 - low, high - 1);
/** In either direction. */
export const CHANGE: Off = { rate: either, time: either };

/** Of a comparison with one cell. */
export function comparedSection(
  caption: string,
  { cells: [{ comparison }], marginRatio }: ResultsComparison,
  off: Off,
): Section {
  const figures = (["rate", 99, "cpuPerRequest"] as const)
    .map((figure) => comparisonOf(comparison, figure));
  return {
    caption,
    unit: "%",
    rows: figures.map(({ figure, interval }): Row => {
      const { rate, time } = off;
      const ratio = interval === null ? NaN : (figure === "rate" ? rate : time)(interval);
      return { what: figureName(figure), samples: [100 * ratio], bar: atMost(100 * marginRatio) };
    }),
    notes: figures.map((one) =>
      `${figureName(one.figure)} ${ratioText(one)}: ${verdictText(one, marginRatio)}.`
    ),
  };
}
