/**
 * The load of one worker in Artillery's model: every arrival is a visitor with a session of its own,
 * who goes through a flow step by step: asks, thinks, asks again with what was captured. As the request
 * loop it decides and does no I/O, and every exchange that was due ends exactly once.
 *
 * A slot is a visitor's connection. With a shared pool it stays open for the next visitor.
 */
import { KeptRoom } from "../../../base/http/kept.ts";
import { BROKEN, NEED_MORE } from "../../../base/http/response.ts";
import type { ErrorKind } from "../../result/outcome.ts";
import { Connections, OPEN, SWEEP_US } from "./connections.ts";
import type { Conversation } from "./driver.ts";
import { Ending, type EndingLoop } from "./ending.ts";
import type { Job } from "./job.ts";
import type { SessionParts } from "./loop_parts.ts";
import { Places } from "./places.ts";
import type { OpenExchanges, VisitOpen } from "../recording/totals.ts";
import { NOTHING, Visitor } from "./virtual_user.ts";
import { WakeQueue } from "./slot_queues.ts";

export class SessionLoop implements Conversation, EndingLoop, OpenExchanges {
  readonly punctual: boolean;
  readonly ending: Ending;
  readonly #visitors: Visitor[];
  readonly #connections: Connections;
  readonly #thinking: WakeQueue;
  readonly #places: Places;
  #present = 0;
  #nextSweepUs = -Infinity;

  constructor(private readonly job: Job, private readonly parts: SessionParts) {
    const slots = job.connections;
    this.punctual = parts.supply.intended;
    const retain = parts.flow.readsAnswers;
    const room = new KeptRoom();
    this.#visitors = Array.from({ length: slots }, () => new Visitor(retain, room));
    this.#connections = new Connections(slots, parts);
    // Phases go on until the last visitor has gone; any other load ends when its time is over.
    const durationUs = job.waitsForLast ? Infinity : job.durationUs;
    this.ending = new Ending({ stop: job.stop, durationUs }, parts, this);
    this.#thinking = new WakeQueue(slots);
    this.#places = new Places(slots, this.#connections, (slot) => !this.#isTaken(slot));
    parts.recorder.slowest.asks((slot) => this.#visitors[slot].asked);
  }

  onTick(nowUs: number): number {
    if (this.#isOver(nowUs)) return Infinity;
    if (nowUs >= this.#nextSweepUs) {
      if (this.ending.isOverEarly(nowUs)) return Infinity;
      this.#sweep(nowUs);
    }
    if (this.ending.isDraining) return Math.min(this.#nextSweepUs, this.ending.untilUs);
    while (this.#thinking.nextUs <= nowUs) {
      const wakeUs = this.#thinking.nextUs;
      this.#goOn(this.#thinking.take(), wakeUs, nowUs);
    }
    const nextUs = Math.min(this.#admit(nowUs), this.#nextSweepUs, this.#thinking.nextUs);
    const { durationUs } = this.job;
    return nowUs < durationUs ? Math.min(nextUs, durationUs) : nextUs;
  }

  #isOver(nowUs: number): boolean {
    const { job: { durationUs, waitsForLast }, ending, parts: { supply, recorder } } = this;
    if (nowUs < durationUs) return false;
    const isEmpty = waitsForLast && this.#present === 0 && supply.left === 0;
    if (isEmpty && ending.totals === null) ending.finish(Math.max(durationUs, recorder.lastUs));
    return ending.isOver(nowUs);
  }

  /** Whether what happens on a slot no longer counts: the load is over, or waits for others alone. */
  #isTooLate(slot: number, nowUs: number): boolean {
    return this.#isOver(nowUs) ||
      (this.ending.isDraining && this.#visitors[slot].dueUs === NOTHING);
  }

  /** Lets in who has arrived; gives when the next does, or Infinity while there is no place. */
  #admit(nowUs: number): number {
    const { supply, sessions, flow } = this.parts;
    while (supply.nextUs <= nowUs) {
      const slot = this.#places.take(nowUs);
      if (slot < 0) return Infinity;
      const visitor = this.#visitors[slot];
      visitor.step = 0;
      visitor.arrivedUs = supply.take(nowUs);
      visitor.visit = flow.nextVisit();
      sessions.begin();
      this.#present++;
      this.#goOn(slot, visitor.arrivedUs, nowUs);
    }
    return supply.nextUs;
  }

  #isTaken(slot: number): boolean {
    return this.#visitors[slot].step !== NOTHING;
  }

  /** The visitor's next step, due at `dueUs`. */
  #goOn(slot: number, dueUs: number, nowUs: number): void {
    const visitor = this.#visitors[slot];
    const step = visitor.visit.steps[visitor.step];
    if (step === undefined) return this.#leave(slot, true, nowUs);
    if (this.ending.isDraining) return; // the session stays unfinished
    if (step.kind === "think") {
      visitor.step++;
      return this.#thinking.add(slot, dueUs + step.us);
    }
    this.parts.recorder.due++;
    visitor.dueUs = dueUs;
    visitor.sentUs = NOTHING;
    if (this.#connections.state(slot) === OPEN) this.#send(slot, nowUs);
    else this.#connections.dial(slot, nowUs);
  }

  #send(slot: number, nowUs: number): void {
    const { recorder, driver, flow, supply } = this.parts;
    const visitor = this.#visitors[slot];
    const bytes = flow.encode(visitor.request, visitor.visit.variables);
    visitor.sentUs = nowUs;
    if (supply.intended) recorder.sent(nowUs - visitor.dueUs);
    else visitor.dueUs = nowUs; // in a closed loop the clock runs from the send
    visitor.reader.begin(visitor.request.head);
    recorder.bytesOut += bytes.length;
    driver.send(slot, bytes);
  }

  onOpen(slot: number, nowUs: number): void {
    if (this.#isTooLate(slot, nowUs)) return;
    this.#connections.opened(slot, nowUs);
    this.#send(slot, nowUs);
  }

  onRefused(slot: number, kind: ErrorKind, reason: string, nowUs: number): void {
    if (this.#isTooLate(slot, nowUs)) return;
    this.#connections.ended(slot);
    this.#fail(slot, kind, reason, nowUs);
  }

  onBytes(slot: number, bytes: Uint8Array, length: number, nowUs: number): void {
    const visitor = this.#visitors[slot];
    const { reader } = visitor;
    if (this.#isTooLate(slot, nowUs)) return;
    this.parts.recorder.received(length, nowUs);
    if (visitor.sentUs === NOTHING) return this.#endUnsolicited(slot);
    if (!reader.started) visitor.firstByteUs = nowUs;
    const at = reader.read(bytes, 0, length);
    if (reader.state === NEED_MORE) return;
    if (reader.state === BROKEN) return this.#fail(slot, "protocol", reader.reason, nowUs);
    if (!reader.keepAlive || !this.job.keepAlive) this.#connections.close(slot);
    else if (at < length) this.#endUnsolicited(slot);
    this.#complete(slot, nowUs);
  }

  onEnd(slot: number, reset: string | null, nowUs: number): void {
    if (this.#isTooLate(slot, nowUs)) return;
    const { sentUs, reader } = this.#visitors[slot];
    this.#connections.ended(slot);
    if (sentUs === NOTHING) return this.#loseIdle(slot);
    if (reset !== null) return this.#fail(slot, "reset", reset, nowUs);
    reader.end();
    if (reader.state === BROKEN) this.#fail(slot, "closed", reader.reason, nowUs);
    else this.#complete(slot, nowUs);
  }

  /** Bytes came after the last answer, with it or later: they answer nothing (RFC 9112 §9.2). */
  #endUnsolicited(slot: number): void {
    this.parts.recorder.unasked++;
    this.#loseIdle(slot);
  }

  /** A connection that nothing was asked on is gone: who thinks dials again when he goes on. */
  #loseIdle(slot: number): void {
    this.#connections.close(slot);
    if (!this.#isTaken(slot)) this.#places.add(slot);
  }

  #complete(slot: number, nowUs: number): void {
    const { recorder, flow } = this.parts;
    const visitor = this.#visitors[slot];
    const { reader, dueUs, sentUs, firstByteUs } = visitor;
    recorder.complete(slot, reader.status, dueUs, sentUs, firstByteUs, nowUs);
    visitor.dueUs = visitor.sentUs = NOTHING;
    this.#connections.answered(slot);
    const { checked, right, goesOn } = flow.judge(visitor.request, reader, visitor.visit.variables);
    if (checked) recorder.checked(right);
    if (!goesOn) return this.#leave(slot, false, nowUs);
    visitor.step++;
    this.#goOn(slot, nowUs, nowUs);
  }

  /** The exchange at hand has failed, and the session with it. */
  #fail(slot: number, kind: ErrorKind, reason: string, nowUs: number): void {
    const visitor = this.#visitors[slot];
    this.parts.recorder.fail(slot, { kind, reason }, visitor.dueUs, this.#begunUs(slot), nowUs);
    visitor.dueUs = visitor.sentUs = NOTHING;
    this.#connections.giveUp(slot, nowUs);
    this.#leave(slot, false, nowUs);
  }

  /** When the exchange at hand began to be carried out. */
  #begunUs(slot: number): number {
    const { sentUs } = this.#visitors[slot];
    return sentUs === NOTHING ? this.#connections.dialedUs(slot) : sentUs;
  }

  #leave(slot: number, completed: boolean, nowUs: number): void {
    const visitor = this.#visitors[slot];
    this.parts.sessions.end(completed, nowUs - visitor.arrivedUs);
    this.#present--;
    visitor.step = NOTHING;
    if (!this.parts.flow.sharedPool) this.#connections.leave(slot);
    this.#places.add(slot);
    this.#admit(nowUs); // who waits for the place
  }

  #sweep(nowUs: number): void {
    this.#nextSweepUs = nowUs + SWEEP_US;
    this.parts.recorder.advance(nowUs);
    for (let slot = 0; slot < this.#visitors.length; slot++) {
      const { dueUs, sentUs } = this.#visitors[slot];
      if (dueUs === NOTHING || nowUs - this.#begunUs(slot) < this.job.timeoutUs) continue;
      const what = sentUs === NOTHING ? "connection" : "whole answer";
      this.#fail(slot, "timeout", `no ${what} in time`, nowUs);
    }
  }

  forEachOpen(visit: VisitOpen): void {
    this.#visitors.forEach(({ dueUs }, slot) => {
      if (dueUs !== NOTHING) visit(slot, dueUs, this.#begunUs(slot), true);
    });
  }

  stopSending(endUs: number): void {
    this.#visitors.forEach(({ dueUs, sentUs }, slot) => {
      if (dueUs !== NOTHING && sentUs === NOTHING) this.#leaveExchange(slot, endUs);
    });
  }

  leaveUnfinished(endUs: number): void {
    this.#visitors.forEach((_, slot) => this.#leaveExchange(slot, endUs));
  }

  #leaveExchange(slot: number, endUs: number): void {
    const visitor = this.#visitors[slot];
    const { dueUs } = visitor;
    const begunUs = this.#begunUs(slot);
    if (dueUs !== NOTHING) this.parts.recorder.leaveUnfinished(slot, dueUs, begunUs, endUs);
    visitor.dueUs = visitor.sentUs = NOTHING;
    this.#connections.close(slot);
  }
}
