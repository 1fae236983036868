/**
 * The figures of a cell's runs with what their intervals need, drawn alike wherever they are needed: what a
 * look of `repeat: until` sees is what the report shows.
 */
import { bootstrap, type Estimate, type Sampling } from "./bootstrap.ts";
import type { Block, Figure } from "./pool.ts";

/**
 * As many as `bench/statistics.ts` measures the coverage of intervals with. Chance moves their ends by some 2 %
 * of the half width, always the same way, and a report of 450 runs takes about a second.
 */
export const RESAMPLES = 1_000;

/** What tells the cells of an experiment apart. */
export function cellName(
  { target, scenario, parameters }: { target: string; scenario: string; parameters: object },
): string {
  return JSON.stringify([target, scenario, parameters]);
}

/**
 * @param runs The blocks of each run; runs without any are left out.
 * @returns One for each figure, in their order; null where there is no ratio to nothing, or no run.
 */
export function estimateCell(
  runs: readonly (readonly Block[])[],
  figures: readonly Figure[],
  { session, repetitions }: Sampling,
): (Estimate | null)[] {
  const filled = [...runs.keys()].filter((run) => runs[run].length > 0);
  if (filled.length === 0) return figures.map(() => null);
  return bootstrap(filled.map((run) => runs[run]), {
    figures,
    sampling: { session, repetitions: filled.map((run) => repetitions[run]) },
    resamples: RESAMPLES,
  });
}
