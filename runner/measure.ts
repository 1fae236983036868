/**
 * One load on one origin, from the encoded request to the `Measurement`; what `bench` does once and
 * `run` does for every planned run.
 */
import { encodeRequest } from "./http/request.ts";
import type { ClosedLoad } from "../scenarios/plan.ts";
import { rightStatuses, type Scenario, wireRequest } from "../scenarios/request.ts";
import { type Asked, assemble } from "./assemble.ts";
import type { Check } from "./load/answer_check.ts";
import type { DriverName } from "./load/driver.ts";
import { chooseDriver } from "./load/drivers.ts";
import type { Endpoint, ScriptSpec } from "./load/job.ts";
import type { JobShare, WorkerPool } from "./load/pool.ts";
import { splitWhole } from "./load/split.ts";
import type { OnProgress } from "./progress.ts";
import type { Measurement } from "./result.ts";
import { Timeline } from "./timeline.ts";
import { VERSION } from "./version.ts";

export interface LoadRequest {
  /** `http://host:port`, without a path. */
  readonly origin: string;
  readonly scenario: Scenario;
  readonly load: ClosedLoad;
  /** auto: the best that works here. */
  readonly driver: DriverName | "auto";
  readonly intervalMs: number;
  /** Whether an answer with any status outside 2xx and 3xx is wrong when the scenario names none. */
  readonly implicitCheck: boolean;
}

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
  const { driver, note } = chooseDriver(request.driver);
  if (note !== null) hooks.onProgress({ kind: "note", text: note });
  const shares = shareOut(request, driver);
  const timeline = new Timeline(intervalMs, shares.length);
  const reports = await hooks.pool.run(shares, {
    onStart: hooks.onStart,
    signal: hooks.signal,
    onInterval: (_worker, part) => {
      const whole = timeline.add(part);
      if (whole === null) return;
      hooks.onProgress({
        kind: "live",
        elapsedMs: (whole.index + 1) * intervalMs,
        durationMs: load.durationMs,
        ratePerSec: whole.completed / (intervalMs / 1_000),
        p50Ms: whole.latency.valueAtPercentile(50) / 1_000,
        p99Ms: whole.latency.valueAtPercentile(99) / 1_000,
        failed: whole.failed,
      });
    },
  });
  return assemble(describe(request, driver), reports, { timeline, intervalMs });
}

function describe({ origin, scenario, load }: LoadRequest, driver: DriverName): Asked {
  return {
    version: VERSION,
    url: origin + wireRequest(scenario).path,
    driver,
    load: {
      kind: "closed",
      connections: load.connections,
      pipeline: load.pipeline,
      keepAlive: load.keepAlive,
      timeout: load.timeoutMs,
      duration: load.durationMs === null ? null : load.durationMs / 1_000,
      requests: load.requests,
    },
  };
}

/** The whole load, split exactly over the workers. */
function shareOut(request: LoadRequest, driver: DriverName): JobShare[] {
  const { load, intervalMs } = request;
  const workers = workersFor(load);
  const connections = splitWhole(Math.min(load.connections, load.requests ?? Infinity), workers);
  const requests = load.requests === null ? null : splitWhole(load.requests, workers);
  const common = {
    driver,
    endpoint: endpointOf(request.origin),
    script: scriptOf(request),
    pipeline: load.pipeline,
    keepAlive: load.keepAlive,
    timeoutUs: load.timeoutMs * 1_000,
    intervalUs: intervalMs * 1_000,
    durationUs: load.durationMs === null ? Infinity : load.durationMs * 1_000,
  };
  return connections.map((share, worker) => ({
    ...common,
    connections: share,
    supply: { kind: "closed", requests: requests === null ? Infinity : requests[worker] },
  }));
}

/** Half of the cores, so that a target on the same machine keeps the other half; never idle workers. */
function workersFor({ workers, connections, requests }: ClosedLoad): number {
  const wanted = workers ?? Math.max(1, navigator.hardwareConcurrency >> 1);
  return Math.min(wanted, connections, requests ?? Infinity);
}

function scriptOf({ origin, scenario, load, implicitCheck }: LoadRequest): ScriptSpec {
  const wire = wireRequest(scenario);
  const { host } = new URL(origin);
  const request = {
    bytes: encodeRequest(wire, { host, keepAlive: load.keepAlive }),
    head: wire.method === "HEAD",
    check: checkOf(scenario, implicitCheck),
  };
  return { kind: "requests", requests: [request], sequence: Uint16Array.of(0) };
}

export function endpointOf(origin: string): Endpoint {
  const { hostname, port } = new URL(origin);
  return { hostname: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 80) };
}

function checkOf(scenario: Scenario, implicit: boolean): Check | null {
  const { status, body, contains } = scenario.expect;
  if (!implicit && status === undefined && body === undefined && contains === undefined) {
    return null;
  }
  const bytes = (text: string | undefined): Uint8Array<ArrayBuffer> | null =>
    text === undefined ? null : new TextEncoder().encode(text);
  return { statuses: rightStatuses(scenario.expect), body: bytes(body), contains: bytes(contains) };
}
