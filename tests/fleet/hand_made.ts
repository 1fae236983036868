/** A coordinator whose every word the test chooses. */
import { randomUUID } from "node:crypto";
import { type Link, ONCE, openLink, readClock } from "../../runner/fleet/protocol/redis_link.ts";
import {
  agentQueue,
  messageQueue,
  presenceKey,
  RUN_STATE_MS,
  runStateKey,
} from "../../runner/fleet/protocol/redis_keys.ts";
import {
  type AgentJobInput,
  type AgentMessage,
  agentMessage,
  type AgentMessageOf,
  type ClockReading,
  type Presence,
  presence,
  type RunState,
} from "../../runner/fleet/protocol/agent_message.ts";
import { VERSION } from "../../base/version.ts";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import { sentScript } from "../../runner/fleet/protocol/sent_script.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import { until } from "../e2e/patience.ts";

const IDLE: RunState = { run: null, startAtMs: null, stop: false };

export class HandMade implements AsyncDisposable {
  readonly id = `hand-${randomUUID()}`;
  readonly heard: AgentMessage[] = [];
  #orders = IDLE;
  #renewal: ReturnType<typeof setInterval> | undefined;

  private constructor(readonly link: Link, private readonly clock: ClockReading) {}

  /** Leaving the scope ends it in order. */
  static async open(url: string): Promise<HandMade> {
    const link = await openLink({ url });
    const one = new HandMade(link, await readClock(link.client));
    await link.reader(messageQueue(one.id), (data) => {
      one.heard.push(agentMessage.parse(data));
      return Promise.resolve();
    }, 1);
    await one.order(IDLE);
    one.#renewal = setInterval(() => void one.#write().catch(() => {}), RUN_STATE_MS.renewed);
    return one;
  }

  async order(orders: Partial<RunState>): Promise<void> {
    this.#orders = { ...this.#orders, ...orders };
    await this.#write();
  }

  async #write(): Promise<void> {
    const expiration = { type: "PX", value: RUN_STATE_MS.lives } as const;
    await this.link.client.set(runStateKey(this.id), JSON.stringify(this.#orders), { expiration });
  }

  /** No more orders, and nobody takes them back. */
  fallSilent(): void {
    clearInterval(this.#renewal);
  }

  async hire(agent: string, job: unknown): Promise<void> {
    await this.link.queue(agentQueue(agent)).add("share", job, ONCE);
  }

  /**
   * Orders the job's run and hires for it; resolves with the start, by Redis's clock, once the agent is ready.
   * @param leadMs How far ahead that is, beside what the workers need.
   */
  async startRun(agent: string, job: AgentJobInput, leadMs = 200): Promise<number> {
    await this.order({ run: job.run });
    await this.hire(agent, job);
    const { delayMs } = await this.hears("ready", job.run);
    const startAtMs = this.inMs(delayMs + leadMs);
    await this.order({ startAtMs });
    return startAtMs;
  }

  /** By Redis's clock. */
  inMs(ms: number): number {
    return performance.timeOrigin + performance.now() + this.clock.offsetMs + ms;
  }

  /** The first message of this kind, once there is one; of one run alone when that is named. */
  hears<Kind extends AgentMessage["kind"]>(
    kind: Kind,
    run?: string,
  ): Promise<AgentMessageOf<Kind>> {
    return until(
      () => `an agent tells ${kind}, rather than ${JSON.stringify(this.heard).slice(0, 500)}`,
      () => this.#all(kind).find((told) => run === undefined || told.run === run) ?? null,
    );
  }

  #all<Kind extends AgentMessage["kind"]>(kind: Kind): AgentMessageOf<Kind>[] {
    return this.heard.filter((told): told is AgentMessageOf<Kind> => told.kind === kind);
  }

  /** How many messages it has not taken yet. */
  async unread(): Promise<number> {
    const queue = this.link.queue(messageQueue(this.id));
    return await queue.getWaitingCount() + await queue.getActiveCount();
  }

  /** In the order of their numbers, each once. */
  bundles(): AgentMessageOf<"bundle">[] {
    const bySeq = new Map(this.#all("bundle").map((bundle) => [bundle.seq, bundle]));
    return [...bySeq.values()].sort((a, b) => a.seq - b.seq);
  }

  /** Null when it is not there. */
  async presenceOf(agent: string): Promise<Presence | null> {
    const text = await this.link.client.get(presenceKey(agent));
    return text ? presence.parse(JSON.parse(text)) : null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.fallSilent();
    await this.link.client.del(runStateKey(this.id));
    await this.link.close();
  }
}

/** A second of closed load by two connections. */
export const SECOND = {
  kind: "closed",
  connections: 2,
  keepAlive: true,
  timeout: 1_000,
  workers: null,
  pipeline: 1,
  durationMs: 1_000,
  requests: null,
} as const satisfies AgentJobInput["load"];

/** It ends when somebody ends it. */
export const ENDLESS: AgentJobInput["load"] = { ...SECOND, durationMs: 60_000 };

/** By one worker. */
export function jobOf(
  { id }: Pick<HandMade, "id">,
  { origin, ...changes }: Partial<AgentJobInput> & { readonly origin: string },
): AgentJobInput {
  return {
    run: "run-1",
    coordinator: id,
    version: VERSION,
    assigned: { firstWorker: 0, workers: 1, own: 1 },
    origin,
    access: {},
    script: sentScript(scriptOf(requestScenarioSpec.parse({ get: "/" }), 0)),
    load: SECOND,
    seed: 0,
    driver: "auto",
    intervalMs: 100,
    implicitCheck: false,
    reportEveryMs: 100,
    ...changes,
  };
}
