/**
 * Thresholds on a server that is never restarted and that is loaded in rounds, such as by `versus`. Its rounds are
 * parts of one run: an effect on the server that lasts longer than a round is in several of them. So the uncertainty of
 * a level, or of a share of requests, is that of the series of its rounds, as for the ratio of two such servers: see
 * `slice_ratio.ts`.
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

/** Whether a run is a turn of a server that was already running. */
export function isRound({ slices, startUp }: Pick<JudgedRun, "slices" | "startUp">): boolean {
  return slices !== undefined && startUp === null;
}

export function areRounds({ runs }: RunsOfCell): boolean {
  return runs.length > 1 && runs.every(isRound);
}

/**
 * The level of the intervals that decide rules. If each of several looks may end the measurement, it is the level at
 * which all looks together are wrong in no more than 5 %, as for verdicts: see `looks.ts`.
 */
export function decidingLevel(cell: Pick<JudgedCell, "runs" | "level">): number {
  return areLooked(cell) ? 1 - PROCESS_LOOK_SIGNIFICANCE : cell.level;
}

function areLooked({ runs, level }: Pick<JudgedCell, "runs" | "level">): boolean {
  return level > 1 - SIGNIFICANCE && runs.every(({ slices }) => slices !== undefined);
}

/**
 * The figure over rounds, without an interval if there are too few to show their dependence; for other runs, unchanged.
 */
export function overRounds(
  range: FigureRange,
  cell: Pick<JudgedCell, "runs" | "level">,
): FigureRange {
  const { value, interval, byRun } = range;
  if (!areRounds(cell) || interval === null || value === 0) return range;
  return { ...range, interval: intervalOverRounds(value, byRun, cell.level) };
}

/** The interval of a figure from its values in rounds; null if there are too few, or one is not above 0. */
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
 * The amount at the level by which rules are decided. Rounds are not runs, so independent ratios can't be drawn from
 * them.
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
 * Ratios at the level that rules are decided by.
 * @param sliced The turns of the two cells; null if they were not loaded in turns.
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

/** Why amounts, or the ratio of two, have no interval by which a rule can be decided. */
export function whyUndecided(amounts: readonly Amount[]): Reason {
  return amounts.some(({ cell }) => areRounds(cell))
    ? { code: "few-rounds" }
    : whyNoInterval(amounts);
}

/**
 * Combines the shares of rounds into a single share, which is only as precise as if each cluster of requests were one
 * independent request. Returns the shares of other runs unchanged.
 */
export function sharesOver(cell: RunsOfCell, shares: readonly Proportion[]): readonly Proportion[] {
  if (!areRounds(cell)) return shares;
  const whole = pooled(shares);
  return [clustered(whole, presumedDispersion(whole, dispersionIn(shares, whole)))];
}

/** The dispersion of the requests of rounds; null if the rounds do not show it. */
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

/** How long each server would have to be loaded for so many rounds; null: too many. */
export function secondsOfRounds({ runs }: RunsOfCell, rounds: number | null): number | null {
  return rounds === null
    ? null
    : rounds * meanOf(runs.map((run) => loadSecondsFor(run.elapsedS, run)));
}
