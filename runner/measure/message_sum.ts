/** Messages of an interval over all workers, as their parts come in. */
import {
  type BoundedTotals,
  INTERVAL_TIMES,
  type MessagePart,
} from "../load/recording/messages.ts";
import { HistogramSum } from "../stats/histogram/histogram.ts";

export class MessageSum {
  #received = 0;
  #failed = 0;
  readonly #times = {
    ttfe: new BoundedSum(),
    gap: new BoundedSum(),
    ttft: new BoundedSum(),
  };

  add(part: MessagePart): void {
    this.#received += part.received;
    this.#failed += part.failed;
    for (const of of INTERVAL_TIMES) this.#times[of].add(part[of]);
  }

  whole(): MessagePart {
    const { ttfe, gap, ttft } = this.#times;
    return {
      received: this.#received,
      failed: this.#failed,
      ttfe: ttfe.whole(),
      gap: gap.whole(),
      ttft: ttft.whole(),
    };
  }
}

class BoundedSum {
  readonly #all = new HistogramSum();
  readonly #censored = new HistogramSum();

  add({ all, censored }: BoundedTotals): void {
    this.#all.add(all);
    this.#censored.add(censored);
  }

  whole(): BoundedTotals {
    return { all: this.#all.whole(), censored: this.#censored.whole() };
  }
}
