/**
 * What an experiment compares: its targets, or the values of a factor that it varies on purpose. To compare values,
 * each value takes the place of a target, and the target becomes a factor: everything that compares targets then
 * compares values, at equal targets and equal values of all other factors.
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

/** The choice made in the experiment file; null where the file leaves it open. */
export interface ComparedChoice {
  /** Whether the verdict compares nothing, and only states how much each target serves at most. */
  readonly isNone?: boolean;
  /** Path of the factor, or its last part: `policy`; `scenario` to compare scenarios. */
  readonly factor: string | null;
  /** A target, or a value of the factor. */
  readonly base: string | null;
  /** The experiment, which lists a factor's values in their natural order. */
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

/** The factor by which the cells of a scenario are compared; null: by target. */
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

/** Turns values of the factor into targets; cells without the factor are left out. */
export function recast(
  cells: readonly CellRuns[],
  path: string,
  { experiment }: ComparedChoice,
): CellRuns[] {
  const holders = cells.filter((cell) => valueOf(cell, path) !== undefined);
  const values = [...new Set([...writtenValues(experiment, path), ...valuesOf(holders, path)])];
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

/** For a comparison of scenarios: swaps the roles of scenarios and targets. */
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

/** Whether a value is clear without the factor's name: `least-connections` or `lru`, but not `on` or `16`. */
function isSelfEvident(text: string): boolean {
  return /^[a-z][\w -]{2,}$/i.test(text) && !/^(true|false|null|none|off|yes|all|any)$/i.test(text);
}

/** Puts the base, if there is one, first, because the others are compared with the first. */
export function basedOn(cells: readonly CellRuns[], base: string | null): readonly CellRuns[] {
  if (base === null) return cells;
  return [
    ...cells.filter((cell) => isNamedBase(cell, base)),
    ...cells.filter((cell) => !isNamedBase(cell, base)),
  ];
}

/** Whether the base names this target; a value of a factor may follow the factor's name. */
export function isNamedBase({ target }: Pick<CellRuns, "target">, base: string): boolean {
  return target === base || target.endsWith(` ${base}`);
}
