/**
 * How long runs will take: their loads, and what starting and stopping took so far. Pure.
 */
import { expectedMsOf } from "../../scenarios/load/load.ts";
import { type Cell } from "../../scenarios/plan/plan.ts";

/** Starting, checking and stopping a target, before any was seen. */
const FIRST_GUESS_MS = 500;
/** A run that ends by count, before any was seen. */
const COUNTED_GUESS_MS = 1_000;

/** A mean as it grows. */
class Mean {
  #sum = 0;
  #count = 0;

  add(value: number): void {
    this.#sum += value;
    this.#count++;
  }

  /** Null of nothing. */
  get value(): number | null {
    return this.#count === 0 ? null : this.#sum / this.#count;
  }
}

export class Schedule {
  readonly #byCell = new Map<Cell, Mean>();
  /** What runs took beyond their load: starts differ from target to target. */
  readonly #beyondByTarget = new Map<string, Mean>();
  readonly #beyond = new Mean();

  /** Notes that a run of `cell` took `tookMs` from start to end. */
  took(cell: Cell, tookMs: number): void {
    const beyondMs = tookMs - loadMs(cell);
    meanOf(this.#byCell, cell).add(tookMs);
    meanOf(this.#beyondByTarget, cell.target).add(beyondMs);
    this.#beyond.add(beyondMs);
  }

  /** Milliseconds that a run of each of the cells will take in all. */
  expectedMs(cells: readonly Cell[]): number {
    return cells.reduce((sum, cell) => sum + this.#expectedOf(cell), 0);
  }

  /** As its own runs did; else as those of its target, or of any, beside its load. */
  #expectedOf(cell: Cell): number {
    const beyondMs = this.#beyondByTarget.get(cell.target)?.value ?? this.#beyond.value ??
      FIRST_GUESS_MS;
    return this.#byCell.get(cell)?.value ?? Math.max(0, loadMs(cell) + beyondMs);
  }
}

function meanOf<Key>(means: Map<Key, Mean>, key: Key): Mean {
  const mean = means.get(key) ?? new Mean();
  means.set(key, mean);
  return mean;
}

function loadMs({ load }: Cell): number {
  return expectedMsOf(load) ?? COUNTED_GUESS_MS;
}
