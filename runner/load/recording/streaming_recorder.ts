/**
 * A recorder for loads with streams or WebSockets. It also tells the recorders of messages how each exchange ended,
 * because that may settle the message that the exchange was waiting for. Other loads use the plain recorder.
 */
import type { OnInterval } from "./intervals.ts";
import { GRPC_STATUSES } from "../../../scenarios/request/request.ts";
import { type Extent, type MessagePart, NO_TIMES } from "./message_counts.ts";
import { MessageRecorder } from "./messages.ts";
import { Recorder } from "./recorder.ts";
import type { RequestLog } from "./request_log.ts";
import type { Slices } from "./slices.ts";
import type { SocketRecorder } from "./socket_messages.ts";
import type { StepRecorder } from "./steps.ts";
import type { Failure, WorkerTotals } from "./totals.ts";

interface StreamingSetting {
  readonly slots: number;
  /**
   * Indices of the steps whose responses are streams; their messages are counted. If a load has only one step, its
   * index is 0.
   */
  readonly steps: ReadonlySet<number>;
  /** Whether any request is a gRPC call; absent: none is. */
  readonly hasCalls?: boolean;
  /** Steps whose streams have tokens; absent: none. */
  readonly withTokens?: ReadonlySet<number>;
  /** Null or absent: no exchange is a WebSocket. */
  readonly sockets?: SocketRecorder | null;
}

/** Completed gRPC calls by status; the last count is of calls without a status. */
export class CallCounts {
  readonly counts = new Float64Array(GRPC_STATUSES.length + 1);

  // hot: runs for every completed gRPC call.
  add(status: number | null): void {
    this.counts[status ?? GRPC_STATUSES.length]++;
  }
}

export class StreamingRecorder extends Recorder {
  readonly messages: MessageRecorder;
  /** Null if no request is a gRPC call. */
  readonly calls: CallCounts | null;
  /** Null: no exchange is a WebSocket. */
  readonly sockets: SocketRecorder | null;
  readonly #hasStreams: boolean;
  /** Time of the last `advance`, to which totals refer, in microseconds since the start of the run. */
  #nowUs = 0;

  constructor(
    { slots, steps, hasCalls, withTokens = new Set(), sockets = null }: StreamingSetting,
    intervalUs: number,
    onInterval: OnInterval,
    log: RequestLog | null = null,
    stepRecorder: StepRecorder | null = null,
    slices: Slices | null = null,
  ) {
    const messages = new MessageRecorder(slots, { steps, withTokens });
    super(
      intervalUs,
      steps.size === 0 && sockets === null
        ? onInterval
        : (part, nowUs) => onInterval({ ...part, messages: intervalOf(messages, sockets) }, nowUs),
      log,
      stepRecorder,
      slices,
    );
    this.#hasStreams = steps.size > 0;
    this.messages = messages;
    this.calls = hasCalls ? new CallCounts() : null;
    this.sockets = sockets;
  }

  override advance(nowUs: number): void {
    this.#nowUs = nowUs;
    super.advance(nowUs);
  }

  override seal(endUs: number): void {
    super.seal(endUs);
    this.messages.seal();
    this.sockets?.seal();
  }

  // hot: runs for every completed exchange.
  override complete(
    slot: number,
    status: number,
    dueUs: number,
    sentUs: number,
    firstByteUs: number,
    doneUs: number,
  ): void {
    super.complete(slot, status, dueUs, sentUs, firstByteUs, doneUs);
    this.messages.close(slot);
  }

  override drop(step: number, dueUs: number, endUs: number): void {
    super.drop(step, dueUs, endUs);
    this.messages.missUnsent(step, "dropped", endUs - dueUs);
  }

  override fail(
    slot: number,
    step: number,
    failure: Failure,
    dueUs: number,
    sentUs: number,
    nowUs: number,
  ): void {
    super.fail(slot, step, failure, dueUs, sentUs, nowUs);
    const how = failure.kind === "timeout" ? "late" : "cut";
    this.sockets?.end(slot, how, nowUs);
    this.messages.end(slot, how, nowUs);
    if (!this.messages.close(slot)) this.messages.failUnsent(step);
  }

  override leaveUnfinished(
    slot: number,
    step: number,
    dueUs: number,
    sentUs: number,
    endUs: number,
  ): void {
    super.leaveUnfinished(slot, step, dueUs, sentUs, endUs);
    this.sockets?.end(slot, "left", endUs);
    this.messages.end(slot, "left", endUs);
    if (!this.messages.close(slot)) this.messages.missUnsent(step, "unfinished", endUs - dueUs);
  }

  override totals(extent: Extent = "whole"): WorkerTotals {
    const nowUs = this.#nowUs;
    return {
      ...super.totals(extent),
      ...this.#hasStreams && { messages: this.messages.totals(nowUs, extent) },
      ...this.sockets && { sockets: this.sockets.totals(nowUs, extent) },
      ...this.calls && { calls: this.calls.counts },
    };
  }
}

function intervalOf(messages: MessageRecorder, sockets: SocketRecorder | null): MessagePart {
  const ofStreams = messages.takeInterval();
  const ofSockets = sockets?.takeInterval() ?? NO_SOCKETS;
  return {
    ...ofStreams,
    received: ofStreams.received + ofSockets.received,
    failed: ofStreams.failed + ofSockets.failed,
    message: ofSockets.message,
  };
}

const NO_SOCKETS = { received: 0, failed: 0, message: NO_TIMES };
