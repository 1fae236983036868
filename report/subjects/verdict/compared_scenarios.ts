/** The comparisons within an experiment: for each scenario its summary, and every target against the first. */
import { type ScenarioSummary, summaryOf } from "../../judge/verdict.ts";
import { cellParts } from "../../cells/cell_label.ts";
import type { CellRuns, ScenarioRuns } from "../../cells/cells.ts";
import type { JudgeOptions } from "../../judge/group.ts";
import { type ForestModel, forestOf, type ForestPair } from "../charts/forest.ts";
import { COLORS } from "../../cells/colors.ts";
import type { ComparedChoice } from "../../cells/recast.ts";
import type { Table } from "../tables/table.ts";
import {
  decide,
  type Decided,
  type Plan,
  planOf,
  provenPairs,
  ratiosOfPlans,
  unprovenPairs,
} from "../../judge/contests.ts";
import { type CellPair, compareCells, isOpenLoop, type Lookup } from "../../judge/pairs.ts";
import type { RatioOf } from "../../judge/ratio_of.ts";
import { comparedTable } from "../tables/compared.ts";

export interface ScenarioComparison extends Pick<Plan, "name" | "cells" | "factor"> {
  readonly summary: ScenarioSummary;
  /** Null when there is nothing to compare. */
  readonly table: Table | null;
  /** The same as a figure. */
  readonly forest: ForestModel | null;
  /** Its rows. */
  readonly rows: readonly ForestPair[];
  /** Who is ahead at each setting; none of one target alone. */
  readonly contests: readonly Decided[];
  readonly lookup: Lookup;
  /** The ratios of the experiment. */
  readonly ratioOf: RatioOf;
}

export interface CompareScenariosOptions extends JudgeOptions {
  /** Default: what the cells suggest. */
  readonly choice?: ComparedChoice;
}

const NO_CHOICE: ComparedChoice = { factor: null, base: null };

/** In the order of the scenarios; all of them are judged together. */
export function compareScenarios(
  scenarios: readonly ScenarioRuns[],
  { choice = NO_CHOICE, level = 0.95, ...judge }: CompareScenariosOptions,
): ScenarioComparison[] {
  const plans = scenarios.map((scenario) => planOf(scenario, choice));
  const ratioOf = ratiosOfPlans(plans, level);
  const options = { ...judge, level };
  const lookup = compareCells(provenPairs(plans), options, unprovenPairs(plans), ratioOf);
  return plans.map((plan) => {
    const { name, factor, cells, againstBase } = plan;
    const rows = comparedRows(againstBase, lookup);
    const contests = plan.contests.map((contest) => decide(contest, lookup));
    return {
      ...{ name, factor, cells, rows, contests, lookup, ratioOf },
      summary: summaryOf(plan, contests, lookup),
      table: comparedTable(`Compared in ${name}`, rows),
      forest: forestOf(rows, isOpenLoop(againstBase.flatMap(({ base, next }) => [base, next]))),
    };
  });
}

export function comparedRows(pairs: readonly CellPair[], lookup: Lookup): ForestPair[] {
  return pairs.map(({ base, next }) => ({
    name: next.label,
    color: next.color,
    base: base.label,
    parts: { name: cellParts(next.runs[0]), base: cellParts(base.runs[0]) },
    comparison: lookup(base, next),
  }));
}

// What the whole page can be narrowed to, and held against: targets, or of one target what varies.

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
  const named = scenarios.flatMap(({ cells }, i) =>
    cells.map((cell) => ({
      cell,
      // What a factor was put in place of still has its parts.
      as: compared[i].cells.find(({ parts }) => parts === cell.parts) ?? cell,
      factor: compared[i].factor,
    }))
  );
  const isOne = new Set(named.map(({ cell }) => cell.target)).size === 1;
  const nameOf = ({ cell, as, factor }: typeof named[number]): string =>
    !isOne ? cell.target : factor === null ? cell.label : as.target;
  return [...Map.groupBy(named, nameOf)].map(([name, those]) => {
    const labels = those.flatMap(({ cell, as }) => [cell.label, as.label, as.target]);
    return {
      name,
      color: colorOf(those.map(({ cell }) => cell)),
      also: [...new Set(labels)].filter((label) => {
        const isOwn = label === name || label.startsWith(`${name} · `);
        return !isOwn && named.every((one) => nameOf(one) === name || !isCalled(one, label));
      }),
    };
  });
}

function isCalled(
  { cell, as }: { readonly cell: CellRuns; readonly as: CellRuns },
  label: string,
): boolean {
  return [cell.label, as.label, as.target].includes(label);
}

/** Of several shades of one colour, the colour itself. */
function colorOf(cells: readonly CellRuns[]): number {
  const [{ color }] = cells;
  return cells.every((cell) => cell.color === color) ? color : color % COLORS;
}
