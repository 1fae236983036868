/**
 * How a worker's load would end if it ended now, posted while it goes on, for a receiver that may never get
 * the real end. What is in flight is counted as at a real end: unfinished, with lower bounds.
 */
import { Histogram, type SparseHistogram } from "../../stats/histogram/histogram.ts";
import { withOpen } from "./steps.ts";
import type { WorkerTotals } from "./totals.ts";

/**
 * Called for each exchange in flight.
 *
 * @param begunUs When it began to be carried out.
 * @param isDue Whether it is counted as due; else it would be at the end of the run, as a dial in a closed loop.
 */
export type VisitInFlight = (
  step: number,
  dueUs: number,
  begunUs: number,
  isDue: boolean,
) => void;

export interface InFlightExchanges {
  forEachInFlight(visit: VisitInFlight): void;
}

/** The requests in flight beside `totals`, whose service times are without them. */
interface EndedSoFar {
  readonly totals: WorkerTotals;
  /** Latencies so far. */
  readonly open: SparseHistogram;
  /** Service times so far. */
  readonly openService: SparseHistogram;
}

export class SoFar {
  // Requests in flight only, so that a report costs no more than what they hold; whoever gets it adds those that ended.
  readonly #open = new Histogram();
  readonly #service = new Histogram();
  /** By step. */
  readonly #ofSteps = new Map<number, Histogram>();

  /** The slowest are those that have ended. */
  at(nowUs: number, totals: WorkerTotals, exchanges: InFlightExchanges): EndedSoFar {
    let begun = 0;
    exchanges.forEachInFlight((step, dueUs, begunUs, isDue) => {
      if (!isDue) begun++;
      this.#open.record(nowUs - dueUs);
      if (totals.steps.length > 0) this.#openOf(step).record(nowUs - dueUs);
      this.#service.record(nowUs - begunUs);
    });
    const open = this.#open.drain();
    return {
      totals: {
        ...totals,
        due: totals.due + begun,
        unfinished: totals.unfinished + open.count,
        censored: totals.censored + open.count,
        steps: withOpen(totals.steps, this.#ofSteps),
      },
      open,
      openService: this.#service.drain(),
    };
  }

  #openOf(step: number): Histogram {
    const known = this.#ofSteps.get(step) ?? new Histogram();
    this.#ofSteps.set(step, known);
    return known;
  }
}
