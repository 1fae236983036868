/**
 * What each scenario says against other bases than the experiment's own, for readers who choose one in the page. Who
 * chooses after having seen the figures could have chosen any: so all pairs of targets are one family of Holm's method.
 */
import type { JudgeOptions } from "../../judge/group.ts";
import { type ForestModel, forestOf } from "../charts/forest.ts";
import {
  basePairs,
  type CellPair,
  compareCells,
  isOpenLoop,
  type Lookup,
  rightCells,
} from "../../judge/pairs.ts";
import { comparedTable } from "../tables/compared.ts";
import { counted, unique } from "../../writing/words.ts";
import type { Table } from "../tables/table.ts";
import { comparedRows, type ScenarioComparison } from "./compared_scenarios.ts";

export interface OtherBase {
  readonly base: string;
  /** One for each scenario; null where it was not compared with another there. */
  readonly scenarios: readonly (BasedComparison | null)[];
}

interface BasedComparison {
  readonly forest: ForestModel;
  readonly table: Table;
}

/** With more, nobody reads all pairs; and all of them are to be tested. */
const MOST_TARGETS = 12;
const MOST_PAIRS = 1_500;

/** In the order of the targets; none where there are too many, or no two. */
export function otherBases(
  compared: readonly ScenarioComparison[],
  judge: JudgeOptions,
): OtherBase[] {
  const bases = unique(compared.flatMap(basesOf));
  const perBase = bases.map((base) => ({
    base,
    pairs: compared.map((scenario) => pairsOf(scenario, base)),
  }));
  const all = perBase.flatMap(({ pairs }) => pairs.flat());
  if (bases.length < 2 || bases.length > MOST_TARGETS || all.length > 2 * MOST_PAIRS) return [];
  const lookup = compareCells(all, judge, [], compared[0].ratioOf);
  const family = counted(distinctPairs(all), "pair");
  return perBase.map(({ base, pairs }) => ({
    base,
    scenarios: compared.map(({ name }, i) => comparisonIn(name, pairs[i], { lookup, family })),
  }));
}

function basesOf({ cells }: ScenarioComparison): string[] {
  const targets = unique(rightCells(cells).map(({ target }) => target));
  return targets.length < 2 ? [] : targets;
}

function pairsOf({ cells }: ScenarioComparison, base: string): CellPair[] {
  const own = cells.filter(({ target }) => target === base);
  return basePairs([...own, ...cells.filter((cell) => !own.includes(cell))])
    .filter((pair) => pair.base.target === base);
}

/** Either way around a pair is the same. */
function distinctPairs(pairs: readonly CellPair[]): number {
  const cells = [...new Set(pairs.flatMap(({ base, next }) => [base, next]))];
  const placeOf = new Map(cells.map((cell, i) => [cell, i]));
  const keys = pairs.map(({ base, next }) =>
    [base, next].map((cell) => placeOf.get(cell) ?? 0).sort((a, b) => a - b).join()
  );
  return new Set(keys).size;
}

function comparisonIn(
  name: string,
  pairs: readonly CellPair[],
  { lookup, family }: { readonly lookup: Lookup; readonly family: string },
): BasedComparison | null {
  const rows = comparedRows(pairs, lookup);
  const forest = forestOf(rows, isOpenLoop(pairs.flatMap(({ base, next }) => [base, next])));
  const table = comparedTable(`Compared in ${name}`, rows);
  if (forest === null || table === null) return null;
  const finding =
    `${forest.finding} A base chosen in the page: Holm's correction is over all ${family} of targets.`;
  return { forest: { ...forest, finding }, table };
}
