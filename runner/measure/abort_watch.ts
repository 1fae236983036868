/**
 * Ends a load as soon as one of its rules is hopelessly broken, judging by all requests so far. A request that has not
 * ended counts, too: once it has waited for longer than a limit, it is beyond that limit whatever becomes of it.
 */
import { keptByAll } from "../../scenarios/load/abort_rules.ts";
import { durationMsOf } from "../../scenarios/load/load.ts";
import type { Objective } from "../../scenarios/claims/objective.ts";
import type { FindingOf } from "../result/findings.ts";
import type { LoadRequest } from "./loader.ts";
import { Histogram, mergeHistograms, type SparseHistogram } from "../stats/histogram/histogram.ts";
import type { WholeInterval } from "./timeline.ts";

/** Fewer rule-breaking requests than this may be due to a cold start. */
const FEWEST_BEYOND = 20;
/** The longest cold start. If a request has waited for longer, the server hangs, however few requests wait. */
const COLD_START_MS = 10_000;

/**
 * The number of Poisson arrivals is taken to differ from the expected number by at most this many standard deviations.
 */
const STRAY = 5;

/** The least and the most requests that may be due by a moment, at a constant rate. */
function dueBy(ratePerSec: number, elapsedMs: number): readonly [least: number, most: number] {
  const due = ratePerSec * Math.max(0, elapsedMs) / 1_000;
  const stray = STRAY * Math.sqrt(due);
  return [Math.floor(due - stray), Math.ceil(due + stray)];
}

/**
 * How many requests of a constant rate have certainly waited for longer than the limit, because they are long due and
 * have not ended.
 */
export function overdueOf(
  ratePerSec: number,
  { elapsedMs, limitMs, ended }: {
    readonly elapsedMs: number;
    readonly limitMs: number;
    readonly ended: number;
  },
): number {
  const [due] = dueBy(ratePerSec, elapsedMs - limitMs);
  return Math.max(0, due - ended);
}

type WatchedRequest = Pick<LoadRequest, "load" | "script" | "turns" | "intervalMs">;

/** The constant rate at which requests are due; null if their rate varies or is unknown. */
function rateOf({ load, script, turns }: WatchedRequest): number | null {
  const isConstant = load.kind === "rate" && load.arrivals !== "recorded" && turns === undefined;
  // The rate of a flow is the rate at which users arrive; each later request of a user is due when
  // the one before has ended.
  return isConstant && script.kind === "requests" ? load.ratePerSec : null;
}

/** What is known of requests that have not ended. */
interface Waiting {
  /** The latencies so far of the requests in flight, by worker. */
  readonly inFlight: () => Iterable<SparseHistogram>;
  /** Whether all workers report; false while an agent is silent. */
  readonly seesAll: boolean;
}

export class AbortWatch {
  readonly #abort = new AbortController();
  readonly #rules: readonly Objective[];
  readonly #latency = new Histogram();
  #failed = 0;
  #wrong = 0;
  #found: FindingOf<"aborted">["evidence"] | null = null;

  readonly #ratePerSec: number | null;
  /** Infinity if the load ends by count. */
  readonly #durationMs: number;

  constructor(private readonly request: WatchedRequest, private readonly waiting: Waiting) {
    this.#rules = keptByAll(request.load.abortOn ?? []);
    this.#ratePerSec = rateOf(request);
    this.#durationMs = durationMsOf(request.load) ?? Infinity;
  }

  /** Aborts when the load must end. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The rule that ended the load; null if none did. */
  get found(): FindingOf<"aborted">["evidence"] | null {
    return this.#found;
  }

  observe({ index, failed, wrong, latency, completedSoFar }: WholeInterval): void {
    if (this.#rules.length === 0 || this.#found !== null) return;
    this.#failed += failed;
    this.#wrong += wrong;
    this.#latency.addSparse(latency);
    const ended = completedSoFar + this.#failed;
    const elapsedMs = (index + 1) * this.request.intervalMs;
    if (elapsedMs >= this.#durationMs) return; // there is nothing left to end
    const open = mergeHistograms(this.waiting.inFlight());
    for (const rule of this.#rules) {
      const { beyond, waiting, of } = rule.isBeyond === null
        ? { beyond: this.#failed + this.#wrong, waiting: 0, of: ended }
        : this.#brokenBy(rule, rule.isBeyond, { ended, elapsedMs, open });
      const isEnough = beyond >= FEWEST_BEYOND ||
        (waiting > 0 && open.maxUs >= COLD_START_MS * 1_000);
      if (!isEnough || beyond <= rule.allowed * of) continue;
      this.#found = {
        ...{ rule: rule.text, beyond, ended, afterS: elapsedMs / 1_000 },
        ...waiting > 0 && { waiting },
      };
      this.#abort.abort();
      return;
    }
  }

  #brokenBy(
    { limitMs }: Objective,
    isBeyond: (latencyMs: number) => boolean,
    { ended, elapsedMs, open }: {
      readonly ended: number;
      readonly elapsedMs: number;
      readonly open: Histogram;
    },
  ): Broken {
    // In an open loop, due requests that wait for a connection are not in flight, so the rate tells
    // how many there are.
    const rate = this.#ratePerSec;
    const [, mostDue] = rate === null ? [0, 0] : dueBy(rate, elapsedMs);
    const overdue = rate !== null && this.waiting.seesAll
      ? overdueOf(rate, { elapsedMs, limitMs, ended })
      : 0;
    const waiting = Math.max(countIn(open, isBeyond), overdue);
    return {
      beyond: countIn(this.#latency, isBeyond) + waiting,
      waiting,
      of: Math.max(ended + open.count, mostDue),
    };
  }
}

/** How many requests break a rule so far. */
interface Broken {
  readonly beyond: number;
  /** How many requests in `beyond` have not ended. */
  readonly waiting: number;
  /** The number of requests that the rule judges. */
  readonly of: number;
}

function countIn(times: Histogram, isBeyond: (latencyMs: number) => boolean): number {
  let count = 0;
  times.forEachBucket((lowUs, _, inBucket) => {
    if (isBeyond(lowUs / 1_000)) count += inBucket;
  });
  return count;
}
