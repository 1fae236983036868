/** The comparisons within an experiment: for each scenario who is ahead, and every target against the base. */
import { cellParts } from "../../cells/cell_label.ts";
import type { CellRuns, ScenarioRuns } from "../../cells/cells.ts";
import { COLORS } from "../../cells/colors.ts";
import type { ComparedChoice } from "../../cells/recast.ts";
import {
  compareCells,
  isOpenLoop,
  type Lookup,
  type Plan,
  planOf,
  provenPairs,
  ratiosOfPlans,
  unprovenPairs,
  withLikelyFirst,
} from "../../judge/pairs.ts";
import type { JudgeOptions } from "../../judge/group.ts";
import type { DecidedPlan } from "../../judge/places.ts";
import { unique } from "../../writing/words.ts";
import { forestOf, type ForestPair, type ForestPanel } from "../charts/forest.ts";
import { comparedTable } from "../tables/compared.ts";
import type { Table } from "../tables/table.ts";
import { REQUESTS } from "./asked_figure.ts";

export interface ScenarioComparison extends DecidedPlan {
  /** Its pairs as a figure, and those pairs; none where there is nothing to compare. */
  readonly forest: readonly ForestPanel[];
  readonly rows: readonly ForestPair[];
  /** The same as a table; null without pairs. */
  readonly table: Table | null;
}

export interface CompareScenariosOptions extends JudgeOptions {
  /** Default: what the cells suggest. */
  readonly choice?: ComparedChoice;
}

const NO_CHOICE: ComparedChoice = { factor: null, base: null };

/** In the order of the scenarios; all of them are judged together. */
export function compareScenarios(
  scenarios: readonly (ScenarioRuns & { readonly unit?: string })[],
  { choice = NO_CHOICE, level = 0.95, ...judge }: CompareScenariosOptions,
): ScenarioComparison[] {
  const plans = scenarios.map((scenario) => planOf(scenario, choice));
  const lookup = compareCells(
    provenPairs(plans),
    { ...judge, level },
    unprovenPairs(plans),
    ratiosOfPlans(plans, level),
  );
  return plans.map((plan, i) => ({
    ...plan,
    ...shownPairs(plan, lookup),
    unit: scenarios[i].unit ?? REQUESTS,
    contests: plan.contests.map((contest) => withLikelyFirst(contest, lookup)),
    lookup,
  }));
}

function shownPairs(
  { name, againstBase: pairs }: Plan,
  lookup: Lookup,
): Pick<ScenarioComparison, "forest" | "rows" | "table"> {
  const rows = pairs.map(({ base, next }) => ({
    name: next.label,
    color: next.color,
    base: base.label,
    parts: { name: cellParts(next.runs[0]), base: cellParts(base.runs[0]) },
    comparison: lookup(base, next),
  }));
  return {
    rows,
    table: comparedTable(`Compared in ${name}`, rows),
    forest: forestOf(rows, isOpenLoop(pairs.flatMap(({ base, next }) => [base, next]))),
  };
}

/** What the whole page can be narrowed to: targets, or of one target what varies. */
export interface PageTarget {
  readonly name: string;
  readonly color: number;
  /** What it is called elsewhere, but for names that begin with its own: `least-connections · connections 10`. */
  readonly also: readonly string[];
}

/**
 * In the order of the experiment. Of one target alone these are the values of the factor that is compared, or else
 * its cells.
 *
 * @param compared One for each of the scenarios.
 */
export function pageTargets(
  scenarios: readonly ScenarioRuns[],
  compared: readonly ScenarioComparison[],
): PageTarget[] {
  const isOne = new Set(scenarios.flatMap(({ cells }) => cells.map(({ target }) => target)))
    .size === 1;
  const named = scenarios.flatMap(({ cells }, i) =>
    cells.map((cell) => {
      // What a factor was put in place of still has its parts.
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

/** The plain colour, if cells have several shades of it. */
function colorOf(cells: readonly CellRuns[]): number {
  const [{ color }] = cells;
  return cells.every((cell) => cell.color === color) ? color : color % COLORS;
}
