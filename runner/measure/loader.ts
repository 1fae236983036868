/**
 * The interface of everything that can make a load: the workers of this process (`LocalLoader`), or the agents of a
 * fleet. The caller starts a load, follows its progress, and gets every worker's report. Requests go to the target, and
 * to the hosts that the experiment names for its redirects.
 */
import type { Load } from "../../scenarios/load/load.ts";
import type { TurnsSpec } from "../../scenarios/pace/slices.ts";
import { requestsOf, type Script } from "../../scenarios/request/script.ts";
import {
  type Access,
  accessElsewhere,
  type Endpoint,
  endpointOf,
} from "../../base/net/endpoint.ts";
import type { DriverName } from "../load/engine/driver.ts";
import type { IntervalPart } from "../load/recording/intervals.ts";
import type { Health, WorkerReport } from "../load/worker/messages.ts";
import type { LiveAgent } from "../result/progress.ts";
import type { SparseHistogram } from "../stats/histogram/histogram.ts";
import type { Stage } from "../trust/evidence.ts";

export interface Loader {
  /** Makes one load. A loader makes loads in sequence, as often as needed. */
  load(request: LoadRequest, hooks: LoaderHooks): Promise<Loaded>;
  /** The current state of each agent during a load; absent without agents. */
  live?(): readonly LiveAgent[];
  /** Lower bounds of the latencies of the requests in flight, by worker. Absent if the loader can't tell them. */
  inFlight?(): readonly SparseHistogram[];
  /** Why lines are missing from the last load's request log; null if none are. Absent if agents write the logs. */
  incompleteLogReason?(): string | null;
  close(): Promise<void>;
}

/**
 * `onReady` is called once, then `onStart` once, then the other hooks during the load. `onNote` may be called at any
 * time, even after the load.
 */
export interface LoaderHooks {
  readonly onNote: (text: string) => void;
  /** Called once all workers are ready, with their number. */
  readonly onReady: (workers: number) => void;
  /** The load starts at this moment, milliseconds since the epoch by this machine's clock. */
  readonly onStart: (atMs: number) => void;
  /** Called if the first dial to finish in a worker of this process has failed. */
  readonly onUnreached?: () => void;
  /** An interval of worker `worker` (0 … workers − 1) has ended. */
  readonly onInterval: (worker: number, part: IntervalPart, health: Health) => void;
  /**
   * Called when the number of workers that report changes. An interval is complete once that many workers have sent
   * their part, so silent workers don't hold up the live view.
   */
  readonly onReportingWorkers: (workers: number) => void;
  /** Ends the load early; the load so far is returned. */
  readonly signal: AbortSignal;
}

export interface Loaded {
  readonly driver: DriverName;
  /** The note on the driver, as in the result. */
  readonly driverNote?: string;
  /** Connections of each worker. */
  readonly connections: readonly number[];
  readonly reports: readonly WorkerReport[];
  readonly stage: Stage;
  /** Null if the load was made by this process alone. */
  readonly agents: readonly LoadedAgent[] | null;
}

/** One agent's part of a load. */
export interface LoadedAgent {
  readonly name: string;
  readonly host: string;
  readonly driver: DriverName;
  /** Index of the agent's first worker among the workers of all agents. The agent's other workers follow it. */
  readonly firstWorker: number;
  readonly workers: number;
  readonly stage: Stage;
  /** Redis's clock minus the agent's, and the largest error of that difference in either direction. */
  readonly clock: { readonly offsetMs: number; readonly uncertaintyMs: number };
  /** The agent's start minus the agreed one, by Redis's clock; null if it never reported its start. */
  readonly startedLateMs: number | null;
  /** When the agent last reported, since the start of the run, and why it was given up; null if it finished. */
  readonly lost: { readonly afterMs: number; readonly reason: string } | null;
}

/** One load on one origin: its requests, its pace, and how it is recorded. */
export interface LoadRequest extends Access {
  /** `http://host:port` or `https://host:port`, without a path. */
  readonly origin: string;
  readonly script: Script;
  readonly load: Load;
  /** Seed of the arrivals. */
  readonly seed: number;
  /** auto: the best driver that works on this machine. */
  readonly driver: DriverName | "auto";
  readonly intervalMs: number;
  /** File for the request log; null for none. */
  readonly logPath: string | null;
  /** Whether a response with a status outside 2xx and 3xx counts as wrong where the script states no expectation. */
  readonly implicitCheck: boolean;
  /**
   * When the load may send, if it takes turns with another load; absent: always. The load's duration counts only its
   * own slices.
   */
  readonly turns?: TurnsSpec;
  /** The target of the other load, if the two take turns. */
  readonly partner?: Endpoint;
  /**
   * The processes of this load's target, needed if Plateau has started other targets, too; absent: all processes that
   * Plateau has started.
   */
  readonly pids?: () => readonly number[];
}

/** The origin as a user writes it: with the scheme ws or wss if the load begins with a WebSocket. */
export function shownOrigin({ origin, script }: Pick<LoadRequest, "origin" | "script">): string {
  const [{ socket }] = requestsOf(script);
  return socket === undefined ? origin : origin.replace(/^http/, "ws");
}

export interface LoadedOrigin {
  readonly origin: string;
  readonly endpoint: Endpoint;
}

interface OriginsRequest extends Access {
  readonly origin: string;
  readonly script: Script;
}

/** The origins of a load, all with the same protocol. */
export function originsOfLoad(
  request: LoadRequest,
): readonly [target: LoadedOrigin, ...LoadedOrigin[]] {
  return originsOf({ ...request, http2: request.load.http2 });
}

/** The target's origin first, then those that redirects may lead to. */
export function originsOf(
  request: OriginsRequest,
): readonly [target: LoadedOrigin, ...LoadedOrigin[]] {
  const { origin } = new URL(request.origin);
  const others = (request.script.elsewhere ?? []).filter((other) => other !== origin);
  const access = accessElsewhere(request);
  return [
    { origin, endpoint: endpointOf(origin, request) },
    ...others.map((origin) => ({ origin, endpoint: endpointOf(origin, access) })),
  ];
}
