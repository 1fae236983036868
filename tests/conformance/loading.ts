/**
 * Loads a server of the test with one driver and one worker, and gives what the worker recorded.
 */
import assert from "node:assert/strict";
import { encodeRequest, openingOf, type WireRequest } from "../../base/http/request.ts";
import type { Endpoint } from "../../base/net/endpoint.ts";
import { monotonicClock } from "../../base/system/clock.ts";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import type { JobShare } from "../../runner/load/engine/job.ts";
import type { ResponseExpectation } from "../../runner/load/engine/response_check.ts";
import type { SocketSpec } from "../../runner/load/engine/sockets/socket_spec.ts";
import type { StreamSpec } from "../../runner/load/engine/streams/stream_spec.ts";
import type { IntervalPart } from "../../runner/load/recording/intervals.ts";
import type { WorkerReport } from "../../runner/load/worker/messages.ts";
import { takeWorker } from "../../runner/load/worker/begun_worker.ts";
import { WorkerPool } from "../../runner/load/worker/pool.ts";
import { breachOf } from "../../runner/measure/totals.ts";
import { type ErrorKind, ERRORS } from "../../runner/result/outcome.ts";
import { countsOf } from "../load/stage.ts";

monotonicClock(); // opens libc for good, before the resources of a test are counted

/** Made before a test counts what it leaves behind. */
let made: Worker | null = takeWorker();

/** One worker for all loads of a file, as `run` has it: each load meets what the one before has left. */
const pool = new WorkerPool(() => {
  const worker = made ?? takeWorker();
  made = null;
  return worker;
});

export interface Loaded extends WorkerReport {
  readonly parts: readonly IntervalPart[];
  /** Failed requests by kind, without zeros. */
  readonly errors: Partial<Record<ErrorKind, number>>;
}

export interface Wish extends Partial<JobShare> {
  readonly wire?: Partial<WireRequest>;
  readonly check?: ResponseExpectation | null;
  readonly stream?: StreamSpec;
  /** Opens WebSockets, on which the body of `wire` is sent. */
  readonly socket?: SocketSpec;
  /** Ends a closed loop after so many. */
  readonly requests?: number;
  readonly signal?: AbortSignal;
  /** In a worker of its own, which ends with the load. */
  readonly apart?: boolean;
}

export async function load(
  { driver, http2 }: { readonly driver: DriverName; readonly http2?: true },
  { endpoint }: { readonly endpoint: Endpoint },
  { wire, check = null, stream, socket, signal, requests = Infinity, apart = false, ...wish }: Wish,
): Promise<Loaded> {
  const keepAlive = wish.keepAlive ?? true;
  const request = { method: "GET", path: "/", headers: {}, body: null, ...wire };
  const opening = openingOf(request, { host: "localhost", keepAlive });
  const job: JobShare = {
    driver,
    endpoint,
    script: {
      kind: "requests",
      requests: [{
        bytes: socket === undefined
          ? encodeRequest(request, { host: "localhost", keepAlive })
          : opening.bytes,
        head: request.method === "HEAD",
        ...socket && { socket: { spec: socket, payload: opening.payload } },
        step: 0,
        check,
        ...stream && { stream },
      }],
      sequence: Uint32Array.of(0),
    },
    steps: 0,
    connections: 4,
    pipeline: 1,
    keepAlive,
    timeoutUs: 20_000_000, // none passes by itself, however slow the machine is
    intervalUs: 50_000,
    durationUs: Infinity,
    pacer: { kind: "closed", requests },
    log: null,
    waitsForLast: false,
    ...wish,
    ...http2 && { streams: wish.pipeline ?? 1, pipeline: 1 },
  };
  const parts: IntervalPart[] = [];
  const workers = apart ? new WorkerPool() : pool;
  const { reports: [report] } = await workers.run([job], {
    onInterval: (_, part) => parts.push(part),
    onStart: () => {},
    signal: signal ?? new AbortController().signal,
  }).finally(() => apart && workers.close());
  const errors = Object.fromEntries(
    ERRORS.map((kind, i) => [kind, report.totals.errors[i]] as const).filter(([, count]) =>
      count > 0
    ),
  );
  return { ...report, parts, errors };
}

const MOST_TRIES = 5;

/**
 * Loads by time, again when no request has ended by its end: the machine may stand still for as long as
 * the load lasts.
 */
export async function loadAwhile(...given: Parameters<typeof load>): Promise<Loaded> {
  for (let tries = 1;; tries++) {
    const loaded = await load(...given);
    assertNothingLost(loaded);
    const { due, unfinished } = loaded.totals;
    if (due > unfinished || tries === MOST_TRIES) return loaded;
  }
}

/** What must hold after every load. */
export function assertNothingLost({ totals, parts }: Loaded): void {
  assert.equal(breachOf([totals], countsOf(parts)), null);
}
