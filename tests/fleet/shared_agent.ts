/** One agent and its Redis for all tests of a file that leave both running. */
import { RedisServer } from "../e2e/fleet/redis_server.ts";
import { until } from "../e2e/patience.ts";
import type { Plateau } from "../e2e/plateau.ts";
import { keep } from "../kept.ts";
import type { HandMade } from "./hand_made.ts";
import { startAgent } from "./started_agent.ts";

const NAME = "one";

interface Running extends AsyncDisposable {
  readonly redis: RedisServer;
  readonly agent: Plateau;
}

async function start(): Promise<Running> {
  await using scope = new AsyncDisposableStack();
  const redis = scope.use(await RedisServer.start());
  const agent = scope.use(await startAgent(redis.url, NAME));
  const kept = scope.move();
  return { redis, agent, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

export class SharedAgent {
  readonly #running = keep(["redis"], start);
  /** How much of what it has printed belongs to tests before. */
  #before = { stdout: 0, stderr: 0 };

  get redis(): RedisServer {
    return this.#running().redis;
  }

  get process(): Plateau {
    return this.#running().agent;
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
