/** The sum of many histograms, as they come in: of a fleet, thousands for each interval. */
import { addSparse, EMPTY, mergeHistograms, type SparseHistogram } from "./histogram.ts";

/** To add one at a time would take as long as all that was added before is large. */
const AT_ONCE = 64;

export class HistogramSum {
  #sum: SparseHistogram = EMPTY;
  #waiting: SparseHistogram[] = [];

  add(part: SparseHistogram): void {
    if (part.count === 0) return;
    this.#waiting.push(part);
    if (this.#waiting.length === AT_ONCE) this.whole();
  }

  /** Of all that was added so far. */
  whole(): SparseHistogram {
    const [first, ...others] = this.#waiting;
    if (first !== undefined) {
      this.#sum = others.length === 0
        ? addSparse(this.#sum, first)
        : mergeHistograms([this.#sum, first, ...others]).toSparse();
    }
    this.#waiting = [];
    return this.#sum;
  }
}
