/**
 * The figures of a cell's runs with what their intervals need, drawn alike wherever they are needed: what a
 * look of `repeat: until` sees is what the report shows.
 */
import { bootstrap, type Estimate } from "./bootstrap.ts";
import { fnv1a } from "./fnv1a.ts";
import type { Block, Figure } from "./pool.ts";

/**
 * As many as `bench/statistics.ts` measures the coverage of intervals with. Chance moves their ends by some 4 %
 * of the half width (10,000: by 1.4 %), always the same way, and a report of 450 runs takes about a second.
 */
export const RESAMPLES = 1_000;

/** What tells the cells of an experiment apart. */
export function cellName(
  { target, scenario, parameters }: { target: string; scenario: string; parameters: object },
): string {
  return JSON.stringify([target, scenario, parameters]);
}

/**
 * @param name Of the cell; different cells are drawn independently, the same one always alike.
 * @param runs The blocks of each run; runs without any are left out.
 * @returns One for each figure, in their order; null where there is no ratio to nothing, or no run.
 */
export function estimateCell(
  name: string,
  runs: readonly (readonly Block[])[],
  figures: readonly Figure[],
): (Estimate | null)[] {
  const filled = runs.filter(({ length }) => length > 0);
  if (filled.length === 0) return figures.map(() => null);
  return bootstrap(filled, { figures, seed: fnv1a(name), resamples: RESAMPLES });
}
