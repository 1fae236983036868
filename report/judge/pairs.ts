/**
 * Chooses which cells of an experiment are compared. All comparisons are made together, so that Holm's method covers
 * every verdict in the report.
 */
import type { RunCluster } from "../../runner/stats/comparison/bimodality.ts";
import type { Run } from "../../runner/result/result.ts";
import { supportsPercentile } from "../../runner/stats/quantile.ts";
import {
  type CellRuns,
  type Grouped,
  repeatedOf,
  type ScenarioRuns,
  unsteadyOf,
} from "../cells/cells.ts";
import {
  factorName,
  factorPaths,
  numericFactor,
  numericFactors,
  valueOf,
  valueText,
} from "../cells/factors.ts";
import { isUndisturbed } from "./disturbed_runs.ts";
import { basedOn, choiceIn, type ComparedChoice, comparedFactor, recast } from "../cells/recast.ts";
import {
  comparePairs,
  comparisonOf,
  type FigureComparison,
  type GroupComparison,
  standingOf,
} from "./comparison.ts";
import { type ComparedFigure, figureOf, groupOf, type JudgeOptions } from "./group.ts";
import { type CellPair, parametersKey } from "../cells/match.ts";
import type { RunGroups } from "./reasons.ts";
import { type GroupPair, type RatioOf, ratiosBeside } from "./ratio_of.ts";
import { sidesOf } from "./sessions.ts";
import { competing, hasTooManyErrors, isOpen } from "./shortfall.ts";
import { sum } from "../writing/spread.ts";

function targetsOf(cells: readonly CellRuns[]): Set<string> {
  return new Set(cells.map(({ target }) => target));
}

/** The cells whose share of errors is within `TOLERATED_WRONG_RATIO`. */
export function rightCells(cells: readonly CellRuns[]): CellRuns[] {
  return cells.filter((cell) => !hasTooManyErrors(cell));
}

/**
 * Whether the rate at which requests arrive is given in advance in all cells, so that latency decides which cell is
 * better. It is not given in a capacity search, because there the rate is the result.
 */
export function isOpenLoop(cells: readonly CellRuns[]): boolean {
  return cells.every((cell) => isOpen(cell) && !cell.runs.some(({ capacity }) => capacity));
}

/**
 * The figure that decides which target is faster. It is requests/s, or latency if requests arrive at a fixed rate,
 * because all targets that keep up then serve equally many requests.
 */
export function decisiveFigure(cells: readonly CellRuns[]): DecisiveFigure {
  return isOpenLoop(cells) && competing(cells).length > 0 ? decisivePercentile(cells) : "rate";
}

export type DecisiveFigure = "rate" | 50 | 99;

/**
 * The percentile that decides in an open loop: p99, or p50 if a run is expected to have too few requests beyond p99. It
 * depends only on the load, which is the same for all compared cells, and not on how their runs go.
 */
function decisivePercentile(cells: readonly CellRuns[]): 50 | 99 {
  const loads = cells.flatMap(({ runs }) => runs.map(({ load }) => load));
  return loads.every((load) => supportsPercentile(expectedRequests(load), 99)) ? 99 : 50;
}

/** Number of requests, or of sessions, that arrive during a run; Infinity for a load without an arrival rate. */
function expectedRequests(load: Run["load"]): number {
  switch (load.kind) {
    case "rate":
      return load.rate * load.durationS;
    case "phases":
      return sum(load.phases, ({ durationS, from, to }) => durationS * (from + to) / 2);
    default:
      return Infinity;
  }
}

/**
 * The cells to rank, fastest first. With several targets, each has only its best cell; with a single target, all of its
 * cells are ranked. Cells that meet the requirements are eligible or, if no cell does, those with few enough errors.
 */
export function rankedCells(cells: readonly CellRuns[]): CellRuns[] {
  const able = competing(cells);
  const right = able.length > 0 ? able : rightCells(cells);
  const figure = decisiveFigure(right);
  const valueOf = (figure: ComparedFigure) => (cell: CellRuns) => figureOf(groupOf(cell), figure);
  const [rate, latency] = [valueOf("rate"), valueOf(figure)];
  const byTarget = Map.groupBy(right, ({ target }) => target);
  const best = byTarget.size <= 1
    ? [...right]
    : [...byTarget.values()].map((those) =>
      those.reduce((best, cell) => rate(cell) > rate(best) ? cell : best)
    );
  return figure !== "rate" && best.every((cell) => latency(cell) > 0)
    ? best.sort((a, b) => latency(a) - latency(b))
    : best.sort((a, b) => rate(b) - rate(a));
}

/**
 * The `order` in the experiment of the fastest cell's runs, for every setting. A setting is skipped unless requests/s
 * decide and most runs of each rival are undisturbed.
 */
export function leadingRuns(plans: readonly Plan[]): Set<number> {
  const leaders = plans.flatMap(({ contests }) => contests).flatMap(({ ranked }) => {
    const [first, ...rivals] = ranked;
    const areKnown = rivals.length > 0 &&
      rivals.every(({ runs }) => 2 * runs.filter(isUndisturbed).length > runs.length);
    return areKnown && decisiveFigure(ranked) === "rate" ? [first] : [];
  });
  return new Set(leaders.flatMap(({ runs }) => runs.map(({ order }) => order)));
}

/** Ranked cells, separated from those whose throughput can't be judged. */
export interface Judged {
  /** The cells that can be judged, fastest first. */
  readonly ranked: readonly CellRuns[];
  /**
   * Cells of which most runs never settled, so their real throughput is unknown. Empty unless at least two other cells
   * settled.
   */
  readonly unjudged: readonly CellRuns[];
}

/**
 * Separates the cells that never settled, so that the others can still be compared. A cell whose requests/s are far
 * from those of all others stays ranked.
 */
export function judgedOf(ranked: readonly CellRuns[]): Judged {
  const isUnsettled = (cell: CellRuns): boolean =>
    cell.runs.length > 1 && unsteadyOf(cell.runs) !== null && !isFarFromAll(cell, ranked);
  const settled = ranked.filter((cell) => !isUnsettled(cell));
  return settled.length > 1 && settled.length < ranked.length
    ? { ranked: settled, unjudged: ranked.filter(isUnsettled) }
    : { ranked, unjudged: [] };
}

/**
 * Whether the cell's requests/s differ from those of every other cell by more than the rates of both vary within runs.
 * Its rank is then certain even if it never settled.
 */
function isFarFromAll(cell: CellRuns, ranked: readonly CellRuns[]): boolean {
  if (decisiveFigure(ranked) !== "rate") return false;
  const own = groupOf(cell);
  return ranked.filter((other) => other !== cell).map(groupOf).every((other) => {
    const ratio = figureOf(own, "rate") / figureOf(other, "rate");
    return Math.max(ratio, 1 / ratio) > own.strayRatio * other.strayRatio;
  });
}

/**
 * Cells in display order. Targets are ordered by their best cell, fastest first, and the cells of a target by the
 * values of their factors. If there is only one target, and none of its factors is numeric, its cells are ordered
 * fastest first. Targets without a ranked cell, such as those with too many errors, come last.
 */
export function byResult(cells: readonly CellRuns[]): CellRuns[] {
  const ranked = rankedCells(cells);
  const isOneTarget = targetsOf(cells).size === 1;
  if (isOneTarget && factorPaths(cells).every((path) => numericFactor(cells, path) === null)) {
    return [...ranked, ...cells.filter((cell) => !ranked.includes(cell))];
  }
  const places = new Map(ranked.map(({ target }, i) => [target, i]));
  const placeOf = ({ target }: CellRuns): number => places.get(target) ?? ranked.length;
  return cells.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/**
 * Cells of a scenario that run under the same conditions: all factors that the targets have in common have equal
 * values.
 */
export interface Setting {
  /** Example: `connections 50`; "" if the targets share no factor that varies. */
  readonly label: string;
  /** The factors in the label, with their values. */
  readonly factors: readonly { readonly name: string; readonly value: string }[];
  /** The cells in their original order. */
  readonly cells: readonly CellRuns[];
}

/**
 * Settings in the order of the factors' values. Targets that have the same factors form a family. If there are several
 * families, and each has several targets, each family gets settings of its own, and targets of different families are
 * never compared.
 */
export function settingsOf(cells: readonly CellRuns[]): Setting[] {
  const families = [
    ...Map.groupBy(
      cells,
      ({ runs: [{ parameters }] }) => JSON.stringify(Object.keys(parameters).toSorted()),
    )
      .values(),
  ];
  const areApart = families.length > 1 &&
    families.every((family) => targetsOf(family).size > 1);
  const paths = factorPaths(cells)
    .filter((path) => areApart || cells.every((cell) => valueOf(cell, path) !== undefined));
  const factorsOf = (cell: CellRuns): Setting["factors"] =>
    paths.map((path) => ({ name: factorName(cells, path), value: settingText(cell, path) }));
  const labelOf = (cell: CellRuns): string =>
    factorsOf(cell).map(({ name, value }) => `${name} ${value}`).join(" · ");
  const positions = paths.map((path) => new Map(orderOf(cells, path).map((text, i) => [text, i])));
  const rankOf = (cell: CellRuns): number =>
    paths.reduce(
      (rank, path, i) => rank * 1_000 + (positions[i].get(settingText(cell, path)) ?? LAST),
      0,
    );
  return [...Map.groupBy(cells, labelOf)]
    .map(([label, group]) => ({ label, factors: factorsOf(group[0]), cells: group }))
    .sort((a, b) => rankOf(a.cells[0]) - rankOf(b.cells[0]));
}

const LAST = 999;

/** The value of a factor in words; `unset` if the cell lacks the factor. */
function settingText(cell: CellRuns, path: string): string {
  const value = valueOf(cell, path);
  return value === undefined ? "unset" : valueText(value);
}

/** A factor's values in words. Numbers are in ascending order, other values in order of appearance. */
function orderOf(cells: readonly CellRuns[], path: string): string[] {
  return numericFactor(cells, path)?.values.map(({ text }) => text) ??
    [...new Set(cells.map((cell) => settingText(cell, path)))];
}

/**
 * Pairs of cells that differ in one respect. With several targets, each is paired with the first target under the same
 * load; with a single target, each value of a factor is paired with the factor's first value.
 */
export function basePairs(cells: readonly CellRuns[]): CellPair[] {
  const right = rightCells(cells);
  return targetsOf(right).size > 1 ? settingsOf(right).flatMap(targetPairs) : valuePairs(right);
}

function targetPairs({ cells: [first, ...others] }: Setting): CellPair[] {
  const bases = [first, ...others.filter(({ target }) => target === first.target)];
  return others.filter(({ target }) => target !== first.target).map((next) => ({
    base: bases.find((base) => parametersKey(base) === parametersKey(next)) ?? first,
    next,
  }));
}

/**
 * For each factor, pairs every cell with the one that has the factor's first value and equal values of all other
 * factors.
 */
function valuePairs(cells: readonly CellRuns[]): CellPair[] {
  const factors = factorPaths(cells).map((path) => ({ path, texts: orderOf(cells, path) }))
    .filter(({ texts }) => texts.length > 1)
    .sort((a, b) => b.texts.length - a.texts.length);
  const levelsOf = (cell: CellRuns): string[] => factors.map(({ path }) => settingText(cell, path));
  const byLevels = new Map(cells.map((cell) => [JSON.stringify(levelsOf(cell)), cell]));
  return cells.flatMap((next) => {
    const levels = levelsOf(next);
    const moved = factors.findIndex(({ texts }, i) => levels[i] !== texts[0]);
    if (moved === -1) return [];
    const base = byLevels.get(JSON.stringify(levels.with(moved, factors[moved].texts[0])));
    return base === undefined ? [] : [{ base, next }];
  });
}

/** Looks up the comparison of two cells. The pair must have been compared, but either cell may be named as the base. */
export type Lookup = (base: CellRuns, next: CellRuns) => GroupComparison;

/**
 * Compares pairs of cells and judges the comparisons together.
 *
 * @param unproven Pairs with a cell that never settled. They get no verdict, so they do not make the other comparisons
 * harder to decide by adding hypotheses.
 * @param ratioOf Computes the ratios of the experiment. Default: from these pairs alone.
 */
export function compareCells(
  pairs: readonly CellPair[],
  options: JudgeOptions,
  unproven: readonly CellPair[] = [],
  ratioOf?: RatioOf,
): Lookup {
  // A pair is compared only once, regardless of which cell is the base.
  const known = new Map<CellRuns, Map<CellRuns, GroupComparison | null>>();
  for (const those of [pairs, unproven]) {
    const added = those.filter(({ base, next }) => {
      if (known.get(base)?.has(next) || known.get(next)?.has(base)) return false;
      known.set(base, (known.get(base) ?? new Map()).set(next, null));
      return true;
    });
    const sides = added.map((pair): GroupPair => ({
      ...sidesOf(pair),
      // CPU time does not show which cell is faster. Its hypotheses must not make that question
      // harder to decide.
      decisive: ["rate", decisivePercentile([pair.base, pair.next])],
    }));
    comparePairs(sides, options, ratioOf).forEach((judged, i) => {
      const comparison = those === pairs ? judged : withoutVerdicts(judged);
      known.get(added[i].base)?.set(added[i].next, comparison);
    });
  }
  return (base, next) => {
    const found = known.get(base)?.get(next);
    if (found) return found;
    const turned = known.get(next)?.get(base);
    if (turned) return inverse(turned);
    throw new Error(`Cannot find the comparison of ${base.label} and ${next.label}`);
  };
}

function withoutVerdicts(comparison: GroupComparison): GroupComparison {
  const figures = comparison.figures.map((figure): FigureComparison =>
    figure.unsteady.length === 0
      ? figure
      : { ...figure, verdict: "inconclusive", reason: "unsteady" }
  );
  return { ...comparison, figures };
}

const OPPOSITE = {
  better: "worse",
  worse: "better",
  equivalent: "equivalent",
  inconclusive: "inconclusive",
} as const;

function inverse({ figures, runs, ...others }: GroupComparison): GroupComparison {
  return {
    ...others,
    figures: figures.map((one): FigureComparison => {
      const { base: next, next: base, ratio, interval, groups, sliced, verdict } = one;
      const { unsteady, silent } = one;
      return {
        ...one,
        base,
        next,
        ratio: ratio && 1 / ratio,
        interval: interval &&
          {
            ...interval,
            value: 1 / interval.value,
            low: 1 / interval.high,
            high: 1 / interval.low,
          },
        groups: groups && turnedGroups(groups),
        unsteady: unsteady.map((one) => ({ ...one, side: turnedSide(one.side) })),
        silent: silent && { ...silent, side: turnedSide(silent.side) },
        sliced: sliced && {
          ...sliced,
          disturbance: sliced.disturbance &&
            { ...sliced.disturbance, side: turnedSide(sliced.disturbance.side) },
        },
        verdict: OPPOSITE[verdict],
      };
    }),
    runs: { base: runs.next, next: runs.base },
  };
}

function turnedSide(side: "base" | "next"): "base" | "next" {
  return side === "base" ? "next" : "base";
}

function turnedGroups(groups: RunGroups): RunGroups {
  if (groups.of !== "ratios") return { ...groups, of: turnedSide(groups.of) };
  const [larger, smaller] = groups.clusters;
  const turned = ({ count, value }: RunCluster): RunCluster => ({ count, value: 1 / value });
  return { ...groups, clusters: [turned(larger), turned(smaller)] };
}

/** The cells that compete at one setting. */
export interface Contest extends Setting, Judged {}

/** All comparisons in a scenario. */
export interface Plan {
  readonly name: string;
  /** Path of the factor whose values are compared; null if targets are compared. */
  readonly factor: string | null;
  /** The cells to compare. If the values of a factor are compared, they take the place of targets. */
  readonly cells: readonly CellRuns[];
  /** One for each setting with several targets, so none with a single target. */
  readonly contests: readonly Contest[];
  /** Each cell paired with its base: the first target or the first value of a factor. */
  readonly againstBase: readonly CellPair[];
  /** The pairs that decide which cell is ahead. */
  readonly pairs: readonly CellPair[];
}

/**
 * Plans the comparisons of a scenario.
 * @param choice What the experiment's file says should be compared.
 */
export function planOf({ name, cells: measured }: ScenarioRuns, choice: ComparedChoice): Plan {
  const factor = comparedFactor(measured, choice);
  const cells = basedOn(factor === null ? measured : recast(measured, factor, choice), choice.base);
  const contests = contestsOf(cells);
  const plan = { name, factor, cells, contests, againstBase: basePairs(cells) };
  const isOneTarget = targetsOf(rightCells(cells)).size <= 1;
  if (contests.length > 1 || !isOneTarget) return { ...plan, pairs: contests.flatMap(firstPairs) };
  const judged = judgedOf(rankedCells(cells));
  const { ranked } = judged;
  if (ranked.length < 2 || numericFactors(ranked).length === 0) {
    return { ...plan, pairs: firstPairs(judged) };
  }
  // For a numeric factor, only the slowest and the fastest cell are compared.
  return { ...plan, contests: [], pairs: [{ base: ranked[ranked.length - 1], next: ranked[0] }] };
}

/** Pairs the fastest cell with every other ranked cell, and with the cells that never settled. */
function firstPairs({ ranked: [first, ...others], unjudged }: Judged): CellPair[] {
  return [...others, ...unjudged].map((other) => ({ base: other, next: first }));
}

/**
 * The pairs that are tested together, as one family for Holm's method. The spread of figures that each pair shows is
 * also used to judge the others.
 */
export function provenPairs(plans: readonly Plan[]): CellPair[] {
  return plans.flatMap(({ againstBase, pairs }) => [...againstBase, ...pairs]);
}

/**
 * Pairs to decide whether an unsettled cell is likely the fastest: the best unsettled cell with each other cell, in
 * contests where it ran faster than the best settled cell.
 */
export function unprovenPairs(plans: readonly Plan[]): CellPair[] {
  return plans.flatMap(({ contests }) => contests).flatMap((contest) => {
    const [ahead] = unjudgedAhead(contest);
    if (ahead === undefined) return [];
    const unjudged = contest.unjudged.filter((cell) => cell !== ahead);
    return firstPairs({ ranked: [ahead, ...contest.ranked], unjudged });
  });
}

/**
 * The ratios of an experiment's cells. A ratio has the same interval in comparisons, claims, thresholds and published
 * figures.
 * @param scenarios The scenarios in the results.
 */
export function ratiosOf(scenarios: readonly ScenarioRuns[], results: Grouped): RatioOf {
  const plans = scenarios.map((scenario) => planOf(scenario, choiceIn(results)));
  return ratiosOfPlans(plans, repeatedOf(results).level);
}

/**
 * The ratios of planned pairs.
 * @param level Level at which intervals are computed. If the experiment was analysed repeatedly, it exceeds 95 %, so
 * that the intervals have 95 % coverage in the end.
 */
export function ratiosOfPlans(plans: readonly Plan[], level: number): RatioOf {
  return ratiosBeside(provenPairs(plans).map(sidesOf), level);
}

/** One contest for each setting with at least two measured targets, at least one of which responded correctly. */
function contestsOf(cells: readonly CellRuns[]): Contest[] {
  return settingsOf(cells)
    .filter((setting) => targetsOf(setting.cells).size > 1)
    .map((setting) => ({ ...setting, ...judgedOf(rankedCells(setting.cells)) }))
    .filter(({ ranked }) => ranked.length > 0);
}

/** Ranks cells that never settled if the best of them is likely the fastest, so that the verdict can say so. */
export function withLikelyFirst(contest: Contest, lookup: Lookup): Contest {
  const ahead = unjudgedAhead(contest);
  if (ahead.length === 0) return contest;
  const likely = {
    ...contest,
    ranked: [...ahead, ...contest.ranked],
    unjudged: contest.unjudged.filter((cell) => !ahead.includes(cell)),
  };
  const [first, ...others] = [...likely.ranked, ...likely.unjudged];
  const figure = decisiveFigure(likely.ranked);
  const isLikely = others.every((other) =>
    ["ahead", "likely-ahead"].includes(standingOf(comparisonOf(lookup(other, first), figure)))
  );
  return isLikely ? likely : contest;
}

/** Unjudged cells that ran faster than the fastest ranked cell. */
export function unjudgedAhead({ ranked, unjudged }: Judged): CellRuns[] {
  const [first] = ranked;
  const figure = decisiveFigure(ranked);
  return unjudged.filter(({ rate, latency }) =>
    figure === "rate"
      ? rate.mean > first.rate.mean
      : latency.percentile(figure).value < first.latency.percentile(figure).value
  );
}
