/**
 * One load by the agents of a fleet, from "all are ready" to the last report: what each agent reported, and which
 * agents are silent or lost. All sending is done by `fleet.ts`.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { TargetError } from "../../../base/errors.ts";
import { LONGEST_DRAIN_US } from "../../load/engine/ending.ts";
import { WORKER_GRACE_MS as GRACE_OF_WORKERS_MS } from "../../load/worker/overdue.ts";
import type { LoaderHooks } from "../../measure/loader.ts";
import type { LiveAgent } from "../../result/progress.ts";
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
import type { FleetMember } from "./roster.ts";
import { implausibleStart } from "./plausibility.ts";

/** Redis as the coordinator sees it (`RunStateKeeper`). */
interface Touch {
  readonly inTouchSinceMs: number;
  readonly silentMs: number;
}

/** Once all others are done, an agent that has been silent for longer is not waited for. */
const GRACE_MS = 2_000;
/** An agent that is silent for this long no longer holds up the live view. */
const REPORTING_MS = 1_500;
const LOOK_MS = 25;
const CUT_OFF = "killed, stopped or cut off";
/** Time allowed beyond the drain: Redis may be away, and a thousand agents may have a lot to send. */
const LATE_MS = 60_000;
/** How far the clocks of a fleet may differ beyond their agents' own estimates. */
const CLOCKS_MS = 10_000;
/** Longest time after the deadline: an agent waits for requests in flight, then ends workers that are stuck. */
const LONGEST_END_MS = LONGEST_DRAIN_US / 1_000 + 1.5 * GRACE_OF_WORKERS_MS;

/** How long a load lasts. */
export interface Length {
  /** Null if the load ends by count. */
  readonly durationMs: number | null;
  /** Whether no request starts after that time; false for phases, where users continue beyond the end. */
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

  /** Takes an agent's message about this run. A repeated message is no sign of life. */
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

  /** The last interval that can have ended, allowing for small differences between clocks. */
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
   * Sets the start of the load, before any agent learns of it; earlier messages do not count.
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

  /** Gives up agents that will not report any more; returns whether there are none left to wait for. */
  async #look(endMs: number | null): Promise<boolean> {
    if (this.setting.touch.silentMs > OUT_OF_TOUCH_MS) this.#giveUpAll();
    const open = [...this.#agents.values()].filter(isPending);
    const failed = open.filter(({ problems }) => problems.length > 0);
    for (const agent of failed) agent.lostWhy = agent.problems[0];
    const silent = this.#isLate(endMs) ? open : await this.#silent(open, endMs);
    for (const agent of silent) agent.lostWhy ??= agent.stream.implausible ?? CUT_OFF;
    this.#noteReporting();
    return ![...this.#agents.values()].some(isPending);
  }

  /** Whether it is so long after the end that even an agent that still reports is not waited for. */
  #isLate(endMs: number | null): boolean {
    const stoppedMs = this.#startMs + this.#stoppedUs / 1_000;
    const lastMs = this.#length.isFixed ? endMs ?? Infinity : Infinity;
    return this.#now() > Math.min(lastMs, stoppedMs) + LATE_MS;
  }

  /** Agents that are not done but need not be waited for: the load is over, and no message of theirs is on its way. */
  async #silent(open: readonly FleetAgent[], endMs: number | null): Promise<FleetAgent[]> {
    const { touch, hooks, unread } = this.setting;
    const silent = open.filter((agent) => this.#silentMs(agent) > this.#graceMs(agent));
    const given = hooks.signal.aborted
      ? silent
      : silent.filter((agent) => this.#isOver(agent, endMs, silent.length === open.length));
    if (given.length === 0) return [];
    // Messages may wait here, unread, or in a Redis that does not respond.
    const mayStillArrive = touch.inTouchSinceMs === Infinity || await unread().catch(() => 1) > 0;
    return mayStillArrive ? [] : given;
  }

  /**
   * Whether the load is over for an agent. One that was there at the deadline may wait silently for requests in flight.
   */
  #isOver(agent: FleetAgent, endMs: number | null, areAllSilent: boolean): boolean {
    if (endMs === null) return areAllSilent;
    const wasThere = agent.stream.lastMs > endMs - this.#graceMs(agent);
    return this.#now() > endMs + (wasThere ? LONGEST_END_MS : 0);
  }

  /** An agent that is silent for a while no longer holds up the live view. */
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

  /** How long an agent has been silent although Redis would have delivered its messages, milliseconds. */
  #silentMs({ stream }: FleetAgent): number {
    const sinceMs = Math.max(stream.lastMs, this.setting.touch.inTouchSinceMs);
    return this.#now() - sinceMs;
  }

  #graceMs({ ready }: FleetAgent): number {
    return GRACE_MS + this.setting.reportEveryMs + (ready?.clock.uncertaintyMs ?? 0) * 4;
  }

  #giveUpAll(): void {
    const seconds = OUT_OF_TOUCH_MS / 1_000;
    const why = `this program could not reach Redis for ${seconds} s`;
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

  /** Throws a TargetError if an agent's results do not add up: they are part of the intervals and can't be removed. */
  reports(): FleetReports {
    const agents = [...this.#agents.values()];
    const index = Math.max(...agents.map(({ stream }) => stream.lastIndex));
    const run = { startAtMs: this.#startAtMs, end: { us: this.#stoppedUs, index } };
    const ended = agents.map((agent) => endOf(agent, run));
    for (const { lostParts } of ended) this.#passOn(lostParts);
    return reportsOf(ended);
  }
}
