/** Runs loads from workers of this process, for benches that must know when the load starts. */
import type { SoFarReport } from "../../runner/load/worker/messages.ts";
import type { Loader, LoadRequest } from "../../runner/measure/loader.ts";
import { LocalLoader } from "../../runner/measure/local_loader.ts";
import { measureLoad } from "../../runner/measure/measure.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import { scriptOf } from "../../scenarios/request/script.ts";

/** A load. Without a script, it requests `/`. */
type Asked = Pick<LoadRequest, "origin" | "load" | "driver"> & Partial<Pick<LoadRequest, "script">>;

interface Hooks {
  /**
   * Called shortly before the load starts, with the moment of the start on the clock of `performance.now()` in this
   * isolate.
   */
  readonly onStart?: (atMs: number) => void;
  /**
   * Called at the end of each interval for each worker, with the report that the worker would have made if it had ended
   * then.
   */
  readonly onSoFar?: (worker: number, report: SoFarReport) => void;
}

const INTERVAL_MS = 250;

export async function loadHere(
  asked: Asked,
  { onStart = () => {}, onSoFar = () => {} }: Hooks,
): Promise<Measurement> {
  const workers = new LocalLoader();
  const loader: Loader = {
    load: (request, hooks) => workers.load(request, hooks, { onSoFar }),
    close: () => workers.close(),
  };
  const script = scriptOf(requestScenarioSpec.parse({ get: "/" }), 0);
  const rest = { script, seed: 1, intervalMs: INTERVAL_MS, logPath: null, implicitCheck: false };
  try {
    return await measureLoad({ ...rest, ...asked }, {
      loader,
      onProgress: () => {},
      onStart: (atMs) => onStart(atMs - performance.timeOrigin),
      signal: new AbortController().signal,
    });
  } finally {
    await loader.close();
  }
}
