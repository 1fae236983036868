/**
 * The workload of closed loops, and of open loops at a given rate: single requests on a fixed number of connections,
 * each begun when the pacer says that it is due. Their outcomes are handled in `exchanges.ts`.
 */
import { methodAndPath } from "../../../base/http/request.ts";
import type { ReceivedResponse } from "../../../base/http/received.ts";
import type { Message } from "./protocol.ts";
import { type ExchangeParts, Exchanges } from "./exchanges.ts";
import { type Job, type ScriptSpec, slotsOf } from "./job.ts";
import { type ResponseCheck, sharedChecks } from "./response_check.ts";
import { SlotQueue } from "./slot_queues.ts";
import type { Workload } from "./workload.ts";

export class RequestLoop implements Workload {
  readonly exchanges: Exchanges;
  readonly readsResponses: boolean;
  readonly isIdle = true;
  /**
   * Slots waiting for a request, the longest idle first. A connection may have closed since, so check when taking one.
   */
  readonly #idle: SlotQueue;

  constructor(
    job: Job,
    private readonly parts: ExchangeParts & { readonly script: RequestScript },
  ) {
    this.readsResponses = parts.script.readsBodies;
    this.#idle = new SlotQueue(slotsOf(job));
    this.exchanges = new Exchanges(job, parts, this);
  }

  // hot: in an open loop it runs for every arrival.
  /** Begins due exchanges on idle connections, the longest idle first. */
  onTick(nowUs: number): number {
    const { exchanges, parts: { pacer } } = this;
    while (exchanges.connections.areDialed && pacer.nextUs <= nowUs) {
      const slot = this.#idle.take();
      if (slot < 0) break;
      if (exchanges.isIdle(slot)) this.#fill(slot, nowUs);
    }
    // A due exchange without an idle connection waits for the next response, not for the clock.
    return pacer.nextUs > nowUs ? pacer.nextUs : Infinity;
  }

  onOpen(slot: number, nowUs: number): void {
    if (this.exchanges.connections.areDialed) this.#fill(slot, nowUs);
    else this.#idle.add(slot);
  }

  // hot: runs for every read that ends a response.
  onCompleted(slot: number, isOpen: boolean, nowUs: number): void {
    if (isOpen) this.#fill(slot, nowUs);
    else this.onClosed(slot, nowUs);
  }

  onFailed(slot: number, isOpen: boolean, nowUs: number): void {
    this.onCompleted(slot, isOpen, nowUs);
  }

  onClosed(slot: number, nowUs: number): void {
    const { connections } = this.exchanges;
    // The dials under way may be enough for everything left to send.
    const isNeeded = connections.dialing < this.parts.pacer.left;
    if (isNeeded && connections.mayDial(slot, nowUs)) connections.dial(slot, nowUs);
  }

  /** Sends due exchanges until the slot's pipeline is full or none is due. If none is due, adds the slot to `#idle`. */
  #fill(slot: number, nowUs: number): void {
    const { exchanges, parts: { pacer, script } } = this;
    while (exchanges.hasRoom(slot)) {
      const dueUs = pacer.take(nowUs);
      if (dueUs < 0) return this.#idle.add(slot);
      const request = script.next();
      exchanges.send(slot, request, script.requests[request], dueUs, nowUs);
    }
  }

  check(_: number, request: number, response: ReceivedResponse): boolean | null {
    const { check } = this.parts.script.requests[request];
    return check === null ? null : check.passes(response);
  }

  stepOf(_: number, request: number): number {
    return this.parts.script.requests[request].step;
  }

  skipStep(): number {
    const { script } = this.parts;
    return script.requests[script.next()].step;
  }

  label(_: number, request: number): string {
    return this.parts.script.label(request);
  }
}

interface ScriptedRequest extends Message {
  readonly check: ResponseCheck | null;
}

/** Single requests in the order of sending: an endless loop over a sequence drawn before the load. */
export class RequestScript {
  readonly requests: readonly ScriptedRequest[];
  /** Whether response bodies must be kept to be checked. */
  readonly readsBodies: boolean;
  readonly #sequence: Uint32Array;
  readonly #labels: string[] = [];
  #next = 0;

  constructor({ requests, sequence }: ScriptSpec & { kind: "requests" }) {
    const checkOf = sharedChecks();
    this.requests = requests.map((request) => ({ ...request, check: checkOf(request.check) }));
    this.readsBodies = this.requests.some(({ check }) => check?.readsBody ?? false);
    this.#sequence = sequence;
  }

  // hot: runs for every request. Returns the index of the next one.
  next(): number {
    const request = this.#sequence[this.#next++];
    if (this.#next === this.#sequence.length) this.#next = 0;
    return request;
  }

  /** Method and path of a request, as sent. */
  label(request: number): string {
    return this.#labels[request] ??= methodAndPath(this.requests[request].bytes);
  }
}
