/** Which cell of one result has which counterpart in another. */
import type { CellRuns, ScenarioRuns } from "./cells.ts";

export interface NamedCell {
  readonly scenario: string;
  readonly cell: CellRuns;
}

export interface Match {
  readonly base: NamedCell;
  readonly next: NamedCell;
}

export interface Matches {
  /** In the order of the new result. */
  readonly pairs: readonly Match[];
  readonly onlyBase: readonly NamedCell[];
  readonly onlyNext: readonly NamedCell[];
}

export function namedCells(scenarios: readonly ScenarioRuns[]): NamedCell[] {
  return scenarios.flatMap(({ name, cells }) => cells.map((cell) => ({ scenario: name, cell })));
}

/**
 * By scenario, target and parameters. Where each side has one target only, their names do not matter, and
 * where each has one cell only, nothing does.
 */
export function matchCells(base: readonly NamedCell[], next: readonly NamedCell[]): Matches {
  if (base.length === 1 && next.length === 1) {
    return { pairs: [{ base: base[0], next: next[0] }], onlyBase: [], onlyNext: [] };
  }
  const key = isOneTarget(base) && isOneTarget(next) ? settingOf : cellPlace;
  const bases = new Map(base.map((named) => [key(named), named]));
  const pairs = next.flatMap((named) => {
    const counterpart = bases.get(key(named));
    return counterpart ? [{ base: counterpart, next: named }] : [];
  });
  return {
    pairs,
    onlyBase: base.filter((named) => !pairs.some((pair) => pair.base === named)),
    onlyNext: next.filter((named) => !pairs.some((pair) => pair.next === named)),
  };
}

/** `static, hono · connections 50`. */
export function nameOf({ scenario, cell }: NamedCell): string {
  return `${scenario}, ${cell.label}`;
}

/** Its parameters, whatever the order in which they are written. */
export function parametersKey({ runs: [{ parameters }] }: CellRuns): string {
  return JSON.stringify(Object.entries(parameters).sort(([a], [b]) => a < b ? -1 : 1));
}

function isOneTarget(cells: readonly NamedCell[]): boolean {
  return new Set(cells.map(({ cell }) => cell.target)).size === 1;
}

function settingOf({ scenario, cell }: NamedCell): string {
  return JSON.stringify([scenario, parametersKey(cell)]);
}

export function cellPlace({ scenario, cell }: NamedCell): string {
  return JSON.stringify([scenario, cell.target, parametersKey(cell)]);
}
