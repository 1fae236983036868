/** The live figures of a load, whenever an interval is whole. */
import { durationMsOf } from "../../scenarios/load/load.ts";
import type { Health } from "../load/worker/messages.ts";
import type { OnProgress } from "../result/progress.ts";
import { valueAtPercentile } from "../stats/histogram/histogram.ts";
import type { Loader, LoadRequest } from "./loader.ts";
import type { WholeInterval } from "./timeline.ts";

export class LiveFigures {
  /** Workers that load. */
  count = 0;
  /** The last of each worker. */
  readonly #healths = new Map<number, Health>();

  constructor(
    private readonly request: Pick<LoadRequest, "load" | "intervalMs">,
    private readonly onProgress: OnProgress,
    private readonly loader: Pick<Loader, "live">,
  ) {}

  noteHealth(worker: number, health: Health): void {
    this.#healths.set(worker, health);
  }

  report({ index, completed, failed, latency, completedSoFar }: WholeInterval): void {
    const { load, intervalMs } = this.request;
    const healths = [...this.#healths.values()];
    this.onProgress({
      kind: "live",
      elapsedMs: (index + 1) * intervalMs,
      durationMs: durationMsOf(load),
      ratePerSec: completed / (intervalMs / 1_000),
      p50Ms: valueAtPercentile(latency, 50) / 1_000,
      p99Ms: valueAtPercentile(latency, 99) / 1_000,
      failed,
      latency,
      completed: completedSoFar,
      requests: load.kind === "closed" ? load.requests : null,
      workers: {
        count: this.count,
        cpuRatio: Math.max(...healths.map(({ cpuRatio }) => cpuRatio)),
        lateMs: Math.max(...healths.map(({ lateUs }) => lateUs)) / 1_000,
      },
      ...this.loader.live !== undefined && { agents: this.loader.live() },
    });
  }
}
