/**
 * The whole load, split exactly over the workers: connections and requests add up, and every arrival is
 * one worker's.
 */
import { type CellLoad, durationMsOf } from "../scenarios/plan.ts";
import { type Expectation, rightStatuses } from "../scenarios/request.ts";
import type { RequestStep, Script, ThinkStep } from "../scenarios/script.ts";
import { endpointOf } from "./endpoint.ts";
import { type Connection, encodeRequest } from "./http/request.ts";
import type { Check } from "./load/answer_check.ts";
import type { DriverName } from "./load/driver.ts";
import type { FlowSpec, StepSpec } from "./load/flow.ts";
import type { PreparedRequest, ScriptSpec, SupplySpec } from "./load/job.ts";
import type { JobShare } from "./load/pool.ts";
import { splitWhole } from "./load/split.ts";
import type { LoadRequest } from "./load_request.ts";

/** One worker of several. */
interface Place {
  readonly worker: number;
  readonly workers: number;
}

export function shareOut(request: LoadRequest, driver: DriverName): JobShare[] {
  const { load, intervalMs, logPath } = request;
  const workers = workersFor(load);
  const durationMs = durationMsOf(load);
  const common = {
    driver,
    endpoint: endpointOf(request.origin, request),
    pipeline: load.kind === "closed" ? load.pipeline : 1,
    keepAlive: load.keepAlive,
    timeoutUs: load.timeoutMs * 1_000,
    intervalUs: intervalMs * 1_000,
    waitsForLast: load.kind === "phases",
    durationUs: durationMs === null ? Infinity : durationMs * 1_000,
  };
  const connections = splitWhole(usableConnections(load), workers);
  return connections.map((share, worker) => ({
    ...common,
    connections: share,
    log: logPath === null
      ? null
      : { path: logPath, firstConnection: sumOf(connections.slice(0, worker)) },
    supply: supplyFor(load, request.seed, { worker, workers }),
    script: scriptFor(request, { worker, workers }),
  }));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** Half of the cores, so that a target on the same machine keeps the other half; never idle workers. */
function workersFor(load: CellLoad): number {
  const wanted = load.workers ?? Math.max(1, navigator.hardwareConcurrency >> 1);
  return Math.min(wanted, usableConnections(load));
}

/** More connections than requests would have nothing to do. */
function usableConnections(load: CellLoad): number {
  const requests = load.kind === "closed" ? load.requests : null;
  return Math.min(load.connections, requests ?? Infinity);
}

function supplyFor(load: CellLoad, seed: number, { worker, workers }: Place): SupplySpec {
  if (load.kind === "closed") {
    const requests = load.requests === null ? Infinity : splitWhole(load.requests, workers)[worker];
    return { kind: "closed", requests };
  }
  const arrivals = { kind: load.arrivals, seed, first: worker, stride: workers };
  if (load.kind === "phases") return { kind: "open", phases: load.phases, arrivals };
  const { ratePerSec, durationMs } = load;
  const steady = { durationUs: durationMs * 1_000, fromPerSec: ratePerSec, toPerSec: ratePerSec };
  return { kind: "open", phases: [steady], arrivals };
}

function scriptFor(request: LoadRequest, { worker, workers }: Place): ScriptSpec {
  const { script, load, origin, implicitCheck } = request;
  const connection = { host: new URL(origin).host, keepAlive: load.keepAlive };
  if (load.kind !== "phases" && script.kind === "requests") {
    return requestsOf(script, connection, implicitCheck);
  }
  return {
    kind: "flow",
    ...flowOf(script, implicitCheck),
    connection,
    first: worker,
    stride: workers,
    sharedPool: load.kind === "phases" ? load.pool === "shared" : load.keepAlive,
  };
}

function requestsOf(
  script: Script & { kind: "requests" },
  connection: Connection,
  implicitCheck: boolean,
): ScriptSpec {
  const requests = script.requests.map(({ wire, expect }): PreparedRequest => ({
    bytes: encodeRequest(wire, connection),
    head: wire.method === "HEAD",
    check: checkOf(expect, implicitCheck),
  }));
  return { kind: "requests", requests, sequence: Uint32Array.from(script.sequence) };
}

/** Single requests are ways of one step. */
function flowOf(
  script: Script,
  implicitCheck: boolean,
): Pick<FlowSpec, "ways" | "sequence" | "visitors"> {
  const prepared = (step: RequestStep | ThinkStep): StepSpec => stepOf(step, implicitCheck);
  if (script.kind === "flow") {
    return { ways: [script.steps.map(prepared)], sequence: [0], visitors: script.visitors };
  }
  const ways = script.requests.map((request) => [prepared(request)]);
  return { ways, sequence: script.sequence, visitors: [{}] };
}

function stepOf(step: RequestStep | ThinkStep, implicitCheck: boolean): StepSpec {
  if (step.kind === "think") return { kind: "think", us: step.thinkMs * 1_000 };
  const { wire, expect, captures } = step;
  const strict = checkOf(expect, false) !== null;
  return { kind: "request", wire, captures, strict, check: checkOf(expect, implicitCheck) };
}

/** Null when nothing is expected. */
function checkOf(expect: Expectation, implicit: boolean): Check | null {
  const { status, body, contains } = expect;
  const isSilent = status === undefined && body === undefined && contains === undefined;
  if (isSilent && !implicit) return null;
  const bytes = (text: string | undefined): Uint8Array<ArrayBuffer> | null =>
    text === undefined ? null : new TextEncoder().encode(text);
  return { statuses: rightStatuses(expect), body: bytes(body), contains: bytes(contains) };
}
