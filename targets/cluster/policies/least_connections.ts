/** Who has the fewest requests in flight; among equals each in its turn, as nginx does. */
import type { Busy, Policy } from "./policy.ts";

export class LeastConnections implements Policy {
  #next = 0;

  pick(instances: readonly Busy[]): number {
    let best = this.#next % instances.length;
    for (let step = 1; step < instances.length; step++) {
      const index = (this.#next + step) % instances.length;
      if (instances[index].inFlight < instances[best].inFlight) best = index;
    }
    this.#next = best + 1;
    return best;
  }
}
