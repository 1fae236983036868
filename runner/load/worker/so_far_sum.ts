/** What a worker has posted of its load so far, put together when somebody wants it. */
import { addSparse } from "../../stats/histogram/histogram.ts";
import { HistogramSum } from "../../stats/histogram/histogram.ts";
import type { SoFarPart, SoFarReport } from "./messages.ts";

export class SoFarSum {
  #last: SoFarPart | null = null;
  readonly #service = new HistogramSum();
  readonly #firstByte = new HistogramSum();
  readonly #lag = new HistogramSum();
  readonly #busyPeriods = new HistogramSum();

  add(part: SoFarPart): void {
    this.#last = part;
    this.#service.add(part.totals.service);
    this.#firstByte.add(part.totals.firstByte);
    this.#lag.add(part.totals.lag);
    this.#busyPeriods.add(part.busyPeriods);
  }

  /** Null before the first part. */
  get report(): SoFarReport | null {
    if (this.#last === null) return null;
    const { openService, totals, ...last } = this.#last;
    return {
      ...last,
      totals: {
        ...totals,
        service: addSparse(this.#service.whole(), openService),
        serviceCensored: addSparse(totals.serviceCensored, openService),
        firstByte: this.#firstByte.whole(),
        lag: this.#lag.whole(),
      },
      busyPeriods: this.#busyPeriods.whole(),
    };
  }

  /** Microseconds from the start of the run to the last part; 0 before the first. */
  get elapsedUs(): number {
    return this.#last?.elapsedUs ?? 0;
  }
}
