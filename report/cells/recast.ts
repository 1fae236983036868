/**
 * What an experiment compares: its targets, or the values of a factor that it varies on purpose. Where that is a
 * factor, each of its values takes the place of a target, and the targets that of a factor: everything that compares
 * targets then compares values, at equal targets and equal values of all other factors.
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

/** The choice of the experiment file; null where the file leaves it open. */
export interface ComparedChoice {
  /** Whether the verdict compares nothing, and says the most that each target serves. */
  readonly isNone?: boolean;
  /** Path of the factor, or its last part: `policy`; `scenario` for the scenarios. */
  readonly factor: string | null;
  /** A target, or a value of the factor. */
  readonly base: string | null;
  /** The experiment, which lists a factor's values in the order that people think of them. */
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

/** The factor that the cells of a scenario are compared by; null: their targets are. */
export function comparedFactor(
  cells: readonly CellRuns[],
  { factor }: ComparedChoice,
): string | null {
  const paths = factorPaths(cells).filter((path) => valuesOf(cells, path).length > 1);
  if (factor !== null) return paths.find((path) => isNamed(path, factor)) ?? null;
  if (new Set(cells.map(({ target }) => target)).size > 1) return null;
  return paths.find((path) => numericFactor(cells, path) === null) ?? null;
}

/** Whether a factor is called so: by its path, or by the end of it. */
export function isNamed(path: string, name: string): boolean {
  return path === name || path.endsWith(`.${name}`);
}

function valuesOf(cells: readonly CellRuns[], path: string): string[] {
  return [...new Set(cells.map((cell) => valueText(valueOf(cell, path))))];
}

/** Cells without the factor have no place in such a comparison. */
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

/** If scenarios are compared, each takes the place of a target, and each target that of a scenario. */
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

/** Whether a value says by itself what it is: `least-connections` or `lru`, but not `on` or `16`. */
function isSelfEvident(text: string): boolean {
  return /^[a-z][\w -]{2,}$/i.test(text) && !/^(true|false|null|none|off|yes|all|any)$/i.test(text);
}

/** Puts the base, if there is one, first: the others are compared with the first. */
export function basedOn(cells: readonly CellRuns[], base: string | null): readonly CellRuns[] {
  if (base === null) return cells;
  return [
    ...cells.filter((cell) => isNamedBase(cell, base)),
    ...cells.filter((cell) => !isNamedBase(cell, base)),
  ];
}

/** A value of a factor may have the factor's name before it. */
export function isNamedBase({ target }: Pick<CellRuns, "target">, base: string): boolean {
  return target === base || target.endsWith(` ${base}`);
}
