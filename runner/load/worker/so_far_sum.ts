/** Assembles, on demand, a report from everything that a worker has posted so far. */
import {
  addSparse,
  EMPTY,
  HistogramSum,
  type SparseHistogram,
} from "../../stats/histogram/histogram.ts";
import type { BoundedTotals } from "../recording/message_counts.ts";
import type { MessageTotals } from "../recording/messages.ts";
import type { SocketTotals } from "../recording/socket_messages.ts";
import type { StepPart, StepTotals } from "../recording/steps.ts";
import type { SoFarPart, SoFarReport } from "./messages.ts";

export class SoFarSum {
  #last: SoFarPart | null = null;
  readonly #service = new HistogramSum();
  readonly #firstByte = new HistogramSum();
  readonly #lag = new HistogramSum();
  readonly #busyPeriods = new HistogramSum();
  // Sums of the parts, by step.
  readonly #steps = new Map<number, StepSum>();
  readonly #messages = new Map<number, StreamSum>();
  readonly #sockets = new Map<number, SocketSum>();

  add(part: SoFarPart): void {
    this.#last = part;
    const { service, firstByte, lag, messages = [], sockets = [] } = part.totals;
    this.#service.add(service);
    this.#firstByte.add(firstByte);
    this.#lag.add(lag);
    this.#busyPeriods.add(part.busyPeriods);
    addTo(this.#steps, part.steps, (first) => new StepSum(first));
    addTo(this.#messages, messages, (first) => new StreamSum(first));
    addTo(this.#sockets, sockets, (first) => new SocketSum(first));
  }

  /** Null before the first part. */
  get report(): SoFarReport | null {
    if (this.#last === null) return null;
    const { openService, steps: _, totals, ...last } = this.#last;
    const { messages, sockets } = totals;
    return {
      ...last,
      totals: {
        ...totals,
        service: addSparse(this.#service.whole(), openService),
        serviceCensored: addSparse(totals.serviceCensored, openService),
        firstByte: this.#firstByte.whole(),
        lag: this.#lag.whole(),
        steps: wholeOf(this.#steps),
        ...messages && { messages: wholeOf(this.#messages) },
        ...sockets && { sockets: wholeOf(this.#sockets) },
      },
      busyPeriods: this.#busyPeriods.whole(),
    };
  }

  /** Latencies so far of the exchanges in flight in the last part. */
  get open(): SparseHistogram {
    return this.#last?.open ?? EMPTY;
  }

  /** Microseconds from the start of the run to the last part; 0 before the first. */
  get elapsedUs(): number {
    return this.#last?.elapsedUs ?? 0;
  }
}

/** Sums the parts of one step: a part has the counts of the run so far, but only the times since the part before. */
interface SumOfStep<Part, Totals> {
  add(part: Part): void;
  whole(): Totals;
}

function addTo<Part extends { readonly step: number }, Sum extends SumOfStep<Part, unknown>>(
  sums: Map<number, Sum>,
  parts: readonly Part[],
  begin: (first: Part) => Sum,
): void {
  for (const part of parts) {
    const sum = sums.get(part.step) ?? begin(part);
    sums.set(part.step, sum);
    sum.add(part);
  }
}

function wholeOf<Totals>(sums: ReadonlyMap<number, SumOfStep<never, Totals>>): Totals[] {
  return [...sums.values()].map((sum) => sum.whole());
}

class StepSum implements SumOfStep<StepPart, StepTotals> {
  readonly #seconds: number[] = [];
  readonly #latency = new HistogramSum();
  readonly #censored = new HistogramSum();

  constructor(private last: StepPart) {}

  add(part: StepPart): void {
    this.last = part;
    this.#seconds.splice(part.seconds.from, Infinity, ...part.seconds.counts);
    this.#latency.add(part.totals.latency);
    this.#censored.add(part.totals.censored);
  }

  whole(): StepTotals {
    const { totals, seconds: { everyS }, open } = this.last;
    return {
      ...totals,
      seconds: { everyS, counts: [...this.#seconds] },
      unfinished: totals.unfinished + open.count,
      latency: addSparse(this.#latency.whole(), open),
      censored: addSparse(this.#censored.whole(), open),
    };
  }
}

/** Collects times that arrive in parts, some of them lower bounds. */
class BoundedSum {
  readonly #all = new HistogramSum();
  readonly #censored = new HistogramSum();
  /** Lower bounds of requests in flight in the last part. */
  #open = EMPTY;

  add({ all, censored, open = EMPTY }: BoundedTotals): void {
    this.#all.add(all);
    this.#censored.add(censored);
    this.#open = open;
  }

  whole(): BoundedTotals {
    return {
      all: addSparse(this.#all.whole(), this.#open),
      censored: addSparse(this.#censored.whole(), this.#open),
    };
  }
}

interface NamedSum {
  received: number;
  readonly gap: HistogramSum;
}

class StreamSum implements SumOfStep<MessageTotals, MessageTotals> {
  readonly #first = new BoundedSum();
  readonly #gap = new BoundedSum();
  readonly #firstToken = new BoundedSum();
  readonly #perToken = new HistogramSum();
  readonly #names = new Map<string, NamedSum>();

  constructor(private last: MessageTotals) {}

  add(part: MessageTotals): void {
    this.last = part;
    this.#first.add(part.first);
    this.#gap.add(part.gap);
    this.#firstToken.add(part.firstToken);
    this.#perToken.add(part.perToken);
    for (const { name, received, gap } of part.names) {
      const named = this.#names.get(name) ?? { received, gap: new HistogramSum() };
      this.#names.set(name, named);
      named.received = received;
      named.gap.add(gap);
    }
  }

  whole(): MessageTotals {
    const names = [...this.#names]
      .map(([name, { received, gap }]) => ({ name, received, gap: gap.whole() }));
    return {
      ...this.last,
      first: this.#first.whole(),
      gap: this.#gap.whole(),
      firstToken: this.#firstToken.whole(),
      perToken: this.#perToken.whole(),
      names,
    };
  }
}

class SocketSum implements SumOfStep<SocketTotals, SocketTotals> {
  readonly #latency = new BoundedSum();

  constructor(private last: SocketTotals) {}

  add(part: SocketTotals): void {
    this.last = part;
    this.#latency.add(part.latency);
  }

  whole(): SocketTotals {
    return { ...this.last, latency: this.#latency.whole() };
  }
}
