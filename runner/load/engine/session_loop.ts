/**
 * What virtual users send next, in Artillery's model: every arrival is a virtual user with a session of its own, who
 * goes through a flow step by step: a request, a pause to think, another request with what was captured. What becomes
 * of the requests is decided in `exchanges.ts`.
 *
 * A slot is a virtual user's connection. With a shared pool it stays open for the next user. User u of n has slot u for
 * the target, and u + n, u + 2n … for the other hosts to which redirects may lead.
 */
import { UserLevels } from "../../../scenarios/pace/levels.ts";
import type { ReceivedResponse } from "../../../base/http/received.ts";
import type { SessionRecorder } from "../recording/totals.ts";
import { type Connections, OPEN } from "./connections.ts";
import { type ExchangeParts, Exchanges } from "./exchanges.ts";
import { type Flow, type Journey, type PreparedRequestStep, sentBy } from "./flow.ts";
import { type Job, slotsOf } from "./job.ts";
import { Redirected } from "./user/redirects.ts";
import { SlotQueue, WakeQueue } from "./slot_queues.ts";
import type { Workload } from "./workload.ts";

interface SessionParts extends ExchangeParts {
  readonly flow: Flow;
  readonly sessions: SessionRecorder;
}

/** The step of a slot without a virtual user. */
const NO_USER = -1;

/** How far a virtual user is. */
class VirtualUser {
  /** Step of the journey; NO_USER while no user has the slot. */
  step = NO_USER;
  arrivedUs = 0;
  /** Whether the last response let the session continue. */
  goesOn = true;
  journey: Journey = {
    steps: [],
    variables: new Map(),
    cookies: null,
    redirected: new Redirected(),
  };

  /** The request at hand. */
  get request(): PreparedRequestStep {
    const step = this.journey.steps[this.step];
    if (step?.kind !== "request") throw new Error(`Step ${this.step} of the flow is no request`);
    return step;
  }
}

export class SessionLoop implements Workload {
  readonly exchanges: Exchanges;
  readonly readsResponses: boolean | "head";
  readonly #users: VirtualUser[];
  /** Of all hosts. */
  readonly #slots: number;
  readonly #thinking: WakeQueue;
  readonly #free: FreeSlots;
  /** Null: as many may be there as there are slots. */
  readonly #levels: UserLevels | null;
  #present = 0;

  constructor(job: Job, private readonly parts: SessionParts) {
    const most = job.connections;
    this.readsResponses = parts.flow.readsResponses;
    this.#users = Array.from({ length: most }, () => new VirtualUser());
    this.#slots = slotsOf(job);
    this.#thinking = new WakeQueue(most);
    this.exchanges = new Exchanges(job, parts, this);
    const isFree = (place: number): boolean => this.#users[place].step === NO_USER;
    this.#free = new FreeSlots(most, this.exchanges.connections, isFree);
    const { pacer } = job;
    this.#levels = pacer.kind === "closed" && pacer.levels ? new UserLevels(pacer.levels) : null;
  }

  get isIdle(): boolean {
    return this.#present === 0;
  }

  onTick(nowUs: number): number {
    while (this.#thinking.nextUs <= nowUs) {
      const wakeUs = this.#thinking.nextUs;
      this.#goOn(this.#thinking.take(), wakeUs, nowUs);
    }
    return Math.min(this.#admit(nowUs), this.#thinking.nextUs);
  }

  /** Admits users who have arrived and may be there; gives when the next may, or Infinity while no slot is free. */
  #admit(nowUs: number): number {
    const { pacer, sessions, flow } = this.parts;
    while (pacer.nextUs <= nowUs) {
      if (this.#isFull(nowUs)) return this.#levels?.exceededUs(this.#present, nowUs) ?? Infinity;
      const slot = this.#free.take(nowUs);
      if (slot < 0) return Infinity;
      const user = this.#users[slot];
      user.step = 0;
      user.arrivedUs = pacer.take(nowUs);
      user.journey = flow.nextJourney();
      sessions.begin();
      this.#present++;
      this.#goOn(slot, user.arrivedUs, nowUs);
    }
    return pacer.nextUs;
  }

  /** Whether as many are there as may be. */
  #isFull(nowUs: number): boolean {
    return this.#levels !== null && this.#present >= this.#levels.at(nowUs);
  }

  /** The place of the user whose connection it is: its slot for the target. */
  #placeOf(slot: number): number {
    return slot % this.#users.length;
  }

  #userOf(slot: number): VirtualUser {
    return this.#users[this.#placeOf(slot)];
  }

  /** The next step of the user at a place, due at `dueUs`. */
  #goOn(place: number, dueUs: number, nowUs: number): void {
    const user = this.#users[place];
    const { steps, redirected } = user.journey;
    const step = steps[user.step];
    if (step === undefined) return this.#leave(place, true, nowUs);
    if (this.exchanges.ending.isDraining) return; // the session stays unfinished
    if (step.kind === "think") {
      user.step++;
      return this.#thinking.add(place, dueUs + this.parts.flow.thinkUs(step));
    }
    const message = this.parts.flow.message(step, user.journey);
    const slot = place + redirected.origin * this.#users.length;
    this.exchanges.begin(slot, user.step, message, dueUs, nowUs);
  }

  check(slot: number, _: number, response: ReceivedResponse): boolean | null {
    const user = this.#userOf(slot);
    const { checked, right, goesOn } = this.parts.flow.judge(user.request, response, user.journey);
    user.goesOn = goesOn;
    return checked ? right : null;
  }

  /** No connection is dialed but for an exchange, which waits for it. */
  onOpen(): void {}

  onCompleted(slot: number, _: boolean, nowUs: number): void {
    const place = this.#placeOf(slot);
    const user = this.#users[place];
    if (!user.goesOn) return this.#leave(place, false, nowUs);
    if (user.journey.redirected.wire === null) user.step++;
    this.#goOn(place, nowUs, nowUs);
  }

  /** The exchange at hand has failed, and the session with it. */
  onFailed(slot: number, _: boolean, nowUs: number): void {
    this.#leave(this.#placeOf(slot), false, nowUs);
  }

  /** A user who thinks dials again at the next step. */
  onClosed(slot: number): void {
    if (slot < this.#users.length && this.#users[slot].step === NO_USER) this.#free.add(slot);
  }

  #leave(place: number, completed: boolean, nowUs: number): void {
    const user = this.#users[place];
    this.parts.sessions.end(completed, nowUs - user.arrivedUs);
    this.#present--;
    user.step = NO_USER;
    if (!this.parts.flow.sharedPool || this.#isFull(nowUs)) this.#leaveConnections(place);
    this.#free.add(place);
    this.#admit(nowUs); // a user who waits for the slot
  }

  #leaveConnections(place: number): void {
    for (let slot = place; slot < this.#slots; slot += this.#users.length) {
      this.exchanges.connections.leave(slot);
    }
  }

  stepOf(slot: number): number {
    const { request: { step, follow }, journey } = this.#userOf(slot);
    return journey.redirected.wire === null ? step : follow?.step ?? step;
  }

  skipStep(): number {
    const request = this.parts.flow.nextJourney().steps.find(({ kind }) => kind === "request");
    return request?.kind === "request" ? request.step : 0;
  }

  label(slot: number): string {
    const { request, journey } = this.#userOf(slot);
    const { method, path } = sentBy(request, journey);
    return `${method} ${path}`;
  }
}

/** Slots that may not dial yet are passed over, but not all of ten thousand for every arrival. */
const MOST_TRIES = 16;

/** Slots that no virtual user has: with a connection that can be used again, and without. */
class FreeSlots {
  readonly #open: SlotQueue;
  readonly #closed: SlotQueue;

  constructor(
    slots: number,
    private readonly connections: Connections,
    private readonly isFree: (slot: number) => boolean,
  ) {
    this.#open = new SlotQueue(slots);
    this.#closed = new SlotQueue(slots);
    for (let slot = 0; slot < slots; slot++) this.#closed.add(slot);
  }

  add(slot: number): void {
    (this.connections.state(slot) === OPEN ? this.#open : this.#closed).add(slot);
  }

  /** For a new user; −1 when there is none. */
  take(nowUs: number): number {
    for (let slot = this.#open.take(); slot >= 0; slot = this.#open.take()) {
      if (this.isFree(slot) && this.connections.state(slot) === OPEN) return slot;
    }
    for (let tries = Math.min(this.#closed.length, MOST_TRIES); tries > 0; tries--) {
      const slot = this.#closed.take();
      if (this.connections.mayDial(slot, nowUs)) return slot;
      this.#closed.add(slot);
    }
    return -1;
  }
}
