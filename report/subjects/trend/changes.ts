/** Where the figures of a cell changed over several results: the commits between which each change came, and its size. */
import { changePointsOf } from "../../../runner/stats/trend/change_points.ts";
import { DEFAULT_MARGIN_RATIO } from "../../judge/comparison.ts";
import {
  type ComparedFigure,
  type ComparedRuns,
  DECISIVE,
  decisiveFor,
  figureOf,
  groupOf,
} from "../../judge/group.ts";
import { formatRatio } from "../../writing/ratios.ts";
import { figureInProse } from "../../findings/judgements.ts";
import type { ThresholdOutcome } from "../../judge/gates.ts";
import type { TrendPoint, TrendSeries } from "./series.ts";

export interface TrendChange {
  readonly scenario: string;
  readonly label: string;
  readonly figure: ComparedFigure;
  /** The last result before, and the first after: as charts call them. */
  readonly between: readonly [before: string, after: string];
  /** Mean after over mean before, with its 95 % interval. */
  readonly ratio: { readonly value: number; readonly low: number; readonly high: number };
  /** By two-sided Student's t. */
  readonly p: number;
  readonly isWorse: boolean;
}

/** Of fewer results nobody knows a change from chance. */
const FEWEST_RESULTS = 4;

/** Any seed does: the same results always have the same changes. */
const SEED = 1;

/** Of requests/s, p99 and CPU time of a request, in this order. */
export function changesOf(series: TrendSeries, points: readonly TrendPoint[]): TrendChange[] {
  return DECISIVE.flatMap((figure) => {
    const known = series.cells.flatMap((cell, at) => {
      const value = cell === null ? 0 : decisiveFigure(groupOf(cell), figure);
      return value > 0 ? [{ value, at }] : [];
    });
    if (known.length < FEWEST_RESULTS) return [];
    const values = known.map(({ value }) => value);
    const found = changePointsOf(values, { marginRatio: DEFAULT_MARGIN_RATIO, seed: SEED });
    return found.map(({ index, p, ratio }): TrendChange => ({
      scenario: series.scenario,
      label: series.label,
      figure,
      between: [points[known[index - 1].at].label, points[known[index].at].label],
      ratio,
      p,
      isWorse: (ratio.value < 1) === (figure === "rate"),
    }));
  });
}

/** 0 where it decides nothing. */
function decisiveFigure(group: ComparedRuns, figure: ComparedFigure): number {
  return decisiveFor([group]).includes(figure) ? figureOf(group, figure) : 0;
}

/** `Worse between 0123456 and 89abcde: static, a: requests/s 0.90× [0.88, 0.92].` */
export function trendChangeText(
  { scenario, label, figure, between, ratio, isWorse }: TrendChange,
): string {
  return `${isWorse ? "Worse" : "Better"} between ${between[0]} and ${between[1]}: ` +
    `${scenario}, ${label}: ${figureInProse(figure)} ${formatRatio(ratio.value, ratio)}.`;
}

interface GuardedTrend {
  readonly changes: readonly TrendChange[];
  /** Results of the cell that has most. */
  readonly longest: number;
}

/** How a guard over trends ends: "inconclusive" where none is long enough to show a change. */
export function trendOutcome(trends: readonly GuardedTrend[]): ThresholdOutcome {
  if (trends.some(({ changes }) => changes.some(({ isWorse }) => isWorse))) return "fail";
  return trends.some(({ longest }) => longest >= FEWEST_RESULTS) ? "pass" : "inconclusive";
}
