/** Which cells of a scenario compete with each other, which pairs of them are therefore compared, and who is ahead. */
import type { CellRuns, Grouped, ScenarioRuns } from "../cells/cells.ts";
import { repeatedOf } from "../cells/cells.ts";
import { numericFactors } from "../cells/factors.ts";
import { basedOn, choiceIn, type ComparedChoice, comparedFactor, recast } from "../cells/recast.ts";
import { comparisonOf, type FigureComparison } from "./comparison.ts";
import { groupOf } from "./group.ts";
import {
  basePairs,
  type CellPair,
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
import { competing } from "./shortfall.ts";
import { isAhead, standingOf } from "./standing.ts";

/** What competes at equal values of the factors. */
export interface Contest extends Pick<Setting, "label" | "factors" | "cells">, Judged {}

/** A contest with its outcome. */
export interface Decided extends Contest {
  /** The fastest; null where it is undecided. */
  readonly leader: string | null;
  readonly isOpen: boolean;
  /** Whether all that compete are as fast as the first, within the margin. */
  readonly isEquivalent: boolean;
  /** Of the first over the second; null where the first alone does what was required. */
  readonly decision: FigureComparison | null;
}

/** What is compared in a scenario. */
export interface Plan extends Judged {
  readonly name: string;
  /** The factor whose values are compared, by its path; null: targets are. */
  readonly factor: string | null;
  /** What is compared: targets, or where a factor is compared, its values in their place. */
  readonly cells: readonly CellRuns[];
  /**
   * `setting`: targets at one setting, or one target alone; `settings`: targets at several; `span`: one target at the
   * values of a number; `apart`: targets without a setting in common, as of an experiment that is not done.
   */
  readonly kind: "setting" | "settings" | "span" | "apart";
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
  const isOneTarget = new Set(rightCells(cells).map(({ target }) => target)).size <= 1;
  const judged = isOneTarget || contests.length === 0 ? judgedOf(rankedCells(cells)) : contests[0];
  const { ranked, unjudged } = judged;
  const againstBase = basePairs(cells);
  const plan = { name, factor, cells, contests, againstBase, ranked, unjudged };
  if (contests.length > 1) {
    return { ...plan, kind: "settings", pairs: contests.flatMap(pairsOf) };
  }
  if (!isOneTarget && contests.length === 0) return { ...plan, kind: "apart", pairs: [] };
  if (isOneTarget && ranked.length > 1 && numericFactors(ranked).length > 0) {
    const [first, last] = [ranked[0], ranked[ranked.length - 1]];
    return { ...plan, kind: "span", contests: [], pairs: [{ base: last, next: first }] };
  }
  return { ...plan, kind: "setting", pairs: pairsOf(judged) };
}

/** The first against each other, with those that never settled. */
export function pairsOf({ ranked, unjudged }: Judged): CellPair[] {
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
  const pairs = provenPairs(plans);
  return ratiosBeside(
    pairs.map(({ base, next }) => ({ base: groupOf(base), next: groupOf(next) })),
    level,
  );
}

/** At each setting those that compete, where two or more were measured and one at least responded correctly. */
function contestsOf(cells: readonly CellRuns[]): Contest[] {
  return settingsOf(cells)
    .filter(({ cells: targets }) => new Set(targets.map(({ target }) => target)).size > 1)
    .map((setting) => ({ ...setting, ...judgedOf(rankedCells(setting.cells)) }))
    .filter(({ ranked }) => ranked.length > 0);
}

export function decide(measured: Contest, lookup: Lookup): Decided {
  const contest = withLikelyFirst(measured, lookup);
  const { ranked } = contest;
  const [first, ...others] = ranked;
  const figure = decisiveFigure(ranked);
  const decisions = others.map((other) => {
    const comparison = lookup(other, first);
    const decision = comparisonOf(comparison, figure);
    return { decision, isLed: isAhead(decision, comparison) };
  });
  return {
    ...contest,
    isOpen: figure === 99,
    decision: decisions[0]?.decision ?? null,
    isEquivalent: others.length > 0 &&
      decisions.every(({ decision: { verdict } }) => verdict === "equivalent"),
    leader: decisions.every(({ isLed }) => isLed) ? first.target : null,
  };
}

/** One that never settled is ranked where it is likely the fastest: then it is said to be so. */
function withLikelyFirst(contest: Contest, lookup: Lookup): Contest {
  const likely = withUnsettledFirst(contest);
  const [first, ...others] = [...likely.ranked, ...likely.unjudged];
  const figure = decisiveFigure(likely.ranked);
  const isLikely = likely !== contest &&
    others.every((other) =>
      ["ahead", "likely-ahead"].includes(standingOf(comparisonOf(lookup(other, first), figure)))
    );
  return isLikely ? likely : contest;
}

/** With those that ran ahead of all that can be judged before these; as it is where there are none. */
export function withUnsettledFirst<Of extends Contest>(contest: Of): Of {
  const ahead = unjudgedAhead(contest);
  if (ahead.length === 0) return contest;
  return {
    ...contest,
    ranked: [...ahead, ...contest.ranked],
    unjudged: contest.unjudged.filter((cell) => !ahead.includes(cell)),
  };
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

/** Whether one target does what was required, and no other. */
export function isAlone({ ranked, decision }: Decided): boolean {
  return decision === null && competing(ranked).length === 1;
}
