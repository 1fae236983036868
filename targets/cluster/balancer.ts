/**
 * The builtin balancer: each request, not each connection, goes to the instance that the policy picks.
 * It reads and writes every request and answer in JavaScript, on one core; nginx does the same for less.
 */
import type { Front } from "../front/front.ts";
import { badGateway, responseOf } from "../front/response.ts";
import type { BalancerSettings } from "../front/settings.ts";
import { askedBy } from "../upstream/asked.ts";
import { Origin } from "../upstream/origin.ts";
import type { Policy } from "./policies/policy.ts";
import { makePolicy } from "./policies/registry.ts";

export class Balancer implements Front {
  readonly #instances: Origin[];
  readonly #policy: Policy;

  constructor({ origins, policy }: BalancerSettings) {
    this.#instances = origins.map((origin) => new Origin(origin));
    this.#policy = makePolicy(policy);
  }

  async fetch(request: Request): Promise<Response> {
    const instance = this.#instances[this.#policy.pick(this.#instances)];
    try {
      return responseOf(await instance.ask(askedBy(request), request.signal));
    } catch (error) {
      return badGateway(error);
    }
  }

  /** `join ORIGIN` */
  tell(line: string): void {
    const [word, origin] = line.split(" ");
    if (word === "join") this.#instances.push(new Origin(origin));
  }

  close(): void {
    for (const instance of this.#instances) instance.close();
  }
}
