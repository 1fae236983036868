/**
 * The streams of a load: a layer between the exchanges and their protocol, present only in loads with streams. It
 * passes commands and events through. On the way it reads the bodies of streamed responses as they arrive, ends streams
 * whose time is over, and says at the end of each whether it was as expected. No I/O happens here.
 *
 * A stream ends with its response; with its last message (`until`), even if the server does not end the response; or
 * when the virtual user has held it long enough (`hold`). In the last two cases a connection over HTTP/1.1 is closed. A
 * stream that is requested again (`reconnect`) continues after its response, over other connections: for `exchanges.ts`
 * it is one exchange on one slot that stays open.
 */
import type { KeptResponse } from "../../../../base/http/kept.ts";
import type { ReceivedResponse } from "../../../../base/http/received.ts";
import { withEngine } from "../../../../base/pattern.ts";
import type { Interruptions } from "../../recording/messages.ts";
import type { StreamingRecorder } from "../../recording/streaming_recorder.ts";
import type { RefusedBy } from "../driver.ts";
import type { ExchangeEvents, FailedBy, Message, Protocol, ProtocolOf } from "../protocol.ts";
import { OpenStream, StreamPlan } from "./open_stream.ts";
import { type BodyPart, StreamRoom, type StreamTaker } from "./stream_room.ts";
import type { StreamSpec } from "./stream_spec.ts";

/**
 * The longest time between checks for streams that must be ended; also how long a server may take to end a response
 * after its last message.
 */
const SWEEP_US = 10_000;

/** The most connections that one sweep dials, before the loop returns to reading from open connections. */
const DIALS_AT_ONCE = 16;
/** The shortest time between sweeps. A stream that is to be requested again sooner waits for the next sweep. */
const SHORTEST_SWEEP_US = 1_000;

interface StreamParts {
  readonly slots: number;
  readonly recorder: StreamingRecorder;
  readonly specs: readonly StreamSpec[];
}

/** Puts the layer that handles streams over a protocol. */
export async function withStreams(over: ProtocolOf, parts: StreamParts): Promise<ProtocolOf> {
  const hasCalls = parts.specs.some(({ call }) => call !== undefined);
  const calls = hasCalls ? await import("./call_reader.ts") : null;
  const plans = await withEngine(() =>
    new Map(parts.specs.map((spec) => [spec, new StreamPlan(spec, calls)]))
  );
  return (events) => new Streams(over, events, { ...parts, plans });
}

export class Streams implements Protocol, ExchangeEvents, StreamTaker {
  readonly punctual: boolean;
  readonly retain: boolean | "head";
  readonly room: StreamRoom;
  readonly #protocol: Protocol;
  /** By slot; null: the slot has no exchange, or one that is not a stream. */
  readonly #open: (OpenStream | null)[];
  readonly #plans: ReadonlyMap<StreamSpec, StreamPlan>;
  readonly #recorder: StreamingRecorder;
  /** Time of the current read, microseconds. */
  #nowUs = 0;
  #nextSweepUs = -Infinity;

  constructor(
    over: ProtocolOf,
    private readonly events: ExchangeEvents,
    { slots, recorder, plans }: Omit<StreamParts, "specs"> & {
      readonly plans: ReadonlyMap<StreamSpec, StreamPlan>;
    },
  ) {
    this.punctual = events.punctual;
    this.retain = events.retain;
    this.#open = new Array(slots).fill(null);
    this.#plans = plans;
    this.#recorder = recorder;
    this.room = new StreamRoom(this);
    this.#protocol = over(this);
  }

  get inFlight(): ExchangeEvents["inFlight"] {
    return this.events.inFlight;
  }

  // Commands that the exchanges give.

  connect(slot: number): void {
    this.#protocol.connect(slot);
  }

  joins(slot: number): boolean {
    return this.#protocol.joins(slot);
  }

  send(slot: number, message: Message, nowUs: number): void {
    if (message.stream !== undefined) this.#begin(slot, message, message.stream, nowUs);
    this.#protocol.send(slot, message, nowUs);
  }

  #begin(slot: number, message: Message, spec: StreamSpec, nowUs: number): void {
    const plan = this.#plans.get(spec);
    if (plan === undefined) throw new Error("A stream was sent that is not part of the load");
    const { messages } = this.#recorder;
    if (plan.isCounted) messages.begin(slot, message.step, this.inFlight.dueUs(slot));
    this.#open[slot] = new OpenStream(plan, nowUs, { slot, message, messages, room: this.room });
  }

  cancel(slot: number, nowUs: number): boolean {
    this.#forget(slot);
    return this.#protocol.cancel(slot, nowUs);
  }

  close(slot: number): void {
    this.#forget(slot);
    this.#protocol.close(slot);
  }

  #forget(slot: number): void {
    this.#open[slot]?.forget();
    this.#open[slot] = null;
  }

  run(): Promise<void> {
    return this.#protocol.run();
  }

  get fewestStreams(): number {
    return this.#protocol.fewestStreams;
  }

  aliveUs(slot: number): number {
    return this.#open[slot]?.aliveUs ?? this.#protocol.aliveUs?.(slot) ?? -Infinity;
  }

  // Events that the protocol reports.

  takeHead(slot: number, kept: KeptResponse): void {
    this.#open[slot]?.begin(kept, this.#nowUs);
  }

  takePart(slot: number, part: BodyPart): boolean | null {
    const stream = this.#open[slot];
    if (stream === null) return null;
    // A stream that was left at the end of the load may still bring octets, which do not count.
    if (!stream.plan.isCounted || this.#recorder.messages.isOpen(slot)) {
      stream.read(part, this.#nowUs);
    }
    return !stream.isOverLimit;
  }

  onReceived(bytes: number, nowUs: number): void {
    this.events.onReceived(bytes, nowUs);
    this.#nowUs = nowUs;
  }

  isTooLate(slot: number, nowUs: number): boolean {
    return this.events.isTooLate(slot, nowUs);
  }

  onEnd(
    slot: number,
    response: ReceivedResponse,
    isLast: boolean,
    firstByteUs: number,
    nowUs: number,
    doneUs = nowUs,
  ): boolean {
    const stream = this.#open[slot];
    if (stream === null) {
      return this.events.onEnd(slot, response, isLast, firstByteUs, nowUs, doneUs);
    }
    if (this.events.isTooLate(slot, nowUs)) return false;
    if (stream.goesOn) return this.#interrupt(slot, stream, "ended", nowUs);
    stream.end(nowUs);
    this.#judge(slot, stream, response, nowUs);
    this.#open[slot] = null;
    const beganUs = stream.again === null ? firstByteUs : stream.firstByteUs;
    const overUs = Math.min(stream.doneUs, doneUs);
    return this.events.onEnd(slot, response, isLast, beganUs, nowUs, overUs);
  }

  /**
   * Counts the interruption, and closes the stream's slot, on which nothing more will arrive. A later sweep connects
   * the slot again, to request the stream again.
   */
  #interrupt(
    slot: number,
    stream: OpenStream,
    how: keyof Interruptions,
    nowUs: number,
  ): false {
    this.#recorder.messages.interrupt(slot, how);
    this.#nextSweepUs = Math.min(
      this.#nextSweepUs,
      Math.max(stream.interrupt(nowUs), nowUs + SHORTEST_SWEEP_US),
    );
    this.#protocol.close(slot);
    return false;
  }

  /** Hands the verdict on a finished stream to the check of its response, and ends the recording of its messages. */
  #judge(
    slot: number,
    stream: OpenStream,
    { kept }: ReceivedResponse,
    nowUs: number,
    isLeft = false,
  ): void {
    if (kept !== null) kept.streamProblem = stream.verdict(isLeft);
    const { messages, calls } = this.#recorder;
    if (stream.plan.spec.call !== undefined) calls?.add(stream.callStatus);
    if (!stream.plan.isCounted) return;
    messages.end(slot, isLeft ? "left" : stream.isWhole ? "whole" : "cut", nowUs);
  }

  onTick(nowUs: number): number {
    if (nowUs >= this.#nextSweepUs) this.#sweep(nowUs);
    const nextUs = this.events.onTick(nowUs);
    return nextUs === Infinity ? nextUs : Math.min(nextUs, this.#nextSweepUs);
  }

  /** Ends the streams whose time is over, and dials for streams that are to be requested again. */
  #sweep(nowUs: number): void {
    let nextUs = nowUs + SWEEP_US;
    let dials = 0;
    for (let slot = 0; slot < this.#open.length; slot++) {
      const stream = this.#open[slot];
      if (stream === null || !this.#recorder.messages.isOpen(slot)) continue;
      const atUs = stream.again?.atUs ?? Infinity;
      if (nowUs - stream.doneUs >= SWEEP_US) this.#leave(slot, stream, false, nowUs);
      else if (nowUs >= stream.leftUs) this.#leave(slot, stream, true, nowUs);
      else if (nowUs < atUs) nextUs = Math.min(nextUs, atUs);
      else if (dials++ < DIALS_AT_ONCE) this.#dialAgain(slot, stream, nowUs);
      else nextUs = nowUs;
    }
    this.#nextSweepUs = Math.max(nextUs, nowUs + SHORTEST_SWEEP_US);
  }

  #dialAgain(slot: number, { again }: OpenStream, nowUs: number): void {
    if (again === null || this.events.isTooLate(slot, nowUs)) return;
    again.dial();
    if (!this.#protocol.joins(slot)) this.#recorder.reconnects++;
    this.#protocol.connect(slot);
  }

  /** Ends the stream from the client's side, and reports what has arrived so far as its response. */
  #leave(slot: number, stream: OpenStream, isLeft: boolean, nowUs: number): void {
    const { kept, bodyBytes, firstByteUs } = stream;
    if (kept === null) return;
    if (this.events.isTooLate(slot, nowUs)) return;
    const response = { status: kept.status, bodyBytes, served: 0, kept };
    this.#judge(slot, stream, response, nowUs, isLeft);
    const doneUs = Math.min(stream.doneUs, nowUs);
    this.events.onEnd(slot, response, true, firstByteUs, nowUs, doneUs);
  }

  onOpen(slot: number, nowUs: number): void {
    const stream = this.#open[slot];
    if (!stream?.again?.isDialing) return this.events.onOpen(slot, nowUs);
    if (this.events.isTooLate(slot, nowUs)) return;
    this.#protocol.send(slot, stream.requestAgain(stream.again), nowUs);
  }

  onRefused(slot: number, by: RefusedBy, reason: string, nowUs: number): void {
    const stream = this.#open[slot];
    if (!stream?.again?.isDialing) return this.events.onRefused(slot, by, reason, nowUs);
    if (!this.events.isTooLate(slot, nowUs)) this.#interrupt(slot, stream, "refused", nowUs);
  }

  onReplaced(slot: number, timeUs: number): void {
    this.events.onReplaced(slot, timeUs);
  }

  onSent(bytes: number): void {
    this.events.onSent(bytes);
  }

  onRead(slot: number, nowUs: number): void {
    this.events.onRead(slot, nowUs);
  }

  onFailed(slot: number, by: FailedBy, reason: string, nowUs: number): void {
    const stream = this.#open[slot];
    // grpc-go servers reset calls at their deadline, and often notice before the client that it has
    // passed.
    if (by === "reset" && stream?.isPastDeadline(nowUs)) by = "timeout";
    if (stream?.goesOn && (by === "reset" || by === "closed")) {
      if (!this.events.isTooLate(slot, nowUs)) this.#interrupt(slot, stream, "cut", nowUs);
      return;
    }
    // The protocol's reader was only told to stop, so `reason` does not say which limit was
    // exceeded.
    const why = stream?.isOverLimit ? stream.verdict(false) ?? reason : reason;
    this.events.onFailed(slot, by, why, nowUs);
  }

  onUnsolicited(slot: number, hasEnded: boolean, nowUs: number): void {
    this.events.onUnsolicited(slot, hasEnded, nowUs);
  }

  /** A stream that continues is reported to the exchanges as still connected; its outcome is reported later. */
  onDisconnected(slot: number, nowUs: number): boolean {
    if (this.#open[slot]?.goesOn && !this.events.isTooLate(slot, nowUs)) return true;
    return this.events.onDisconnected(slot, nowUs);
  }
}
