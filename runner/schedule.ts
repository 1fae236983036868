/**
 * How long runs will take: what was asked for, and what starting and stopping took so far. Pure.
 */
import { type Cell, durationMsOf } from "../scenarios/plan.ts";

/** Starting, proving and stopping a target, before any was seen. */
const FIRST_GUESS_MS = 500;
/** A run that ends by count, before any was seen. */
const COUNTED_GUESS_MS = 1_000;

export class Schedule {
  #seen = 0;
  #overheadMs = 0;

  /** Notes that a run of `cell` took `tookMs` from start to end. */
  took(cell: Cell, tookMs: number): void {
    this.#seen++;
    this.#overheadMs += tookMs - loadMs(cell);
  }

  /** Milliseconds that a run of each of the cells will take in all. */
  expectedMs(cells: readonly Cell[]): number {
    const overheadMs = this.#seen === 0 ? FIRST_GUESS_MS : this.#overheadMs / this.#seen;
    return cells.reduce((sum, cell) => sum + Math.max(0, loadMs(cell) + overheadMs), 0);
  }
}

function loadMs({ load }: Cell): number {
  return durationMsOf(load) ?? COUNTED_GUESS_MS;
}
