/**
 * The workload of virtual users, in Artillery's model: every arrival is a virtual user with a session of its own, who
 * goes through the steps of a flow, such as a request, a pause to think, and another request with captured values.
 * `exchanges.ts` decides what becomes of the requests.
 *
 * A slot holds a connection of a virtual user or, over HTTP/2, one of the user's streams. With a shared pool the slot
 * stays open for the next user. If steps may be sent side by side, such as the resources of a page, a user has several
 * lanes: each has a slot for the target, and one for every other host to which redirects may lead. The slots of one
 * user have the same remainder when divided by the number of users.
 */
import { Ahead, type ComingUser, PASS_US } from "./ahead.ts";
import { UserLevels } from "../../../scenarios/pace/levels.ts";
import type { ReceivedResponse } from "../../../base/http/received.ts";
import type { SessionRecorder } from "../recording/totals.ts";
import { type Connections, OPEN } from "./connections.ts";
import { type ExchangeParts, Exchanges } from "./exchanges.ts";
import { type Flow, type Journey, type PreparedRequestStep, sentBy } from "./flow.ts";
import { type Job, UserSlots } from "./job.ts";
import { Redirected } from "./user/redirects.ts";
import { OpenPacer } from "./pacers.ts";
import { SlotQueue, WakeQueue } from "./slot_queues.ts";
import type { Workload } from "./workload.ts";

interface SessionParts extends ExchangeParts {
  readonly flow: Flow;
  readonly sessions: SessionRecorder;
}

/** The value of `VirtualUser.step` while no virtual user is present. */
const NO_USER = -1;
/**
 * If a request could not be made, its session ends after this delay, so that the next session does not follow at once.
 */
const AFTER_FAILURE_US = 1_000;
/** The value of `Lane.request` while the lane has no request in flight. */
const NONE = -1;
/**
 * How long hooks may run in one tick before the loop polls the sockets and checks whether the load is over. Without the
 * limit, the hooks of a thousand users due at once would block the loop.
 */
const MOST_HOOKS_US = 10_000;

/** Holds one of the requests that a virtual user may have in flight. */
class Lane {
  /** Index of the request's step in the journey. */
  request = NONE;
  journey: Journey = {
    steps: [],
    variables: new Map(),
    cookies: null,
    redirected: new Redirected(),
    user: null,
    hooked: null,
    hasBegun: false,
  };
}

/** The state of one virtual user's place, which successive users take. */
class VirtualUser {
  /** Index of the step of the journey that begins next; NO_USER while the place has no user. */
  step = NO_USER;
  /**
   * The number under which hooks and data tables know the user. It is the number of the user's place, unless users are
   * prepared ahead.
   */
  number = 0;
  arrivedUs = 0;
  inFlight = 0;
  /** Whether all responses so far let the session continue. */
  goesOn = true;
  /** The first message if it was made before the user arrived; null if it was not, or has been taken. */
  #message: ComingUser["message"] = null;
  readonly lanes: readonly Lane[];

  constructor(lanes: number) {
    this.lanes = Array.from({ length: lanes }, () => new Lane());
  }

  arrive({ number, journey, message }: ComingUser, arrivedUs: number): void {
    this.number = number;
    this.#message = message;
    this.step = 0;
    this.arrivedUs = arrivedUs;
    this.inFlight = 0;
    this.goesOn = true;
    for (const [at, lane] of this.lanes.entries()) {
      lane.request = NONE;
      // Parallel requests share the user's variables and cookies, but not their redirects.
      lane.journey = at === 0 ? journey : { ...journey, redirected: new Redirected() };
    }
  }

  /** Whether no user has the place. */
  get isFree(): boolean {
    return this.step === NO_USER;
  }

  takeMessage(): ComingUser["message"] {
    const message = this.#message;
    this.#message = null;
    return message;
  }

  get steps(): Journey["steps"] {
    return this.lanes[0].journey.steps;
  }

  /**
   * Whether the next step may begin now: no request is in flight, or the step and the one before it may run side by
   * side.
   */
  get mayBegin(): boolean {
    return this.inFlight === 0 || (this.#isBeside(this.step) && this.#isBeside(this.step - 1));
  }

  #isBeside(at: number): boolean {
    const step = this.steps[at];
    return step.kind === "request" && step.beside === true;
  }
}

export class SessionLoop implements Workload {
  readonly exchanges: Exchanges;
  readonly readsResponses: boolean | "head";
  readonly #users: VirtualUser[];
  readonly #slots: UserSlots;
  readonly #thinking: WakeQueue;
  readonly #free: FreeSlots;
  /** How many users may be present at each moment; null: as many as there are places. */
  readonly #levels: UserLevels | null;
  /** Null if no users are prepared before they arrive. */
  readonly #ahead: Ahead | null;
  #present = 0;

  constructor(job: Job, private readonly parts: SessionParts) {
    const most = job.connections;
    this.readsResponses = parts.flow.readsResponses;
    this.#slots = new UserSlots(job);
    this.#users = Array.from({ length: most }, () => new VirtualUser(this.#slots.lanes));
    this.#thinking = new WakeQueue(most);
    this.exchanges = new Exchanges(job, parts, this);
    const isFree = (place: number): boolean => this.#users[place].isFree;
    this.#free = new FreeSlots(most, this.exchanges.connections, isFree);
    const isEarly = parts.flow.hasEarlyHooks && parts.pacer instanceof OpenPacer;
    this.#ahead = isEarly ? new Ahead(parts.pacer, most) : null;
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
      if (this.#isHeldUp(nowUs)) break;
    }
    const dueUs = Math.min(this.#admit(nowUs), this.#thinking.nextUs);
    return this.#ahead === null ? dueUs : this.#prepare(this.#ahead, nowUs, dueUs);
  }

  /** Whether hooks have taken so long since `nowUs` that the remaining work must wait for the next tick. */
  #isHeldUp(nowUs: number): boolean {
    return this.parts.flow.readyUs(nowUs) - nowUs > MOST_HOOKS_US;
  }

  /** Prepares the first requests of users who have not arrived, while there is time; returns when to continue. */
  #prepare(ahead: Ahead, nowUs: number, dueUs: number): number {
    const { pacer: { nextUs }, flow } = this.parts;
    if (nextUs === Infinity || this.exchanges.ending.isDraining) return dueUs;
    const untilUs = flow.hookTimeUs + PASS_US;
    for (;;) {
      const readyUs = flow.readyUs(nowUs);
      if (!ahead.hasTime(readyUs, dueUs)) return Math.min(dueUs, ahead.wakeUs(readyUs));
      const number = ahead.takeNumber();
      const journey = flow.nextJourney(number);
      const [first] = journey.steps;
      const message = first.kind === "request" ? flow.message(first, journey) : null;
      ahead.add({ number, journey, message });
      // Continue right away, but let responses that have arrived be handled first.
      if (flow.hookTimeUs >= untilUs) return nowUs;
    }
  }

  /**
   * Admits users who have arrived, as far as the load allows. Returns when the next user may be admitted; Infinity if
   * no other user will come, or none can be admitted before another leaves.
   */
  #admit(nowUs: number): number {
    const { pacer, sessions } = this.parts;
    for (let admitted = 0; pacer.nextUs <= nowUs; admitted++) {
      if (admitted > 0 && this.#isHeldUp(nowUs)) return nowUs;
      if (this.#isFull(nowUs)) return this.#levels?.exceededUs(this.#present, nowUs) ?? Infinity;
      const slot = this.#free.take(nowUs);
      if (slot < 0) return Infinity;
      const user = this.#users[slot];
      user.arrive(this.#ahead?.take() ?? this.#coming(slot), pacer.take(nowUs));
      sessions.begin(user.number);
      this.#present++;
      this.#goOn(slot, user.arrivedUs, nowUs);
    }
    return pacer.nextUs;
  }

  /** The user who arrives now, if no user was prepared ahead. */
  #coming(slot: number): ComingUser {
    const number = this.#ahead?.takeNumber() ?? slot;
    return { number, journey: this.parts.flow.nextJourney(number), message: null };
  }

  /** Whether as many users are present as the load allows now. */
  #isFull(nowUs: number): boolean {
    return this.#levels !== null && this.#present >= this.#levels.at(nowUs);
  }

  /** The number of the place whose user has the slot. It is also the number of the user's first slot. */
  #placeOf(slot: number): number {
    return slot % this.#users.length;
  }

  #userOf(slot: number): VirtualUser {
    return this.#users[this.#placeOf(slot)];
  }

  #laneOf(slot: number): Lane {
    return this.#userOf(slot).lanes[this.#slots.laneOf(slot)];
  }

  /** Begins the next steps of the user at a place, due at `dueUs`, as many in parallel as the journey allows. */
  #goOn(place: number, dueUs: number, nowUs: number): void {
    const user = this.#users[place];
    for (;;) {
      const step = user.steps[user.step];
      if (step === undefined) return user.inFlight > 0 ? undefined : this.#leave(place, nowUs);
      if (this.exchanges.ending.isDraining) return; // the session stays unfinished
      if (!user.mayBegin) return;
      if (step.kind === "think") {
        user.step++;
        return this.#thinking.add(place, dueUs + this.parts.flow.thinkUs(step));
      }
      const lane = user.lanes.findIndex(({ request }) => request === NONE);
      if (lane < 0) return;
      user.lanes[lane].request = user.step++;
      user.inFlight++;
      if (!this.#begin(place, lane, { dueUs, nowUs })) return;
    }
  }

  /**
   * Sends the request of the lane's step, or the request that a redirect led to. Returns false if the request could not
   * be made, so that the session has failed.
   */
  #begin(
    place: number,
    at: number,
    { dueUs, nowUs }: { readonly dueUs: number; readonly nowUs: number },
  ): boolean {
    const lane = this.#users[place].lanes[at];
    const { request, journey } = lane;
    const { flow } = this.parts;
    const step = requestOf(lane, request);
    const message = this.#users[place].takeMessage() ?? flow.message(step, journey);
    const slot = this.#slots.slotOf(place, at, journey.redirected.origin);
    if (typeof message === "string") {
      this.exchanges.failing.unsent(slot, request, message, dueUs, nowUs);
      this.#giveUp(place, lane, nowUs);
      return false;
    }
    // `readyUs` also matters for a message made ahead, because another user's hook may have run in
    // this tick.
    this.exchanges.begin(slot, request, message, dueUs, flow.readyUs(nowUs));
    return true;
  }

  /**
   * After a delay, ends a session whose request could not be made. Without the delay, sessions would begin and fail in
   * a busy loop.
   */
  #giveUp(place: number, lane: Lane, nowUs: number): void {
    const user = this.#users[place];
    lane.request = NONE;
    user.inFlight--;
    user.goesOn = false;
    user.step = user.steps.length;
    this.#thinking.add(place, nowUs + AFTER_FAILURE_US);
  }

  check(slot: number, request: number, response: ReceivedResponse): boolean | null | string {
    const lane = this.#laneOf(slot);
    const step = requestOf(lane, request);
    const { failure, checked, right, goesOn } = this.parts.flow.judge(step, response, lane.journey);
    if (!goesOn) this.#userOf(slot).goesOn = false;
    if (failure !== null) return failure;
    return checked ? right : null;
  }

  /** Connections are dialed only for exchanges that wait for them, so there is nothing to do. */
  onOpen(): void {}

  onCompleted(slot: number, _: boolean, nowUs: number): void {
    const place = this.#placeOf(slot);
    const at = this.#slots.laneOf(slot);
    const { goesOn, lanes } = this.#users[place];
    const isRedirected = lanes[at].journey.redirected.wire !== null;
    if (!isRedirected || !goesOn) return this.#ended(slot, nowUs);
    if (!this.exchanges.ending.isDraining) this.#begin(place, at, { dueUs: nowUs, nowUs });
  }

  /** The slot's exchange has failed, and so has the user's session. */
  onFailed(slot: number, _: boolean, nowUs: number): void {
    this.#userOf(slot).goesOn = false;
    this.#ended(slot, nowUs);
  }

  /**
   * Called when a request of the slot's user has ended. Continues the session; a session that has failed ends once no
   * request is in flight.
   */
  #ended(slot: number, nowUs: number): void {
    const place = this.#placeOf(slot);
    const user = this.#users[place];
    this.#laneOf(slot).request = NONE;
    user.inFlight--;
    if (user.goesOn) return this.#goOn(place, nowUs, nowUs);
    if (user.inFlight === 0) this.#leave(place, nowUs);
  }

  /** Frees the slot if it has no user. A thinking user keeps the slot, and redials at the next step. */
  onClosed(slot: number): void {
    if (slot < this.#users.length && this.#users[slot].isFree) this.#free.add(slot);
  }

  #leave(place: number, nowUs: number): void {
    const user = this.#users[place];
    // If the script rejects a session at its end, the session has failed, while its requests keep their outcomes.
    if (this.parts.flow.end(user.lanes[0].journey) !== null) user.goesOn = false;
    this.#ahead?.giveBack(user.number);
    this.parts.sessions.end(user.goesOn, nowUs - user.arrivedUs);
    this.#present--;
    user.step = NO_USER;
    if (!this.parts.flow.sharedPool || this.#isFull(nowUs)) this.#leaveConnections(place);
    this.#free.add(place);
    this.#admit(nowUs); // a user may be waiting for the slot
  }

  #leaveConnections(place: number): void {
    for (let slot = place; slot < this.#slots.count; slot += this.#users.length) {
      this.exchanges.connections.leave(slot);
    }
  }

  stepOf(slot: number, request: number): number {
    const lane = this.#laneOf(slot);
    const { step, follow } = requestOf(lane, request);
    return lane.journey.redirected.wire === null ? step : follow?.step ?? step;
  }

  skipStep(): number {
    const request = this.parts.flow.nextJourney(0).steps.find(({ kind }) => kind === "request");
    return request?.kind === "request" ? request.step : 0;
  }

  label(slot: number, request: number): string {
    const lane = this.#laneOf(slot);
    const { method, path } = sentBy(requestOf(lane, request), lane.journey);
    return `${method} ${path}`;
  }
}

function requestOf({ journey }: Lane, request: number): PreparedRequestStep {
  const step = journey.steps[request];
  if (step?.kind !== "request") throw new Error(`Step ${request} of the flow is not a request`);
  return step;
}

/**
 * The most slots that an arrival skips because they may not dial yet; a limit is needed because thousands of slots may
 * be in that state.
 */
const MOST_TRIES = 16;

/** Slots without a virtual user, in two queues: those with a reusable connection, and those without a connection. */
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

  /** A free place whose connection is open; −1 when there is none. */
  #takeOpen(): number {
    for (let slot = this.#open.take(); slot >= 0; slot = this.#open.take()) {
      if (this.isFree(slot) && this.connections.state(slot) === OPEN) return slot;
    }
    return -1;
  }

  /** A free place for a new user; −1 if there is none. */
  take(nowUs: number): number {
    const open = this.#takeOpen();
    if (open >= 0) return open;
    for (let tries = Math.min(this.#closed.length, MOST_TRIES); tries > 0; tries--) {
      const slot = this.#closed.take();
      if (this.connections.mayDial(slot, nowUs)) return slot;
      this.#closed.add(slot);
    }
    return -1;
  }
}
