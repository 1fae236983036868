/** Which cells of a scenario compete with each other, and which pairs of them are therefore compared. */
import { type CellRuns, type Grouped, repeatedOf, type ScenarioRuns } from "../cells/cells.ts";
import { numericFactors } from "../cells/factors.ts";
import type { CellPair } from "../cells/match.ts";
import { basedOn, choiceIn, type ComparedChoice, comparedFactor, recast } from "../cells/recast.ts";
import { comparisonOf } from "./comparison.ts";
import { groupOf } from "./group.ts";
import {
  basePairs,
  decisiveFigure,
  type Judged,
  judgedOf,
  type Lookup,
  rankedCells,
  rightCells,
  type Setting,
  settingsOf,
} from "./pairs.ts";
import { type RatioOf, ratiosBeside } from "./ratio_of.ts";
import { standingOf } from "./standing.ts";

/** What competes at equal values of the factors. */
export interface Contest extends Setting, Judged {}

/** What is compared in a scenario. */
export interface Plan {
  readonly name: string;
  /** The factor whose values are compared, by its path; null: targets are. */
  readonly factor: string | null;
  /** What is compared: targets, or where a factor is compared, its values in their place. */
  readonly cells: readonly CellRuns[];
  /** At each setting; none of one target. */
  readonly contests: readonly Contest[];
  /** Each cell with the base. */
  readonly againstBase: readonly CellPair[];
  /** The pairs that decide who is ahead. */
  readonly pairs: readonly CellPair[];
}

/** @param choice What the experiment compares. */
export function planOf({ name, cells: measured }: ScenarioRuns, choice: ComparedChoice): Plan {
  const factor = comparedFactor(measured, choice);
  const cells = basedOn(factor === null ? measured : recast(measured, factor, choice), choice.base);
  const contests = contestsOf(cells);
  const plan = { name, factor, cells, contests, againstBase: basePairs(cells) };
  if (contests.length > 1) return { ...plan, pairs: contests.flatMap(firstPairs) };
  const isOneTarget = new Set(rightCells(cells).map(({ target }) => target)).size <= 1;
  if (!isOneTarget) return { ...plan, pairs: contests.flatMap(firstPairs) };
  const judged = judgedOf(rankedCells(cells));
  const { ranked } = judged;
  if (ranked.length < 2 || numericFactors(ranked).length === 0) {
    return { ...plan, pairs: firstPairs(judged) };
  }
  // Where a number varies: the fastest against the slowest.
  return { ...plan, contests: [], pairs: [{ base: ranked[ranked.length - 1], next: ranked[0] }] };
}

/** The first against each other, with those that never settled. */
function firstPairs({ ranked, unjudged }: Judged): CellPair[] {
  return againstFirst([...ranked, ...unjudged]);
}

function againstFirst([first, ...others]: readonly CellRuns[]): CellPair[] {
  return others.map((other) => ({ base: other, next: first }));
}

/** The pairs that are proven together: these are one family of Holm's method, and lend each other their spread. */
export function provenPairs(plans: readonly Plan[]): CellPair[] {
  return plans.flatMap(({ againstBase, pairs }) => [...againstBase, ...pairs]);
}

/** Of those that never settled, but ran ahead of all that did: whether one is likely the fastest shows against each other. */
export function unprovenPairs(plans: readonly Plan[]): CellPair[] {
  return plans.flatMap(({ contests }) => contests).flatMap((contest) => {
    const [ahead] = unjudgedAhead(contest);
    if (ahead === undefined) return [];
    const others = [...contest.ranked, ...contest.unjudged].filter((cell) => cell !== ahead);
    return againstFirst([ahead, ...others]);
  });
}

/**
 * The ratios of an experiment's cells, each with the interval that its comparisons, claims, thresholds and published
 * figures show alike.
 *
 * @param scenarios Those of the results.
 */
export function ratiosOf(scenarios: readonly ScenarioRuns[], results: Grouped): RatioOf {
  const plans = scenarios.map((scenario) => planOf(scenario, choiceIn(results)));
  return ratiosOfPlans(plans, repeatedOf(results).level);
}

/** @param level What intervals are computed at so that they may be called 95 %. */
export function ratiosOfPlans(plans: readonly Plan[], level: number): RatioOf {
  const pairs = provenPairs(plans)
    .map(({ base, next }) => ({ base: groupOf(base), next: groupOf(next) }));
  return ratiosBeside(pairs, level);
}

/** At each setting those that compete, where two or more were measured and one at least responded correctly. */
function contestsOf(cells: readonly CellRuns[]): Contest[] {
  return settingsOf(cells)
    .filter(({ cells: targets }) => new Set(targets.map(({ target }) => target)).size > 1)
    .map((setting) => ({ ...setting, ...judgedOf(rankedCells(setting.cells)) }))
    .filter(({ ranked }) => ranked.length > 0);
}

/** One that never settled is ranked where it is likely the fastest: then it is said to be so. */
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

/** Those not judged whose runs, for what they are worth, are better than those of the first; the best first. */
export function unjudgedAhead({ ranked, unjudged }: Judged): CellRuns[] {
  const [first] = ranked;
  const isOpen = decisiveFigure(ranked) === 99;
  return unjudged.filter(({ rate, latency }) =>
    isOpen
      ? latency.percentile(99).value < first.latency.percentile(99).value
      : rate.mean > first.rate.mean
  );
}
