/** A histogram of which what came last is handed on again and again, at the price of that alone. */
import { addSparse, Histogram, type SparseHistogram } from "./histogram.ts";

export class GrowingHistogram {
  /** What came since the last `take`: record here. */
  readonly fresh = new Histogram();
  readonly #before = new Histogram();

  /** What came since the last call. */
  take(): SparseHistogram {
    const part = this.fresh.drain();
    this.#before.addSparse(part);
    return part;
  }

  /** All of it, whether or not it was taken. */
  whole(): SparseHistogram {
    return addSparse(this.#before.toSparse(), this.fresh.toSparse());
  }
}
