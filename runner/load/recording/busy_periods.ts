/**
 * When a worker's loop had no time for what was new. Its driver tells each stretch in which the loop
 * handled a batch of events, or came late to what was due: whatever became ready or due meanwhile had to
 * wait for the end of the stretch. `delay.ts` makes the worker's delay of them.
 *
 * It knows no clock: moments are microseconds since the start of the run, and what was before it, such
 * as the dials of an open loop, does not count.
 */
import { Histogram, type SparseHistogram } from "../../stats/histogram/histogram.ts";

export class LoopWatch {
  /** How long the loop asked again and again whether something was due, while nothing was. */
  spunUs = 0;
  readonly #stretches = new Histogram();
  #endUs = 0;
  #longestUs = 0;

  // hot: once a batch of events. Where stretches overlap, the later one begins where the first ends.
  held(fromUs: number, toUs: number): void {
    const beganUs = fromUs > this.#endUs ? fromUs : this.#endUs;
    if (toUs <= beganUs) return;
    const lengthUs = toUs - beganUs;
    this.#stretches.record(lengthUs);
    if (lengthUs > this.#longestUs) this.#longestUs = lengthUs;
    this.#endUs = toUs;
  }

  // hot: once a turn of a loop that spins.
  spun(fromUs: number, toUs: number): void {
    if (fromUs >= 0) this.spunUs += toUs - fromUs;
  }

  /** The longest stretch since this was last asked, microseconds; 0 without one. */
  takeLongestUs(): number {
    const longestUs = this.#longestUs;
    this.#longestUs = 0;
    return longestUs;
  }

  /** How long the stretches were. */
  stretches(): SparseHistogram {
    return this.#stretches.toSparse();
  }
}
