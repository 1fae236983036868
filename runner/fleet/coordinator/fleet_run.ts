/**
 * One load by the agents of a fleet, from when all are ready to the last report: what each agent reported, and which
 * agents are done. `lost_agents.ts` decides which agents are lost, and `fleet.ts` sends all messages.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { TargetError } from "../../../base/errors.ts";
import type { LoaderHooks } from "../../measure/loader.ts";
import type { LiveAgent } from "../../result/progress.ts";
import type { SparseHistogram } from "../../stats/histogram/histogram.ts";
import type { AgentMessage } from "../protocol/agent_message.ts";
import { OUT_OF_TOUCH_MS } from "../protocol/redis_keys.ts";
import {
  AgentStream,
  type FleetAgent,
  isPending,
  type Ready,
  READY_MS,
  reasonsNotReady,
  type ReceivedPart,
} from "./agent_stream.ts";
import { endOf, type FleetReports, reportsOf } from "./fleet_end.ts";
import { lostAgents, silentMsOf, type Touch } from "./lost_agents.ts";
import type { FleetMember } from "./roster.ts";
import { implausibleStart } from "./plausibility.ts";

/**
 * An agent that has been silent for this long, plus the interval between its reports, no longer holds up the live view.
 */
const REPORTING_MS = 1_500;
const LOOK_MS = 25;
const CUT_OFF = "killed, stopped or cut off";
/** The most that the clocks of a fleet are assumed to differ beyond the agents' own estimates. */
const CLOCKS_MS = 10_000;

/** How long a load lasts. */
export interface Length {
  /** Null if the load ends after a number of requests. */
  readonly durationMs: number | null;
  /** True if no request starts after `durationMs`; false for phases, where users continue beyond the end. */
  readonly isFixed: boolean;
}

export class FleetRun {
  readonly #agents: ReadonlyMap<string, FleetAgent>;
  #startAtMs = 0;
  #startMs = Infinity;
  #length: Length = { durationMs: null, isFixed: false };
  /** When the run was ended early, microseconds since its start; Infinity if it was not. */
  #stoppedUs = Infinity;
  #reporting = 0;

  constructor(
    readonly id: string,
    members: readonly FleetMember[],
    private readonly setting: {
      readonly intervalMs: number;
      readonly reportEveryMs: number;
      readonly touch: Touch;
      /** Number of agents' messages that have arrived and are not yet read. */
      readonly unread: () => Promise<number>;
      readonly hooks: LoaderHooks;
      /** A clock like performance.now(), which is the default. */
      readonly now?: () => number;
    },
  ) {
    const nowMs = this.#now();
    this.#agents = new Map(members.map((member): [string, FleetAgent] => {
      const stream = new AgentStream(member.assigned, nowMs);
      const agent = { member, stream, ready: null, problems: [], lostWhy: null };
      return [member.presence.name, agent];
    }));
  }

  /** Takes an agent's message about this run. A repeated message does not count as a sign of life. */
  receive(message: AgentMessage): void {
    const agent = this.#agents.get(message.agent);
    if (agent === undefined) return;
    const { stream } = agent;
    const nowMs = this.#now();
    if (message.kind === "bundle") {
      this.#passOn(stream.bundle(message, nowMs, this.#lastEnded(nowMs)));
    } else if (message.kind === "finished") {
      const why = implausibleStart(message.startedAtMs, this.#startAtMs);
      if (why === null) stream.finish(message, nowMs);
      else stream.doubt(why);
    } else if (message.kind === "ready") {
      if (agent.ready === null) stream.lastMs = nowMs;
      agent.ready ??= message;
    } else {
      agent.problems = message.kind === "refused" ? message.problems : [message.message];
    }
  }

  /** Records that an agent sent an unreadable message. */
  doubt(agent: string): void {
    this.#agents.get(agent)?.stream.doubt("it sent a message that no agent of this version sends");
  }

  /** Index of the last interval that can have ended, allowing for small differences between clocks. */
  #lastEnded(nowMs: number): number {
    const { intervalMs } = this.setting;
    const { durationMs, isFixed } = this.#length;
    const endMs = isFixed && durationMs !== null ? durationMs : Infinity;
    return Math.ceil(Math.min(nowMs - this.#startMs + CLOCKS_MS, endMs) / intervalMs) - 1;
  }

  #now(): number {
    return this.setting.now?.() ?? performance.now();
  }

  #passOn(parts: readonly ReceivedPart[]): void {
    for (const { worker, part, health } of parts) {
      this.setting.hooks.onInterval(worker, part, health);
    }
  }

  /** Resolves when all agents are ready. Throws a TargetError that names all that are not, and why. */
  async ready(): Promise<Ready[]> {
    const { signal, onNote } = this.setting.hooks;
    const endMs = performance.now() + READY_MS;
    const isOpen = ({ ready, problems }: FleetAgent): boolean =>
      ready === null && problems.length === 0;
    while ([...this.#agents.values()].some(isOpen) && performance.now() < endMs) {
      signal.throwIfAborted();
      await sleep(LOOK_MS);
    }
    const agents = [...this.#agents];
    const problems = agents.flatMap(([name, agent]) => reasonsNotReady(name, agent));
    if (problems.length > 0) {
      throw new TargetError("Cannot load from the fleet: not every agent is ready", problems);
    }
    for (const [name, { ready }] of agents) {
      ready?.notes.forEach((note) => onNote(`agent ${name}: ${note}`));
    }
    return agents.flatMap(([, { ready }]) => ready ?? []);
  }

  /**
   * Sets the start of the load. Must be called before any agent learns of the start, because results that arrive before
   * this call are not believed.
   * @param startAtMs The start by Redis's clock.
   * @param startMs The same moment by performance.now().
   */
  begin(startAtMs: number, startMs: number, length: Length): void {
    this.#startAtMs = startAtMs;
    this.#startMs = startMs;
    this.#length = length;
  }

  /** Resolves when every agent has sent its final message or was given up. */
  async over(): Promise<void> {
    for (const { stream } of this.#agents.values()) stream.lastMs = this.#now();
    const { durationMs } = this.#length;
    const endMs = durationMs === null ? null : this.#startMs + durationMs;
    const { signal } = this.setting.hooks;
    for (let isOver = false; !isOver; isOver = await this.#look(endMs)) {
      if (signal.aborted && this.#stoppedUs === Infinity) {
        this.#stoppedUs = Math.max(0, this.#now() - this.#startMs) * 1_000;
      }
      await sleep(LOOK_MS);
    }
  }

  /** Gives up agents that will not report any more. Returns true once there is no agent left to wait for. */
  async #look(endMs: number | null): Promise<boolean> {
    if (this.setting.touch.silentMs > OUT_OF_TOUCH_MS) this.#giveUpAll();
    const open = [...this.#agents.values()].filter(isPending);
    const failed = open.filter(({ problems }) => problems.length > 0);
    for (const agent of failed) agent.lostWhy = agent.problems[0];
    const { touch, reportEveryMs, unread, hooks } = this.setting;
    const stoppedMs = this.#startMs + this.#stoppedUs / 1_000;
    const lost = await lostAgents(open, {
      nowMs: this.#now(),
      touch,
      reportEveryMs,
      endMs,
      lastMs: Math.min(this.#length.isFixed ? endMs ?? Infinity : Infinity, stoppedMs),
      isStopped: hooks.signal.aborted,
      unread,
    });
    for (const agent of lost) agent.lostWhy ??= agent.stream.implausible ?? CUT_OFF;
    this.#noteReporting();
    return ![...this.#agents.values()].some(isPending);
  }

  /** Notes how many workers are reporting; agents that have been silent for a while are left out. */
  #noteReporting(): void {
    const limitMs = REPORTING_MS + this.setting.reportEveryMs;
    const reporting = [...this.#agents.values()].filter((agent) =>
      agent.stream.whole !== null || this.#silentMs(agent) <= limitMs
    );
    const workers = reporting.reduce((sum, { member }) => sum + member.assigned.own, 0);
    if (workers === this.#reporting || workers === 0) return;
    this.#reporting = workers;
    this.setting.hooks.onReportingWorkers(workers);
  }

  #silentMs(agent: FleetAgent): number {
    return silentMsOf(agent, { nowMs: this.#now(), touch: this.setting.touch });
  }

  #giveUpAll(): void {
    const seconds = OUT_OF_TOUCH_MS / 1_000;
    const why = `the coordinator could not reach Redis for ${seconds} s`;
    for (const agent of this.#agents.values()) if (isPending(agent)) agent.lostWhy = why;
  }

  /** The current state of each agent, for the live view. */
  live(): LiveAgent[] {
    return [...this.#agents].map(([name, agent]) => ({
      name,
      ...agent.stream.pace(this.setting.intervalMs),
      silentMs: agent.stream.whole === null ? Math.max(0, this.#silentMs(agent)) : 0,
    }));
  }

  /** Latencies so far of the requests in flight, by worker; agents that were given up are left out. */
  get inFlight(): SparseHistogram[] {
    return [...this.#agents.values()].flatMap(({ stream, lostWhy }) =>
      lostWhy === null ? stream.inFlight : []
    );
  }

  /**
   * The reports of all agents. Throws a TargetError if an agent's counts do not add up, because they are already part
   * of the intervals and can't be removed.
   */
  reports(): FleetReports {
    const agents = [...this.#agents.values()];
    const index = Math.max(...agents.map(({ stream }) => stream.lastIndex));
    const run = { startAtMs: this.#startAtMs, end: { us: this.#stoppedUs, index } };
    const ended = agents.map((agent) => endOf(agent, run));
    for (const { lostParts } of ended) this.#passOn(lostParts);
    return reportsOf(ended);
  }
}
