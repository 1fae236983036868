/**
 * Thresholds for a server that is never restarted and is loaded in rounds, as by `versus`. The rounds are parts of one
 * run: an effect on the server may last longer than a round, so successive rounds depend on each other. The uncertainty
 * of a figure, or of a share of requests, is therefore estimated from the series of rounds, as is the ratio of two such
 * servers: see `slice_ratio.ts`.
 */
import type { FigureName } from "../../base/figures/figure.ts";
import { SIGNIFICANCE } from "../../runner/stats/comparison/verdict.ts";
import {
  type ConfidenceInterval,
  studentInterval,
} from "../../runner/stats/confidence/confidence_interval.ts";
import { pooled, type Proportion } from "../../runner/stats/confidence/proportion_interval.ts";
import {
  clustered,
  type Dispersion,
  presumedDispersion,
} from "../../runner/stats/dependence/clustered_share.ts";
import { dispersionOf } from "../../runner/stats/dependence/ratio_series.ts";
import { meanOf } from "../../runner/stats/quantile.ts";
import { PROCESS_LOOK_SIGNIFICANCE } from "../../runner/stats/slices/looks.ts";
import { errorOfShare } from "../../runner/stats/slices/slice_ratio.ts";
import type { FigureRange } from "../figures/figures.ts";
import type { JudgedCell, JudgedRun } from "../figures/range.ts";
import { type Amount, amountOf, type Measurable, whyNoInterval } from "./amounts.ts";
import { withConfidence } from "./comparison.ts";
import type { Absent, Reason } from "./reasons.ts";
import { type RatioOf, slicedRatio } from "./ratio_of.ts";
import { loadSecondsFor, type SlicedOf, varianceOverRounds } from "./slices.ts";

type RunsOfCell = Pick<JudgedCell, "runs">;

/** Whether a run is one round of a server that was already running. */
export function isRound({ slices, startUp }: Pick<JudgedRun, "slices" | "startUp">): boolean {
  return slices !== undefined && startUp === null;
}

export function areRounds({ runs }: RunsOfCell): boolean {
  return runs.length > 1 && runs.every(isRound);
}

/**
 * The confidence level of the intervals that decide rules. If results are analysed repeatedly and each analysis may end
 * the measurement, the level is so high that all analyses together are wrong in at most 5 % of experiments: see
 * `slices/looks.ts`.
 */
export function decidingLevel(cell: Pick<JudgedCell, "runs" | "level">): number {
  return areLooked(cell) ? 1 - PROCESS_LOOK_SIGNIFICANCE : cell.level;
}

function areLooked({ runs, level }: Pick<JudgedCell, "runs" | "level">): boolean {
  return level > 1 - SIGNIFICANCE && runs.every(({ slices }) => slices !== undefined);
}

/**
 * The figure with an interval computed from the series of rounds, or without one if there are too few. Figures of other
 * runs are returned unchanged.
 */
export function overRounds(
  range: FigureRange,
  cell: Pick<JudgedCell, "runs" | "level">,
): FigureRange {
  const { value, interval, byRun } = range;
  if (!areRounds(cell) || interval === null || value === 0) return range;
  return { ...range, interval: intervalOverRounds(value, byRun, cell.level) };
}

/**
 * The interval of a figure from its values in the rounds; null if there are too few rounds, or if a value is not above
 * 0.
 */
export function intervalOverRounds(
  value: number,
  byRound: readonly number[],
  level: number,
): ConfidenceInterval | null {
  if (!byRound.every((one) => one > 0)) return null;
  const variance = varianceOverRounds(byRound.map(Math.log));
  return variance && studentInterval(value, variance, level);
}

/**
 * The amount, with its interval at the level that decides rules. Rounds are not independent runs, so no bootstrap
 * estimate for ratios is drawn from them.
 */
export function decidingAmount(figure: FigureName, member: Measurable): Amount | Absent {
  const { cell } = member;
  const isLooked = cell !== null && areLooked(cell);
  const decided = isLooked ? { ...member, cell: { ...cell, level: decidingLevel(cell) } } : member;
  const amount = amountOf(figure, decided);
  return "none" in amount || !areRounds(amount.cell)
    ? amount
    : { ...amount, range: overRounds(amount.range, amount.cell), drawn: null };
}

/**
 * Computes ratios at the level that decides rules.
 * @param sliced The alternating slices of the two cells; null if they were not loaded in turns.
 * @param cell The cell of the first amount.
 */
export function decidingRatioOf(
  ratioOf: RatioOf,
  sliced: SlicedOf | null,
  cell: Pick<JudgedCell, "runs" | "level">,
): RatioOf {
  const level = decidingLevel(cell);
  if (sliced !== null) return (of, to, figure) => slicedRatio(sliced(figure), [of, to], level);
  if (!areLooked(cell)) return ratioOf;
  return (...given) => {
    const ratio = ratioOf(...given);
    return ratio && withConfidence(ratio, level);
  };
}

/** Why amounts, or the ratio of two amounts, have no interval that could decide a rule. */
export function whyUndecided(amounts: readonly Amount[]): Reason {
  return amounts.some(({ cell }) => areRounds(cell))
    ? { code: "few-rounds" }
    : whyNoInterval(amounts);
}

/**
 * Combines the shares of all rounds into one, in which each cluster of requests counts as a single independent request.
 * Shares of other runs are returned unchanged.
 */
export function sharesOver(cell: RunsOfCell, shares: readonly Proportion[]): readonly Proportion[] {
  if (!areRounds(cell)) return shares;
  const whole = pooled(shares);
  return [clustered(whole, presumedDispersion(whole, dispersionIn(shares, whole)))];
}

/**
 * The dispersion of the pooled share, estimated from how the share varies between rounds; null if it can't be
 * estimated.
 */
function dispersionIn(
  rounds: readonly Proportion[],
  { count, of }: Proportion,
): Dispersion | null {
  const { standardError, degreesOfFreedom } = errorOfShare({
    amounts: Float64Array.from(rounds, (round) => round.count),
    of: Float64Array.from(rounds, (round) => round.of),
  });
  const share = count / of;
  const ratio = dispersionOf({ ratio: share, standardError: share * standardError }, of);
  return ratio === null || Number.isNaN(ratio) ? null : { ratio, degreesOfFreedom };
}

/** How long each server would have to be loaded for this many rounds; null if `rounds` is null. */
export function secondsOfRounds({ runs }: RunsOfCell, rounds: number | null): number | null {
  return rounds === null
    ? null
    : rounds * meanOf(runs.map((run) => loadSecondsFor(run.elapsedS, run)));
}
