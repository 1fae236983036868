/**
 * The answer of one scenario in one sentence: who is fastest, by what ratio, and how far the runs
 * spread. It claims no more than the runs show: one run is "in one run", and ranges that overlap
 * have no winner.
 */
import type { Cell } from "./cells.ts";
import { percentileOf } from "./pool.ts";
import { formatMs, formatNumber, formatShare } from "./units.ts";

export interface Answer {
  /** Who is fastest, or that nobody is. */
  readonly verdict: string;
  /** By how much; "" when there is nothing to add. Ends with a full stop, the verdict does not. */
  readonly detail: string;
}

/** A target with more wrong or failed requests than this does not compete: a fast error is no answer. */
const TOLERATED_WRONG_RATIO = 0.01;

export function answerOf(cells: readonly Cell[]): Answer {
  const right = cells.filter(({ wrongRatio }) => wrongRatio <= TOLERATED_WRONG_RATIO);
  const ranked = competitors(right).sort((a, b) => b.rate.median - a.rate.median);
  const { verdict, detail } = ranking(ranked);
  return { verdict, detail: [detail, ...faults(cells)].filter(Boolean).join(" ") };
}

/** The answer as one text. */
export function answerText({ verdict, detail }: Answer): string {
  return detail ? `${verdict}: ${detail}` : `${verdict}.`;
}

/** The best cell of each target; where there is one target only, its cells compete. */
function competitors(cells: readonly Cell[]): Cell[] {
  const byTarget = Map.groupBy(cells, ({ target }) => target);
  if (byTarget.size === 1) return [...cells];
  return [...byTarget.values()].map((group) =>
    group.reduce((best, cell) => cell.rate.median > best.rate.median ? cell : best)
  );
}

function ranking(ranked: readonly Cell[]): Answer {
  const [first, second, ...others] = ranked;
  if (!first) return { verdict: "No target answered right", detail: "" };
  if (!second) {
    const verdict = `${first.label} answered ${rateText(first)}`;
    return { verdict, detail: `${runsText(first)}, ${p99Text(first)}.` };
  }
  if (first.runs.length === 1 && second.runs.length === 1) {
    return {
      verdict: `${first.label} was fastest in one run each`,
      detail: `${rateText(first)}, ${p99Text(first)}; ${comparisons(first, [second, ...others])}.`,
    };
  }
  if (first.rate.min <= second.rate.max) return tooClose(first, second);
  return {
    verdict: `${first.label} is fastest`,
    detail: `${rateText(first)} (${runsText(first)}), ${p99Text(first)}; ` +
      `${comparisons(first, [second, ...others])}.`,
  };
}

function tooClose(first: Cell, second: Cell): Answer {
  return {
    verdict: `${first.label} and ${second.label} are too close to call`,
    detail: `${rateText(first)} and ${rateText(second)}, and their runs overlap ` +
      `(ratio ${ratioRange(first, second)}).`,
  };
}

/** `1.80× express (1.62–2.01) and 3.10× hapi (2.90–3.30)`; of many only the next and the last. */
function comparisons(first: Cell, others: readonly Cell[]): string {
  const texts = others.map((cell) => ratioText(first, cell));
  return texts.length <= 2
    ? texts.join(" and ")
    : `${texts[0]}, the next, and ${texts[texts.length - 1]}, the last`;
}

function ratioText(first: Cell, other: Cell): string {
  if (other.rate.median === 0) return `${other.label} answered nothing`;
  const ratio = `${formatRatio(first.rate.median / other.rate.median)}× ${other.label}`;
  const single = first.runs.length === 1 && other.runs.length === 1;
  return single ? ratio : `${ratio} (${ratioRange(first, other)})`;
}

/** From the closest to the farthest pair of runs. */
function ratioRange(first: Cell, other: Cell): string {
  const least = formatRatio(first.rate.min / other.rate.max);
  const most = other.rate.min === 0 ? "∞" : formatRatio(first.rate.max / other.rate.min);
  return `${least}–${most}`;
}

function formatRatio(ratio: number): string {
  return ratio < 10 ? ratio.toFixed(2) : formatNumber(ratio);
}

function rateText({ rate }: Cell): string {
  return `${formatNumber(rate.median)} requests/s`;
}

function runsText({ rate, runs }: Cell): string {
  if (runs.length === 1) return "in one run";
  return `${formatNumber(rate.min)}–${formatNumber(rate.max)} over ${runs.length} runs`;
}

function p99Text({ latency }: Cell): string {
  return `p99 ${formatMs(percentileOf(latency, 99))}`;
}

function faults(cells: readonly Cell[]): string[] {
  return cells.filter(({ wrongRatio }) => wrongRatio > 0).map(({ label, wrongRatio, rate }) => {
    if (rate.max === 0) return `${label} answered nothing.`;
    const share = `${
      formatShare(wrongRatio)
    } of the requests to ${label} failed or had a wrong answer`;
    return wrongRatio > TOLERATED_WRONG_RATIO ? `${share}, so it is not ranked.` : `${share}.`;
  });
}
