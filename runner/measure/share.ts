/** Splits a load exactly over its workers: connections and requests add up, and every arrival belongs to one worker. */
import { type ConnectionOptions, encodeRequest, openingOf } from "../../base/http/request.ts";
import { derivedSeed } from "../../base/random.ts";
import { connectionOptions } from "../../base/net/endpoint.ts";
import {
  durationMsOf,
  type Load,
  type PlannedLoad,
  usableConnections,
} from "../../scenarios/load/load.ts";
import { optionsOf } from "../../base/load_options.ts";
import type { Phase } from "../../scenarios/pace/arrivals.ts";
import {
  type Expectation,
  expectedStatuses,
  GRPC_STATUSES,
} from "../../scenarios/request/request.ts";
import type { CallSpec } from "../load/engine/streams/stream_spec.ts";
import type {
  ReadyCall,
  Script,
  ScriptRequest,
  StreamedResponse,
  ThinkStep,
} from "../../scenarios/request/script.ts";
import { sendablePath } from "../../scenarios/request/template.ts";
import type { DriverName } from "../load/engine/driver.ts";
import type { FlowSpec, StepSpec } from "../load/engine/flow.ts";
import type { JobShare, PacerSpec, PreparedRequest, ScriptSpec } from "../load/engine/job.ts";
import type { ResponseExpectation } from "../load/engine/response_check.ts";
import type { SocketSpec } from "../load/engine/sockets/socket_spec.ts";
import { type LoadRequest, originsOfLoad } from "./loader.ts";

/** A range of the load's workers: `own` of them, from `firstWorker` on. */
export interface AssignedWorkers {
  readonly firstWorker: number;
  /** Workers of the whole load; no more than `usableConnections`. */
  readonly workers: number;
  readonly own: number;
}

interface WorkerIndex {
  readonly worker: number;
  readonly workers: number;
}

/**
 * The shares of the assigned workers; a worker's share is the same on every machine that computes it.
 * @param assigned Absent: all workers that this machine would use for the load.
 */
export function shareOut(
  request: LoadRequest,
  driver: DriverName,
  assigned?: AssignedWorkers,
): JobShare[] {
  const { load, intervalMs, logPath } = request;
  const [target, ...others] = originsOfLoad(request);
  const { firstWorker, workers, own } = assigned ?? allWorkers(load);
  const { timeout, ...options } = optionsOf(load);
  const common = {
    driver,
    steps: request.script.stepNames.length,
    endpoint: target.endpoint,
    ...others.length > 0 && { elsewhere: others.map(({ endpoint }) => endpoint) },
    ...inFlightOf(request),
    ...options,
    timeoutUs: timeout * 1_000,
    intervalUs: intervalMs * 1_000,
    waitsForLast: load.kind === "phases",
    ...durationOf(request),
  };
  const connections = splitWhole(usableConnections(load), workers);
  return connections.slice(firstWorker, firstWorker + own).map((share, at) => {
    const worker = firstWorker + at;
    return {
      ...common,
      ...load.connectRate !== undefined && {
        dialTurns: { perSec: load.connectRate, first: worker, stride: workers },
      },
      connections: share,
      log: logPath === null
        ? null
        : { path: logPath, firstConnection: sumOf(connections.slice(0, worker)) },
      pacer: pacerFor(request, { worker, workers }),
      script: scriptFor(request, { worker, workers }),
    };
  });
}

/** A load that takes turns with another lasts as long as the slices of both loads together. */
function durationOf({ load, turns }: LoadRequest): Pick<JobShare, "durationUs" | "turns"> {
  if (turns !== undefined) return { turns, durationUs: turns.durationUs };
  const durationMs = durationMsOf(load);
  return { durationUs: durationMs === null ? Infinity : durationMs * 1_000 };
}

/** Concurrent requests on each connection. */
export function mostInFlight(load: PlannedLoad): number {
  return load.kind === "closed" ? load.pipeline : 1;
}

/** How many requests a connection carries at a time: pipelined, or each in a stream of its own. */
function inFlightOf(
  { load, script }: LoadRequest,
): Pick<JobShare, "pipeline" | "streams" | "lanes"> {
  const lanes = script.kind === "flow" ? script.lanes : undefined;
  if (load.http2) return { pipeline: 1, streams: lanes ?? mostInFlight(load) };
  return { pipeline: mostInFlight(load), ...lanes !== undefined && { lanes } };
}

function allWorkers(load: Load): AssignedWorkers {
  const workers = workersFor(load);
  return { firstWorker: 0, workers, own: workers };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/**
 * By default, one worker for every two cores, which leaves half of the cores to a target on the same machine; never
 * more workers than connections.
 */
function workersFor(load: Load): number {
  const wanted = load.workers ?? Math.max(1, navigator.hardwareConcurrency >> 1);
  return Math.min(wanted, usableConnections(load));
}

function pacerFor(
  { load, script, seed }: LoadRequest,
  { worker, workers }: WorkerIndex,
): PacerSpec {
  if (load.kind === "closed") {
    const requests = load.requests === null ? Infinity : splitWhole(load.requests, workers)[worker];
    return {
      kind: "closed",
      requests,
      ...load.stages && { levels: { stages: load.stages, worker, workers } },
    };
  }
  if (load.arrivals === "recorded") {
    if (script.kind !== "requests" || script.dueUs === undefined) {
      throw new Error("A replay has no moments");
    }
    return { kind: "recorded", dueUs: script.dueUs, first: worker, stride: workers };
  }
  const arrivals = { kind: load.arrivals, seed, first: worker, stride: workers };
  if (load.kind === "phases") return { kind: "open", phases: load.phases, arrivals };
  const { ratePerSec, durationMs, burst } = load;
  const constant = (perSec: number, ms: number): Phase => ({
    durationUs: ms * 1_000,
    fromPerSec: perSec,
    toPerSec: perSec,
  });
  const phases = burst === undefined ? [constant(ratePerSec, durationMs)] : [
    constant(burst.ratePerSec, burst.durationMs),
    constant(ratePerSec, durationMs - burst.durationMs),
  ];
  return { kind: "open", phases, arrivals };
}

function scriptFor(request: LoadRequest, { worker, workers }: WorkerIndex): ScriptSpec {
  const { script, load } = request;
  // If the size of responses is limited, or a rule may abort the load, the status is checked even without expectations.
  const implicitCheck = request.implicitCheck || load.maxBody !== undefined ||
    load.abortOn !== undefined;
  const [target, ...others] = originsOfLoad(request).map(({ origin, endpoint }) => ({
    origin,
    connection: connectionOptions(origin, endpoint, load.keepAlive),
  }));
  const follows = script.kind === "requests" &&
    script.requests.some(({ follow }) => follow !== null);
  const { code, user, fresh } = script;
  const isOfUsers = code !== undefined || script.own !== undefined || load.kind === "phases" ||
    (load.kind === "closed" && load.stages !== undefined);
  if (!isOfUsers && script.kind === "requests" && !follows) {
    return requestsOf(script, target.connection, implicitCheck, { worker, workers });
  }
  return {
    kind: "flow",
    ...flowOf(script, implicitCheck),
    ...script.own && {
      own: rowsWithin(load, script.own).filter((_, place) => place % workers === worker),
    },
    origins: [target, ...others],
    first: worker,
    stride: workers,
    thinkSeed: derivedSeed(request.seed, worker),
    ...code && {
      code: { script: code, user, fresh, seed: derivedSeed(request.seed, worker) },
    },
    sharedPool: load.kind === "phases" ? load.pool === "shared" : load.keepAlive,
    cookies: script.kind === "flow" && script.cookies !== null
      ? { origin: target.origin, preset: script.cookies }
      : null,
  };
}

/**
 * The rows that virtual users own, at most one for each connection that can be of use, because a table may have many
 * more rows.
 */
export function rowsWithin<Row>(load: PlannedLoad, own: readonly Row[]): readonly Row[] {
  return own.slice(0, usableConnections(load));
}

function requestsOf(
  script: Script & { kind: "requests" },
  connection: ConnectionOptions,
  implicitCheck: boolean,
  index: WorkerIndex,
): ScriptSpec {
  const specs = socketSpecsOf(script.requests);
  const checked = checkedStreams(implicitCheck);
  const requests = script.requests.map((request): PreparedRequest => {
    const { step } = request;
    const wire = { ...request.wire, path: sendablePath(request.wire.path) };
    const spec = specs.get(request.expect);
    if (spec !== undefined && request.socket !== undefined) {
      const { bytes, payload } = openingOf(wire, connection);
      return { bytes, head: false, socket: { spec, payload }, step, check: OPENS_SOCKET };
    }
    return {
      bytes: encodeRequest(wire, connection),
      head: wire.method === "HEAD",
      step,
      ...checked(request),
    };
  });
  return { kind: "requests", requests, sequence: everyNth(script.sequence, index) };
}

/** The response that opens a WebSocket; everything beyond its status is checked by the reader of the socket. */
const OPENS_SOCKET: ResponseExpectation = {
  statuses: [101],
  body: null,
  contains: null,
  isStream: true,
};

/** The WebSockets of a load by expectation; requests that differ only in their values share one expectation object. */
function socketSpecsOf(requests: readonly ScriptRequest[]): ReadonlyMap<Expectation, SocketSpec> {
  const specs = new Map<Expectation, SocketSpec>();
  for (const { expect, socket } of requests) {
    if (socket !== undefined && !specs.has(expect)) specs.set(expect, socketSpecOf(socket, expect));
  }
  return specs;
}

function socketSpecOf(
  { send, answer, holdMs, subprotocols, deflate }: NonNullable<ScriptRequest["socket"]>,
  expect: Expectation,
): SocketSpec {
  const messages = messagesExpected(checkOf(expect, false));
  return {
    ...send && {
      send: {
        isText: send.isText,
        ...send.everyMs !== undefined && { everyUs: send.everyMs * 1_000 },
      },
    },
    ...{ answer, subprotocols, deflate },
    ...holdMs !== undefined && { holdUs: holdMs * 1_000 },
    ...messages && { expect: messages },
  };
}

/** What is expected of messages; null: nothing. */
function messagesExpected(
  check: ResponseExpectation | null,
): Pick<ResponseExpectation, "contains" | "json" | "matches"> | null {
  if (check === null) return null;
  const { contains, json, matches } = check;
  const isSilent = contains === null && json === undefined && matches === undefined;
  return isSilent ? null : { contains, json, matches };
}

/** The requests of one worker, when all workers take turns in a loop through `sequence`. */
function everyNth(
  sequence: readonly number[] | Uint32Array,
  { worker, workers }: WorkerIndex,
): Uint32Array<ArrayBuffer> {
  return Uint32Array.from(
    sequence,
    (_, turn) => sequence[(worker + turn * workers) % sequence.length],
  );
}

/** The journeys of a script. If the script is not a flow, each of its requests is a journey with one step. */
function flowOf(
  script: Script,
  implicitCheck: boolean,
): Pick<FlowSpec, "journeys" | "sequence" | "users"> {
  const checked = checkedStreams(implicitCheck);
  const prepared = (step: ScriptRequest | ThinkStep): StepSpec => stepOf(step, checked);
  if (script.kind === "flow") {
    return { journeys: [script.steps.map(prepared)], sequence: [0], users: script.users };
  }
  const journeys = script.requests.map((request) => [prepared(request)]);
  return { journeys, sequence: Array.from(script.sequence), users: [{}] };
}

function stepOf(step: ScriptRequest | ThinkStep, checkedStream: Checked): StepSpec {
  if (step.kind === "think") {
    const { kind, thinkMs, as } = step;
    return { kind, us: thinkMs * 1_000, ...as && { as } };
  }
  const { wire, expect, call, socket, captures, follow, beside, hooks, step: at } = step;
  const strict = checkOf(expect, false) !== null || expect.grpcStatus !== undefined;
  const checked = socket === undefined
    ? checkedStream(step)
    : { check: OPENS_SOCKET, socket: socketSpecOf(socket, expect) };
  const input = call?.ready?.input;
  const request = { step: at, follow, wire, captures, strict, ...checked };
  return {
    kind: "request",
    ...request,
    ...input && { input },
    ...beside && { beside },
    ...hooks && { hooks },
  };
}

type Checked = (request: ScriptRequest) => Pick<PreparedRequest, "check" | "stream">;

/**
 * Makes expectations of responses. Requests with equal expectations get the same object, because a worker prepares a
 * check for each object, and a table may have a million rows.
 */
function checkedStreams(implicit: boolean): Checked {
  const numberOf = expectationNumbers();
  const known = new Map<string, ReturnType<Checked>>();
  return ({ expect, stream, call, captures }) => {
    const ready = call?.ready;
    if (call !== undefined && ready === undefined) {
      throw new Error(`The call of ${call.method} is not ready`);
    }
    const ofCall = ready &&
      [call?.method, captures.length, ready.output !== undefined, ready.deadlineMs];
    const key = JSON.stringify([numberOf(expect), stream, ofCall]);
    const checked = known.get(key) ?? checkedStream(
      expect,
      ready ? { ...stream, kind: "grpc" } : stream,
      implicit,
      ready && callOf(expect, ready, captures),
    );
    known.set(key, checked);
    return checked;
  };
}

/** Numbers expectations; equal ones have the same number. */
function expectationNumbers(): (expect: Expectation) => number {
  const numbers = new Map<string, number>();
  let [last, number]: [Expectation | null, number] = [null, 0];
  return (expect) => {
    // Requests that differ only in their values share one expectation object, unless a coordinator sent them.
    if (expect === last) return number;
    const text = JSON.stringify(expect);
    number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    last = expect;
    return number;
  };
}

/** The expected response to a gRPC call. */
export function callOf(
  { grpcStatus = "OK" }: Expectation,
  { isUnary, deadlineMs, output }: ReadyCall,
  captures: readonly unknown[],
): CallSpec {
  return {
    isUnary,
    ...deadlineMs !== undefined && { deadlineUs: 1_000 * deadlineMs },
    statuses: [grpcStatus].flat().map((name) => GRPC_STATUSES.indexOf(name)),
    ...output && { output },
    ...captures.length > 0 && { keeps: true as const },
  };
}

/** What is expected of a response and of a stream's messages. If a stream is expected, that is always checked. */
function checkedStream(
  expect: Expectation,
  stream: StreamedResponse | undefined,
  implicit: boolean,
  call?: CallSpec,
): Pick<PreparedRequest, "check" | "stream"> {
  const check = checkOf(expect, implicit || stream !== undefined);
  if (stream === undefined || check === null) return { check };
  const { contains: _contains, json: _json, matches: _matches, ...response } = check;
  const { holdMs, reconnectMs, ...spec } = stream;
  const messages = messagesExpected(check);
  return {
    check: { ...response, contains: null, isStream: true },
    stream: {
      ...spec,
      ...call && { call },
      ...holdMs !== undefined && { holdUs: holdMs * 1_000 },
      ...reconnectMs !== undefined && { reconnectUs: reconnectMs * 1_000 },
      ...messages && { expect: messages },
    },
  };
}

/** What is expected of a response; null: nothing. */
function checkOf(expect: Expectation, implicit: boolean): ResponseExpectation | null {
  const { status, body, contains, json, matches } = expect;
  const isSilent = [status, body, contains, json, matches].every((rule) => rule === undefined);
  if (isSilent && !implicit) return null;
  const bytes = (text: string | undefined): Uint8Array<ArrayBuffer> | null =>
    text === undefined ? null : new TextEncoder().encode(text);
  return {
    statuses: expectedStatuses(expect),
    body: bytes(body),
    contains: bytes(contains),
    ...json !== undefined && { json },
    ...matches !== undefined && { matches },
  };
}

/**
 * Splits a whole number into parts that are as even as possible and add up to it; the first parts take the remainder.
 */
export function splitWhole(whole: number, parts: number): number[] {
  const least = Math.floor(whole / parts);
  const remainder = whole - least * parts;
  return Array.from({ length: parts }, (_, part) => least + (part < remainder ? 1 : 0));
}
