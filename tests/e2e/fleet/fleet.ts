/** A Redis, agents that wait at it, and a witness of what they ask. */
import type { Measurement } from "../../../runner/result/result.ts";
import { presenceKey } from "../../../runner/fleet/protocol/redis_keys.ts";
import { roster } from "../../../runner/fleet/coordinator/roster.ts";
import { presence } from "../../../runner/fleet/protocol/agent_message.ts";
import { settlesWithin } from "../../../targets/launch/settles.ts";
import { connectRedis, type RedisClient } from "../../../targets/redis/client.ts";
import { measured } from "../measured.ts";
import { until } from "../patience.ts";
import { type Ended, Plateau } from "../plateau.ts";
import { startWitness, type Witness } from "../witness.ts";
import { type Agent, type AgentSettings, startAgent } from "./agents.ts";
import { RedisServer, type RedisSettings } from "./redis_server.ts";

/** Longer than any run and what may follow it, on the busiest machine. */
const END_MS = 60_000;

/** One request as it came in. */
export interface Arrival {
  /** Address of whoever asked. */
  readonly from: string;
  /** By performance.now(). */
  readonly atMs: number;
}

export interface FleetSettings {
  /** Address of this machine, on which Redis and the witness listen. */
  readonly address?: string;
  /** How long each answer takes. */
  readonly delayMs?: number;
  /** By name: how each differs from one beside this process. */
  readonly agents: Readonly<Record<string, Partial<AgentSettings>>>;
}

export class Fleet implements AsyncDisposable {
  private constructor(
    readonly redis: RedisServer,
    readonly agents: Readonly<Record<string, Agent>>,
    readonly witness: Witness,
    /** Of all requests so far. */
    readonly arrivals: readonly Arrival[],
    private readonly scope: AsyncDisposableStack,
  ) {}

  /** Leaving the scope ends everything. `settings` may need the Redis to say where agents find it. */
  static async start(
    settings: FleetSettings | ((redis: RedisServer) => FleetSettings),
    redisSettings: RedisSettings = {},
  ): Promise<Fleet> {
    await using scope = new AsyncDisposableStack();
    const redis = scope.use(await RedisServer.start(redisSettings));
    const { address, delayMs, agents } = typeof settings === "function"
      ? settings(redis)
      : settings;
    const arrivals: Arrival[] = [];
    const onRequest = (from: string): void => void arrivals.push({ from, atMs: performance.now() });
    const witness = scope.use(startWitness({ hostname: address, delayMs, onRequest }));
    const started = await Promise.all(
      Object.entries(agents).map(async ([name, own]): Promise<[string, Agent]> => [
        name,
        scope.use(await startAgent(name, { redis: redis.url, ...own })),
      ]),
    );
    return new Fleet(redis, Object.fromEntries(started), witness, arrivals, scope.move());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.scope.disposeAsync();
  }

  /** A coordinator that loads the witness from all agents. */
  bench(...args: string[]): Plateau {
    const fleet = ["--agents", `${Object.keys(this.agents).length}`, "--redis", this.redis.url];
    return new Plateau(["bench", this.witness.origin, ...fleet, "--json", "-", ...args]);
  }

  async measure(...args: string[]): Promise<Measurement> {
    return measured(await this.endOf(this.bench(...args)));
  }

  /** What a coordinator has ended with; one that does not end is killed and fails with what all said. */
  async endOf(coordinator: Plateau): Promise<Ended> {
    if (await settlesWithin(coordinator.ended, END_MS)) return await coordinator.ended;
    coordinator.kill("SIGKILL");
    const said = JSON.stringify([coordinator.printed, ...this.said()], null, 2);
    throw new Error(`The coordinator does not end: ${said}`);
  }

  /** What the agents have said, for whoever reads of a failure. */
  said(): string[] {
    return Object.values(this.agents).map(({ name, program }) =>
      `${name}: ${program.printed.stderr}`
    );
  }

  /** Resolves when the witness has been asked more than `before` times. */
  async loads(coordinator: Plateau, before = 0): Promise<void> {
    await coordinator.until("the load begins", () => this.arrivals.length > before);
  }

  /** Resolves when every agent is there and is nobody's. */
  isFree(): Promise<void> {
    return this.#are("free", async (client) => {
      const free = (await roster(client)).filter(({ coordinator }) => coordinator === null);
      return free.map(({ name }) => name);
    });
  }

  /** Resolves when every agent has a job: it is claimed before. */
  isHired(): Promise<void> {
    return this.#are("hired", async (client, names) => {
      const texts = await client.mGet(names.map(presenceKey));
      const told = texts.flatMap((text) => text ? presence.parse(JSON.parse(text)) : []);
      return told.filter(({ coordinator }) => coordinator !== null).map(({ name }) => name);
    });
  }

  async #are(
    what: string,
    find: (client: RedisClient, names: readonly string[]) => Promise<string[]>,
  ): Promise<void> {
    const names = Object.keys(this.agents);
    const client = await connectRedis(this.redis.url);
    try {
      await until(() => `${names} are ${what}: ${this.said()}`, async () => {
        const found = await find(client, names);
        return names.every((name) => found.includes(name));
      });
    } finally {
      client.destroy();
    }
  }
}
