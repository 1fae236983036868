/**
 * How long the rest will take: what was asked for, and what starting and stopping took so far. Pure.
 */
import { durationMsOf, type PlannedRun } from "../scenarios/plan.ts";

/** Starting, proving and stopping a target, before any was seen. */
const FIRST_GUESS_MS = 500;
/** A run that ends by count, before any was seen. */
const COUNTED_GUESS_MS = 1_000;

export class Schedule {
  readonly cells: number;
  #seen = 0;
  #overheadMs = 0;

  constructor(private readonly runs: readonly PlannedRun[]) {
    this.cells = new Set(runs.map(({ cell }) => cell)).size;
  }

  /** Notes that a run took `tookMs` from start to end. */
  took(planned: PlannedRun, tookMs: number): void {
    this.#seen++;
    this.#overheadMs += tookMs - loadMs(planned);
  }

  /** Milliseconds that the runs after the first `done` will take. */
  remainingMs(done: number): number {
    const overheadMs = this.#seen === 0 ? FIRST_GUESS_MS : this.#overheadMs / this.#seen;
    return this.runs.slice(done).reduce(
      (sum, planned) => sum + Math.max(0, loadMs(planned) + overheadMs),
      0,
    );
  }
}

function loadMs({ cell }: PlannedRun): number {
  return durationMsOf(cell.load) ?? COUNTED_GUESS_MS;
}
