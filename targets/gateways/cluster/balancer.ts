/**
 * The builtin balancer, which picks an instance for each request rather than for each connection. It reads and writes
 * every request and response in JavaScript, on one core; nginx needs less CPU time for the same work.
 */
import type { BalancerSettings, Gateway } from "../gateway.ts";
import { badGateway, responseOf } from "../response.ts";
import { originRequestOf } from "../origin/request.ts";
import type { Fields } from "../origin/fields.ts";
import { OriginClient } from "../origin/origin.ts";
import type { PolicyName } from "../../../base/target/gateway_shape.ts";

export class Balancer implements Gateway {
  readonly #instances: OriginClient[];
  readonly #policy: Policy;
  readonly #slowStart: SlowStart;

  constructor({ origins, policy, slowStartMs = 0 }: BalancerSettings) {
    this.#instances = origins.map((origin) => new OriginClient(origin));
    this.#policy = makePolicy(policy);
    this.#slowStart = new SlowStart(slowStartMs);
  }

  async fetch(request: Request): Promise<Response> {
    const open = this.#slowStart.open(this.#instances, performance.now());
    const instance = open[this.#policy.pick(open)];
    try {
      const response = await instance.send(originRequestOf(request), request.signal);
      return responseOf({
        ...response,
        fields: withInstance(response.fields, this.#numberOf(instance)),
      });
    } catch (error) {
      return badGateway(error);
    }
  }

  /** Handles the line `join ORIGIN`, which adds an instance. */
  receive(line: string): void {
    const [word, origin] = line.split(" ");
    if (word !== "join") return;
    const instance = new OriginClient(origin);
    this.#instances.push(instance);
    this.#slowStart.join(instance, performance.now());
  }

  /** The instance's number, from 1, in the order in which instances joined. */
  #numberOf(instance: OriginClient): number {
    return this.#instances.indexOf(instance) + 1;
  }

  close(): void {
    for (const instance of this.#instances) instance.close();
  }
}

/**
 * Sets `x-instance` to the number of this instance, replacing the value that another balancer behind this one may have
 * set.
 */
function withInstance(fields: Fields, instance: number): Fields {
  const others = fields.filter(([name]) => name !== "x-instance");
  return [...others, ["x-instance", String(instance)]];
}

/** The share of requests with which a new instance starts, relative to the others, as in Envoy's slow start. */
const LEAST_SHARE = 0.1;

/**
 * Gives fewer requests to instances that have just joined, with a share that grows linearly over time. For each
 * request, the policy picks among the instances considered; one that has just joined is considered with a probability
 * equal to its share.
 */
export class SlowStart {
  readonly #joinedMs = new Map<object, number>();

  constructor(private readonly lengthMs: number, private readonly random: Random = Math.random) {}

  join(instance: object, nowMs: number): void {
    if (this.lengthMs > 0) this.#joinedMs.set(instance, nowMs);
  }

  /** The instances to consider for the next request. They always include those that were there from the start. */
  open<One extends object>(instances: readonly One[], nowMs: number): readonly One[] {
    if (this.#joinedMs.size === 0) return instances;
    return instances.filter((instance) => this.#finds(instance, nowMs));
  }

  #finds(instance: object, nowMs: number): boolean {
    const joinedMs = this.#joinedMs.get(instance);
    if (joinedMs === undefined) return true;
    const share = Math.max(LEAST_SHARE, (nowMs - joinedMs) / this.lengthMs);
    if (share >= 1) this.#joinedMs.delete(instance);
    return this.random() < share;
  }
}

// Policies that choose the instance for each request. `tests/targets/cluster_policies_test.ts` runs
// the same suite for all of them. Pure: randomness is an argument.

/** What a policy knows about an instance. */
export interface Instance {
  /** The number of requests in flight at the instance. */
  readonly inFlight: number;
}

export interface Policy {
  /**
   * Returns the index of the instance that gets the next request.
   *
   * @param instances At least one; the list may grow between calls.
   */
  pick(instances: readonly Instance[]): number;
}

/** Returns a random number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

const makers = {
  "round-robin": () => new RoundRobin(),
  "least-connections": () => new LeastConnections(),
  "random-two": (random) => new RandomTwo(random),
} satisfies Record<PolicyName, (random: Random) => Policy>;

export function makePolicy(name: PolicyName, random: Random = Math.random): Policy {
  return makers[name](random);
}

/** Chooses the instances in turn. */
class RoundRobin implements Policy {
  #next = 0;

  pick(instances: readonly Instance[]): number {
    const index = this.#next % instances.length;
    this.#next = index + 1;
    return index;
  }
}

/**
 * Chooses the instance with the fewest requests in flight. If several instances have equally few, they take turns, as
 * in nginx.
 */
class LeastConnections implements Policy {
  #next = 0;

  pick(instances: readonly Instance[]): number {
    let best = this.#next % instances.length;
    for (let step = 1; step < instances.length; step++) {
      const index = (this.#next + step) % instances.length;
      if (instances[index].inFlight < instances[best].inFlight) best = index;
    }
    this.#next = best + 1;
    return best;
  }
}

/**
 * Draws two instances at random and chooses the one with fewer requests in flight (Mitzenmacher, "The power of two
 * choices in randomized load balancing", 2001).
 */
class RandomTwo implements Policy {
  constructor(private readonly random: Random) {}

  pick(instances: readonly Instance[]): number {
    const first = this.#below(instances.length);
    if (instances.length === 1) return first;
    const other = this.#below(instances.length - 1);
    const second = other < first ? other : other + 1;
    return instances[second].inFlight < instances[first].inFlight ? second : first;
  }

  #below(limit: number): number {
    return Math.floor(this.random() * limit);
  }
}
