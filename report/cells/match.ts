/** Matches the cells of one result with their counterparts in another. */
import type { CellRuns, ScenarioRuns } from "./cells.ts";

export interface CellPair {
  readonly base: CellRuns;
  readonly next: CellRuns;
}

interface Matches {
  /** Pairs, in the order of the cells in the new result. */
  readonly pairs: readonly CellPair[];
  readonly onlyBase: readonly CellRuns[];
  readonly onlyNext: readonly CellRuns[];
}

export function cellsOf(scenarios: readonly ScenarioRuns[]): CellRuns[] {
  return scenarios.flatMap(({ cells }) => cells);
}

/**
 * Matches cells by scenario, target and parameters. If each side has only one target, the names of targets are ignored;
 * if each side has only one cell, the two cells always match.
 */
export function matchCells(bases: readonly CellRuns[], nexts: readonly CellRuns[]): Matches {
  if (bases.length === 1 && nexts.length === 1) {
    return { pairs: [{ base: bases[0], next: nexts[0] }], onlyBase: [], onlyNext: [] };
  }
  const areNamed = [bases, nexts].some((cells) =>
    new Set(cells.map(({ target }) => target)).size !== 1
  );
  const key = (cell: CellRuns): string =>
    areNamed ? cellPlace(cell) : JSON.stringify([cell.scenario, parametersKey(cell)]);
  const byKey = new Map(bases.map((cell) => [key(cell), cell]));
  const pairs = nexts.flatMap((next) => {
    const base = byKey.get(key(next));
    return base ? [{ base, next }] : [];
  });
  return {
    pairs,
    onlyBase: bases.filter((cell) => !pairs.some(({ base }) => base === cell)),
    onlyNext: nexts.filter((cell) => !pairs.some(({ next }) => next === cell)),
  };
}

/** Scenario and cell, such as `static, hono · connections 50`. */
export function nameOf({ scenario, label }: Pick<CellRuns, "scenario" | "label">): string {
  return `${scenario}, ${label}`;
}

/** A key that is equal for equal parameters in any order. */
export function parametersKey({ runs: [{ parameters }] }: CellRuns): string {
  return JSON.stringify(Object.entries(parameters).sort(([a], [b]) => a < b ? -1 : 1));
}

export function cellPlace(cell: CellRuns): string {
  return JSON.stringify([cell.scenario, cell.target, parametersKey(cell)]);
}
