/**
 * Which agents a coordinator has, from before its first load until its end: those that it took are nobody
 * else's, at work or not. Two that choose at the same moment choose different ones.
 */
import { z } from "zod";
import type { RedisClient } from "../../../targets/redis/client.ts";
import { answerWithin } from "../protocol/answers.ts";
import { claimKey, ORDERS_MS } from "../protocol/names.ts";
import { freeOf, leastOf, leftOut, rosterFor } from "./roster.ts";
import type { Presence } from "../protocol/agent_message.ts";

/**
 * Claims the first ARGV[4] of the keys that are nobody else's than ARGV[1]'s, for ARGV[2] milliseconds; none
 * when they are fewer than ARGV[3]. Gives which, from 1 on.
 */
const CLAIM = `
local mine = {}
for at, key in ipairs(KEYS) do
  local holder = redis.call("GET", key)
  if #mine < tonumber(ARGV[4]) and (not holder or holder == ARGV[1]) then mine[#mine + 1] = at end
end
if #mine < tonumber(ARGV[3]) then return {} end
for _, at in ipairs(mine) do redis.call("SET", KEYS[at], ARGV[1], "PX", ARGV[2]) end
return mine
`;
const places = z.array(z.int().min(1));

export class Claims {
  #names: readonly string[] = [];
  #renewal: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly client: RedisClient, private readonly coordinator: string) {}

  /** Takes so many agents, or all that are free. Throws a TargetError when they are too few. */
  async take(wanted: number | "all", onNote: (text: string) => void): Promise<Presence[]> {
    const least = leastOf(wanted);
    for (;;) {
      const present = await rosterFor(this.client, wanted);
      const free = freeOf(present, wanted);
      const names = free.map(({ name }) => name);
      const most = wanted === "all" ? free.length : wanted;
      this.#names = await this.#claim(names, least, most);
      if (this.#names.length === 0) continue; // somebody else was faster
      if (wanted === "all") leftOut(present).forEach(onNote);
      this.#renewal = setInterval(() => this.#renew().catch(() => {}), ORDERS_MS.renewed);
      return free.filter(({ name }) => this.#names.includes(name));
    }
  }

  async end(): Promise<void> {
    clearInterval(this.#renewal);
    if (this.#names.length === 0) return;
    await answerWithin(this.client.del(this.#names.map(claimKey))).catch(() => {});
  }

  /** Not those that somebody else took, when this process was stopped for long. */
  #renew(): Promise<unknown> {
    return this.#claim(this.#names, 0, this.#names.length);
  }

  async #claim(names: readonly string[], least: number, most: number): Promise<string[]> {
    const keys = names.map(claimKey);
    const numbers = [ORDERS_MS.lives, least, most].map(String);
    const reply = await this.client.eval(CLAIM, {
      keys,
      arguments: [this.coordinator, ...numbers],
    });
    return places.parse(reply).map((place) => names[place - 1]);
  }
}
