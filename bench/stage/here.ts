/** A load from workers of this process: whoever has to know the moment of its start can't be told by another. */
import type { LoadRequest } from "../../runner/measure/loader.ts";
import { LocalLoader } from "../../runner/measure/local_loader.ts";
import { measureLoad } from "../../runner/measure/measure.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { requestScenarioSpec } from "../../scenarios/request/scenario.ts";
import { scriptOf } from "../../scenarios/request/script.ts";

type Asked = Pick<LoadRequest, "origin" | "load" | "driver">;

/** @param onStart Called shortly before the load starts, with the moment on this isolate's `performance.now()`. */
export async function loadHere(
  asked: Asked,
  onStart: (atMs: number) => void,
): Promise<Measurement> {
  const loader = new LocalLoader();
  const script = scriptOf(requestScenarioSpec.parse({ get: "/" }), 0);
  const rest = { script, seed: 1, intervalMs: 250, logPath: null, implicitCheck: false };
  try {
    return await measureLoad({ ...asked, ...rest }, {
      loader,
      onProgress: () => {},
      onStart: (atMs) => onStart(atMs - performance.timeOrigin),
      signal: new AbortController().signal,
    });
  } finally {
    await loader.close();
  }
}
