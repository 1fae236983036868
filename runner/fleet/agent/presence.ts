/** An agent's entry in the list of present agents: created, renewed every second, and removed. */
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../../../base/errors.ts";
import { settlesWithin } from "../../../targets/launch/settles.ts";
import type { RedisClient } from "../../../targets/redis/client.ts";
import type { Presence } from "../protocol/agent_message.ts";
import { PRESENCE_MS, presenceKey } from "../protocol/redis_keys.ts";
import { quotedOpenly } from "../../../base/secrets.ts";

const LOOK_MS = 100;
const EXPIRATION = { type: "PX", value: PRESENCE_MS.lives } as const;

export class PresenceKeeper {
  readonly #key: string;
  #renewal: ReturnType<typeof setInterval> | undefined;

  /** @param describe Returns the agent's current state. */
  constructor(
    private readonly client: RedisClient,
    private readonly name: string,
    private readonly describe: () => Presence,
  ) {
    this.#key = presenceKey(name);
  }

  /**
   * Takes the name, without being listed yet. If the name is still held by the entry of an agent that was killed, waits
   * until that entry expires. Throws a UserError if another agent has the name.
   */
  async claim(): Promise<void> {
    const endMs = performance.now() + PRESENCE_MS.lives + PRESENCE_MS.renewed;
    const options = { expiration: EXPIRATION, condition: "NX" } as const;
    while (await this.client.set(this.#key, "", options) === null) {
      if (performance.now() > endMs) throw nameTaken(this.name);
      await sleep(LOOK_MS);
    }
  }

  /**
   * Lists the agent from now on.
   * @param onTouch Called after each renewal with whether Redis has responded.
   */
  async begin(onTouch: (responds: boolean) => void): Promise<void> {
    await this.#write();
    this.#renewal = setInterval(() => {
      settlesWithin(this.#write(), PRESENCE_MS.renewed).then(onTouch, () => onTouch(false));
    }, PRESENCE_MS.renewed);
  }

  /**
   * If the agent is listed, writes its changed state immediately. Ignores errors, because each renewal writes the state
   * again.
   */
  renewNow(): void {
    if (this.#renewal !== undefined) this.#write().catch(() => {});
  }

  async leave(): Promise<void> {
    clearInterval(this.#renewal);
    this.#renewal = undefined;
    await this.client.del(this.#key);
  }

  async #write(): Promise<void> {
    const text = JSON.stringify(this.describe());
    await this.client.set(this.#key, text, { expiration: EXPIRATION });
  }
}

function nameTaken(name: string): UserError {
  const message = `Cannot start this agent as ${quotedOpenly(name)}: another agent has that name`;
  const fix = "end the other agent, or choose another name; plateau agents lists all agents";
  return new UserError([{ place: "--name", message, fix }]);
}
