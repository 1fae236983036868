/**
 * What becomes of an exchange, one request and its response, for every kind of load: it waits for its connection, is
 * sent, brings its first byte, is done and checked, or fails, times out, or is left unfinished at the end. Each
 * exchange that was due is recorded exactly once, with its outcome and its times. The `Workload` decides what is sent
 * next; a protocol carries out the commands of this module and reports events, with the time. No I/O happens here.
 *
 * The path of one request, whose files `tests/architecture/hot_path_test.ts` holds to a budget of lines:
 * - runner/load/engine/pacer.ts says when a request is due, runner/load/engine/request_loop.ts which one it is;
 * - runner/load/engine/exchanges.ts, this file, sends it and says what became of it, and until then
 *   runner/load/engine/in_flight.ts remembers it;
 * - runner/load/protocols/http1/http1.ts turns it into bytes, and the bytes of the response into events;
 *   runner/load/transports/epoll_driver.ts moves those bytes;
 * - base/http/response.ts parses the response, and base/http/head.ts its head, unless the head is already known;
 * - runner/load/recording/recorder.ts counts it, in runner/stats/histogram/histogram_counts.ts.
 */
import type { ReceivedResponse } from "../../../base/http/received.ts";
import { isRefusalByAlert } from "../../../base/net/dial_error.ts";
import type { ErrorKind } from "../../result/outcome.ts";
import type { ExchangeEvents, Message, Protocol, ProtocolOf } from "./protocol.ts";
import { Connections, type DialParts, OPEN, Timeouts } from "./connections.ts";
import { Ending } from "./ending.ts";
import { Failing } from "./failing.ts";
import { InFlight } from "./in_flight.ts";
import { type Job, slotsOf } from "./job.ts";
import type { Pacer } from "./pacer.ts";
import type { Workload } from "./workload.ts";

export interface ExchangeParts extends DialParts {
  readonly protocol: ProtocolOf;
  readonly pacer: Pacer;
  /** Called at the deadline, before the load waits for requests in flight. */
  readonly onDeadline?: () => void;
}

/** The longest time between two sweeps, which look for time-outs and for closed slots that may be dialed. */
const SWEEP_US = 10_000;

export class Exchanges implements ExchangeEvents {
  readonly punctual: boolean;
  readonly retain: boolean | "head";
  readonly protocol: Protocol;
  readonly ending: Ending;
  readonly connections: Connections;
  readonly #connections: number;
  readonly inFlight: InFlight;
  readonly failing: Failing;
  readonly #sweepUs: number;
  #nextSweepUs = -Infinity;
  readonly #timeouts: Timeouts;
  /** By slot: how many more responses an HTTP/1.1 connection may bring before it is closed. */
  readonly #left: Float64Array;

  constructor(
    private readonly job: Job,
    private readonly parts: ExchangeParts,
    private readonly workload: Workload,
  ) {
    const slots = slotsOf(job);
    this.punctual = parts.pacer.intended;
    this.retain = workload.readsResponses;
    const protocol = parts.protocol(this);
    this.protocol = protocol;
    this.#sweepUs = Math.max(1_000, Math.min(SWEEP_US, job.timeoutUs / 10));
    this.#connections = slots / (job.streams ?? 1);
    const connections = new Connections(slots, this.#connections, protocol, parts);
    this.connections = connections;
    const inFlight = new InFlight(slots, job.pipeline);
    this.inFlight = inFlight;
    this.#left = new Float64Array(slots);
    this.#timeouts = new Timeouts(slots, job.timeoutUs, connections, inFlight);
    this.failing = new Failing({ ...parts, inFlight, workload });
    this.ending = new Ending(job, { ...parts, connections, inFlight, workload });
    parts.recorder.slowest.labelBy((slot) => this.#label(slot));
  }

  hasRoom(slot: number): boolean {
    return this.inFlight.count(slot) < this.job.pipeline;
  }

  /** Whether the slot has a connection, and nothing in flight. */
  isIdle(slot: number): boolean {
    return this.connections.state(slot) === OPEN && this.inFlight.count(slot) === 0;
  }

  /** Begins an exchange that is due: sends it, or dials first. */
  begin(slot: number, request: number, message: Message, dueUs: number, nowUs: number): void {
    if (this.connections.state(slot) === OPEN) {
      return this.send(slot, request, message, dueUs, nowUs);
    }
    this.parts.recorder.due++;
    this.connections.dial(slot, nowUs, { request, message, dueUs });
  }

  // hot: runs for every request.
  /** Begins an exchange that is due on an open connection. */
  send(slot: number, request: number, message: Message, dueUs: number, nowUs: number): void {
    this.parts.recorder.due++;
    this.#send(slot, request, message, dueUs, nowUs);
  }

  #send(slot: number, request: number, message: Message, dueUs: number, nowUs: number): void {
    const { recorder, pacer } = this.parts;
    if (pacer.intended) recorder.sent(nowUs - dueUs);
    // In a closed loop no schedule makes an exchange due, so its latency counts from the send.
    this.inFlight.add(slot, request, message.head, pacer.intended ? dueUs : nowUs, nowUs);
    this.protocol.send(slot, message, nowUs);
  }

  onOpen(slot: number, nowUs: number): void {
    if (this.isTooLate(slot, nowUs)) return;
    this.connections.opened(slot, nowUs);
    const { streams, requestsPerConnection = Infinity } = this.job;
    this.#left[slot] = streams === undefined ? requestsPerConnection : Infinity;
    const waiting = this.connections.takeWaiting(slot);
    if (waiting === null) return this.workload.onOpen(slot, nowUs);
    this.#send(slot, waiting.request, waiting.message, waiting.dueUs, nowUs);
  }

  onSent(bytes: number): void {
    this.parts.recorder.bytesOut += bytes;
  }

  onReceived(bytes: number, nowUs: number): void {
    if (nowUs < this.ending.untilUs || !this.ending.isOver(nowUs)) {
      this.parts.recorder.received(bytes, nowUs);
    }
  }

  /** Whether an event no longer counts: the load is over (then also closes the slot), or waits only for other slots. */
  isTooLate(slot: number, nowUs: number): boolean {
    if (nowUs < this.ending.untilUs) return false;
    const isOver = this.ending.isOver(nowUs);
    if (isOver) this.connections.close(slot);
    return isOver || this.inFlight.count(slot) === 0;
  }

  // hot: runs for every response.
  onEnd(
    slot: number,
    response: ReceivedResponse,
    isLast: boolean,
    firstByteUs: number,
    nowUs: number,
    doneUs = nowUs,
  ): boolean {
    if (this.isTooLate(slot, nowUs)) return false;
    this.#complete(slot, response, firstByteUs, doneUs);
    if (!isLast && this.job.keepAlive && --this.#left[slot] > 0) return true;
    this.failing.all(slot, "closed", "closed before a pipelined response", nowUs);
    this.connections.giveUp(slot, nowUs);
    this.workload.onCompleted(slot, false, nowUs);
    return false;
  }

  onRead(slot: number, nowUs: number): void {
    this.workload.onCompleted(slot, true, nowUs);
  }

  onDisconnected(slot: number, nowUs: number): boolean {
    this.connections.ended(slot);
    if (this.isTooLate(slot, nowUs)) return false;
    if (this.inFlight.count(slot) > 0) return true;
    this.connections.giveUp(slot, nowUs);
    this.workload.onClosed(slot, nowUs);
    return false;
  }

  onFailed(slot: number, kind: ErrorKind, reason: string, nowUs: number): void {
    if (this.isTooLate(slot, nowUs)) return;
    this.#break(slot, kind === "reset" && isRefusalByAlert(reason) ? "tls" : kind, reason, nowUs);
  }

  onReplaced(slot: number, timeUs: number): void {
    this.connections.replaced(slot, timeUs);
  }

  /** Called when a dial has failed: fails the exchange that waits for it or, if none does, the next one due. */
  onRefused(slot: number, kind: ErrorKind, reason: string, nowUs: number): void {
    if (this.isTooLate(slot, nowUs)) return;
    this.parts.recorder.advance(nowUs); // closes the intervals that ended before this failure
    const waiting = this.connections.takeWaiting(slot);
    const why = isRefusalByAlert(reason) ? "tls" : kind;
    this.failing.dial(slot, waiting, why, reason, this.connections.dialedUs(slot), nowUs);
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

  #complete(slot: number, response: ReceivedResponse, firstByteUs: number, nowUs: number): void {
    const { recorder } = this.parts;
    const inFlight = this.inFlight;
    const request = inFlight.request(slot);
    const dueUs = inFlight.dueUs(slot);
    const sentUs = inFlight.sentUs(slot);
    // read before the check, which updates the redirect state that stepOf depends on
    const step = recorder.steps === null ? 0 : this.workload.stepOf(slot, request);
    const passes = this.workload.check(slot, request, response);
    this.connections.responded[slot % this.#connections] = 1;
    if (typeof passes === "string") return this.failing.oldest(slot, "script", passes, nowUs, step);
    recorder.complete(slot, response.status, dueUs, sentUs, firstByteUs, nowUs);
    if (response.status > 299 || response.served > 0 || response.status < 200) {
      recorder.groups.add(response.status, response.served, nowUs - dueUs);
    }
    const isRight = response.bodyBytes > (this.job.maxBody ?? Infinity) ? false : passes;
    if (isRight !== null) recorder.checked(isRight);
    if (recorder.steps !== null) {
      recorder.steps.complete(step, response.status, nowUs, nowUs - dueUs, isRight);
    }
    inFlight.drop(slot);
  }

  /**
   * Called for bytes that belong to no request (RFC 9112 §9.2), because they came while no request was in flight: after
   * the last response, perhaps in the same read.
   */
  onUnsolicited(slot: number, hasEnded: boolean, nowUs: number): void {
    if (!this.ending.isDraining) this.parts.recorder.unsolicited++;
    this.connections.giveUp(slot, nowUs);
    if (hasEnded) this.workload.onCompleted(slot, false, nowUs);
    else this.workload.onClosed(slot, nowUs);
  }

  /**
   * Fails every exchange in flight on the slot. Also closes the slot, unless it is a stream of a connection that stays
   * open.
   */
  #break(slot: number, kind: ErrorKind, reason: string, nowUs: number): void {
    this.failing.all(slot, kind, reason, nowUs);
    const isOpen = this.protocol.cancel(slot, nowUs);
    if (!isOpen) this.connections.giveUp(slot, nowUs);
    this.workload.onFailed(slot, isOpen, nowUs);
  }

  #sweep(nowUs: number): void {
    this.parts.recorder.advance(nowUs);
    const isDone = this.connections.forEachClosed((slot) => this.workload.onClosed(slot, nowUs));
    this.#nextSweepUs = nowUs + (isDone ? this.#sweepUs : 0);
    this.#timeouts.forEach(nowUs, (slot) => this.#timeOut(slot, nowUs));
  }

  #timeOut(slot: number, nowUs: number): void {
    if (this.inFlight.count(slot) === 0) {
      this.connections.close(slot);
      return this.onRefused(slot, "timeout", "no connection in time", nowUs);
    }
    this.failing.oldest(slot, "timeout", "no whole response in time", nowUs);
    this.#break(slot, "closed", "pipelined behind a response that timed out", nowUs);
  }

  #label(slot: number): string | null {
    if (this.inFlight.count(slot) === 0) return null;
    return this.workload.label(slot, this.inFlight.request(slot));
  }
}
