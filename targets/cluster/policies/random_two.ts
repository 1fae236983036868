/**
 * Of two that are drawn at random, who has fewer requests in flight (Mitzenmacher, "The power of two
 * choices in randomized load balancing", 2001).
 */
import type { Busy, Draw, Policy } from "./policy.ts";

export class RandomTwo implements Policy {
  constructor(private readonly draw: Draw) {}

  pick(instances: readonly Busy[]): number {
    const first = this.#below(instances.length);
    if (instances.length === 1) return first;
    const other = this.#below(instances.length - 1);
    const second = other < first ? other : other + 1;
    return instances[second].inFlight < instances[first].inFlight ? second : first;
  }

  #below(limit: number): number {
    return Math.floor(this.draw() * limit);
  }
}
