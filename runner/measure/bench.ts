/**
 * One measurement of one URL, in the manner of wrk and oha.
 */
import type { Access } from "../../base/net/endpoint.ts";
import type { CellLoad } from "../../scenarios/load/cell_load.ts";
import type { Scenario } from "../../scenarios/request/scenario.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import type { DriverName } from "../load/driver.ts";
import type { Loader } from "./loader.ts";
import { measureLoad } from "./measure.ts";
import type { OnProgress } from "../result/progress.ts";
import type { Measurement } from "../result/result.ts";

export interface BenchRequest extends Access {
  readonly url: URL;
  readonly load: CellLoad;
  /** Of every random choice. */
  readonly seed: number;
  /** What to ask; its path is that of `url`. */
  readonly scenario: Scenario;
  readonly driver: DriverName | "auto";
  readonly intervalMs: number;
  /** File for the request log; null for none. */
  readonly logPath: string | null;
}

export interface BenchHooks {
  /** Carries the load out; the caller closes it. */
  readonly loader: Loader;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
}

/** Measures `url`; on abort, what was measured so far. */
export async function measureUrl(request: BenchRequest, hooks: BenchHooks): Promise<Measurement> {
  const { url, scenario, ...rest } = request;
  const script = scriptOf(scenario, request.seed);
  return await measureLoad(
    { ...rest, script, origin: url.origin, implicitCheck: false },
    { ...hooks, onStart: () => {} },
  );
}
