/**
 * The builtin balancer: each request, not each connection, goes to the instance that the policy picks.
 * It reads and writes every request and response in JavaScript, on one core; nginx does the same for less.
 */
import type { BalancerSettings, Gateway } from "../gateway.ts";
import { badGateway, responseOf } from "../response.ts";
import { originRequestOf } from "../origin/request.ts";
import { OriginClient } from "../origin/origin.ts";
import { makePolicy, type Policy } from "./policies.ts";

export class Balancer implements Gateway {
  readonly #instances: OriginClient[];
  readonly #policy: Policy;

  constructor({ origins, policy }: BalancerSettings) {
    this.#instances = origins.map((origin) => new OriginClient(origin));
    this.#policy = makePolicy(policy);
  }

  async fetch(request: Request): Promise<Response> {
    const instance = this.#instances[this.#policy.pick(this.#instances)];
    try {
      return responseOf(await instance.send(originRequestOf(request), request.signal));
    } catch (error) {
      return badGateway(error);
    }
  }

  /** `join ORIGIN` */
  receive(line: string): void {
    const [word, origin] = line.split(" ");
    if (word === "join") this.#instances.push(new OriginClient(origin));
  }

  close(): void {
    for (const instance of this.#instances) instance.close();
  }
}
