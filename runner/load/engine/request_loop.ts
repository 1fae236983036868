/**
 * The load of one worker: requests on a fixed number of connections, each begun when the supply says
 * that it is due. It decides everything (what to send, when, what counts as what) and does no I/O: a
 * driver carries its commands out and tells it what happened, with the time. Every exchange ends once.
 */
import { readersOf } from "../../../base/http/readers.ts";
import { BROKEN, NEED_MORE, type ResponseReader } from "../../../base/http/response.ts";
import type { ErrorKind } from "../../result/outcome.ts";
import { CLOSED, CONNECTING, Connections, OPEN, SWEEP_US } from "./connections.ts";
import type { Conversation } from "./driver.ts";
import { Ending, type EndingLoop } from "./ending.ts";
import { InFlight } from "./in_flight.ts";
import type { Job } from "./job.ts";
import type { RequestParts } from "./loop_parts.ts";
import { SlotQueue } from "./slot_queues.ts";
import type { OpenExchanges, VisitOpen } from "../recording/totals.ts";

export class RequestLoop implements Conversation, EndingLoop, OpenExchanges {
  readonly punctual: boolean;
  readonly ending: Ending;
  readonly #connections: Connections;
  readonly #readers: ResponseReader[];
  readonly #firstByteUs: Float64Array;
  readonly #inFlight: InFlight;
  readonly #idle: SlotQueue;
  readonly #sweepUs: number;
  #nextSweepUs = -Infinity;

  constructor(private readonly job: Job, private readonly parts: RequestParts) {
    const { connections: slots } = job;
    this.punctual = parts.supply.intended;
    this.#sweepUs = Math.max(1_000, Math.min(SWEEP_US, job.timeoutUs / 10));
    this.#connections = new Connections(slots, parts);
    this.#idle = new SlotQueue(slots);
    const { script } = parts;
    this.#readers = readersOf(slots, script.readsBodies);
    this.#firstByteUs = new Float64Array(slots);
    this.ending = new Ending(job, parts, this);
    this.#inFlight = new InFlight(slots, job.pipeline);
    parts.recorder.slowest.asks((slot) => script.label(this.#inFlight.oldest(slot)));
  }

  onOpen(slot: number, nowUs: number): void {
    if (nowUs >= this.ending.untilUs && this.#isTooLate(slot, nowUs)) return;
    this.#connections.opened(slot, nowUs);
    this.#fill(slot, nowUs);
  }

  // hot: once a read; in the common case one whole answer, its record, and the next send. What a read
  // holds cannot answer a request that is sent because of it, so the sends come after all of it.
  onBytes(slot: number, bytes: Uint8Array, length: number, nowUs: number): void {
    if (nowUs >= this.ending.untilUs && this.#isTooLate(slot, nowUs)) return;
    const { recorder, script: { requests } } = this.parts;
    recorder.received(length, nowUs);
    const reader = this.#readers[slot];
    let answered = false;
    for (let at = 0; at < length;) {
      if (this.#inFlight.count(slot) === 0) {
        // Unsolicited (RFC 9112 §9.2), whether read with the last answer or later.
        if (!this.ending.isDraining) recorder.unasked++;
        return this.#reopen(slot, nowUs);
      }
      if (!reader.started) this.#firstByteUs[slot] = nowUs;
      at = reader.read(bytes, at, length);
      if (reader.state === NEED_MORE) break;
      if (reader.state === BROKEN) return this.#break(slot, "protocol", reader.reason, nowUs);
      this.#complete(slot, nowUs);
      answered = true;
      if (!reader.keepAlive || !this.job.keepAlive) {
        return this.#break(slot, "closed", "closed before a pipelined answer", nowUs);
      }
      if (this.#inFlight.count(slot) > 0) reader.begin(requests[this.#inFlight.request(slot)].head);
    }
    if (answered) this.#fill(slot, nowUs);
  }

  onEnd(slot: number, reset: string | null, nowUs: number): void {
    this.#connections.ended(slot);
    if (nowUs >= this.ending.untilUs && this.#isTooLate(slot, nowUs)) return;
    if (this.#inFlight.count(slot) === 0) return this.#reopen(slot, nowUs);
    if (reset !== null) return this.#break(slot, "reset", reset, nowUs);
    const reader = this.#readers[slot];
    reader.end();
    if (reader.state === BROKEN) return this.#break(slot, "closed", reader.reason, nowUs);
    this.#complete(slot, nowUs);
    this.#break(slot, "closed", "closed before a pipelined answer", nowUs);
  }

  // hot: in an open loop it runs for every arrival.
  onTick(nowUs: number): number {
    const { ending, parts: { supply } } = this;
    if (nowUs >= ending.untilUs && ending.isOver(nowUs)) return this.#linger(nowUs);
    if (nowUs >= this.#nextSweepUs) {
      if (ending.isOverEarly(nowUs)) return this.#linger(nowUs);
      this.#sweep(nowUs);
    }
    this.#dispatch(nowUs);
    const nextUs = Math.min(this.#nextSweepUs, ending.untilUs);
    // A due exchange that finds nobody idle waits for whoever is done first, not for the clock.
    return supply.intended && supply.nextUs > nowUs ? Math.min(nextUs, supply.nextUs) : nextUs;
  }

  /** Whether what happens on a slot no longer counts: the load is over, or waits for others alone. */
  #isTooLate(slot: number, nowUs: number): boolean {
    const isOver = this.ending.isOver(nowUs);
    if (isOver) this.#connections.close(slot);
    return isOver || this.#inFlight.count(slot) === 0;
  }

  #sweep(nowUs: number): void {
    this.#nextSweepUs = nowUs + this.#sweepUs;
    this.parts.recorder.advance(nowUs);
    for (let slot = 0; slot < this.job.connections; slot++) this.#sweepSlot(slot, nowUs);
  }

  #sweepSlot(slot: number, nowUs: number): void {
    const state = this.#connections.state(slot);
    const lateUs = nowUs - this.job.timeoutUs;
    if (state === CLOSED) {
      if (this.#connections.mayDial(slot, nowUs)) this.#dial(slot, nowUs);
    } else if (state === CONNECTING) {
      if (this.#connections.dialedUs(slot) > lateUs) return;
      this.#connections.close(slot);
      this.onRefused(slot, "timeout", "no connection in time", nowUs);
    } else if (this.#inFlight.count(slot) > 0 && this.#inFlight.sentUs(slot) <= lateUs) {
      this.#failOldest(slot, "timeout", "no whole answer in time", nowUs);
      this.#break(slot, "closed", "behind an answer that timed out", nowUs);
    }
  }

  /** Gives what is due to connections that wait for it, the longest idle first. */
  #dispatch(nowUs: number): void {
    while (this.parts.supply.nextUs <= nowUs) {
      const slot = this.#idle.take();
      if (slot < 0) return;
      const isIdle = this.#connections.state(slot) === OPEN && this.#inFlight.count(slot) === 0;
      if (isIdle) this.#fill(slot, nowUs);
    }
  }

  #dial(slot: number, nowUs: number): void {
    // What is left to do may all be waiting for dials under way.
    if (this.#connections.dialing < this.parts.supply.left) this.#connections.dial(slot, nowUs);
  }

  /** The connection that the next exchange would have taken could not be had: that exchange has failed. */
  onRefused(slot: number, kind: ErrorKind, reason: string, nowUs: number): void {
    if (nowUs >= this.ending.untilUs && this.#isTooLate(slot, nowUs)) return;
    const { recorder, supply } = this.parts;
    const dueUs = supply.take(nowUs);
    if (dueUs >= 0) {
      const dialedUs = this.#connections.dialedUs(slot);
      recorder.advance(nowUs); // before anything is counted that has not ended yet
      recorder.due++;
      recorder.fail(slot, { kind, reason }, supply.intended ? dueUs : dialedUs, dialedUs, nowUs);
    }
    this.#connections.refused(slot, nowUs);
  }

  /** Sends what is due until the pipeline is full, or waits for what will be. */
  #fill(slot: number, nowUs: number): void {
    while (this.#inFlight.count(slot) < this.job.pipeline) {
      const dueUs = this.parts.supply.take(nowUs);
      if (dueUs < 0) return this.#idle.add(slot);
      this.#send(slot, dueUs, nowUs);
    }
  }

  #send(slot: number, dueUs: number, nowUs: number): void {
    const { recorder, supply, driver, script } = this.parts;
    const request = script.next();
    const { bytes, head } = script.requests[request];
    recorder.due++;
    if (supply.intended) recorder.sent(nowUs - dueUs);
    // In a closed loop nothing is due but by the loop itself, so the clock runs from the send.
    this.#inFlight.add(slot, request, supply.intended ? dueUs : nowUs, nowUs);
    if (this.#inFlight.count(slot) === 1) this.#readers[slot].begin(head);
    recorder.bytesOut += bytes.length;
    driver.send(slot, bytes);
  }

  #complete(slot: number, nowUs: number): void {
    const { recorder, script } = this.parts;
    const reader = this.#readers[slot];
    const dueUs = this.#inFlight.dueUs(slot);
    const sentUs = this.#inFlight.sentUs(slot);
    recorder.complete(slot, reader.status, dueUs, sentUs, this.#firstByteUs[slot], nowUs);
    const { check } = script.requests[this.#inFlight.request(slot)];
    if (check !== null) recorder.checked(check.passes(reader));
    this.#connections.answered(slot);
    this.#inFlight.drop(slot);
  }

  /** Fails every exchange in flight on the slot, closes it and opens it again. */
  #break(slot: number, kind: ErrorKind, reason: string, nowUs: number): void {
    while (this.#inFlight.count(slot) > 0) this.#failOldest(slot, kind, reason, nowUs);
    this.#reopen(slot, nowUs);
  }

  #reopen(slot: number, nowUs: number): void {
    if (this.#connections.giveUp(slot, nowUs)) this.#dial(slot, nowUs);
  }

  #failOldest(slot: number, kind: ErrorKind, reason: string, nowUs: number): void {
    const inFlight = this.#inFlight;
    const dueUs = inFlight.dueUs(slot);
    this.parts.recorder.fail(slot, { kind, reason }, dueUs, inFlight.sentUs(slot), nowUs);
    this.#inFlight.drop(slot);
  }

  stopSending(endUs: number): void {
    for (let slot = 0; slot < this.job.connections; slot++) {
      if (this.#connections.state(slot) === CONNECTING) this.#leaveDial(slot, endUs);
    }
  }

  /** In a closed loop a dial is the beginning of an exchange. */
  #leaveDial(slot: number, endUs: number): void {
    const { recorder, supply } = this.parts;
    const dialedUs = this.#connections.dialedUs(slot);
    this.#connections.close(slot);
    if (supply.intended || supply.take(endUs) < 0) return;
    recorder.due++;
    recorder.leaveUnfinished(slot, dialedUs, dialedUs, endUs);
  }

  /** What is idle is closed no earlier: with a thousand connections that would hold up what is waited for. */
  leaveUnfinished(endUs: number): void {
    for (let slot = 0; slot < this.job.connections; slot++) {
      if (this.#inFlight.count(slot) === 0) this.#connections.close(slot);
    }
    this.#inFlight.forEach((slot, dueUs, sentUs) => {
      this.parts.recorder.leaveUnfinished(slot, dueUs, sentUs, endUs);
      this.#inFlight.drop(slot);
    });
  }

  forEachOpen(visit: VisitOpen): void {
    const { intended, left } = this.parts.supply;
    this.#connections.forEachDial(intended ? 0 : left, (slot, us) => visit(slot, us, us, false));
    this.#inFlight.forEach((slot, dueUs, sentUs) => visit(slot, dueUs, sentUs, true));
  }

  #linger(nowUs: number): number {
    return this.#connections.linger(nowUs - this.ending.elapsedUs)
      ? nowUs + this.#sweepUs
      : Infinity;
  }
}
