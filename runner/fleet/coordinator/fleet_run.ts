/**
 * One load by the agents of a fleet, from "everybody is ready" to the last report: what each agent told,
 * who is silent, and who is lost. It sends nothing; the fleet does.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { TargetError } from "../../../base/errors.ts";
import { LONGEST_DRAIN_US } from "../../load/engine/ending.ts";
import { GRACE_MS as GRACE_OF_WORKERS_MS } from "../../load/worker/overdue.ts";
import type { LoaderHooks } from "../../measure/loader.ts";
import type { LiveAgent } from "../../result/progress.ts";
import type { Told } from "../protocol/agent_message.ts";
import { OUT_OF_TOUCH_MS } from "../protocol/redis_keys.ts";
import {
  type HeardPart,
  Hearing,
  isOpen,
  type Listening,
  type Ready,
  READY_MS,
  unready,
} from "./agent_stream.ts";
import { endOf, type FleetReports, reportsOf } from "./fleet_end.ts";
import type { Member } from "./members.ts";
import { faultOfStart } from "./plausibility.ts";

/** How Redis answers the coordinator (`OrdersKeeper`). */
export interface Touch {
  readonly inTouchSinceMs: number;
  readonly silentMs: number;
}

/** An agent that is silent for longer is not waited for when everybody else is done. */
const GRACE_MS = 2_000;
/** An agent that is silent for so long no longer holds up the live view. */
const AUDIBLE_MS = 1_500;
const LOOK_MS = 25;
const CUT_OFF = "killed, stopped or cut off";
/** Beyond the drain, Redis may be away, and a thousand agents may have much to tell. */
const LATE_MS = 60_000;
/** By so much the clocks of a fleet may differ from what its agents think. */
const CLOCKS_MS = 10_000;
/** From the deadline on: an agent waits for what is in flight, and then ends a worker that is held. */
const LONGEST_END_MS = LONGEST_DRAIN_US / 1_000 + 1.5 * GRACE_OF_WORKERS_MS;

/** How long a load lasts. */
export interface Length {
  /** Null when it ends by count. */
  readonly durationMs: number | null;
  /** Whether nobody asks anything after that: visitors who are there at the end of phases go on. */
  readonly isFixed: boolean;
}

export class FleetRun {
  readonly #agents: ReadonlyMap<string, Listening>;
  #startAtMs = 0;
  #startMs = Infinity;
  #length: Length = { durationMs: null, isFixed: false };
  /** When the run was ended early, microseconds since its start; Infinity when it was not. */
  #stoppedUs = Infinity;
  #audible = 0;

  constructor(
    readonly id: string,
    members: readonly Member[],
    private readonly setting: {
      readonly intervalMs: number;
      readonly tellEveryMs: number;
      readonly touch: Touch;
      /** How many messages of agents have come and are not yet read. */
      readonly unread: () => Promise<number>;
      readonly hooks: LoaderHooks;
      /** As performance.now(), which it is when absent. */
      readonly now?: () => number;
    },
  ) {
    const nowMs = this.#now();
    this.#agents = new Map(members.map((member): [string, Listening] => {
      const hearing = new Hearing(member.place, nowMs);
      const agent = { member, hearing, ready: null, problems: [], lostWhy: null };
      return [member.presence.name, agent];
    }));
  }

  /** Takes what an agent told of this run. What it said before does not show again that it is there. */
  hear(told: Told): void {
    const agent = this.#agents.get(told.agent);
    if (agent === undefined) return;
    const { hearing } = agent;
    const nowMs = this.#now();
    if (told.kind === "bundle") {
      this.#tell(hearing.bundle(told, nowMs, this.#lastEnded(nowMs)));
    } else if (told.kind === "finished") {
      const fault = faultOfStart(told.startedAtMs, this.#startAtMs);
      if (fault === null) hearing.finish(told, nowMs);
      else hearing.doubt(fault);
    } else if (told.kind === "ready") {
      if (agent.ready === null) hearing.lastMs = nowMs;
      agent.ready ??= told;
    } else {
      agent.problems = told.kind === "refused" ? told.problems : [told.message];
    }
  }

  /** Notes that it sent what could not be read. */
  doubt(agent: string): void {
    this.#agents.get(agent)?.hearing.doubt("it sent what no agent of this version sends");
  }

  /** The last interval that can have ended, by clocks that differ a little. */
  #lastEnded(nowMs: number): number {
    const { intervalMs } = this.setting;
    const { durationMs, isFixed } = this.#length;
    const endMs = isFixed && durationMs !== null ? durationMs : Infinity;
    return Math.ceil(Math.min(nowMs - this.#startMs + CLOCKS_MS, endMs) / intervalMs) - 1;
  }

  #now(): number {
    return this.setting.now?.() ?? performance.now();
  }

  #tell(parts: readonly HeardPart[]): void {
    for (const { worker, part, health } of parts) {
      this.setting.hooks.onInterval(worker, part, health);
    }
  }

  /** Resolves when every agent is. Throws a TargetError that tells all who are not, and why. */
  async ready(): Promise<Ready[]> {
    const { signal, onNote } = this.setting.hooks;
    const endMs = performance.now() + READY_MS;
    const isOpen = ({ ready, problems }: Listening): boolean =>
      ready === null && problems.length === 0;
    while ([...this.#agents.values()].some(isOpen) && performance.now() < endMs) {
      signal.throwIfAborted();
      await sleep(LOOK_MS);
    }
    const agents = [...this.#agents];
    const problems = agents.flatMap(([name, agent]) => unready(name, agent));
    if (problems.length > 0) {
      throw new TargetError("Cannot load from the fleet: not every agent is ready", problems);
    }
    for (const [name, { ready }] of agents) {
      ready?.notes.forEach((note) => onNote(`agent ${name}: ${note}`));
    }
    return agents.flatMap(([, { ready }]) => ready ?? []);
  }

  /**
   * The start is known, before any agent is: nothing of before is believed.
   * @param startAtMs By Redis's clock; `startMs` is the same moment by performance.now().
   */
  begin(startAtMs: number, startMs: number, length: Length): void {
    this.#startAtMs = startAtMs;
    this.#startMs = startMs;
    this.#length = length;
  }

  /** Resolves when every agent has told its last word, or won't. */
  async over(): Promise<void> {
    for (const { hearing } of this.#agents.values()) hearing.lastMs = this.#now();
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

  /** Gives up those who won't tell any more; gives whether nobody is left to wait for. */
  async #look(endMs: number | null): Promise<boolean> {
    if (this.setting.touch.silentMs > OUT_OF_TOUCH_MS) this.#giveUpAll();
    const open = [...this.#agents.values()].filter(isOpen);
    const failed = open.filter(({ problems }) => problems.length > 0);
    for (const agent of failed) agent.lostWhy = agent.problems[0];
    const silent = this.#isLate(endMs) ? open : await this.#silent(open, endMs);
    for (const agent of silent) agent.lostWhy ??= agent.hearing.fault ?? CUT_OFF;
    this.#tellAudible();
    return ![...this.#agents.values()].some(isOpen);
  }

  /** Whoever goes on talking so long after the end is not waited for either. */
  #isLate(endMs: number | null): boolean {
    const stoppedMs = this.#startMs + this.#stoppedUs / 1_000;
    const lastMs = this.#length.isFixed ? endMs ?? Infinity : Infinity;
    return this.#now() > Math.min(lastMs, stoppedMs) + LATE_MS;
  }

  /** Those of `open` that nobody has to wait for: the load is over, and nothing of theirs is on its way. */
  async #silent(open: readonly Listening[], endMs: number | null): Promise<Listening[]> {
    const { touch, hooks, unread } = this.setting;
    const silent = open.filter((agent) => this.#silentMs(agent) > this.#graceMs(agent));
    const given = hooks.signal.aborted
      ? silent
      : silent.filter((agent) => this.#isOver(agent, endMs, silent.length === open.length));
    if (given.length === 0) return [];
    // What they told may wait here, unread, or in a Redis that does not answer.
    const mayBeOnItsWay = touch.inTouchSinceMs === Infinity || await unread().catch(() => 1) > 0;
    return mayBeOnItsWay ? [] : given;
  }

  /** Whoever was there at the deadline may wait for what was in flight then, and tells nothing meanwhile. */
  #isOver(agent: Listening, endMs: number | null, areAllSilent: boolean): boolean {
    if (endMs === null) return areAllSilent;
    const wasThere = agent.hearing.lastMs > endMs - this.#graceMs(agent);
    return this.#now() > endMs + (wasThere ? LONGEST_END_MS : 0);
  }

  /** An agent that is silent for a while no longer holds up the live view. */
  #tellAudible(): void {
    const limitMs = AUDIBLE_MS + this.setting.tellEveryMs;
    const audible = [...this.#agents.values()].filter((agent) =>
      agent.hearing.whole !== null || this.#silentMs(agent) <= limitMs
    );
    const workers = audible.reduce((sum, { member }) => sum + member.place.own, 0);
    if (workers === this.#audible || workers === 0) return;
    this.#audible = workers;
    this.setting.hooks.onAudible(workers);
  }

  /** How long it is silent although Redis would have passed on what it tells, milliseconds. */
  #silentMs({ hearing }: Listening): number {
    const sinceMs = Math.max(hearing.lastMs, this.setting.touch.inTouchSinceMs);
    return this.#now() - sinceMs;
  }

  #graceMs({ ready }: Listening): number {
    return GRACE_MS + this.setting.tellEveryMs + (ready?.clock.uncertaintyMs ?? 0) * 4;
  }

  #giveUpAll(): void {
    const seconds = OUT_OF_TOUCH_MS / 1_000;
    const why = `this program could not reach Redis for ${seconds} s`;
    for (const agent of this.#agents.values()) if (isOpen(agent)) agent.lostWhy = why;
  }

  /** What everybody does just now. */
  live(): LiveAgent[] {
    return [...this.#agents].map(([name, agent]) => ({
      name,
      ...agent.hearing.pace(this.setting.intervalMs),
      silentMs: agent.hearing.whole === null ? Math.max(0, this.#silentMs(agent)) : 0,
    }));
  }

  /** Throws a TargetError when what an agent told does not add up: it is in the intervals and can't be taken out. */
  reports(): FleetReports {
    const agents = [...this.#agents.values()];
    const index = Math.max(...agents.map(({ hearing }) => hearing.lastIndex));
    const run = { startAtMs: this.#startAtMs, end: { us: this.#stoppedUs, index } };
    const ended = agents.map((agent) => endOf(agent, run));
    for (const { lostParts } of ended) this.#tell(lostParts);
    return reportsOf(ended);
  }
}
