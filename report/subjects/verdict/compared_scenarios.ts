/** The comparisons within an experiment: for each scenario its summary, and every target against the first. */
import { incomparableSummary, type ScenarioSummary, summaryOf } from "../../judge/summary.ts";
import { cellParts } from "../../cells/cell_label.ts";
import type { CellRuns, ScenarioRuns } from "../../cells/cells.ts";
import type { JudgeOptions } from "../../judge/group.ts";
import { type ForestModel, forestOf, type ForestPair } from "../../judge/forest.ts";
import {
  type Contest,
  contestSummary,
  decide,
  type Decided,
  spanSummary,
  unjudgedAhead,
} from "../sweeps/verdict.ts";
import { COLORS } from "../../cells/colors.ts";
import { numericFactors } from "../../cells/factors.ts";
import { basedOn, type ComparedChoice, comparedFactor, recast } from "../../cells/recast.ts";
import type { Table } from "../tables/table.ts";
import {
  basePairs,
  type CellPair,
  compareCells,
  isOpenLoop,
  judgedOf,
  type Lookup,
  rankedCells,
  rightCells,
  settingsOf,
} from "../../judge/pairs.ts";
import { comparedTable } from "../../judge/table.ts";

export interface ScenarioComparison {
  readonly name: string;
  readonly summary: ScenarioSummary;
  /** Null when there is nothing to compare. */
  readonly table: Table | null;
  /** The same as a figure. */
  readonly forest: ForestModel | null;
  /** Its rows. */
  readonly rows: readonly ForestPair[];
  /** What is compared: targets, or where a factor is compared, its values in their place. */
  readonly cells: readonly CellRuns[];
  /** The factor whose values are compared, by its path; null: targets are. */
  readonly factor: string | null;
  /** Who is ahead at each setting; none of one target alone. */
  readonly contests: readonly Decided[];
  readonly lookup: Lookup;
}

export interface CompareScenariosOptions extends JudgeOptions {
  /** Default: what the cells suggest. */
  readonly choice?: ComparedChoice;
}

/** What a summary needs compared, and the summary. */
interface Question {
  readonly contests: readonly Contest[];
  readonly pairs: readonly CellPair[];
  readonly summary: (decided: readonly Decided[], lookup: Lookup) => ScenarioSummary;
}

const NO_CHOICE: ComparedChoice = { factor: null, base: null };

/** In the order of the scenarios; all of them are judged together. */
export function compareScenarios(
  scenarios: readonly ScenarioRuns[],
  { choice = NO_CHOICE, ...judge }: CompareScenariosOptions,
): ScenarioComparison[] {
  const plans = scenarios.map(({ name, cells: measured }) => {
    const factor = comparedFactor(measured, choice);
    const cells = basedOn(
      factor === null ? measured : recast(measured, factor, choice),
      choice.base,
    );
    return { name, factor, cells, question: questionOf(cells), againstBase: basePairs(cells) };
  });
  const pairs = plans.flatMap(({ question, againstBase }) => [...againstBase, ...question.pairs]);
  const unproven = plans.flatMap(({ question }) => question.contests.flatMap(unsettledPairs));
  const lookup = compareCells(pairs, judge, unproven);
  return plans.map(({ name, factor, cells, question, againstBase }) => {
    const rows = comparedRows(againstBase, lookup);
    const contests = question.contests.map((contest) => decide(contest, lookup));
    return {
      name,
      factor,
      cells,
      rows,
      contests,
      lookup,
      summary: question.summary(contests, lookup),
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

/** Who is fastest; where factors vary, at which of their values; of one target, at which values it is. */
function questionOf(cells: readonly CellRuns[]): Question {
  const contests = contestsOf(cells);
  if (contests.length > 1) {
    return {
      contests,
      pairs: contests.flatMap(({ ranked, unjudged }) => againstFirst([...ranked, ...unjudged])),
      summary: (decided, lookup) => contestSummary(decided, cells, lookup),
    };
  }
  const isOneTarget = new Set(rightCells(cells).map(({ target }) => target)).size <= 1;
  // Of an experiment that is not done, targets may have no setting in common yet.
  if (!isOneTarget && contests.length === 0) {
    return { contests, pairs: [], summary: () => incomparableSummary(cells) };
  }
  const { ranked, unjudged } = isOneTarget ? judgedOf(rankedCells(cells)) : contests[0];
  if (isOneTarget && ranked.length > 1 && numericFactors(ranked).length > 0) {
    const [first, last] = [ranked[0], ranked[ranked.length - 1]];
    return {
      contests: [],
      pairs: [{ base: last, next: first }],
      summary: (_, lookup) => spanSummary(ranked, cells, lookup),
    };
  }
  return {
    contests,
    pairs: againstFirst([...ranked, ...unjudged]),
    summary: ([decided], lookup) =>
      summaryOf({ ...(decided ?? { ranked, unjudged }), cells }, lookup),
  };
}

/** At each setting those that compete, where two or more were measured and one at least responded correctly. */
function contestsOf(cells: readonly CellRuns[]): Contest[] {
  return settingsOf(cells)
    .filter(({ cells: targets }) => new Set(targets.map(({ target }) => target)).size > 1)
    .map((setting) => ({ ...setting, ...judgedOf(rankedCells(setting.cells)) }))
    .filter(({ ranked }) => ranked.length > 0);
}

/** Of one that never settled, but ran ahead of all that did: whether it is likely the fastest shows against each other. */
function unsettledPairs(contest: Contest): CellPair[] {
  const [ahead] = unjudgedAhead(contest);
  if (ahead === undefined) return [];
  const others = [...contest.ranked, ...contest.unjudged].filter((cell) => cell !== ahead);
  return againstFirst([ahead, ...others]);
}

function againstFirst([first, ...others]: readonly CellRuns[]): CellPair[] {
  return others.map((other) => ({ base: other, next: first }));
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
