/**
 * One load by the agents of a fleet, from "everybody is ready" to the last report: what each agent told,
 * who is silent, and who is lost. It sends nothing; the fleet does.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { TargetError } from "../../scenarios/errors.ts";
import type { LoadedAgent, LoaderHooks } from "../loader.ts";
import type { DriverName } from "../load/driver.ts";
import { LONGEST_DRAIN_US } from "../load/ending.ts";
import type { WorkerReport } from "../load/job.ts";
import { GRACE_MS as GRACE_OF_WORKERS_MS } from "../load/overdue.ts";
import { breachOf, type Latencies } from "../conservation.ts";
import type { LiveAgent } from "../progress.ts";
import { isOpen, type Listening, type Ready, READY_MS, unready } from "./listening.ts";
import { UNKNOWN } from "../trust/surroundings.ts";
import { type HeardPart, Hearing } from "./hearing.ts";
import type { Member } from "./members.ts";
import { OUT_OF_TOUCH_MS } from "./names.ts";
import type { Told } from "./told.ts";

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
/** From the deadline on: an agent waits for what is in flight, and then ends a worker that is held. */
const LONGEST_END_MS = LONGEST_DRAIN_US / 1_000 + 1.5 * GRACE_OF_WORKERS_MS;

export interface FleetReports {
  readonly driver: DriverName;
  readonly reports: WorkerReport[];
  readonly agents: LoadedAgent[];
}

export class FleetRun {
  readonly #agents: ReadonlyMap<string, Listening>;
  #startAtMs = 0;
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
    },
  ) {
    const nowMs = performance.now();
    this.#agents = new Map(members.map((member): [string, Listening] => {
      const hearing = new Hearing(member.place, nowMs);
      const agent = { member, hearing, ready: null, problems: [], lostWhy: null };
      return [member.presence.name, agent];
    }));
  }

  /** Takes what an agent told of this run. */
  hear(told: Told): void {
    const agent = this.#agents.get(told.agent);
    if (agent === undefined) return;
    const nowMs = performance.now();
    agent.hearing.lastMs = nowMs;
    if (told.kind === "ready") agent.ready ??= told;
    else if (told.kind === "refused") agent.problems = told.problems;
    else if (told.kind === "failed") agent.problems = [told.message];
    else if (told.kind === "finished") agent.hearing.finish(told, nowMs);
    else this.#tell(agent.hearing.bundle(told, nowMs));
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
   * Resolves when every agent has told its last word, or won't.
   * @param startAtMs By Redis's clock; `startMs` is the same moment by performance.now().
   * @param durationMs How long the load lasts; null when it ends by count.
   */
  async over(startAtMs: number, startMs: number, durationMs: number | null): Promise<void> {
    this.#startAtMs = startAtMs;
    for (const { hearing } of this.#agents.values()) hearing.lastMs = performance.now();
    const endMs = durationMs === null ? null : startMs + durationMs;
    const { signal } = this.setting.hooks;
    for (let isOver = false; !isOver; isOver = await this.#look(endMs)) {
      if (signal.aborted && this.#stoppedUs === Infinity) {
        this.#stoppedUs = Math.max(0, performance.now() - startMs) * 1_000;
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
    const silent = await this.#silent(open, endMs);
    for (const agent of silent) agent.lostWhy = "killed, stopped or cut off";
    this.#tellAudible();
    return ![...this.#agents.values()].some(isOpen);
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
    return performance.now() > endMs + (wasThere ? LONGEST_END_MS : 0);
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
    return performance.now() - sinceMs;
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
    const ended = [...this.#agents.values()].map((agent) => this.#endOf(agent));
    const agents = ended.map(({ agent }) => agent);
    const breaches = ended.flatMap(({ agent, reports, latencies }) => {
      const breach = breachOf(reports.map(({ totals }) => totals), latencies);
      return breach === null ? [] : [`agent ${agent.name}: ${breach}`];
    });
    if (breaches.length > 0) {
      throw new TargetError("Cannot use what the fleet told: it does not add up", breaches);
    }
    return { driver: agents[0].driver, reports: ended.flatMap(({ reports }) => reports), agents };
  }

  /** Of all that was heard. */
  get #lastIndex(): number {
    return Math.max(...[...this.#agents.values()].map(({ hearing }) => hearing.lastIndex));
  }

  #endOf({ member, hearing, ready, lostWhy }: Listening): {
    readonly reports: readonly WorkerReport[];
    readonly agent: LoadedAgent;
    /** That it told, in all intervals. */
    readonly latencies: Latencies;
  } {
    const { presence, place, shares } = member;
    const { whole } = hearing;
    const common = {
      name: presence.name,
      host: presence.host,
      driver: ready?.driver ?? presence.driver,
      firstWorker: place.firstWorker,
      workers: place.own,
      clock: ready?.clock ?? presence.clock,
    };
    if (whole !== null) {
      const startedLateMs = whole.startedAtMs - this.#startAtMs;
      const agent = { ...common, stage: whole.stage, startedLateMs, lost: null };
      return { reports: whole.reports, agent, latencies: hearing.latencies };
    }
    const end = { us: this.#stoppedUs, index: this.#lastIndex };
    const { reports, parts, afterMs } = hearing.abandon(shares, end);
    this.#tell(parts);
    const stage = { surroundings: UNKNOWN, calibration: null, sharesMachine: false };
    const lost = { afterMs, reason: lostWhy ?? "it never told why" };
    const agent = { ...common, stage, startedLateMs: null, lost };
    return { reports, agent, latencies: hearing.latencies };
  }
}
