/** What a worker does in one run: its share of a load, as plain numbers and bytes. */
import type { ArrivalOptions, Phase, RecordedArrivals } from "../../../scenarios/pace/arrivals.ts";
import type { LoadOptions } from "../../../base/load_options.ts";
import type { TurnsSpec } from "../../../scenarios/pace/slices.ts";
import type { LevelsShare } from "../../../scenarios/pace/levels.ts";
import { bodyLength, bodyOctets } from "../../../base/http/body.ts";
import { headLength } from "../../../base/http/request.ts";
import type { Endpoint } from "../../../base/net/endpoint.ts";
import type { DriverName } from "./driver.ts";
import type { FlowSpec, StepSpec } from "./flow.ts";
import type { ResponseExpectation } from "./response_check.ts";
import type { SocketRequest, SocketSpec } from "./sockets/socket_spec.ts";
import type { StreamSpec } from "./streams/stream_spec.ts";

/** The schedule by which exchanges become due. */
export type PacerSpec =
  /**
   * @property requests Number of requests to send; Infinity if the run ends by time.
   * @property levels How many virtual users may be present at each moment; absent: one for each connection.
   */
  | { readonly kind: "closed"; readonly requests: number; readonly levels?: LevelsShare }
  | { readonly kind: "open"; readonly phases: readonly Phase[]; readonly arrivals: ArrivalOptions }
  | ({ readonly kind: "recorded" } & RecordedArrivals);

/** A request, ready to be sent. */
export interface PreparedRequest {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether the request is a HEAD, whose response has no body. */
  readonly head: boolean;
  /** Index of the step under which the request is counted; a step is one request of a mix, a flow or a page. */
  readonly step: number;
  /** What is expected of the response; null: nothing. */
  readonly check: ResponseExpectation | null;
  /** Set if the response is a stream of messages; absent: it is read as a whole. */
  readonly stream?: StreamSpec;
  /** The WebSocket that the request opens; absent: none. */
  readonly socket?: SocketRequest;
}

/** The requests that a worker sends: single requests, or the journeys of virtual users. */
export type ScriptSpec =
  /**
   * @property sequence Indexes into `requests` in the order of sending; after the last index, the first comes again.
   */
  | {
    readonly kind: "requests";
    readonly requests: readonly PreparedRequest[];
    readonly sequence: Uint32Array<ArrayBuffer>;
  }
  | ({ readonly kind: "flow" } & FlowSpec);

/** The load may dial at `perSec` moments a second. This worker may use those numbered `first`, `first + stride`, … */
export interface DialTurnsSpec {
  readonly perSec: number;
  readonly first: number;
  readonly stride: number;
}

/** One worker's share of one run, made from validated values and posted by the worker pool. */
export interface Job extends Omit<LoadOptions, "timeout"> {
  readonly driver: DriverName;
  readonly endpoint: Endpoint;
  /** Other hosts, to which redirects may lead; absent: none. */
  readonly elsewhere?: readonly Endpoint[];
  readonly script: ScriptSpec;
  /**
   * Number of steps with figures of their own; 0 if the load has one step, whose figures are those of the whole load.
   */
  readonly steps: number;
  readonly connections: number;
  readonly pipeline: number;
  /** Concurrent streams on each connection; absent: HTTP/1.1. */
  readonly streams?: number;
  /** Concurrent connections that a virtual user may have to each host, over HTTP/1.1; absent: one. */
  readonly lanes?: number;
  readonly timeoutUs: number;
  readonly intervalUs: number;
  /** Infinity when the run ends by count. */
  readonly durationUs: number;
  readonly pacer: PacerSpec;
  /**
   * The slices of time in which the worker may send, if another load sends in the other slices; absent: it may always
   * send.
   */
  readonly turns?: TurnsSpec;
  /**
   * This worker's share of the moments at which the load may dial, if the rate of new connections is limited; absent:
   * dials never wait.
   */
  readonly dialTurns?: DialTurnsSpec;
  /** Whether virtual users who are present when the load's duration is over may finish their sessions. */
  readonly waitsForLast: boolean;
  /** Path of the request log, and the number of this worker's first connection; null for no log. */
  readonly log: { readonly path: string; readonly firstConnection: number } | null;
  /** One Int32; any value other than 0 tells the worker to end the load at once. */
  readonly stop: Int32Array<SharedArrayBuffer>;
}

/**
 * Number of slots. A slot is a place for a connection or, over HTTP/2, for a stream. For each host, every connection or
 * virtual user has one slot for each of its lanes (concurrent HTTP/1.1 connections) or HTTP/2 streams.
 */
export function slotsOf({ connections, streams = 1, lanes = 1, elsewhere = [] }: JobShare): number {
  return connections * streams * lanes * (1 + elsewhere.length);
}

/**
 * The slots of virtual users. Each user takes one of the places 0, 1, 2 …, which has, for each host, one slot for every
 * request that its user may have in flight.
 */
export class UserSlots {
  readonly count: number;
  /** Concurrent requests of a user. */
  readonly lanes: number;
  /** Distance between a user's slots: from lane to lane on one host, and from host to host in one lane. */
  readonly #apart: { readonly lanes: number; readonly hosts: number };

  constructor(job: JobShare) {
    const { connections: users, streams, lanes = 1, elsewhere = [] } = job;
    this.count = slotsOf(job);
    this.lanes = streams ?? lanes;
    // Over HTTP/1.1, the slots of each host are contiguous. Over HTTP/2, the first slots of all
    // connections come first, host by host, then the second slots of all connections, and so on.
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

/** The streams among the requests, each with its step. */
export function streamsIn(
  script: ScriptSpec,
): { readonly step: number; readonly stream: StreamSpec }[] {
  const requests = script.kind === "requests"
    ? script.requests
    : script.journeys.flat().filter((step) => step.kind === "request");
  return requests.flatMap(({ step, stream }) => stream === undefined ? [] : [{ step, stream }]);
}

/** The WebSockets among the requests, each with its step. */
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

/** Size of the largest request as written in the experiment, in bytes; values that are filled in may make it larger. */
export function largestRequestBytes(script: ScriptSpec): number {
  const sizes = script.kind === "requests"
    ? script.requests.map(({ bytes, socket }) =>
      Math.max(bytes.length, socket?.payload.length ?? 0)
    )
    : script.journeys.flat().map((step) => step.kind === "think" ? 0 : sizeOf(step, script));
  return sizes.reduce((largest, size) => Math.max(largest, size), 0);
}

/**
 * Size of a step's request, in bytes. A gRPC message counts with the size of its JSON. For a WebSocket, the handshake
 * or the message counts, whichever is larger.
 */
function sizeOf(
  { wire, input, socket }: StepSpec & { kind: "request" },
  { origins: [{ connection }] }: FlowSpec,
): number {
  const content = input === undefined ? bodyOctets(wire.body).length : bodyLength(wire.body);
  const head = headLength(wire, connection, content);
  return socket === undefined ? head + content : Math.max(head, content);
}

/** A job without `stop`, which the worker pool adds. */
export type JobShare = Omit<Job, "stop">;
