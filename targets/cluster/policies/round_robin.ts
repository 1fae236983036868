/** Each in its turn. */
import type { Busy, Policy } from "./policy.ts";

export class RoundRobin implements Policy {
  #next = 0;

  pick(instances: readonly Busy[]): number {
    const index = this.#next % instances.length;
    this.#next = index + 1;
    return index;
  }
}
