/** Comparisons in words: ratios with their intervals, and the sentence of a pair. */
import { comparisonOf, type FigureComparison, type GroupComparison } from "../comparison.ts";
import { formatNumber, GLUE, isTooWide, TOO_WIDE } from "../units.ts";
import type { ComparedFigure } from "./group.ts";

/** `4.31× [4.20, 4.43]`, or without the interval where there is none; `–` where there is no ratio. */
export function ratioText(
  { ratio, interval }: Pick<FigureComparison, "ratio" | "interval">,
): string {
  return ratio === null ? "–" : formatRatio(ratio, interval);
}

export function formatRatio(
  ratio: number,
  interval: { readonly low: number; readonly high: number } | null,
): string {
  const isExact = interval?.low === interval?.high && (ratio === 0 || ratio === Infinity);
  if (interval === null || isExact) return `${fixed(ratio, decimalsOf(ratio))}×`;
  if (isTooWide(interval)) return `${fixed(ratio, decimalsOf(ratio))}×${GLUE}${TOO_WIDE}`;
  const decimals = Math.max(decimalsOf(ratio), decimalsOfWidth(interval.high - interval.low));
  const [value, low, high] = [ratio, interval.low, interval.high].map((one) =>
    fixed(one, decimals)
  );
  return `${value}×${GLUE}[${low},${GLUE}${high}${interval.high === Infinity ? ")" : "]"}`;
}

/**
 * As hyperfine has it: `fastify is 4.31× [4.20, 4.43] faster than express, p99 0.24× [0.22, 0.26]`. Where both
 * were asked as often, their p99 tells.
 */
export function pairSentence(base: string, next: string, comparison: GroupComparison): string {
  const [rate, p99] = [comparisonOf(comparison, "rate"), comparisonOf(comparison, 99)];
  const verb = rate.interval === null ? "was" : "is";
  if (isAhead(rate, comparison)) {
    return `${next} ${verb} ${ratioText(rate)} faster than ${base}, p99 ${ratioText(p99)}`;
  }
  if (isAhead(p99, comparison)) {
    const requests = `at ${ratioText(rate)} the requests`;
    return `the p99 of ${next} ${verb} ${ratioText(p99)} that of ${base}, ${requests}`;
  }
  return `${next} and ${base} are too close to call: ${ratiosText(comparison)}`;
}

/** Whether the next is better than the base: by its verdict; of single runs, which have none, by the margin. */
export function isAhead(
  { figure, ratio, interval, verdict }: FigureComparison,
  { marginRatio }: GroupComparison,
): boolean {
  if (interval !== null) return verdict === "better";
  if (ratio === null) return false;
  return (figure === "rate" ? ratio : 1 / ratio) > 1 + marginRatio;
}

/** `4.31× [4.20, 4.43] the requests, p99 0.24× [0.22, 0.26]`. */
export function ratiosText(comparison: GroupComparison): string {
  return `${ratioText(comparisonOf(comparison, "rate"))} the requests, p99 ${
    ratioText(comparisonOf(comparison, 99))
  }`;
}

/** What a verdict means for the reader, without a full stop. */
export function verdictText(comparison: FigureComparison, marginRatio: number): string {
  switch (comparison.verdict) {
    case "equivalent":
      return `the same within ${percentText(marginRatio)}`;
    case "inconclusive":
      return inconclusiveText(comparison.smallestChange);
    default:
      return comparison.verdict;
  }
}

/** A ratio of ten, less one: who could only see more knows nothing, and needs no number for it. */
export const MOST_CHANGE = 9;

function inconclusiveText(smallestChange: number | null): string {
  if (smallestChange === null) return "one run says nothing about the next";
  if (smallestChange > MOST_CHANGE) return "not enough runs for a verdict: add runs";
  const change = percentText(smallestChange);
  return `not enough runs for a verdict, a change of ${change} would have been seen`;
}

/** A change or margin in two digits: `2 %`, `0.5 %`, `12 %`. */
export function percentText(share: number): string {
  return `${Number((share * 100).toPrecision(2))}${GLUE}%`;
}

export function figureName(figure: ComparedFigure): string {
  return typeof figure === "number" ? `p${figure}` : figure;
}

/** Two digits that say something at the least, as far as six decimals have them. */
function decimalsOf(ratio: number): number {
  if (ratio >= 0.1) return 2;
  return ratio >= 0.01 || ratio === 0 ? 3 : Math.min(6, 1 - Math.floor(Math.log10(ratio)));
}

/** As many as show a difference between the ends of an interval of this width. */
function decimalsOfWidth(width: number): number {
  return width > 0 ? Math.min(4, Math.ceil(-Math.log10(width))) : 4;
}

function fixed(ratio: number, decimals: number): string {
  if (ratio === 0 || ratio === Infinity) return ratio === 0 ? "0" : "∞";
  return ratio >= 10 ? formatNumber(ratio) : ratio.toFixed(decimals);
}
