/**
 * One measurement of one URL, in the manner of wrk and oha.
 */
import type { CellLoad } from "../scenarios/plan.ts";
import type { Scenario } from "../scenarios/request.ts";
import type { DriverName } from "./load/driver.ts";
import { WorkerPool } from "./load/pool.ts";
import { measureLoad } from "./measure.ts";
import type { OnProgress } from "./progress.ts";
import type { Measurement } from "./result.ts";

export interface BenchRequest {
  readonly url: URL;
  readonly load: CellLoad;
  /** What to ask; its path is that of `url`. */
  readonly scenario: Scenario;
  readonly driver: DriverName | "auto";
  readonly intervalMs: number;
}

/** Measures `url`; on abort, what was measured so far. */
export async function measureUrl(
  request: BenchRequest,
  hooks: { readonly onProgress: OnProgress; readonly signal: AbortSignal },
): Promise<Measurement> {
  const { url, load, ...rest } = request;
  if (load.kind !== "closed") throw new Error(`Cannot load in the manner of ${load.kind}`);
  const pool = new WorkerPool();
  try {
    return await measureLoad(
      { ...rest, load, origin: url.origin, implicitCheck: false },
      { ...hooks, pool, onStart: () => {} },
    );
  } finally {
    pool.close();
  }
}
