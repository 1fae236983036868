/**
 * A recorder of exchanges some of which are streams: whatever becomes of an exchange becomes of the message that it waits
 * for, too. Loads without streams have the plain one.
 */
import type { OnInterval } from "./intervals.ts";
import { GRPC_STATUSES } from "../../../scenarios/request/request.ts";
import { MessageRecorder } from "./messages.ts";
import { Recorder } from "./recorder.ts";
import type { RequestLog } from "./request_log.ts";
import type { SocketRecorder } from "./socket_messages.ts";
import type { StepRecorder } from "./steps.ts";
import type { Failure, WorkerTotals } from "./totals.ts";

interface StreamingSetting {
  readonly slots: number;
  /** Steps whose requests are streams with messages that count; 0 where the load has one alone. */
  readonly steps: ReadonlySet<number>;
  /** Whether some are calls of gRPC; absent: none is. */
  readonly hasCalls?: boolean;
  /** Steps whose streams have tokens; absent: none has. */
  readonly withTokens?: ReadonlySet<number>;
  /** Null or absent: no exchange is a WebSocket. */
  readonly sockets?: SocketRecorder | null;
}

/** How calls of gRPC ended that are complete, by their status; behind all of them those without one. */
export class CallCounts {
  readonly counts = new Float64Array(GRPC_STATUSES.length + 1);

  // hot
  add(status: number | null): void {
    this.counts[status ?? GRPC_STATUSES.length]++;
  }
}

export class StreamingRecorder extends Recorder {
  readonly messages: MessageRecorder;
  /** Null where none is a call of gRPC. */
  readonly calls: CallCounts | null;
  /** Null: no exchange is a WebSocket. */
  readonly sockets: SocketRecorder | null;
  readonly #steps: ReadonlySet<number>;
  readonly #withTokens: ReadonlySet<number>;
  /** How far the run has come. */
  #nowUs = 0;

  constructor(
    { slots, steps, hasCalls, withTokens = new Set(), sockets }: StreamingSetting,
    intervalUs: number,
    onInterval: OnInterval,
    log: RequestLog | null = null,
    stepRecorder: StepRecorder | null = null,
  ) {
    const messages = new MessageRecorder(slots, withTokens.size > 0);
    super(
      intervalUs,
      steps.size === 0
        ? onInterval
        : (part, nowUs) => onInterval({ ...part, messages: messages.takeInterval() }, nowUs),
      log,
      stepRecorder,
    );
    this.#steps = steps;
    this.#withTokens = withTokens;
    this.messages = messages;
    this.calls = hasCalls ? new CallCounts() : null;
    this.sockets = sockets ?? null;
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

  // hot
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
    this.#missUnsent(step, "dropped", endUs - dueUs);
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
    if (!this.messages.close(slot) && this.#steps.has(step)) this.messages.failUnsent();
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
    if (!this.messages.close(slot)) this.#missUnsent(step, "unfinished", endUs - dueUs);
  }

  #missUnsent(step: number, how: "unfinished" | "dropped", waitedUs: number): void {
    if (!this.#steps.has(step)) return;
    this.messages.missUnsent(how, waitedUs, this.#withTokens.has(step));
  }

  override totals(times: "whole" | "take" = "whole"): WorkerTotals {
    const nowUs = this.#nowUs;
    return {
      ...super.totals(times),
      ...this.#steps.size > 0 && { messages: this.messages.totals(nowUs) },
      ...this.sockets && { sockets: this.sockets.totals(nowUs) },
      ...this.calls && { calls: this.calls.counts },
    };
  }
}
