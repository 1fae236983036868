/** An agent's share of one run, from the job to the agent's final message. */
import type { Queue } from "bullmq";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../../base/errors.ts";
import { withoutSecrets } from "../../../base/secrets.ts";
import { endpointOf } from "../../../base/net/endpoint.ts";
import { settlesWithin } from "../../../targets/launch/settles.ts";
import { chooseDriver } from "../../load/transports/choose_driver.ts";
import { type Loaded, shownOrigin } from "../../measure/loader.ts";
import type { LocalLoader } from "../../measure/local_loader.ts";
import {
  type AgentJob,
  type AgentMessageInput,
  type ClockReading,
  messageId,
} from "../protocol/agent_message.ts";
import { packReport } from "../protocol/packing.ts";
import { type Link, nowMs, ONCE, readClock, startHereMs } from "../protocol/redis_link.ts";
import { OUT_OF_TOUCH_MS } from "../protocol/redis_keys.ts";
import { Bundler, Outbox } from "./outbox.ts";
import { type End, readRunState, RunStateWatch } from "./run_state_watch.ts";

interface RunSetting {
  /** Name of the agent. */
  readonly agent: string;
  readonly link: Link;
  /** The queue on which the agent reports to its coordinator. */
  readonly queue: Queue;
  readonly loader: Pick<LocalLoader, "load">;
  /** Folder for the request log of each run; null if none is written. */
  readonly logFolder: string | null;
  /** Aborts when the agent ends, which breaks the run off. */
  readonly signal: AbortSignal;
  /** Called with a line for the person who watches the agent. */
  readonly onNote: (text: string) => void;
}

/** How long an agent that is ready waits for the start of the run. */
const START_MS = 30_000;
/** How long an ending agent tries to deliver its final message. */
const LAST_WORD_MS = 1_000;
const RETRY_MS = 100;

const WHY: Record<Exclude<End, "stopped">, string> = {
  over: "its coordinator has continued without this agent",
  gone: "its coordinator is gone",
  "out of touch": `Redis has not responded for ${OUT_OF_TOUCH_MS / 1_000} s`,
};

export class AgentRun {
  readonly #from: { readonly run: string; readonly agent: string };
  readonly #watch: RunStateWatch;
  readonly #outbox = new Outbox<AgentMessageInput>((messages) => this.#send(messages));
  readonly #bundler: Bundler;
  readonly #notes: string[] = [];
  #clock: ClockReading = { offsetMs: 0, uncertaintyMs: 0 };
  #startedAtMs = 0;
  #isReported = false;

  constructor(private readonly job: AgentJob, private readonly setting: RunSetting) {
    const { run, coordinator, assigned } = job;
    this.#from = { run, agent: setting.agent };
    this.#bundler = new Bundler(this.#from, assigned);
    this.#watch = new RunStateWatch({ client: setting.link.client, coordinator, run });
  }

  get isReported(): boolean {
    return this.#isReported;
  }

  async carryOut(): Promise<void> {
    const { job, setting } = this;
    const { load, assigned, coordinator } = job;
    setting.onNote(
      `run for ${coordinator} begins: ${shownOrigin(job)}, ` +
        `${assigned.own} of ${assigned.workers} workers for ${load.connections} connections`,
    );
    const { client } = setting.link;
    const sendAgain = (): void => this.#outbox.sendAgain();
    client.on("ready", sendAgain);
    const ended = await this.#load().then((loaded) => this.#finish(loaded), (error) => {
      const why = setting.signal.aborted
        ? "the agent was stopped on its own machine"
        : withoutSecrets(messageOf(error));
      this.#outbox.add({ kind: "failed", ...this.#from, message: why });
      return `run ended without a result: ${why}`;
    });
    await this.#handOver(ended);
    client.off("ready", sendAgain);
  }

  async #load(): Promise<Loaded> {
    const { job, setting } = this;
    const { access, origin, script, load, seed, driver, intervalMs, implicitCheck } = job;
    let reporting: ReturnType<typeof setInterval> | undefined;
    const hooks = {
      onNote: (text: string) => void this.#notes.push(withoutSecrets(text)),
      onReady: () => {},
      onStart: (atMs: number) => {
        // If the agent learns of the start too late, its workers start immediately.
        this.#startedAtMs = Math.max(atMs, nowMs()) + this.#clock.offsetMs;
        reporting = setInterval(() => this.#report(), job.reportEveryMs);
      },
      onInterval: this.#bundler.addPart.bind(this.#bundler),
      onReportingWorkers: () => {},
      signal: AbortSignal.any([this.#watch.ends, setting.signal]),
    };
    const logPath = this.#logPath();
    const request = {
      ...access,
      ...{ origin, script, load, seed, driver, intervalMs, implicitCheck, logPath },
    };
    try {
      return await setting.loader.load(request, hooks, {
        assigned: job.assigned,
        startMoment: (delayMs) => this.#startMoment(delayMs),
        onSoFar: this.#bundler.addSoFar.bind(this.#bundler),
      });
    } finally {
      clearInterval(reporting);
    }
  }

  #logPath(): string | null {
    const { logFolder, agent } = this.setting;
    const run = this.job.run.replace(/[^\w.-]/g, "_");
    return logFolder === null ? null : join(logFolder, `${run}.${agent}.csv`);
  }

  /**
   * Reports that the workers are ready, and waits for the start. Returns the moment of the start by this machine's
   * clock.
   */
  async #startMoment(delayMs: number): Promise<number> {
    const { access, origin } = this.job;
    const { driver } = await chooseDriver(this.job.driver, endpointOf(origin, access));
    const clock = this.#clock = await this.#readClock();
    this.#outbox.add({
      kind: "ready",
      ...this.#from,
      ...{ driver, notes: this.#notes, clock, delayMs },
    });
    const start = this.#watch.startAtMs();
    const isKnown = await Promise.race([settlesWithin(start, START_MS), this.#whenEnded()]);
    if (!isKnown) {
      throw new Error(`its coordinator announced no start within ${START_MS / 1_000} s`);
    }
    return startHereMs(await start - clock.offsetMs, nowMs());
  }

  /** Rejects when the agent ends. */
  #whenEnded(): Promise<never> {
    const { signal } = this.setting;
    return new Promise((_, reject) => {
      const onAbort = (): void => reject(new Error("The agent ends"));
      if (signal.aborted) onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  async #readClock(): Promise<ClockReading> {
    for (;;) {
      try {
        return await readClock(this.setting.link.client);
      } catch (error) {
        if (this.#watch.ends.aborted || this.setting.signal.aborted) throw error;
        await sleep(RETRY_MS);
      }
    }
  }

  #report(): void {
    const bundle = this.#bundler.take();
    if (bundle !== null) this.#outbox.add(bundle);
  }

  /** Sends the results of the run. Returns a note about the run. */
  #finish({ reports, stage }: Loaded): string {
    const completed = reports.reduce((sum, { totals }) => sum + totals.completed, 0);
    const seconds = Math.max(...reports.map(({ elapsedUs }) => elapsedUs)) / 1e6;
    const perSec = seconds > 0 ? Math.round(completed / seconds) : 0;
    const figures = `${count(completed)} requests, ${count(perSec)} requests/s`;
    if (this.setting.signal.aborted) {
      this.#report();
      const message = "the agent was stopped on its own machine";
      this.#outbox.add({ kind: "failed", ...this.#from, message });
      return `run interrupted after ${figures}`;
    }
    const last = this.#bundler.takeLast(reports);
    if (last !== null) this.#outbox.add(last);
    this.#outbox.add({
      kind: "finished",
      ...this.#from,
      bundles: this.#bundler.count,
      reports: reports.map(packReport),
      startedAtMs: this.#startedAtMs,
      stage,
    });
    const how = this.#watch.ended === "stopped" ? "stopped" : "finished";
    return `run ${this.#watch.lost.aborted ? "interrupted" : how}: ${figures}`;
  }

  /**
   * Waits until every report that the coordinator needs has arrived.
   * @param ended A note about how the run ended.
   */
  async #handOver(ended: string): Promise<void> {
    const { signal } = this.setting;
    const giveUp = (): void => this.#outbox.giveUp();
    const hurry = (): void => void setTimeout(giveUp, LAST_WORD_MS);
    if (this.#watch.lost.aborted) giveUp();
    if (signal.aborted) hurry();
    this.#watch.lost.addEventListener("abort", giveUp);
    signal.addEventListener("abort", hurry);
    const hasArrived = await this.#outbox.emptied(OUT_OF_TOUCH_MS);
    signal.removeEventListener("abort", hurry);
    // If Redis dies now, it may forget messages that have arrived, so the agent stays until the
    // coordinator has gone on to something else.
    if (hasArrived) {
      this.#isReported = true;
      this.setting.onNote(ended);
      await this.#watch.over(OUT_OF_TOUCH_MS, signal);
    }
    giveUp();
    await this.#watch.close();
    const end = this.#watch.ended;
    if (end === "gone") await this.#sweep();
    if (hasArrived) return;
    const why = end === null || end === "stopped" ? "Redis does not accept them" : WHY[end];
    this.setting.onNote(`${ended}; its results are discarded: ${why}`);
  }

  /** Deletes messages that nobody will read any more. */
  async #sweep(): Promise<void> {
    const swept = this.setting.queue.obliterate({ force: true }).catch(() => {});
    await settlesWithin(swept, LAST_WORD_MS);
  }

  /** Sends messages. Throws if the coordinator no longer wants this run, because nobody would read them. */
  async #send(messages: readonly AgentMessageInput[]): Promise<void> {
    const { run, coordinator } = this.job;
    const { runState } = await readRunState(this.setting.link.client, coordinator);
    if (runState?.run !== run) throw new Error("The coordinator is not waiting for this run now");
    // Not as a bulk command, because that is a transaction, which waits for ever if the connection
    // breaks during it.
    await Promise.all(
      messages.map((message) =>
        this.setting.queue.add(message.kind, message, { ...ONCE, jobId: messageId(message) })
      ),
    );
  }
}

function count(number: number): string {
  return number.toLocaleString("en-US");
}
