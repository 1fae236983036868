/** When a dial or the oldest exchange of a slot has had its time. */
import { CONNECTING, type Connections } from "./connections.ts";
import type { InFlight } from "./in_flight.ts";
import { type Job, slotsOf } from "./job.ts";

export class Timeouts {
  /** Before this moment nothing can time out. */
  #nextUs = -Infinity;

  constructor(
    private readonly job: Pick<Job, "timeoutUs"> & Parameters<typeof slotsOf>[0],
    private readonly connections: Connections,
    private readonly inFlight: InFlight,
  ) {}

  /**
   * Visits the slots whose time is over. All have the same time, and what begins from now on began later: so they need no
   * look before the time of the oldest is over.
   */
  forEach(nowUs: number, visit: (slot: number) => void): void {
    if (nowUs < this.#nextUs) return;
    const { timeoutUs } = this.job;
    let oldestUs = nowUs;
    for (let slot = 0, slots = slotsOf(this.job); slot < slots; slot++) {
      const begunUs = this.#begunUs(slot);
      if (begunUs <= nowUs - timeoutUs) visit(slot);
      else if (begunUs < oldestUs) oldestUs = begunUs;
    }
    this.#nextUs = oldestUs + timeoutUs;
  }

  /** When the slot's dial or its oldest exchange began; Infinity without either. */
  #begunUs(slot: number): number {
    if (this.connections.state(slot) === CONNECTING) return this.connections.dialedUs(slot);
    return this.inFlight.count(slot) > 0 ? this.inFlight.sentUs(slot) : Infinity;
  }
}
