/** Ends a load as soon as one of its rules is hopelessly broken, judging by all requests that ended so far. */
import { keptByAll } from "../../scenarios/load/abort_rules.ts";
import type { Objective } from "../../scenarios/claims/objective.ts";
import type { FindingOf } from "../result/findings.ts";
import { Histogram } from "../stats/histogram/histogram.ts";
import type { WholeInterval } from "./timeline.ts";

/** A smaller number of requests that break the rule may only show a cold start. */
const FEWEST_BEYOND = 20;

export class AbortWatch {
  readonly #abort = new AbortController();
  readonly #rules: readonly Objective[];
  readonly #latency = new Histogram();
  #failed = 0;
  #wrong = 0;
  #found: FindingOf<"aborted">["evidence"] | null = null;

  constructor(rules: readonly string[] = [], private readonly intervalMs: number) {
    this.#rules = keptByAll(rules);
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
    for (const { text: rule, isBeyond, allowed } of this.#rules) {
      const beyond = isBeyond === null ? this.#failed + this.#wrong : this.#countBeyond(isBeyond);
      if (beyond < FEWEST_BEYOND || beyond <= allowed * ended) continue;
      this.#found = { rule, beyond, ended, afterS: (index + 1) * this.intervalMs / 1_000 };
      this.#abort.abort();
      return;
    }
  }

  #countBeyond(isBeyond: (latencyMs: number) => boolean): number {
    let count = 0;
    this.#latency.forEachBucket((lowUs, _, inBucket) => {
      if (isBeyond(lowUs / 1_000)) count += inBucket;
    });
    return count;
  }
}
