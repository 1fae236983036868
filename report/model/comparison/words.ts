/** Comparisons in words: ratios with their intervals, and the sentence of a pair. */
import type { VerdictReason } from "../../../runner/stats/comparison/verdict.ts";
import { formatMs, formatNumber, GLUE, isTooWide, TOO_WIDE } from "../numbers/units.ts";
import { unsteadyText } from "../runs/cells.ts";
import { comparisonOf, type FigureComparison, type GroupComparison } from "./comparison.ts";
import type { ConditionDifference } from "./differences.ts";
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
 * got as many requests, their p99 decides.
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
  return `${next} and ${base} show no significant difference: ${ratiosText(comparison)}`;
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

/** Whether the next is ahead neither in requests nor in p99, so that `pairSentence` says of no difference. */
export function isTie(comparison: GroupComparison): boolean {
  return (["rate", 99] as const).every((figure) =>
    !isAhead(comparisonOf(comparison, figure), comparison)
  );
}

/** `4.31× [4.20, 4.43] the requests, p99 0.24× [0.22, 0.26]`. */
export function ratiosText(comparison: GroupComparison): string {
  return `${ratioText(comparisonOf(comparison, "rate"))} the requests, p99 ${
    ratioText(comparisonOf(comparison, 99))
  }`;
}

/** What a verdict means for the reader, and why it says no more; without a full stop. */
export function verdictText(comparison: FigureComparison, marginRatio: number): string {
  const { verdict, reason } = comparison;
  if (verdict === "equivalent") {
    const where = reason === "sessions" ? " in these two sessions" : "";
    return `the same within ${percentText(marginRatio)}${where}`;
  }
  if (verdict !== "inconclusive" || reason === null) return verdict;
  return WHY[reason](comparison, marginRatio);
}

/** A ratio of ten, less one: who could only see more knows nothing, and needs no number for it. */
export const MOST_CHANGE = 9;

const WHY: Readonly<
  Record<VerdictReason, (comparison: FigureComparison, marginRatio: number) => string>
> = {
  nothing: () => "nothing to compare",
  "one-run": () => "one run says nothing about the next",
  "few-runs": (comparison, marginRatio) =>
    ["inconclusive: too few runs", seenText(comparison), neededText(comparison, marginRatio)]
      .filter(Boolean).join(", "),
  margin: (comparison, marginRatio) =>
    ["inconclusive: perhaps a difference within the margin", neededText(comparison, marginRatio)]
      .filter(Boolean).join(", "),
  many: () => "inconclusive among so many comparisons: likely a difference, more runs would decide",
  exact: (comparison) =>
    `a difference, but the exact test of ${
      comparison.pairs === null ? "runs" : "pairs"
    } says chance`,
  sessions: () => "differs in these two sessions",
  groups: (comparison) => groupsText(comparison),
  unsteady: ({ unsteady }) => unsteady === null ? "no steady state" : unsteadyText(unsteady),
  errors: () => "too many wrong responses on both sides",
};

function seenText({ smallestChange }: FigureComparison): string {
  if (smallestChange === null) return "";
  return smallestChange > MOST_CHANGE
    ? "add runs"
    : `a change of ${percentText(smallestChange)} would have been seen`;
}

/** `about 18 runs would show equivalence within 2 %`; "" where no number of runs would do. */
function neededText({ runsNeeded, ratio }: FigureComparison, marginRatio: number): string {
  if (runsNeeded === null || ratio === null) return "";
  const isWithin = Math.abs(Math.log(ratio)) < Math.log1p(marginRatio);
  const what = isWithin
    ? `equivalence within ${percentText(marginRatio)}`
    : "a difference as large";
  return `about ${runsNeeded} runs would show ${what}`;
}

/** `the ratios of pairs fall into two groups: 4 near 1.00×, 1 near 0.79×`. */
function groupsText({ figure, pairs, groups }: FigureComparison): string {
  const unit = (value: number): string =>
    pairs !== null
      ? formatRatio(value, null)
      : figure === "rate"
      ? `${formatNumber(value)}/s`
      : formatMs(value / 1_000);
  const near = (groups ?? []).map(({ count, value }) => `${count} near ${unit(value)}`);
  const what = pairs === null ? "runs" : "the ratios of pairs";
  return `${what} fall into two groups: ${near.join(", ")}`;
}

/** The verdict in a word or two, for a table. */
export function verdictWord({ verdict, reason }: FigureComparison): string {
  if (reason === "sessions") {
    return verdict === "equivalent" ? "equivalent in these sessions" : "differs in these sessions";
  }
  return verdict;
}

/** Why two results of two sessions have no verdict, and what to do; a sentence. */
export const SESSIONS_TEXT =
  "Each side was measured in one session, and nobody knows by how much sessions of this machine differ: measure " +
  "both in one experiment, or give several sessions a side.";

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

/** `processor: Xeon → EPYC`: conditions of two results that differ, without a full stop. */
export function conditionText({ what, base, next }: ConditionDifference): string {
  return `${what}: ${shown(base)} → ${shown(next)}`;
}

/** As much as a line can hold. */
const MOST_SHOWN = 80;

function shown(value: unknown): string {
  if (value === undefined || value === null) return "none";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN - 1)}…`;
}
