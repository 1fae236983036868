/**
 * How a worker's load would end if it ended now, posted while it goes on, for a receiver that may never get
 * the real end. What is in flight is counted as at a real end: unfinished, with lower bounds.
 */
import { Histogram, type SparseHistogram } from "../../stats/histogram/histogram.ts";
import type { Recorder } from "./recorder.ts";
import type { StepPart } from "./steps.ts";
import type { WorkerTotals } from "./totals.ts";

/**
 * Called for each exchange in flight.
 * @param begunUs When the exchange began.
 * @param isDue Whether it is counted as due already; if not, it would be counted at the end of the run, like a dial in
 * a closed loop.
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

/**
 * Totals that count requests in flight as unfinished. Times are those since the last call, without the open ones below.
 */
interface EndedSoFar {
  readonly totals: WorkerTotals;
  readonly steps: readonly StepPart[];
  /** Latencies so far of requests in flight. */
  readonly open: SparseHistogram;
  /** Service times so far of requests in flight. */
  readonly openService: SparseHistogram;
}

export class SoFar {
  // Only requests in flight, so that a report costs no more than they do; the receiver adds those that ended.
  readonly #open = new Histogram();
  readonly #service = new Histogram();
  /** The same by step. */
  readonly #ofSteps = new Map<number, Histogram>();

  /** Totals as if the run ended now; the slowest are among those that have ended. */
  at(
    nowUs: number,
    recorder: Pick<Recorder, "totals" | "steps">,
    exchanges: InFlightExchanges,
  ): EndedSoFar {
    const { steps } = recorder;
    let begun = 0;
    exchanges.forEachInFlight((step, dueUs, begunUs, isDue) => {
      if (!isDue) begun++;
      this.#open.record(nowUs - dueUs);
      if (steps !== null) this.#openOf(step).record(nowUs - dueUs);
      this.#service.record(nowUs - begunUs);
    });
    const open = this.#open.drain();
    const totals = recorder.totals("take");
    return {
      totals: {
        ...totals,
        due: totals.due + begun,
        unfinished: totals.unfinished + open.count,
        censored: totals.censored + open.count,
      },
      steps: steps?.take(this.#ofSteps) ?? [],
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
