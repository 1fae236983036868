/** One agent and its Redis for all tests of a file that leave both running. */
import { RedisServer } from "../e2e/fleet/redis_server.ts";
import { until } from "../e2e/patience.ts";
import type { Plateau } from "../e2e/plateau.ts";
import { findProgram } from "../needs.ts";
import type { HandMade } from "./hand_made.ts";
import { startAgent } from "./started_agent.ts";

const NAME = "one";

export class SharedAgent {
  #running: { readonly redis: RedisServer; readonly agent: Plateau } | null = null;
  /** How much of what it has printed belongs to tests before. */
  #before = { stdout: 0, stderr: 0 };

  /** To be made before the first test of the file. */
  constructor() {
    Deno.test.beforeAll(async () => {
      if (findProgram("redis") === null) return; // and so is every test skipped
      const redis = await RedisServer.start();
      this.#running = { redis, agent: await startAgent(redis.url, NAME) };
    });
    Deno.test.afterAll(async () => {
      await this.#running?.agent[Symbol.asyncDispose]();
      await this.#running?.redis[Symbol.asyncDispose]();
    });
  }

  get redis(): RedisServer {
    return this.#both.redis;
  }

  get process(): Plateau {
    return this.#both.agent;
  }

  get #both(): { readonly redis: RedisServer; readonly agent: Plateau } {
    if (this.#running === null) throw new Error("Cannot use the agent before the first test");
    return this.#running;
  }

  /** Waits until it has left the coordinator of the test before. */
  async isIdle(coordinator: HandMade): Promise<void> {
    const presence = () => coordinator.presenceOf(NAME).catch(() => null);
    await until("the agent is idle", async () => (await presence())?.coordinator === null);
    const { stdout, stderr } = this.process.printed;
    this.#before = { stdout: stdout.length, stderr: stderr.length };
  }

  /** The first match of `pattern` in what it prints since it was idle. */
  prints(pattern: RegExp): Promise<RegExpExecArray> {
    return this.process.until(`it prints ${pattern}`, () => {
      const { stdout, stderr } = this.process.printed;
      return pattern.exec(stdout.slice(this.#before.stdout)) ??
        pattern.exec(stderr.slice(this.#before.stderr));
    });
  }
}
