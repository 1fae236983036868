/**
 * What an experiment compares: its targets, or the values of a factor. To compare values, each value takes the place of
 * a target, and the target becomes a factor. Everything that compares targets then compares values, while the target
 * and all other factors are equal.
 */
import type { Results, Run } from "../../runner/result/result.ts";
import { cellLabel } from "./cell_label.ts";
import type { CellRuns, ScenarioRuns } from "./cells.ts";
import {
  factorName,
  factorPaths,
  numericFactor,
  valueOf,
  valueText,
  writtenValues,
} from "./factors.ts";

/** What the experiment file says about the comparison; null where it says nothing. */
export interface ComparedChoice {
  /** Whether nothing is to be compared, so that the verdict only states the most that each target can serve. */
  readonly isNone?: boolean;
  /** Path of the factor, or its last part, such as `policy`; `scenario` to compare scenarios. */
  readonly factor: string | null;
  /** The base of the comparison: a target, or a value of the factor. */
  readonly base: string | null;
  /** The experiment, which lists the values of a factor in their natural order. */
  readonly experiment?: unknown;
}

export function choiceIn({ experiment }: Partial<Pick<Results, "experiment">>): ComparedChoice {
  const { compare, base }: Partial<Results["experiment"]> = experiment ?? {};
  const factor = typeof compare === "object" && compare !== null && "factor" in compare
    ? compare.factor
    : null;
  return {
    isNone: compare === "none",
    factor: typeof factor === "string" ? factor : null,
    base: typeof base === "string" || typeof base === "number" ? String(base) : null,
    experiment,
  };
}

/** The path of the factor whose values are compared; null if targets are compared. */
export function comparedFactor(
  cells: readonly CellRuns[],
  { factor }: ComparedChoice,
): string | null {
  const paths = factorPaths(cells).filter((path) => valuesOf(cells, path).length > 1);
  if (factor !== null) {
    return paths.find((path) => path === factor || path.endsWith(`.${factor}`)) ?? null;
  }
  if (new Set(cells.map(({ target }) => target)).size > 1) return null;
  return paths.find((path) => numericFactor(cells, path) === null) ?? null;
}

function valuesOf(cells: readonly CellRuns[], path: string): string[] {
  return [...new Set(cells.map((cell) => valueText(valueOf(cell, path))))];
}

/** The values of a factor that the experiment lists, in that order, followed by any others of these cells. */
export function listedValues(
  cells: readonly CellRuns[],
  path: string,
  experiment: unknown,
): string[] {
  return [...new Set([...writtenValues(experiment, path), ...valuesOf(cells, path)])];
}

/** Turns the values of the factor into targets. Cells without the factor are left out. */
export function recast(
  cells: readonly CellRuns[],
  path: string,
  { experiment }: ComparedChoice,
): CellRuns[] {
  const holders = cells.filter((cell) => valueOf(cell, path) !== undefined);
  const values = listedValues(holders, path, experiment);
  const name = factorName(cells, path);
  const isOneTarget = new Set(holders.map(({ target }) => target)).size === 1;
  const inOrder = holders.toSorted((a, b) =>
    values.indexOf(valueText(valueOf(a, path))) - values.indexOf(valueText(valueOf(b, path)))
  );
  return inOrder.map((cell) => {
    const text = valueText(valueOf(cell, path));
    const target = isSelfEvident(text) ? text : `${name} ${text}`;
    const { [path]: _, ...others } = cell.runs[0].parameters;
    const parameters: Run["parameters"] = isOneTarget ? others : { target: cell.target, ...others };
    return {
      ...cell,
      target,
      label: cellLabel({ target, parameters }),
      color: values.indexOf(text),
      runs: cell.runs.map((run) => ({ ...run, target, parameters })),
    };
  });
}

/** If scenarios are to be compared, swaps the roles of scenarios and targets. */
export function acrossScenarios(
  scenarios: readonly ScenarioRuns[],
  { factor }: ComparedChoice,
): readonly ScenarioRuns[] {
  if (factor !== "scenario") return scenarios;
  const all = scenarios.flatMap(({ name, cells }, color) =>
    cells.map((cell) => ({ name, color, cell }))
  );
  return [...Map.groupBy(all, ({ cell }) => cell.target)].map(([target, own]) => ({
    name: target,
    cells: own.map(({ name, color, cell }) => ({
      ...cell,
      ...{ target: name, scenario: target, color },
      label: cellLabel({ target: name, parameters: cell.runs[0].parameters }),
      runs: cell.runs.map((run) => ({ ...run, target: name, scenario: target })),
    })),
  }));
}

/**
 * Whether a value is understood without the factor's name, as `least-connections` and `lru` are, but `on` and `16` are
 * not.
 */
function isSelfEvident(text: string): boolean {
  return /^[a-z][\w -]{2,}$/i.test(text) && !/^(true|false|null|none|off|yes|all|any)$/i.test(text);
}

/** Moves the base, if there is one, to the front, because all others are compared with the first cell. */
export function basedOn(cells: readonly CellRuns[], base: string | null): readonly CellRuns[] {
  if (base === null) return cells;
  return [
    ...cells.filter((cell) => isNamedBase(cell, base)),
    ...cells.filter((cell) => !isNamedBase(cell, base)),
  ];
}

/**
 * Whether the base names this target. If the target stands for a value of a factor, such as `policy lru`, the value
 * suffices.
 */
export function isNamedBase({ target }: Pick<CellRuns, "target">, base: string): boolean {
  return target === base || target.endsWith(` ${valueText(base)}`);
}
