/**
 * One load on one origin, from the encoded request to the `Measurement`; what `bench` does once and
 * `run` does for every planned run.
 */
import { messageOf, UserError } from "../scenarios/errors.ts";
import { type CellLoad, durationMsOf } from "../scenarios/plan.ts";
import type { RequestStep, ThinkStep } from "../scenarios/script.ts";
import { type Asked, assemble } from "./assemble.ts";
import { endpointOf } from "./endpoint.ts";
import type { DriverName } from "./load/driver.ts";
import { chooseDriver } from "./load/drivers.ts";
import type { Surroundings } from "./generator.ts";
import type { LoadRequest } from "./load_request.ts";
import { makeRoomFor } from "./load/open_files.ts";
import { LOG_HEADER } from "./load/request_log.ts";
import type { WorkerPool } from "./load/pool.ts";
import type { OnProgress } from "./progress.ts";
import type { Measurement } from "./result.ts";
import { shareOut } from "./share.ts";
import { Timeline } from "./timeline.ts";
import { rememberedCalibration } from "./trust/calibration_cache.ts";
import { isHere, ownNames } from "./trust/sharing.ts";
import { UNKNOWN, watchSurroundings } from "./trust/surroundings.ts";
import { VERSION } from "./version.ts";

export interface LoadHooks {
  readonly pool: WorkerPool;
  readonly onProgress: OnProgress;
  /** The load starts at this moment, milliseconds since the epoch. */
  readonly onStart: (atMs: number) => void;
  /** Ends the load early; the measurement is then of what there was. */
  readonly signal: AbortSignal;
}

export async function measureLoad(request: LoadRequest, hooks: LoadHooks): Promise<Measurement> {
  const { load, intervalMs } = request;
  const { driver, note } = chooseDriver(request.driver, endpointOf(request.origin, request));
  if (note !== null) hooks.onProgress({ kind: "note", text: note });
  const shares = shareOut(request, driver);
  makeRoomFor(request.load.connections);
  if (request.logPath !== null) await beginLog(request.logPath);
  const timeline = new Timeline(intervalMs, shares.length);
  let surroundings = (): Surroundings => UNKNOWN;
  const reports = await hooks.pool.run(shares, {
    onStart: (atMs) => {
      surroundings = watchSurroundings();
      hooks.onStart(atMs);
    },
    signal: hooks.signal,
    onInterval: (_worker, part) => {
      const whole = timeline.add(part);
      if (whole === null) return;
      hooks.onProgress({
        kind: "live",
        elapsedMs: (whole.index + 1) * intervalMs,
        durationMs: durationMsOf(load),
        ratePerSec: whole.completed / (intervalMs / 1_000),
        p50Ms: whole.latency.valueAtPercentile(50) / 1_000,
        p99Ms: whole.latency.valueAtPercentile(99) / 1_000,
        failed: whole.failed,
      });
    },
  });
  const stage = {
    surroundings: surroundings(),
    calibration: await rememberedCalibration(driver),
    sharesMachine: isHere(endpointOf(request.origin, request), ownNames()),
  };
  return assemble(describe(request, driver), reports, { timeline, intervalMs, stage });
}

/** Throws a UserError when the file can't be written. */
async function beginLog(path: string): Promise<void> {
  try {
    await Deno.writeTextFile(path, LOG_HEADER);
  } catch (error) {
    const message = `Cannot write the request log to "${path}": ${messageOf(error)}`;
    throw new UserError([{ place: "--log", message }]);
  }
}

function describe({ origin, script, load, seed }: LoadRequest, driver: DriverName): Asked {
  const first = (script.kind === "flow" ? script.steps : script.requests).find(isRequest);
  return {
    version: VERSION,
    url: origin + (first?.wire.path ?? "/"),
    driver,
    load: describeLoad(load, seed),
  };
}

function isRequest(step: RequestStep | ThinkStep): step is RequestStep {
  return step.kind === "request";
}

function describeLoad(load: CellLoad, seed: number): Measurement["load"] {
  const { connections, keepAlive, timeoutMs: timeout } = load;
  const common = { connections, keepAlive, timeout };
  switch (load.kind) {
    case "closed": {
      const duration = load.durationMs === null ? null : load.durationMs / 1_000;
      const { kind, pipeline, requests } = load;
      return { kind, ...common, pipeline, duration, requests };
    }
    case "rate": {
      const { kind, arrivals, ratePerSec: rate, durationMs } = load;
      return { kind, ...common, arrivals, seed, rate, duration: durationMs / 1_000 };
    }
    case "phases": {
      const { kind, arrivals, pool } = load;
      const phases = load.phases.map(({ durationUs, fromPerSec, toPerSec }) => ({
        duration: durationUs / 1e6,
        from: fromPerSec,
        to: toPerSec,
      }));
      return { kind, ...common, arrivals, seed, phases, pool };
    }
  }
}
