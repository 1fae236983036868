/** The comparisons within an experiment: for each scenario its answer, and every target against the first. */
import { type Answer, answerOf } from "../answer.ts";
import type { ScenarioRuns } from "../cells.ts";
import type { JudgeOptions } from "../comparison.ts";
import type { Table } from "../table.ts";
import { basePairs, compareCells, rankedCells } from "./pairs.ts";
import { comparedTable } from "./table.ts";

export interface ScenarioComparison {
  readonly answer: Answer;
  /** Null when there is nothing to compare. */
  readonly table: Table | null;
}

/** In the order of the scenarios; all of them are judged together. */
export function compareScenarios(
  scenarios: readonly ScenarioRuns[],
  options: JudgeOptions,
): ScenarioComparison[] {
  const plans = scenarios.map(({ name, cells }) => ({
    name,
    cells,
    ranked: rankedCells(cells),
    againstBase: basePairs(cells),
  }));
  const pairs = plans.flatMap(({ ranked: [first, ...others], againstBase }) => [
    ...againstBase,
    ...others.map((other) => ({ base: other, next: first })),
  ]);
  const lookup = compareCells(pairs, options);
  return plans.map(({ name, cells, ranked, againstBase }) => ({
    answer: answerOf({ ranked, cells }, lookup),
    table: comparedTable(
      `Compared in ${name}`,
      againstBase.map(({ base, next }) => ({
        name: next.label,
        color: next.color,
        base: base.label,
        comparison: lookup(base, next),
      })),
    ),
  }));
}
