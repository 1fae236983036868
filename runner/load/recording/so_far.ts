/**
 * The totals of a worker's load as if it ended now, posted while it goes on, because a receiver may never get the final
 * totals. Requests in flight are counted as at a real end: unfinished, with lower bounds.
 */
import { Histogram, type SparseHistogram } from "../../stats/histogram/histogram.ts";
import type { Recorder } from "./recorder.ts";
import type { StepPart } from "./steps.ts";
import type { WorkerTotals } from "./totals.ts";

/**
 * Called for each exchange in flight.
 * @param begunUs When the request was sent or, before that, when its connection was dialed.
 * @param isDue Whether the exchange is already counted as due. If not, as for a dial in a closed loop, it would be
 * counted at the end of the run.
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
 * Totals that count requests in flight as unfinished. As in `Recorder.totals` with `take`, some of their times are only
 * those recorded since the previous totals. The times so far of requests in flight are in `open` and `openService`.
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
  // These hold only the times of requests in flight, so that a report costs little; the receiver adds the requests that
  // have ended.
  readonly #open = new Histogram();
  readonly #service = new Histogram();
  /** Latencies so far of requests in flight, by step. */
  readonly #ofSteps = new Map<number, Histogram>();

  /** Totals as if the run ended now; `slowest` contains only exchanges that have ended. */
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
