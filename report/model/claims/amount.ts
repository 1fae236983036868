/** A figure of a cell as a side of a claim: its value, its interval, and what that leaves open. */
import { type Estimate, estimateOfMean } from "../../../runner/stats/confidence/bootstrap.ts";
import { ratioInterval } from "../../../runner/stats/confidence/confidence_interval.ts";
import { TOLERATED_WRONG_RATIO } from "../comparison/pairs.ts";
import { formatShare } from "../numbers/units.ts";
import {
  type FigureRange,
  type JudgedCell,
  meanRange,
  quotientOf,
  type Range,
  rangeOf,
} from "../runs/figure_range.ts";
import { type FigureName, figureOfRun } from "../runs/figures.ts";
import type { ClaimMember } from "./context.ts";

export interface Amount {
  readonly member: ClaimMember;
  readonly cell: JudgedCell;
  readonly figure: FigureName;
  /** The figure, or `max of a run`. */
  readonly name: string;
  readonly range: FigureRange;
  /** What its ratios are drawn from; null where there is one run, or no ratio to it. */
  readonly drawn: Estimate | null;
  /** What the true value may be besides what the interval says, and why; null: nothing else. */
  readonly open: OpenAmount | null;
}

interface OpenAmount {
  readonly toward: "more" | "less";
  readonly why: string;
}

export function amountOf(
  figure: FigureName,
  member: ClaimMember,
): Amount | { readonly none: string } {
  const { cell, label, missingReason: lack } = member;
  if (cell === null) return { none: `${label} was not measured: ${lack}` };
  const range = rangeOf(figure, cell);
  if ("none" in range) return { none: `${label} has no ${figure}: ${range.none}` };
  const open = openOf(figure, member, range.isAtLeast);
  const ofARun = EXTREME.test(figure) ? meanOfRuns(figure, cell) : null;
  if (ofARun === null) {
    return { member, cell, figure, name: figure, range, drawn: drawnFigure(figure, cell), open };
  }
  const name = `${figure} of a run`;
  const drawn = drawnMean(figure, cell);
  return { member, cell, figure, name, range: { ...range, ...ofARun }, drawn, open };
}

const EXTREME = /(?:^|\.)(?:min|max)$/;

/**
 * The extreme of all runs is a fact about them and says nothing of runs to come; that of each run is a
 * figure of it as others are, and has a mean. Null for one run.
 */
function meanOfRuns(figure: FigureName, { runs, level }: JudgedCell): Range | null {
  const values = runs.map((run) => figureOfRun(figure, run))
    .flatMap((one) => "none" in one ? [] : [one.value]);
  return values.length < 2 ? null : meanRange(values, level);
}

/** Null where both are 0. */
export function ratioOfAmounts(of: Amount, to: Amount): Range | null {
  const ratio = of.drawn && to.drawn &&
    ratioInterval(of.drawn, to.drawn, { confidence: of.cell.level });
  return ratio ? { value: ratio.value, interval: ratio } : quotientOf(of.range, to.range);
}

const TIME = /^(?:(?:service|firstByte)\.)?(?:min|mean|max|p[\d.]+)$|^final/;

function openOf(
  figure: FigureName,
  { label, wrongRatio }: ClaimMember,
  isAtLeast: boolean,
): OpenAmount | null {
  if (isAtLeast) {
    const why =
      `requests of ${label} that timed out, were unfinished or were never sent would decide it`;
    return { toward: "more", why };
  }
  const isTime = TIME.test(figure);
  if (wrongRatio <= TOLERATED_WRONG_RATIO || !(isTime || RATES.includes(figure))) return null;
  const why = `${formatShare(wrongRatio)} of the requests of ${label} were wrong or failed, ` +
    "and a fast error is no success";
  return { toward: isTime ? "more" : "less", why };
}

const RATES: readonly string[] = ["rate", "perCpu"];

/** The interval with all that is open of a figure, or of both in a ratio. */
export function widened(
  interval: Range["interval"],
  [of, to]: readonly Amount[],
): Range["interval"] {
  if (interval === null) return null;
  const [more, less] = [of.open?.toward, to?.open?.toward];
  return {
    low: more === "less" || less === "more" ? 0 : interval.low,
    high: more === "more" || less === "less" ? Infinity : interval.high,
  };
}

/** Why there is no interval, without a full stop. */
export function whyNoInterval(amounts: readonly Amount[]): string {
  const single = amounts.filter(({ cell }) => cell.runs.length === 1);
  if (single.length === amounts.length) {
    return amounts.length === 1 ? "one run: no interval" : "one run each: no interval";
  }
  if (single.length > 0) return `one run of ${single[0].member.label}: no interval`;
  return "one run has the figure: no interval";
}

/**
 * The figures of claims as what their ratios are drawn from: all cells of an experiment by the same repetitions, so
 * that a ratio, and a ratio of ratios, has its centre and its width from one estimator.
 */

/** Of all runs together; null where there is one run, or no ratio to it. */
export function drawnFigure(figure: FigureName, cell: JudgedCell): Estimate | null {
  const name = pooledName(figure);
  return name === null ? drawnMean(figure, cell) : cell.estimates.get(name) ?? null;
}

/** The mean of what each run has. */
export function drawnMean(
  figure: FigureName,
  { runs, estimates }: JudgedCell,
): Estimate | null {
  const known = runs.flatMap((run, i) => {
    const one = figureOfRun(figure, run);
    return "none" in one ? [] : [{ value: one.value, repetition: run.repetition ?? i + 1 }];
  });
  if (known.length < 2) return null;
  return estimateOfMean(known.map(({ value }) => value), {
    session: estimates.get("rate")?.session ?? null,
    repetitions: known.map(({ repetition }) => repetition),
  });
}

/** Null for figures that runs have one value of each. */
function pooledName(figure: FigureName): "rate" | "mean" | number | null {
  if (figure === "rate" || figure === "mean") return figure;
  const percentile = /^p([\d.]+)$/.exec(figure)?.[1];
  return percentile === undefined ? null : Number(percentile);
}
