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
    const shareOf = this.#slowStart.sharesAt(performance.now());
    const instance = this.#instances[this.#policy.pick(this.#instances, shareOf)];
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

/** Gives instances that have just joined a smaller share of the requests, which grows linearly over time. */
export class SlowStart {
  readonly #joinedMs = new Map<object, number>();

  constructor(private readonly lengthMs: number) {}

  join(instance: object, nowMs: number): void {
    if (this.lengthMs > 0) this.#joinedMs.set(instance, nowMs);
  }

  /** The shares of all instances at this moment. */
  sharesAt(nowMs: number): ShareOf {
    return this.#joinedMs.size === 0 ? fullShare : (instance) => this.#shareOf(instance, nowMs);
  }

  #shareOf(instance: object, nowMs: number): number {
    const joinedMs = this.#joinedMs.get(instance);
    if (joinedMs === undefined) return 1;
    const share = Math.max(LEAST_SHARE, (nowMs - joinedMs) / this.lengthMs);
    if (share < 1) return share;
    this.#joinedMs.delete(instance);
    return 1;
  }
}

// Policies that choose the instance for each request. `tests/targets/cluster_policies_test.ts` runs
// the same suite for all of them. Pure: randomness is an argument.

/** What a policy knows about an instance. */
export interface Instance {
  /** The number of requests in flight at the instance. */
  readonly inFlight: number;
}

/** The share of requests that an instance should get, from 0 to 1, relative to one with the full share. */
type ShareOf = (instance: Instance) => number;

const fullShare: ShareOf = () => 1;

export interface Policy {
  /**
   * Returns the index of the instance that gets the next request.
   *
   * @param instances At least one; the list may grow between calls.
   * @param shareOf At least one instance has the full share.
   */
  pick(instances: readonly Instance[], shareOf?: ShareOf): number;
}

/** Requests in flight, with the next one, scaled up to a full share, as Envoy scales weights. */
function loadOf(instance: Instance, shareOf: ShareOf): number {
  return (instance.inFlight + 1) / shareOf(instance);
}

/** Returns a random number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

const makers = {
  "round-robin": (random) => new RoundRobin(random),
  "least-connections": () => new LeastConnections(),
  "random-two": (random) => new RandomTwo(random),
} satisfies Record<PolicyName, (random: Random) => Policy>;

export function makePolicy(name: PolicyName, random: Random = Math.random): Policy {
  return makers[name](random);
}

/** Chooses the instances in turn. One with a smaller share takes its turn with a probability equal to its share. */
class RoundRobin implements Policy {
  #next = 0;

  constructor(private readonly random: Random) {}

  pick(instances: readonly Instance[], shareOf = fullShare): number {
    let index: number;
    do {
      index = this.#next % instances.length;
      this.#next = index + 1;
    } while (this.#skips(shareOf(instances[index])));
    return index;
  }

  #skips(share: number): boolean {
    return share < 1 && this.random() >= share;
  }
}

/**
 * Chooses the instance with the fewest requests in flight. If several instances have equally few, they take turns, as
 * in nginx.
 */
class LeastConnections implements Policy {
  #next = 0;

  pick(instances: readonly Instance[], shareOf = fullShare): number {
    let best = this.#next % instances.length;
    let least = loadOf(instances[best], shareOf);
    for (let step = 1; step < instances.length; step++) {
      const index = (this.#next + step) % instances.length;
      const load = loadOf(instances[index], shareOf);
      if (load < least) [best, least] = [index, load];
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

  pick(instances: readonly Instance[], shareOf = fullShare): number {
    const first = this.#below(instances.length);
    if (instances.length === 1) return first;
    const other = this.#below(instances.length - 1);
    const second = other < first ? other : other + 1;
    const isLess = loadOf(instances[second], shareOf) < loadOf(instances[first], shareOf);
    return isLess ? second : first;
  }

  #below(limit: number): number {
    return Math.floor(this.random() * limit);
  }
}
