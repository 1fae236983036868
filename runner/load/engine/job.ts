/** What one worker does in one run: its share of a load, as plain numbers and bytes. */
import type { ArrivalOptions, Phase, RecordedArrivals } from "../../../scenarios/pace/arrivals.ts";
import type { LoadOptions } from "../../../base/load_options.ts";
import type { TurnsSpec } from "../../../scenarios/pace/slices.ts";
import type { LevelsShare } from "../../../scenarios/pace/levels.ts";
import { bodyLength } from "../../../base/http/body.ts";
import type { Endpoint } from "../../../base/net/endpoint.ts";
import type { DriverName } from "./driver.ts";
import type { FlowSpec } from "./flow.ts";
import type { ResponseExpectation } from "./response_check.ts";
import type { SocketRequest, SocketSpec } from "./sockets/socket_spec.ts";
import type { StreamSpec } from "./streams/stream_spec.ts";

/** What makes exchanges due. */
export type PacerSpec =
  /**
   * @property requests Infinity when the run ends by time.
   * @property levels How many virtual users may be there when; absent: as many as there are connections.
   */
  | { readonly kind: "closed"; readonly requests: number; readonly levels?: LevelsShare }
  | { readonly kind: "open"; readonly phases: readonly Phase[]; readonly arrivals: ArrivalOptions }
  | ({ readonly kind: "recorded" } & RecordedArrivals);

/** A request, ready to be sent. */
export interface PreparedRequest {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether it is a HEAD, whose response has no body. */
  readonly head: boolean;
  /** Index of its step in the load. */
  readonly step: number;
  /** Null where nothing is expected of its response. */
  readonly check: ResponseExpectation | null;
  /** Its response is a stream of messages; absent: it is read as a whole. */
  readonly stream?: StreamSpec;
  /** The WebSocket that it opens; absent: none. */
  readonly socket?: SocketRequest;
}

/** The requests that are sent. */
export type ScriptSpec =
  /** @property sequence Indexes into `requests`, gone through again and again. */
  | {
    readonly kind: "requests";
    readonly requests: readonly PreparedRequest[];
    readonly sequence: Uint32Array<ArrayBuffer>;
  }
  | ({ readonly kind: "flow" } & FlowSpec);

/** At a rate of the whole load, this worker begins dial `first`, `first + stride` and so on. */
export interface DialTurnsSpec {
  readonly perSec: number;
  readonly first: number;
  readonly stride: number;
}

/** One worker's share of one run. Posted by the pool, which made it from validated values. */
export interface Job extends LoadOptions {
  readonly driver: DriverName;
  readonly endpoint: Endpoint;
  /** Other hosts, to which redirects may lead; absent: none. */
  readonly elsewhere?: readonly Endpoint[];
  readonly script: ScriptSpec;
  /** How many steps have figures of their own; 0 where the load has one, which is the whole. */
  readonly steps: number;
  readonly connections: number;
  readonly pipeline: number;
  /** Streams at a time on each connection; absent: HTTP/1.1. */
  readonly streams?: number;
  /** Connections that a virtual user may have at a time to each host, over HTTP/1.1; absent: one. */
  readonly lanes?: number;
  readonly keepAlive: boolean;
  readonly timeoutUs: number;
  readonly intervalUs: number;
  /** Infinity when the run ends by count. */
  readonly durationUs: number;
  readonly pacer: PacerSpec;
  /** When it may send, where another load has the other turns; absent: always. */
  readonly turns?: TurnsSpec;
  /** This worker's turns to dial, where new connections have a rate; absent: no dial has to wait. */
  readonly dialTurns?: DialTurnsSpec;
  /** Whether virtual users who are there when the time is over may finish. */
  readonly waitsForLast: boolean;
  /** Where the request log goes, and the number of this worker's first connection; null for none. */
  readonly log: { readonly path: string; readonly firstConnection: number } | null;
  /** One Int32; any value but 0 makes the worker end now. */
  readonly stop: Int32Array<SharedArrayBuffer>;
}

/**
 * Places of connections: each of the load, or of its virtual users, may have one or some to each host, `connections` to the
 * target and so on. With HTTP/2 each of its streams has a place.
 */
export function slotsOf({ connections, streams = 1, lanes = 1, elsewhere = [] }: JobShare): number {
  return connections * streams * lanes * (1 + elsewhere.length);
}

/** The slots of virtual users, each at a place 0, 1, 2 …: one to each host for every request that may be in flight. */
export class UserSlots {
  readonly count: number;
  /** Requests of a user in flight. */
  readonly lanes: number;
  /** How far apart the slots of a user's lanes to a host are, and to the hosts of a lane. */
  readonly #apart: { readonly lanes: number; readonly hosts: number };

  constructor(job: JobShare) {
    const { connections: users, streams, lanes = 1, elsewhere = [] } = job;
    this.count = slotsOf(job);
    this.lanes = streams ?? lanes;
    // Hosts have equal shares of the slots, but of the connections over HTTP/2, whose streams are spread as places are.
    this.#apart = streams === undefined
      ? { lanes: users, hosts: users * lanes }
      : { lanes: users * (1 + elsewhere.length), hosts: users };
  }

  slotOf(place: number, lane: number, host: number): number {
    return place + lane * this.#apart.lanes + host * this.#apart.hosts;
  }

  laneOf(slot: number): number {
    return Math.floor(slot / this.#apart.lanes) % this.lanes;
  }
}

/** The streams among the requests, each with the step that it is of. */
export function streamsIn(
  script: ScriptSpec,
): { readonly step: number; readonly stream: StreamSpec }[] {
  const requests = script.kind === "requests"
    ? script.requests
    : script.journeys.flat().filter((step) => step.kind === "request");
  return requests.flatMap(({ step, stream }) => stream === undefined ? [] : [{ step, stream }]);
}

/** The WebSockets among the requests, each with the step that it is of. */
export function socketsIn(
  script: ScriptSpec,
): { readonly step: number; readonly socket: SocketSpec }[] {
  if (script.kind === "requests") {
    return script.requests.flatMap(({ step, socket }) =>
      socket ? [{ step, socket: socket.spec }] : []
    );
  }
  return script.journeys.flat().flatMap((step) =>
    step.kind === "request" && step.socket ? [{ step: step.step, socket: step.socket }] : []
  );
}

/** Bytes of the largest request as written; a value that is filled in may make it larger. */
export function largestRequestBytes(script: ScriptSpec): number {
  const sizes = script.kind === "requests"
    ? script.requests.map(({ bytes, socket }) =>
      Math.max(bytes.length, socket?.payload.length ?? 0)
    )
    : script.journeys.flat().map((step) =>
      step.kind === "request" ? bodyLength(step.wire.body) : 0
    );
  return sizes.reduce((largest, size) => Math.max(largest, size), 0);
}

/** A job without what the pool adds itself. */
export type JobShare = Omit<Job, "stop">;
