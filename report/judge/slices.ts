/**
 * Compares two cells whose targets were loaded in alternating slices. The analysis uses the pairs of slices within each
 * pair of processes, and the pairs of processes.
 */
import type { FindingCode } from "../../runner/result/findings.ts";
import { inRunOf } from "../../runner/result/in_run.ts";
import type { Run } from "../../runner/result/result.ts";
import type { Slices } from "../../runner/result/slices.ts";
import type { Estimate } from "../../runner/stats/confidence/bootstrap.ts";
import {
  type ConfidenceInterval,
  sumOfVariances,
  type Variance,
} from "../../runner/stats/confidence/confidence_interval.ts";
import { tQuantile } from "../../runner/stats/confidence/student_t.ts";
import { DEGREES_OF_FREEDOM } from "../../runner/stats/dependence/long_run_variance.ts";
import { independentFrom } from "../../runner/stats/dependence/rank_correlation.ts";
import { LEAST_DEPENDENT, type Unclear } from "../../runner/stats/dependence/ratio_series.ts";
import {
  type Disturbance,
  disturbanceOf,
  type Rest,
} from "../../runner/stats/slices/disturbance.ts";
import {
  type ProcessLevels,
  processLevelsOf,
  stdevWithin,
} from "../../runner/stats/slices/process_levels.ts";
import {
  errorOverRounds,
  joinedSeries,
  type PairedSeries,
  pairedSeries,
  SLICED,
  type SliceRatio,
  sliceRatioOf,
} from "../../runner/stats/slices/slice_ratio.ts";
import type { FigureName } from "../../base/figures/figure.ts";
import type { CellRuns } from "../cells/cells.ts";
import type { MeasuredRuns } from "../cells/measured.ts";
import { choiceIn } from "../cells/recast.ts";
import { FIGURES } from "../figures/figures.ts";
import { isUndisturbed } from "./disturbed_runs.ts";
import type { DrawnFigure } from "../figures/range.ts";
import type { Open } from "./rules.ts";
import { sum } from "../writing/spread.ts";

type SlicedRun = Run & { readonly slices: Slices };

function isSliced(run: Pick<Run, "slices">): run is SlicedRun {
  return run.slices !== undefined;
}

/**
 * How long, in seconds, a target must be loaded to be measured for `measuredS`. It takes longer with slices, because a
 * part of each slice is cut off.
 */
export function loadSecondsFor(
  measuredS: number,
  { elapsedS, slices }: Pick<Run, "elapsedS" | "slices">,
): number {
  if (slices === undefined || elapsedS === 0) return measuredS;
  const pairs = 1 + (slices.items.pair.at(-1) ?? -1); // includes warm-up pairs
  return measuredS * pairs * slices.sliceMs / 1_000 / elapsedS;
}

/** Findings that make a run invalid but affect both slices of a pair alike, unlike a generator at its limit. */
const SHARED: readonly FindingCode[] = [
  ...["throttled", "low-priority", "neighbour", "steal", "shared-cores", "crowded-core"] as const,
  "unsteady",
];

/** Whether all disturbances of the run cancel in the ratio of paired slices. */
export function isMovedAlike({ generator: { findings } }: Pick<Run, "generator">): boolean {
  return findings.every(({ code }) => SHARED.includes(code));
}

/**
 * Whether the sides were loaded in alternating slices, and each has a run whose disturbances all affect both sides
 * alike. The ratio of the sides is then reliable even if no run is valid.
 */
export function areMovedAlike(sides: readonly (readonly Run[])[]): boolean {
  return sides.length > 1 &&
    sides.every((runs) => runs.every(isSliced) && runs.some(isMovedAlike));
}

/** Loads that can alternate between two targets. */
const IN_TURNS: readonly string[] = ["closed", "rate"];

/**
 * Whether the ratio of two sides, which did not take turns, would probably hold if they did, because most of what
 * disturbed their runs would then disturb both sides alike.
 */
export function wouldHoldInTurns(sides: readonly (readonly Run[])[]): boolean {
  const runs = sides.flat();
  const disturbed = runs.filter((run) => !isUndisturbed(run));
  return sides.length === 2 && 2 * disturbed.filter(isMovedAlike).length > disturbed.length &&
    runs.every((run) =>
      !isSliced(run) && run.agents === undefined && IN_TURNS.includes(run.load.kind)
    );
}

/**
 * Whether what an experiment compares took turns slice by slice, so that a disturbance affects all of it alike. Its
 * targets may have done so, but scenarios and values of a factor never do.
 */
export function areTargetsMovedAlike(results: MeasuredRuns): boolean {
  return choiceIn(results).factor === null &&
    areMovedAlike([...Map.groupBy(results.runs, ({ target }) => target).values()]);
}

/** A pair of processes, and the ratio of a figure computed from their slices. */
export interface ProcessPair {
  readonly repetition: number;
  /** Null for a percentile, because slices have none of their own, or if a side served nothing. */
  readonly slices: SliceRatio | null;
}

/**
 * A figure of two cells that were loaded in alternating slices. Several pairs of processes are judged by the ratio of
 * each pair, like any runs that share repetitions; a single pair is judged by its slices.
 */
export interface Sliced {
  readonly pairs: readonly ProcessPair[];
  /**
   * Whether all measurements are of the same two processes, which are never restarted, so that the verdict is only
   * about these two.
   */
  readonly areTheseTwo: boolean;
  /**
   * The evidence of all slices together, if they belong to the same two processes, which are never restarted. Null
   * otherwise, and for a percentile over several runs.
   */
  readonly alone: Alone | null;
  /** The side that slowed the other by using CPU time while idle; null if neither did. */
  readonly disturbance: Disturbance | null;
}

export interface Alone {
  /** Variance of ln ratio; null if unknown. */
  readonly variance: Variance | null;
  /**
   * Why the variance is unknown or may be too small: the measurement does not show whether the level of the processes
   * varies over times longer than the measurement, or a percentile of a side has no interval. Null if neither applies.
   */
  readonly unclear: Unclear | "few-clusters" | "lower-bounds" | null;
}

export type SlicedOf = (figure: DrawnFigure) => Sliced;

/**
 * Returns a function that makes a `Sliced` for each figure. Null if a run of either side was not in slices, or if no
 * two runs were loaded in turns with each other.
 */
export function slicedBetween(base: CellRuns, next: CellRuns): SlicedOf | null {
  const pairs = pairsOfRuns(base, next);
  if (pairs === null) return null;
  const areTheseTwo = pairs.flat().every(({ startUp }) => startUp === null);
  const disturbance = disturbanceOf(restOf(pairs, 0), restOf(pairs, 1));
  const known = new Map<DrawnFigure, Sliced>();
  return (figure) =>
    known.getOrInsertComputed(figure, () => ({
      pairs: pairs.map((sides) => {
        const series = seriesIn(sides, figure);
        return { repetition: sides[0].repetition, slices: series && sliceRatioOf(series) };
      }),
      areTheseTwo,
      alone: areTheseTwo ? aloneIn(pairs, figure) : null,
      disturbance,
    }));
}

type Two<Of> = readonly [Of, Of];

/**
 * The alternating slices of two cells, for the ratio of a figure. Null if the cells were not loaded in turns or not
 * measured, or if the two figures differ, because disturbances then do not cancel.
 */
export function turnsIn(figures: Two<FigureName>, [of, to]: Two<CellRuns | null>): SlicedOf | null {
  if (figures[0] !== figures[1] || of === null || to === null) return null;
  return slicedBetween(to, of);
}

/** Whether disturbances affect both cells alike, so that their ratio is reliable. */
export function isRatioInTurns(figures: Two<FigureName>, cells: Two<CellRuns | null>): boolean {
  return turnsIn(figures, cells) !== null &&
    areMovedAlike(cells.flatMap((cell) => cell ? [cell.runs] : []));
}

type Sides = readonly [base: SlicedRun, next: SlicedRun];

function pairsOfRuns(base: CellRuns, next: CellRuns): Sides[] | null {
  const [bases, nexts] = [base.runs.filter(isSliced), next.runs.filter(isSliced)];
  if (bases.length < base.runs.length || nexts.length < next.runs.length) return null;
  const pairs = bases.flatMap((of): Sides[] => {
    const to = nexts.find(({ repetition }) => repetition === of.repetition);
    return to === undefined || !arePartners(of, to) ? [] : [[of, to]];
  });
  return pairs.length === 0 ? null : pairs;
}

/**
 * Whether two runs were loaded in turns with each other, which means that they started at the same moment, and that in
 * every pair of slices, one was loaded first and the other second. The order alone proves nothing, because all pairs of
 * runs of a block draw it by the same seed. The targets, scenarios and parameters are not compared, because they may
 * have been renamed, or trade places where scenarios or the values of a factor are compared.
 */
function arePartners(of: SlicedRun, to: SlicedRun): boolean {
  const { pair: pairs, place } = of.slices.items;
  const other = to.slices.items;
  const places = new Map(other.pair.map((pair, at) => [pair, other.place[at]]));
  return of.startedAt === to.startedAt &&
    pairs.every((pair, at) => places.get(pair) !== place[at]);
}

/** Null for a percentile, because slices have none of their own. */
function seriesIn([base, next]: Sides, figure: DrawnFigure): PairedSeries | null {
  const sliced = SLICED.find((one) => one === figure);
  return sliced === undefined ? null : pairedSeries(base.slices.items, next.slices.items, sliced);
}

/** CPU time that a side used while idle, over all slices for which it is known; null if it is known for none. */
function restOf(pairs: readonly Sides[], side: 0 | 1): Rest | null {
  const seen = pairs.flatMap((sides) => {
    const { items: { restCpuMs }, sliceMs, pauseMs } = sides[side].slices;
    // CPU time is read once in each pause, so a reading covers one slice and one pause.
    const seconds = (sliceMs + pauseMs) / 1_000;
    return restCpuMs.flatMap((cpuMs) => cpuMs === null ? [] : [{ cpuMs, seconds }]);
  });
  return seen.length === 0 ? null : {
    cpuMs: sum(seen, ({ cpuMs }) => cpuMs),
    seconds: sum(seen, ({ seconds }) => seconds),
  };
}

/**
 * How precise the ratio is, judged from all pairs of slices. For a percentile, the sides of a single pair of runs are
 * judged separately, as if common disturbances did not cancel; null for a percentile over several pairs of runs.
 */
function aloneIn(pairs: readonly Sides[], figure: DrawnFigure): Alone | null {
  if (typeof figure === "number") return pairs.length === 1 ? aloneByRuns(pairs[0], figure) : null;
  const series = pairs.map((sides) => seriesIn(sides, figure));
  const known = series.filter((one) => one !== null);
  const slices = known.length < series.length ? null : sliceRatioOf(joinedSeries(known));
  return slices === null ? { variance: null, unclear: "too-short" } : aloneOf(slices);
}

/**
 * Variance of ln ratio of two processes, or of the logarithm of one process's figure, from its value in each round;
 * null if unknown.
 */
export function varianceOverRounds(logs: readonly number[]): Variance | null {
  return aloneOf(errorOverRounds(logs)).variance;
}

/** How precise the ratio of two processes is. */
export function aloneOf(
  { standardError, degreesOfFreedom, unclear }: Pick<
    SliceRatio,
    "standardError" | "degreesOfFreedom" | "unclear"
  >,
): Alone {
  return {
    variance: Number.isNaN(standardError)
      ? null
      : { variance: standardError ** 2, degreesOfFreedom },
    unclear,
  };
}

function aloneByRuns(sides: Sides, figure: number): Alone {
  const found = sides.map((run) => inRunOf(run).figures[`p${figure}` as "p50"]);
  const [unclear = null] = found.flatMap((one) => one?.intervalReason ?? []);
  const known = found.flatMap((one): Variance[] => {
    if (!one?.interval || !(one.interval.low > 0)) return [];
    const reach = Math.log(one.interval.high / one.interval.low) / 2;
    return [{
      variance: (reach / tQuantile(0.95, DEGREES_OF_FREEDOM)) ** 2,
      degreesOfFreedom: DEGREES_OF_FREEDOM,
    }];
  });
  return known.length === 2
    ? { variance: sumOfVariances(known), unclear: null }
    : { variance: null, unclear: unclear ?? "too-short" };
}

/** The evidence about a figure at both levels of variation: slices and processes. */
export interface SlicedLevels {
  /**
   * Whether all measurements are of the same two processes, which are never restarted. `levels.processes` then counts
   * measurements at different times instead of processes.
   */
  readonly areTheseTwo: boolean;
  /**
   * Whether results were analysed repeatedly during the measurement, so each analysis must use a stricter level: see
   * `stats/slices/looks.ts`.
   */
  readonly areLooked: boolean;
  /** Whether the interval comes from the slices alone: all pairs of slices count alike, whatever processes served them. */
  readonly isAlone: boolean;
  readonly disturbance: Disturbance | null;
  /** Null for a single pair of processes. */
  readonly levels: ProcessLevels | null;
  /** Mean number of pairs of slices per pair of processes. */
  readonly pairsOfSlices: number;
  /** How many pairs apart slices must be to be independent; null if unknown. */
  readonly blockPairs: number | null;
}

/**
 * The evidence about a figure at both levels of variation.
 * @param areLooked As in `SlicedLevels`.
 */
export function levelsIn(
  { pairs, areTheseTwo, alone, disturbance }: Sliced,
  [to, of]: readonly [base: Estimate, next: Estimate],
  areLooked: boolean,
): SlicedLevels {
  const valueOf = ({ repetitions, byRun }: Estimate, repetition: number): number | undefined =>
    byRun[repetitions.indexOf(repetition)];
  const logRatios = pairs.flatMap(({ repetition }) => {
    const [next, base] = [valueOf(of, repetition), valueOf(to, repetition)];
    return next === undefined || base === undefined ? [] : [Math.log(next / base)];
  });
  const shares = sharesIn(pairs).flatMap((own) => [...own]);
  return {
    ...{ areTheseTwo, areLooked, disturbance },
    isAlone: alone !== null,
    levels: processLevelsOf(logRatios, spreadWithin({ pairs })),
    pairsOfSlices: Math.round(sum(pairs, ({ slices }) => slices?.pairs ?? 0) / pairs.length),
    blockPairs: shares.length < LEAST_DEPENDENT ? null : independentFrom(shares),
  };
}

function sharesIn(pairs: readonly ProcessPair[]): Float64Array[] {
  return pairs.flatMap(({ slices }) => slices === null ? [] : [slices.shares]);
}

/** Spread within a pair of processes, as defined by `stdevWithin`; null if unknown. */
export function spreadWithin({ pairs }: Pick<Sliced, "pairs">): number | null {
  return stdevWithin(sharesIn(pairs));
}

/**
 * A disturbance is assumed to use at most this share of the cores. The limit is below 1, so the effect on the ratio
 * stays finite.
 */
const NEARLY_ALL = 0.999;

/**
 * The direction in which the true ratio may differ because of the disturbance, and the largest factor. Requests/s are
 * off by at most `mostRatio` of the disturbance. Times may be off by more: 15 ms of work once a second is only
 * 1.5 % of a core, but delays the few requests in its way by up to 15 ms, which may exceed the p99.
 */
function undisturbedWithin(
  { side, mostRatio }: Disturbance,
  isRate: boolean,
): Pick<Open, "toward" | "mostRatio"> {
  // A disturbance slows the other side. If the base causes it, the new side's requests/s are too
  // low and its times too long.
  const toward = (side === "base") === isRate ? "more" : "less";
  return { toward, mostRatio: 1 / (1 - (isRate ? Math.min(mostRatio, NEARLY_ALL) : NEARLY_ALL)) };
}

/** The interval, extended by the largest effect that the disturbance may have on the ratio. */
export function disturbed(
  interval: ConfidenceInterval,
  disturbance: Disturbance,
  isRate: boolean,
): ConfidenceInterval {
  const { toward, mostRatio } = undisturbedWithin(disturbance, isRate);
  return toward === "more"
    ? { ...interval, high: interval.high * mostRatio }
    : { ...interval, low: interval.low / mostRatio };
}

/**
 * The alternating slices of two sides for the figure; null if the sides did not take turns, or if the figure has no
 * estimate.
 */
export function turnsOf(figure: FigureName, sliced: SlicedOf | null): Sliced | null {
  const { estimate } = FIGURES[figure];
  return estimate === null ? null : sliced?.(estimate) ?? null;
}

/**
 * Doubt about the ratio of two sides loaded in turns, if one of them used CPU time while only the other was loaded.
 * @param sliced The alternating slices of the sides; null if they did not take turns.
 */
export function disturbedOpens(figure: FigureName, sliced: SlicedOf | null): Open[] {
  const disturbance = turnsOf(figure, sliced)?.disturbance ?? null;
  if (disturbance === null) return [];
  const why = { code: "disturbed", ...disturbance } as const;
  return [{ ...undisturbedWithin(disturbance, FIGURES[figure].estimate === "rate"), why }];
}
