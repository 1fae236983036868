/**
 * How a worker's load would end if it ended now, told while it goes on, for those who may never hear how
 * it really ended. What is in flight is counted as at a real end: unfinished, with lower bounds.
 */
import { Histogram, type SparseHistogram } from "../stats/histogram/histogram.ts";
import type { WorkerTotals } from "./worker_totals.ts";

/**
 * Called for each exchange in flight.
 *
 * @param begunUs When it began to be carried out.
 * @param isDue Whether it is counted as due; else it would be at the end of the run, as a dial in a closed loop.
 */
export type VisitOpen = (slot: number, dueUs: number, begunUs: number, isDue: boolean) => void;

export interface OpenExchanges {
  forEachOpen(visit: VisitOpen): void;
}

export class SoFar {
  readonly #open = new Histogram();
  readonly #service = new Histogram();
  readonly #serviceCensored = new Histogram();

  /** The slowest are those that have ended. */
  at(
    nowUs: number,
    totals: WorkerTotals,
    exchanges: OpenExchanges,
  ): { readonly totals: WorkerTotals; readonly open: SparseHistogram } {
    let begun = 0;
    this.#service.addSparse(totals.service);
    this.#serviceCensored.addSparse(totals.serviceCensored);
    exchanges.forEachOpen((_, dueUs, begunUs, isDue) => {
      if (!isDue) begun++;
      this.#open.record(nowUs - dueUs);
      this.#service.record(nowUs - begunUs);
      this.#serviceCensored.record(nowUs - begunUs);
    });
    const open = this.#open.drain();
    return {
      totals: {
        ...totals,
        due: totals.due + begun,
        unfinished: totals.unfinished + open.count,
        censored: totals.censored + open.count,
        service: this.#service.drain(),
        serviceCensored: this.#serviceCensored.drain(),
      },
      open,
    };
  }
}
