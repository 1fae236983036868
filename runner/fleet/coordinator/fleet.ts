/**
 * The coordinator. It makes loads with the agents of a fleet as if they were local workers. Jobs and messages go
 * through BullMQ; `redis_keys.ts` lists all keys in Redis.
 */
import { randomUUID } from "node:crypto";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import {
  ExpectedError,
  messageOf,
  type Problem,
  TargetError,
  UserError,
} from "../../../base/errors.ts";
import { endpointOf } from "../../../base/net/endpoint.ts";
import { secrets } from "../../../base/secrets.ts";
import { VERSION } from "../../../base/version.ts";
import { durationMsOf } from "../../../scenarios/load/load.ts";
import { UNKNOWN_ACTIVITY } from "../../host/host_activity.ts";
import { checkDriver } from "../../load/transports/choose_driver.ts";
import type { Loaded, Loader, LoaderHooks, LoadRequest } from "../../measure/loader.ts";
import type { LiveAgent } from "../../result/progress.ts";
import type { SparseHistogram } from "../../stats/histogram/histogram.ts";
import {
  type AgentJobInput,
  agentMessage,
  type ClockReading,
  messageSender,
  type Presence,
} from "../protocol/agent_message.ts";
import {
  type Link,
  type LinkOptions,
  ONCE,
  openLink,
  readClock,
  replyWithin,
  retryUntilReply,
} from "../protocol/redis_link.ts";
import { rowsWithin } from "../../measure/share.ts";
import { agentQueue, messageQueue, POLL_MS } from "../protocol/redis_keys.ts";
import { sentScript } from "../protocol/sent_script.ts";
import { FleetRun } from "./fleet_run.ts";
import { Claims, type FleetMember, membersOf, roster } from "./roster.ts";
import { IDLE, RunStateKeeper } from "./run_state_keeper.ts";

interface FleetOptions extends LinkOptions {
  /** The number of agents wanted; "all" stands for all that are free. */
  readonly agents: number | "all";
  readonly onNote: (text: string) => void;
}

/** The most messages that are processed concurrently. */
const AT_ONCE = 64;
/** How long to wait for an agent that was lost in the last load and may still be finishing its work. */
const RETURN_MS = 5_000;
/**
 * Extra time before the start, beyond what clocks and dials need, so that even a busy agent learns of the start in
 * time.
 */
const MARGIN_MS = 50;
/** The longest that an agent takes to notice a new run state, with time for a second poll. */
const NOTICE_MS = 3 * POLL_MS.waiting;
/**
 * The least interval between an agent's reports, in milliseconds per agent of the fleet. The coordinator therefore gets
 * at most about 1,000 messages a second from all agents together, which it can easily read.
 */
const MS_PER_AGENT = 1;
/** How long an ending fleet waits for Redis. */
const SWEEP_MS = 2_000;
const NO_PROXY: Problem = {
  place: "proxy",
  message:
    "Cannot load through an HTTP proxy from agents: an agent may connect only to the hosts that it may load",
  fix: "leave the proxy out, or load from this machine, without agents",
};
/** The most notes that are passed on. */
const MOST_NOTES = 20;

export class Fleet implements Loader {
  #run: FleetRun | null = null;
  readonly #noted = new Set<string>();

  private constructor(
    private readonly id: string,
    private readonly link: Link,
    private readonly runState: RunStateKeeper,
    private readonly claims: Claims,
    /** Names of the agents that this coordinator has claimed. */
    private readonly names: readonly string[],
    private readonly options: FleetOptions,
  ) {}

  /**
   * Claims the agents. Throws a TargetError if Redis does not respond or denies access, or if there are too few agents.
   */
  static async open(options: FleetOptions): Promise<Fleet> {
    const link = await openLink(options);
    const id = `${Deno.hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
    const runState = new RunStateKeeper(link.client, id);
    const claims = new Claims(link.client, id);
    try {
      await runState.begin();
      const agents = await claims.take(options.agents, options.onNote);
      const names = agents.map(({ name }) => name);
      const fleet = new Fleet(id, link, runState, claims, names, options);
      await link.reader(messageQueue(id), (data) => Promise.resolve(fleet.#receive(data)), AT_ONCE);
      return fleet;
    } catch (error) {
      await claims.end();
      await runState.end();
      await link.close();
      if (error instanceof ExpectedError) throw error;
      throw new TargetError(`Cannot load from the agents at this Redis: ${messageOf(error)}`);
    }
  }

  #receive(data: unknown): void {
    const read = agentMessage.safeParse(data);
    if (!read.success) {
      const from = messageSender.safeParse(data).data;
      if (from?.run === this.#run?.id && from !== undefined) this.#run?.doubt(from.agent);
      this.#noteOnce(
        "A message in Redis was ignored: no agent of this version sends such messages",
      );
    } else if (read.data.run === this.#run?.id) {
      this.#run.receive(read.data);
    } else if (read.data.kind === "finished") {
      const { agent } = read.data;
      this.#noteOnce(`A late message of agent ${agent} was ignored: its run is over`);
    }
  }

  /**
   * Passes on each distinct note once, up to a limit, because anyone with access to Redis may cause a hundred thousand
   * a second.
   */
  #noteOnce(note: string): void {
    if (this.#noted.has(note) || this.#noted.size >= MOST_NOTES) return;
    this.#noted.add(note);
    this.options.onNote(note);
  }

  /**
   * Throws a UserError or a TargetError if the load can't be begun, and the signal's reason if the signal aborts before
   * the load has begun.
   */
  async load(request: LoadRequest, hooks: LoaderHooks): Promise<Loaded> {
    const endpoint = endpointOf(request.origin, request);
    checkDriver(request.driver, endpoint, request.load.tls === "resume"); // throws if no agent can do this
    if (request.proxy !== undefined) throw new UserError([NO_PROXY]);
    const { signal } = hooks;
    const clock = await retryUntilReply(() => readClock(this.link.client), signal);
    const members = membersOf(request, await this.#present(signal));
    const id = randomUUID();
    const reportEveryMs = Math.max(request.intervalMs, members.length * MS_PER_AGENT);
    const queue = this.link.queue(messageQueue(this.id));
    const unread = (): Promise<number> => replyWithin(queue.getWaitingCount());
    const setting = { ...{ intervalMs: request.intervalMs, reportEveryMs }, unread, hooks };
    const run = this.#run = new FleetRun(id, members, { ...setting, touch: this.runState });
    try {
      await retryUntilReply(() => this.runState.publish({ ...IDLE, run: id }), signal);
      const job = this.#job(id, request, reportEveryMs);
      const assign = ({ presence: { name }, assigned }: FleetMember): Promise<void> =>
        retryUntilReply(() => this.#assign(name, { ...job, assigned: { ...assigned } }), signal);
      await Promise.all(members.map(assign));
      const readies = await run.ready();
      hooks.onReady(members.reduce((sum, { assigned }) => sum + assigned.own, 0));
      await this.#carryOut(run, { request, hooks, clock, leadMs: leadMsOf(readies, clock) });
      const connections = members.flatMap(({ shares }) => shares.map((share) => share.connections));
      const { agents, ...reports } = run.reports();
      const sharesMachine = agents.some(({ stage }) => stage.sharesMachine);
      const stage = { hostActivity: UNKNOWN_ACTIVITY, calibration: null, sharesMachine };
      return { ...reports, agents, connections, stage };
    } finally {
      this.#run = null;
      await this.runState.publish(IDLE).catch(() => {}); // written again when Redis is back
    }
  }

  /**
   * The agents that this coordinator has claimed, once they are free. Throws a TargetError that names the missing ones.
   */
  async #present(signal: AbortSignal): Promise<Presence[]> {
    const endMs = performance.now() + RETURN_MS;
    for (;;) {
      const listed = await retryUntilReply(() => roster(this.link.client), signal);
      const there = listed.filter(({ name, version, coordinator }) =>
        this.names.includes(name) && version === VERSION &&
        (coordinator === null || coordinator === this.id)
      );
      if (there.length === this.names.length) return there;
      if (performance.now() > endMs) {
        const gone = this.names.filter((name) => there.every((agent) => agent.name !== name));
        throw new TargetError(
          "Cannot load from the fleet: agents are gone, or work for another coordinator",
          gone.map((name) => `agent ${name}`),
        );
      }
      await sleep(POLL_MS.waiting);
    }
  }

  /** The part of the jobs that all agents share. */
  #job(run: string, request: LoadRequest, reportEveryMs: number): Omit<AgentJobInput, "assigned"> {
    const { origin, load, seed, driver, intervalMs, implicitCheck } = request;
    const { own } = request.script;
    const script = sentScript({ ...request.script, ...own && { own: rowsWithin(load, own) } });
    const { insecure, caCerts, unixPath, addresses, clientCertificate } = request;
    const access = { insecure, caCerts, unixPath, addresses, clientCertificate };
    return {
      ...{ run, coordinator: this.id, version: VERSION },
      ...{ origin, script, load, seed, driver, intervalMs, implicitCheck, reportEveryMs },
      access,
      secrets: secrets.heldBy(JSON.stringify([script, access])).map((
        [value, shown],
      ) => [value, shown]),
    };
  }

  async #assign(agent: string, job: AgentJobInput): Promise<void> {
    const queue = this.link.queue(agentQueue(agent));
    try {
      await queue.add("share", job, { ...ONCE, jobId: job.run });
    } finally {
      await queue.close();
    }
  }

  async #carryOut(
    run: FleetRun,
    { request, hooks, clock, leadMs }: {
      readonly request: LoadRequest;
      readonly hooks: LoaderHooks;
      readonly clock: ClockReading;
      readonly leadMs: number;
    },
  ): Promise<void> {
    const hereMs = performance.now() + leadMs;
    const startAtMs = performance.timeOrigin + hereMs + clock.offsetMs;
    const want = (stop: boolean): Promise<void> =>
      this.runState.publish({ run: run.id, startAtMs, stop });
    const onAbort = (): void => void want(true).catch(() => {});
    const { load } = request;
    const isFixed = load.kind !== "phases";
    run.begin(startAtMs, hereMs, { durationMs: durationMsOf(load), isFixed });
    await retryUntilReply(() => want(false), hooks.signal);
    hooks.signal.addEventListener("abort", onAbort);
    try {
      hooks.onStart(performance.timeOrigin + hereMs);
      await run.over();
    } finally {
      hooks.signal.removeEventListener("abort", onAbort);
    }
  }

  live(): LiveAgent[] {
    return this.#run?.live() ?? [];
  }

  inFlight(): readonly SparseHistogram[] {
    return this.#run?.inFlight ?? [];
  }

  async close(): Promise<void> {
    await this.claims.end();
    await this.runState.end();
    await replyWithin(this.#sweep(), SWEEP_MS).catch(() => {}); // fails if Redis is away or another process did it
    await this.link.close();
  }

  /** Removes messages that nobody will read, and the jobs of agents that are gone. */
  async #sweep(): Promise<void> {
    const there = await roster(this.link.client);
    const gone = this.names.filter((name) => there.every((agent) => agent.name !== name));
    for (const name of [messageQueue(this.id), ...gone.map(agentQueue)]) {
      await this.link.queue(name).obliterate({ force: true });
    }
  }
}

/**
 * The least time from now to the start, in milliseconds, so that every agent learns of the start and is ready by then.
 */
function leadMsOf(
  readies: readonly { readonly delayMs: number; readonly clock: ClockReading }[],
  own: ClockReading,
): number {
  const delayMs = Math.max(...readies.map((ready) => ready.delayMs));
  const uncertaintyMs = Math.max(...readies.map(({ clock }) => clock.uncertaintyMs));
  return delayMs + NOTICE_MS + 2 * (uncertaintyMs + own.uncertaintyMs) + MARGIN_MS;
}
