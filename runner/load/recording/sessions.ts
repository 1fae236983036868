/**
 * What a worker remembers of the sessions of its virtual users, beside their exchanges.
 */
import { Histogram, type SparseHistogram } from "../../stats/histogram/histogram.ts";

/** created − completed − failed are still there at the end. */
export interface SessionTotals {
  readonly created: number;
  readonly completed: number;
  readonly failed: number;
  /** From the arrival to the end of the last step. */
  readonly length: SparseHistogram;
}

export class SessionRecorder {
  #created = 0;
  #completed = 0;
  #failed = 0;
  readonly #length = new Histogram();

  begin(): void {
    this.#created++;
  }

  end(completed: boolean, lengthUs: number): void {
    if (completed) this.#completed++;
    else this.#failed++;
    this.#length.record(lengthUs);
  }

  totals(): SessionTotals {
    return {
      created: this.#created,
      completed: this.#completed,
      failed: this.#failed,
      length: this.#length.toSparse(),
    };
  }
}
