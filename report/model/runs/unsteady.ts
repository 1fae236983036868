/** Whether so many runs of a cell never settled that its mean is nobody's: then no interval belongs to it. */
import type { Run } from "../../../runner/result/result.ts";

export interface Unsteady {
  /** Runs without a steady state. */
  readonly count: number;
  /** All runs. */
  readonly of: number;
}

/** Null where at most half of the runs are labelled no-steady-state. */
export function unsteadyOf(runs: readonly Pick<Run, "warmup">[]): Unsteady | null {
  const count = runs.filter(({ warmup }) => warmup?.label === "no-steady-state").length;
  return 2 * count > runs.length ? { count, of: runs.length } : null;
}

/** `no steady state in 4 of 5 runs: run longer` */
export function unsteadyText({ count, of }: Unsteady): string {
  return of === 1
    ? "no steady state: run longer"
    : `no steady state in ${count} of ${of} runs: run longer`;
}
