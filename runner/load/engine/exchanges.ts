/**
 * What becomes of an exchange, one request and its response, for every kind of load: it waits for its connection, is
 * sent, brings its first byte, is done and checked, or fails, times out, or is left unfinished at the end.
 * Each that was due ends exactly once, in the recorder, with its four moments. The `Workload` decides what is
 * sent next; a driver carries the commands out and reports events, with the time. No I/O happens here.
 *
 * The way of one request, which `tests/architecture/hot_path.ts` holds to a budget:
 * - runner/load/engine/pacer.ts says when the next one is due, runner/load/engine/request_loop.ts which it is;
 * - runner/load/engine/exchanges.ts, this file, sends it and says what became of it, and until then
 *   runner/load/engine/in_flight.ts remembers it;
 * - runner/load/transports/epoll.ts moves its bytes, and those of the response;
 * - base/http/response.ts reads that: base/http/head.ts its head, base/http/known_head.ts where it came before;
 * - runner/load/recording/recorder.ts counts it, in runner/stats/histogram/histogram_counts.ts.
 */
import { BROKEN, NEED_MORE, type ResponseReader } from "../../../base/http/response.ts";
import { isRefusalByAlert } from "../../../base/net/dial_error.ts";
import type { ErrorKind } from "../../result/outcome.ts";
import type { Recorder } from "../recording/recorder.ts";
import { type ConnectionParts, Connections, type Message } from "./connections.ts";
import { OPEN, Readers, Timeouts } from "./connections.ts";
import type { EventHandler } from "./driver.ts";
import { Ending } from "./ending.ts";
import { InFlight } from "./in_flight.ts";
import { type Job, slotsOf } from "./job.ts";
import type { Pacer } from "./pacer.ts";
import type { Workload } from "./workload.ts";

export interface ExchangeParts extends ConnectionParts {
  readonly pacer: Pacer;
  /** Called at the deadline, before what is in flight is waited for. */
  readonly onDeadline?: () => void;
}

/** Time-outs, and dials that had to wait, are looked for this often. */
const SWEEP_US = 10_000;

export class Exchanges implements EventHandler {
  readonly punctual: boolean;
  readonly ending: Ending;
  readonly connections: Connections;
  readonly #readers: Readers;
  readonly #connections: number;
  readonly #inFlight: InFlight;
  readonly #sweepUs: number;
  #nextSweepUs = -Infinity;
  readonly #timeouts: Timeouts;
  /** By slot: responses that its connection may still have before it is closed. */
  readonly #left: Float64Array;
  readonly recorder: Recorder;

  constructor(
    private readonly job: Job,
    private readonly parts: ExchangeParts,
    private readonly workload: Workload,
  ) {
    const slots = slotsOf(job);
    this.punctual = parts.pacer.intended;
    this.recorder = parts.recorder;
    this.#sweepUs = Math.max(1_000, Math.min(SWEEP_US, job.timeoutUs / 10));
    this.#connections = slots / (job.streams ?? 1);
    this.connections = new Connections(slots, this.#connections, parts);
    this.#readers = new Readers(slots, workload.readsResponses);
    this.#inFlight = new InFlight(slots, job.pipeline);
    this.#left = new Float64Array(slots);
    this.#timeouts = new Timeouts(slots, job.timeoutUs, this.connections, this.#inFlight);
    const exchanges = { connections: this.connections, inFlight: this.#inFlight };
    this.ending = new Ending(job, { ...parts, ...exchanges, workload });
    parts.recorder.slowest.labelBy((slot) => this.#label(slot));
  }

  /** Whether the slot can be given one more. */
  hasRoom(slot: number): boolean {
    return this.#inFlight.count(slot) < this.job.pipeline;
  }

  /** Whether the slot has a connection, and nothing in flight. */
  isIdle(slot: number): boolean {
    return this.connections.state(slot) === OPEN && this.#inFlight.count(slot) === 0;
  }

  /** Begins an exchange that is due: sends it, or dials first. */
  begin(slot: number, request: number, message: Message, dueUs: number, nowUs: number): void {
    if (this.connections.state(slot) === OPEN) {
      return this.send(slot, request, message, dueUs, nowUs);
    }
    this.parts.recorder.due++;
    this.connections.dial(slot, nowUs, { request, message, dueUs });
  }

  // hot: once a request.
  /** Begins an exchange that is due on an open connection. */
  send(slot: number, request: number, message: Message, dueUs: number, nowUs: number): void {
    this.parts.recorder.due++;
    this.#send(slot, request, message, dueUs, nowUs);
  }

  #send(slot: number, request: number, message: Message, dueUs: number, nowUs: number): void {
    const { recorder, pacer, driver } = this.parts;
    const { bytes, head } = message;
    if (pacer.intended) recorder.sent(nowUs - dueUs);
    // In a closed loop nothing is due but by the loop itself, so the clock runs from the send.
    this.#inFlight.add(slot, request, head, pacer.intended ? dueUs : nowUs, nowUs);
    recorder.bytesOut += bytes.length;
    driver.send(slot, bytes);
  }

  onOpen(slot: number, nowUs: number): void {
    if (nowUs >= this.ending.untilUs && this.#isTooLate(slot, nowUs)) return;
    this.connections.opened(slot, nowUs);
    this.#left[slot] = this.job.requestsPerConnection ?? Infinity;
    const waiting = this.connections.takeWaiting(slot);
    if (waiting === null) return this.workload.onOpen(slot, nowUs);
    this.#send(slot, waiting.request, waiting.message, waiting.dueUs, nowUs);
  }

  // hot: once a read; in the common case one whole response, its record, and the next send. What a read
  // holds cannot respond to a request that is sent because of it, so the sends come after all of it.
  onBytes(
    slot: number,
    bytes: Uint8Array,
    length: number,
    nowUs: number,
    wireBytes = length,
  ): void {
    if (nowUs >= this.ending.untilUs && this.#isTooLate(slot, nowUs)) return;
    this.parts.recorder.received(wireBytes, nowUs);
    let completed = false;
    for (let at = 0; at < length;) {
      if (this.#inFlight.count(slot) === 0) return this.#closeUnsolicited(slot, completed, nowUs);
      const reader = this.#readerOf(slot);
      const isFirst = !reader.started;
      at = reader.read(bytes, at, length);
      if (reader.state === NEED_MORE) {
        if (isFirst) this.#readers.keep(slot, nowUs);
        break;
      }
      if (reader.state === BROKEN) return this.#break(slot, "protocol", reader.reason, nowUs);
      this.#complete(slot, reader, isFirst ? nowUs : this.#readers.firstByteUs[slot], nowUs);
      completed = true;
      const isLast = !reader.keepAlive || !this.job.keepAlive || --this.#left[slot] === 0;
      if (isLast || this.#isCutShort(slot, reader)) {
        return this.#closeCompleted(slot, nowUs);
      }
      if (!isFirst) this.#readers.release(slot);
    }
    if (completed) this.workload.onCompleted(slot, true, nowUs);
  }

  /**
   * Whether a response has come before its request was sent whole (RFC 9112 §9.3): the next would have to wait for the
   * rest, which the server may never read. Where nobody knows, a refusal is taken for such a response.
   */
  #isCutShort(slot: number, { status }: ResponseReader): boolean {
    if (this.#inFlight.count(slot) > 0) return false;
    const isSent = this.parts.driver.isSent(slot);
    return isSent === false || (isSent === null && status >= 400);
  }

  /** What reads on on the slot; where nothing has been read yet of the response to the oldest, the reader of all. */
  #readerOf(slot: number): ResponseReader {
    const { split, whole } = this.#readers;
    const reader = split[slot];
    if (reader !== null) return reader;
    whole.begin(this.#inFlight.isHead(slot));
    return whole;
  }

  onEnd(slot: number, reset: string | null, nowUs: number): void {
    this.connections.ended(slot);
    if (nowUs >= this.ending.untilUs && this.#isTooLate(slot, nowUs)) return;
    if (this.#inFlight.count(slot) === 0) {
      this.#giveUp(slot, nowUs);
      return this.workload.onClosed(slot, nowUs);
    }
    if (reset !== null) {
      return this.#break(slot, isRefusalByAlert(reset) ? "tls" : "reset", reset, nowUs);
    }
    const reader = this.#readerOf(slot);
    reader.end();
    if (reader.state === BROKEN) return this.#break(slot, "closed", reader.reason, nowUs);
    this.#complete(slot, reader, this.#readers.firstByteUs[slot], nowUs);
    this.#closeCompleted(slot, nowUs);
  }

  onFailed(slot: number, kind: ErrorKind, reason: string, nowUs: number): void {
    if (nowUs >= this.ending.untilUs && this.#isTooLate(slot, nowUs)) return;
    this.#break(slot, kind, reason, nowUs);
  }

  onReplaced(slot: number, timeUs: number): void {
    this.connections.replaced(slot, timeUs);
  }

  /** The dial has failed, and with it the exchange that waits for it or would have taken the connection. */
  onRefused(slot: number, kind: ErrorKind, reason: string, nowUs: number): void {
    if (nowUs >= this.ending.untilUs && this.#isTooLate(slot, nowUs)) return;
    const { recorder, pacer } = this.parts;
    recorder.advance(nowUs); // before anything is counted that has not ended yet
    const dialedUs = this.connections.dialedUs(slot);
    const waiting = this.connections.takeWaiting(slot);
    const dueUs = waiting?.dueUs ?? pacer.take(nowUs);
    if (dueUs >= 0) {
      if (waiting === null) recorder.due++;
      const step = waiting === null
        ? this.workload.skipStep()
        : this.workload.stepOf(slot, waiting.request);
      const sinceUs = pacer.intended ? dueUs : dialedUs;
      const failure = { kind: isRefusalByAlert(reason) ? "tls" as const : kind, reason };
      recorder.fail(slot, step, failure, sinceUs, dialedUs, nowUs);
    }
    this.connections.refused(slot, nowUs);
    this.workload.onFailed(slot, false, nowUs);
  }

  // hot: in an open loop it runs for every arrival.
  onTick(nowUs: number): number {
    const { ending, workload } = this;
    if (nowUs >= ending.untilUs && ending.isOver(nowUs)) return ending.linger(nowUs, this.#sweepUs);
    if (nowUs >= this.#nextSweepUs) {
      if (ending.isOverEarly(nowUs)) return ending.linger(nowUs, this.#sweepUs);
      this.#sweep(nowUs);
    }
    const nextUs = Math.min(this.#nextSweepUs, ending.untilUs);
    return ending.isDraining ? nextUs : Math.min(nextUs, workload.onTick(nowUs));
  }

  /** Whether what happens on a slot no longer counts: the load is over, or waits for others alone. */
  #isTooLate(slot: number, nowUs: number): boolean {
    const isOver = this.ending.isOver(nowUs);
    if (isOver) this.connections.close(slot);
    return isOver || this.#inFlight.count(slot) === 0;
  }

  #complete(slot: number, reader: ResponseReader, firstByteUs: number, nowUs: number): void {
    const { recorder } = this.parts;
    const inFlight = this.#inFlight;
    const request = inFlight.request(slot);
    const dueUs = inFlight.dueUs(slot);
    const sentUs = inFlight.sentUs(slot);
    recorder.complete(slot, reader.status, dueUs, sentUs, firstByteUs, nowUs);
    if (reader.status > 299 || reader.served > 0) {
      recorder.groups.add(reader.status, reader.served, nowUs - dueUs);
    }
    const step = recorder.steps === null ? 0 : this.workload.stepOf(slot, request); // a check moves on
    const passes = this.workload.check(slot, request, reader);
    const isRight = reader.bodyBytes > (this.job.maxBody ?? Infinity) ? false : passes;
    if (isRight !== null) recorder.checked(isRight);
    if (recorder.steps !== null) {
      recorder.steps.complete(step, reader.status, nowUs, nowUs - dueUs, isRight);
    }
    this.connections.responded[slot % this.#connections] = 1;
    inFlight.drop(slot);
  }

  /** Bytes came while no request was out (RFC 9112 §9.2), with the last response or later: they respond to nothing. */
  #closeUnsolicited(slot: number, completed: boolean, nowUs: number): void {
    if (!this.ending.isDraining) this.parts.recorder.unsolicited++;
    this.#giveUp(slot, nowUs);
    if (completed) this.workload.onCompleted(slot, false, nowUs);
    else this.workload.onClosed(slot, nowUs);
  }

  /** The last response was the connection's last. */
  #closeCompleted(slot: number, nowUs: number): void {
    this.#failAll(slot, "closed", "closed before a pipelined response", nowUs);
    this.#giveUp(slot, nowUs);
    this.workload.onCompleted(slot, false, nowUs);
  }

  #giveUp(slot: number, nowUs: number): void {
    this.#readers.release(slot);
    this.connections.giveUp(slot, nowUs);
  }

  /** Fails every exchange in flight on the slot, and closes it, unless it was but a stream of a connection that goes on. */
  #break(slot: number, kind: ErrorKind, reason: string, nowUs: number): void {
    this.#failAll(slot, kind, reason, nowUs);
    const isOpen = this.parts.driver.cancel?.(slot) === true;
    if (isOpen) this.#readers.release(slot);
    else this.#giveUp(slot, nowUs);
    this.workload.onFailed(slot, isOpen, nowUs);
  }

  #failAll(slot: number, kind: ErrorKind, reason: string, nowUs: number): void {
    while (this.#inFlight.count(slot) > 0) this.#failOldest(slot, kind, reason, nowUs);
  }

  #failOldest(slot: number, kind: ErrorKind, reason: string, nowUs: number): void {
    const inFlight = this.#inFlight;
    const dueUs = inFlight.dueUs(slot);
    const step = this.workload.stepOf(slot, inFlight.request(slot));
    this.parts.recorder.fail(slot, step, { kind, reason }, dueUs, inFlight.sentUs(slot), nowUs);
    inFlight.drop(slot);
  }

  #sweep(nowUs: number): void {
    this.parts.recorder.advance(nowUs);
    const isDone = this.connections.forEachClosed((slot) => this.workload.onClosed(slot, nowUs));
    this.#nextSweepUs = nowUs + (isDone ? this.#sweepUs : 0);
    this.#timeouts.forEach(nowUs, (slot) => this.#timeOut(slot, nowUs));
  }

  #timeOut(slot: number, nowUs: number): void {
    if (this.#inFlight.count(slot) === 0) {
      this.connections.close(slot);
      return this.onRefused(slot, "timeout", "no connection in time", nowUs);
    }
    this.#failOldest(slot, "timeout", "no whole response in time", nowUs);
    this.#break(slot, "closed", "behind a response that timed out", nowUs);
  }

  #label(slot: number): string | null {
    if (this.#inFlight.count(slot) === 0) return null;
    return this.workload.label(slot, this.#inFlight.request(slot));
  }
}
