/**
 * The comparisons within an experiment. For each scenario: which target is ahead, and every target compared with the
 * first one, or with another base that a reader of the page chooses.
 */
import type { CellRuns, ScenarioRuns } from "../../cells/cells.ts";
import { COLORS } from "../../cells/colors.ts";
import type { CellPair } from "../../cells/match.ts";
import type { MeasuredRuns } from "../../cells/measured.ts";
import type { ComparedChoice } from "../../cells/recast.ts";
import {
  basePairs,
  compareCells,
  isOpenLoop,
  type Lookup,
  planOf,
  provenPairs,
  ratiosOfPlans,
  rightCells,
  unprovenPairs,
  withLikelyFirst,
} from "../../judge/pairs.ts";
import type { GroupComparison } from "../../judge/comparison.ts";
import type { JudgeOptions } from "../../judge/group.ts";
import { type DecidedPlan, withDoubt } from "../../judge/places.ts";
import type { RatioOf } from "../../judge/ratio_of.ts";
import { counted, unique } from "../../writing/words.ts";
import {
  type ComparedPair,
  comparedTable,
  forestOf,
  type ForestPanel,
} from "../tables/compared.ts";
import type { Table } from "../tables/table.ts";
import { REQUESTS } from "./asked_figure.ts";

/**
 * The compared pairs as a chart and as a table. If there is nothing to compare, the chart is empty and the table is
 * null.
 */
export interface Based {
  /** Name of the scenario. */
  readonly name: string;
  readonly forest: readonly ForestPanel[];
  readonly table: Table | null;
  readonly rows: readonly ComparedPair[];
}

export interface ScenarioComparison extends DecidedPlan, Based {
  /** Computes the ratio of any two estimates of the experiment, in the same way for all comparisons. */
  readonly ratioOf: RatioOf;
}

interface CompareScenariosOptions extends JudgeOptions {
  /** The chosen base and factor. Default: what the cells suggest. */
  readonly choice?: ComparedChoice;
  /** Null if no run was disturbed, or if every disturbance affected all targets alike. */
  readonly again?: Again | null;
}

/** The comparisons repeated twice: without any disturbed runs, and with only some of them. */
export interface Again {
  readonly undisturbed: JudgedAgain;
  /**
   * The comparisons by the undisturbed runs and, of the target that leads by requests/s, those disturbed runs that the
   * disturbance can only have slowed. A lead in requests/s that these comparisons show is valid, because without the
   * disturbance, it would only be larger. Null if there are no such runs.
   */
  readonly withHeldBack: JudgedAgain | null;
}

interface JudgedAgain {
  readonly results: MeasuredRuns;
  readonly compared: readonly ScenarioComparison[];
}

const NO_CHOICE: ComparedChoice = { factor: null, base: null };

/** Comparisons in the order of the scenarios. All are corrected together as one family. */
export function compareScenarios(
  scenarios: readonly (ScenarioRuns & { readonly unit?: string })[],
  { choice = NO_CHOICE, level = 0.95, again = null, ...judge }: CompareScenariosOptions,
): ScenarioComparison[] {
  const plans = scenarios.map((scenario) => planOf(scenario, choice));
  const ratioOf = ratiosOfPlans(plans, level);
  const lookup = compareCells(
    provenPairs(plans),
    { ...judge, level },
    unprovenPairs(plans),
    ratioOf,
  );
  return plans.map((plan, i) => ({
    ...plan,
    ...basedOf(plan.name, plan.againstBase, lookup, inAgain(again, (compared) => compared)),
    unit: scenarios[i].unit ?? REQUESTS,
    contests: plan.contests.map((contest) => withLikelyFirst(contest, lookup)),
    lookup,
    ratioOf,
  }));
}

/**
 * The same part of both comparisons in `again`: first of the one by undisturbed runs, then of the one that includes
 * held-back runs.
 */
function inAgain<Said>(
  again: Again | null,
  of: (compared: readonly ScenarioComparison[]) => readonly Said[],
): readonly (readonly Said[])[] | null {
  return again && [of(again.undisturbed.compared), of(again.withHeldBack?.compared ?? [])];
}

function basedOf(
  name: string,
  pairs: readonly CellPair[],
  lookup: Lookup,
  again: readonly (readonly Based[])[] | null,
): Based {
  const judged = ({ base, next }: CellPair): GroupComparison => {
    const comparison = lookup(base, next);
    const [undisturbed, withHeldBack] = (again ?? []).map((those) =>
      those.find((one) => one.name === name)?.rows
        .find((row) => row.name === next.label && row.base === base.label)?.comparison
    );
    return again === null ? comparison : withDoubt(comparison, undisturbed, withHeldBack);
  };
  const rows = pairs.map(({ base, next }): ComparedPair => ({
    ...{ name: next.label, color: next.color, base: base.label },
    comparison: judged({ base, next }),
    cells: [base, next],
  }));
  return {
    name,
    rows,
    table: comparedTable(`Compared in ${name}`, rows, { areSides: false }),
    forest: forestOf(rows, isOpenLoop(pairs.flatMap(({ base, next }) => [base, next]))),
  };
}

export interface OtherBase {
  readonly base: string;
  /** A sentence that says which pairs are judged together as one family. */
  readonly finding: string;
  /** One entry for each scenario. */
  readonly scenarios: readonly Based[];
}

/** With more targets than this, nobody reads all pairs, and yet all of them would have to be tested. */
const MOST_TARGETS = 12;
const MOST_PAIRS = 1_500;

/**
 * For each target, the comparisons of each scenario with that target as the base, in the order of the targets. Empty if
 * there are fewer than two targets, or too many targets or pairs. A reader who chooses a base after seeing the figures
 * could have chosen any, so all pairs of targets are one family for Holm's correction.
 */
export function otherBases(
  compared: readonly ScenarioComparison[],
  judge: JudgeOptions,
  again: Again | null = null,
): OtherBase[] {
  const bases = unique(compared.flatMap(({ cells }) => {
    const targets = unique(rightCells(cells).map(({ target }) => target));
    return targets.length < 2 ? [] : targets;
  }));
  const perBase = bases.map((base) => ({
    base,
    pairs: compared.map((scenario) => pairsOf(scenario, base)),
  }));
  const all = perBase.flatMap(({ pairs }) => pairs.flat());
  if (bases.length < 2 || bases.length > MOST_TARGETS || all.length > 2 * MOST_PAIRS) return [];
  const lookup = compareCells(all, judge, [], compared[0].ratioOf);
  const finding = `A base chosen in the page: Holm's correction is over all ${
    counted(distinctPairs(all), "pair")
  } of targets.`;
  const others = inAgain(again, (compared) => otherBases(compared, judge));
  return perBase.map(({ base, pairs }) => {
    const doubted = others &&
      others.map((those) => those.find((other) => other.base === base)?.scenarios ?? []);
    return {
      base,
      finding,
      scenarios: compared.map(({ name }, i) => basedOf(name, pairs[i], lookup, doubted)),
    };
  });
}

function pairsOf({ cells }: ScenarioComparison, base: string): CellPair[] {
  const own = cells.filter(({ target }) => target === base);
  return basePairs([...own, ...cells.filter((cell) => !own.includes(cell))])
    .filter((pair) => pair.base.target === base);
}

/** Number of distinct pairs, where (a, b) and (b, a) are the same pair. */
function distinctPairs(pairs: readonly CellPair[]): number {
  const cells = [...new Set(pairs.flatMap(({ base, next }) => [base, next]))];
  const placeOf = new Map(cells.map((cell, i) => [cell, i]));
  const keys = pairs.map(({ base, next }) =>
    [base, next].map((cell) => placeOf.get(cell) ?? 0).sort((a, b) => a - b).join()
  );
  return new Set(keys).size;
}

/** Something that the whole page can be narrowed to: a target or, if there is only one, a value of a factor. */
export interface PageTarget {
  readonly name: string;
  readonly color: number;
  /**
   * Other names for it on the page, such as `least-connections · connections 10`. Names that begin with its own name
   * are left out.
   */
  readonly also: readonly string[];
}

/**
 * Everything that the page can be narrowed to, in the order of the experiment. If there is only one target, these are
 * the values of the compared factor or, without one, the cells.
 * @param compared One for each scenario.
 */
export function pageTargets(
  scenarios: readonly ScenarioRuns[],
  compared: readonly ScenarioComparison[],
): PageTarget[] {
  const isOne = new Set(scenarios.flatMap(({ cells }) => cells.map(({ target }) => target)))
    .size === 1;
  const named = scenarios.flatMap(({ cells }, i) =>
    cells.map((cell) => {
      // If the values of a factor are compared as if they were targets, the compared cell is
      // another object, but has the same `parts`.
      const as = compared[i].cells.find(({ parts }) => parts === cell.parts) ?? cell;
      const own = compared[i].factor === null ? cell.label : as.target;
      return { cell, name: isOne ? own : cell.target, labels: [cell.label, as.label, as.target] };
    })
  );
  return [...Map.groupBy(named, ({ name }) => name)].map(([name, those]) => {
    const others = new Set(named.flatMap((one) => one.name === name ? [] : one.labels));
    const also = unique(those.flatMap(({ labels }) => labels)).filter((label) =>
      label !== name && !label.startsWith(`${name} · `) && !others.has(label)
    );
    return { name, color: colorOf(those.map(({ cell }) => cell)), also };
  });
}

/** The colour that the cells share. If they have different shades of a colour, the plain colour. */
function colorOf(cells: readonly CellRuns[]): number {
  const [{ color }] = cells;
  return cells.every((cell) => cell.color === color) ? color : color % COLORS;
}
