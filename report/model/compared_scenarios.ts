/** The comparisons within an experiment: for each scenario its summary, and every target against the first. */
import { incomparableSummary, type ScenarioSummary, summaryOf } from "./comparison/summary.ts";
import { cellParts, type CellRuns, type ScenarioRuns } from "./runs/cells.ts";
import type { JudgeOptions } from "./comparison/comparison.ts";
import { type ForestModel, forestOf } from "./comparison/forest.ts";
import { type Contest, contestSummary, spanSummary } from "./sweeps/verdict.ts";
import { numericFactors } from "./runs/factors.ts";
import type { Table } from "./tables/table.ts";
import {
  basePairs,
  type CellPair,
  compareCells,
  isOpenLoop,
  type Lookup,
  rankedCells,
  rightCells,
  settingsOf,
} from "./comparison/pairs.ts";
import { comparedTable } from "./comparison/table.ts";

export interface ScenarioComparison {
  readonly summary: ScenarioSummary;
  /** Null when there is nothing to compare. */
  readonly table: Table | null;
  /** The same as a figure. */
  readonly forest: ForestModel | null;
}

/** What a summary needs compared, and the summary. */
interface Question {
  readonly pairs: readonly CellPair[];
  readonly summary: (lookup: Lookup) => ScenarioSummary;
}

/** In the order of the scenarios; all of them are judged together. */
export function compareScenarios(
  scenarios: readonly ScenarioRuns[],
  options: JudgeOptions,
): ScenarioComparison[] {
  const plans = scenarios.map(({ name, cells }) => ({
    name,
    question: questionOf(cells),
    againstBase: basePairs(cells),
  }));
  const pairs = plans.flatMap(({ question, againstBase }) => [...againstBase, ...question.pairs]);
  const lookup = compareCells(pairs, options);
  return plans.map(({ name, question, againstBase }) => {
    const rows = againstBase.map(({ base, next }) => ({
      name: next.label,
      color: next.color,
      base: base.label,
      parts: { name: cellParts(next.runs[0]), base: cellParts(base.runs[0]) },
      comparison: lookup(base, next),
    }));
    return {
      summary: question.summary(lookup),
      table: comparedTable(`Compared in ${name}`, rows),
      forest: forestOf(rows, isOpenLoop(againstBase.flatMap(({ base, next }) => [base, next]))),
    };
  });
}

/** Who is fastest; where factors vary, at which of their values; of one target, at which values it is. */
function questionOf(cells: readonly CellRuns[]): Question {
  const contests = contestsOf(cells);
  if (contests.length > 1 && contests.some(({ ranked }) => ranked.length > 1)) {
    return {
      pairs: contests.flatMap(({ ranked }) => againstFirst(ranked)),
      summary: (lookup) => contestSummary(contests, cells, lookup),
    };
  }
  const isOneTarget = new Set(rightCells(cells).map(({ target }) => target)).size <= 1;
  // Of an experiment that is not done, targets may have no setting in common yet.
  if (!isOneTarget && contests.length === 0) {
    return { pairs: [], summary: () => incomparableSummary(cells) };
  }
  const ranked = isOneTarget ? rankedCells(cells) : contests[0].ranked;
  if (isOneTarget && ranked.length > 1 && numericFactors(ranked).length > 0) {
    const [first, last] = [ranked[0], ranked[ranked.length - 1]];
    return {
      pairs: [{ base: last, next: first }],
      summary: (lookup) => spanSummary(ranked, cells, lookup),
    };
  }
  return {
    pairs: againstFirst(ranked),
    summary: (lookup) => summaryOf({ ranked, cells }, lookup),
  };
}

/** At each setting those that compete, where two or more were measured and one at least responded correctly. */
function contestsOf(cells: readonly CellRuns[]): Contest[] {
  return settingsOf(cells)
    .filter(({ cells: targets }) => new Set(targets.map(({ target }) => target)).size > 1)
    .map((setting) => ({ ...setting, ranked: rankedCells(setting.cells) }))
    .filter(({ ranked }) => ranked.length > 0);
}

function againstFirst([first, ...others]: readonly CellRuns[]): CellPair[] {
  return others.map((other) => ({ base: other, next: first }));
}
