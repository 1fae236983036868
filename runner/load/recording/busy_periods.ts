/**
 * The busy periods of a worker's loop, in the sense of queueing theory: times in which it could not attend to anything
 * new. A busy period is either a batch of events that the loop handled, or the time by which it was late for a due
 * tick. Events that became ready or due during a busy period had to wait for its end. `trust/evidence.ts` computes the
 * worker's delay from the busy periods.
 *
 * Times are arguments, in microseconds since the start of the run. Whatever the loop did before the start, such as the
 * dials of an open loop, does not count.
 */
import { GrowingHistogram } from "../../stats/histogram/histogram.ts";
import type { SparseHistogram } from "../../stats/histogram/histogram.ts";

export class BusyPeriods {
  /** How long the loop polled while nothing was due, microseconds. */
  spunUs = 0;
  readonly #lengths = new GrowingHistogram();
  #endUs = 0;
  #longestUs = 0;

  // hot: runs for every batch of events. A busy period that overlaps an earlier one counts from the
  // end of the earlier one.
  add(fromUs: number, toUs: number): void {
    const beganUs = fromUs > this.#endUs ? fromUs : this.#endUs;
    if (toUs <= beganUs) return;
    const lengthUs = toUs - beganUs;
    this.#lengths.fresh.record(lengthUs);
    if (lengthUs > this.#longestUs) this.#longestUs = lengthUs;
    this.#endUs = toUs;
  }

  // hot: runs for every iteration of a busy loop.
  addSpin(fromUs: number, toUs: number): void {
    if (fromUs >= 0) this.spunUs += toUs - fromUs;
  }

  /** The longest busy period since the last call, microseconds; 0 without any. */
  takeLongestUs(): number {
    const longestUs = this.#longestUs;
    this.#longestUs = 0;
    return longestUs;
  }

  /** Called at the end of the load: busy periods added from now on do not count. */
  end(): void {
    this.#endUs = Infinity;
  }

  lengths(): SparseHistogram {
    return this.#lengths.whole();
  }

  /** Lengths of busy periods since the last call. */
  takeLengths(): SparseHistogram {
    return this.#lengths.take();
  }
}
