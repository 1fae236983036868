/**
 * Keys of cells (each a target in a scenario, with one value of each factor), and the cells that a claim's selector
 * selects. Names of the same kind are alternatives: `fastify, express, static` selects two targets in one scenario.
 * Pure.
 */
import type { Read } from "./figure.ts";
import {
  cellsIn,
  type ExperimentNames,
  SCENARIO,
  type SelectableCell,
  type Selection,
  selectionOf,
  type Selector,
  TARGET,
} from "./selector.ts";

/** A selector's words, grouped by their dimension: target, scenario, or a factor. */
export interface CellChoice {
  /** The selections of each dimension, one for each word. The keys are `TARGET`, `SCENARIO` and paths of factors. */
  readonly named: ReadonlyMap<string, readonly Selection[]>;
}

/** Resolves every word of a selector, or returns the problem of the first word that names nothing or is ambiguous. */
export function choiceOf({ text, parts }: Selector, names: ExperimentNames): Read<CellChoice> {
  const words: Selection[] = [];
  for (const part of parts) {
    const word = selectionOf({ text, parts: [part] }, names);
    if ("problem" in word) return word;
    words.push(word.value);
  }
  return { value: { named: Map.groupBy(words, dimensionOf) } };
}

function dimensionOf({ target, scenario, factors }: Selection): string {
  if (target !== null) return TARGET;
  return scenario === null ? Object.keys(factors)[0] : SCENARIO;
}

/**
 * The cells that a choice selects, in the given order. Cells of a scenario's single requests (its steps) are included
 * only if the choice names a scenario.
 */
export function chosenCells<C extends SelectableCell>(
  choice: CellChoice,
  cells: readonly C[],
): C[] {
  const isOfSteps = choice.named.has(SCENARIO);
  return cells.filter((cell) =>
    (isOfSteps || cell.isStep !== true) &&
    isMeant(choice, (word) => cellsIn(word, [cell]).length > 0)
  );
}

/** Whether, in every dimension that the choice names, `fits` accepts at least one of the words. */
export function isMeant({ named }: CellChoice, fits: (word: Selection) => boolean): boolean {
  return [...named.values()].every((words) => words.some(fits));
}

export function scenariosOf({ named }: CellChoice): string[] {
  return (named.get(SCENARIO) ?? []).flatMap(({ scenario }) => scenario ?? []);
}

/** Paths of the factors that a choice names. */
export function factorsOf({ named }: CellChoice): string[] {
  return [...named.keys()].filter((dimension) => dimension !== TARGET && dimension !== SCENARIO);
}

/** Whether the two sides of a claim name different values of a dimension. */
export function differIn(dimension: string, left: CellChoice, right: CellChoice): boolean {
  const [one, other] = [left, right].map(({ named }) =>
    (named.get(dimension) ?? []).map(({ target, scenario, factors }) =>
      target ?? scenario ?? factors[dimension]
    ).sort()
  );
  return JSON.stringify(one) !== JSON.stringify(other);
}

/** A key for a cell, unique within its experiment. */
export function cellKey(
  { target, scenario, parameters }: { target: string; scenario: string; parameters: object },
): string {
  return JSON.stringify([target, scenario, parameters]);
}
