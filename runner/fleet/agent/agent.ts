/**
 * The agent. It takes shares of loads from the fleet's Redis, one at a time, and works for one coordinator at a time.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Queue, Worker } from "bullmq";
import { ExpectedError, messageOf, TargetError } from "../../../base/errors.ts";
import { secrets, withoutSecrets } from "../../../base/secrets.ts";
import { settlesWithin } from "../../../targets/launch/settles.ts";
import { LocalLoader } from "../../measure/local_loader.ts";
import type { Progress } from "../../result/progress.ts";
import { calibrateFirst, type FirstCalibration } from "../../calibration/calibration.ts";
import { openFilesLimit } from "../../../base/system/open_files.ts";
import { VERSION } from "../../../base/version.ts";
import { AgentRun } from "./agent_run.ts";
import { AllowList } from "./allow.ts";
import { readJob, secretsOfJob, type Sender } from "./job_reading.ts";
import {
  type Link,
  type LinkOptions,
  nowMs,
  ONCE,
  openLink,
  readClock,
} from "../protocol/redis_link.ts";
import {
  agentQueue,
  messageQueue,
  OUT_OF_TOUCH_MS,
  POLL_MS,
  runStateKey,
} from "../protocol/redis_keys.ts";
import { readRunState } from "./run_state_watch.ts";
import { PresenceKeeper } from "./presence.ts";
import {
  type AgentJob,
  type AgentMessageInput,
  type ClockReading,
  messageId,
  type Presence,
} from "../protocol/agent_message.ts";

interface AgentOptions extends LinkOptions {
  readonly name: string;
  readonly workers: number;
  /** Hosts that the agent may load, in the form that `AllowList` accepts. */
  readonly allow: readonly string[];
  /** Folder for the request log of each run; null if none is written. */
  readonly logFolder: string | null;
  /** Called with a line for the person who watches the agent. */
  readonly onNote: (text: string) => void;
  /** Cancels the start of the agent. */
  readonly signal: AbortSignal;
}

/**
 * The number of jobs that are taken at once: two, so that another coordinator's job is refused immediately instead of
 * waiting.
 */
const JOBS_AT_ONCE = 2;
/**
 * Interval at which the agent's clock is compared with that of Redis. At worst, clocks drift apart by some milliseconds
 * a minute.
 */
const CLOCK_MS = 30_000;
/** How long an ending agent waits for Redis. */
const LEAVE_MS = 1_000;

export class Agent {
  readonly #loader = new LocalLoader();
  readonly #allow: AllowList;
  readonly #presence: PresenceKeeper;
  readonly #ends = new AbortController();
  readonly #sinceMs: number;
  #worker: Worker | null = null;
  #messages: Queue | null = null;
  #clockReadMs = performance.now();
  /** The coordinator that the agent works for. It is kept between runs, for as long as the coordinator lives. */
  #coordinator: string | null = null;
  #atWork: Promise<void> | null = null;
  #run: AgentRun | null = null;
  #responds = true;

  private constructor(
    private readonly options: AgentOptions,
    private readonly link: Link,
    private readonly calibration: FirstCalibration,
    private clock: ClockReading,
  ) {
    this.#allow = new AllowList(options.allow);
    this.#sinceMs = nowMs() + clock.offsetMs;
    this.#presence = new PresenceKeeper(link.client, options.name, () => this.#describe());
  }

  /**
   * Resolves once the agent is listed and takes jobs. Throws a UserError if its name is taken, a TargetError if Redis
   * does not respond or denies access.
   */
  static async start(options: AgentOptions): Promise<Agent> {
    const { onNote, signal } = options;
    const link = await openLink(options);
    try {
      const clock = await readClock(link.client);
      const onProgress = (event: Progress): void =>
        event.kind === "note" ? onNote(event.text) : undefined;
      const calibration = await calibrateFirst({ onProgress, signal });
      const agent = new Agent(options, link, calibration, clock);
      await agent.#begin();
      return agent;
    } catch (error) {
      await link.close();
      if (error instanceof ExpectedError || signal.aborted) throw error;
      throw new TargetError(`Cannot wait for work at this Redis: ${messageOf(error)}`);
    }
  }

  async #begin(): Promise<void> {
    const { name } = this.options;
    await this.#presence.claim();
    await this.link.queue(agentQueue(name)).obliterate({ force: true }); // jobs of an earlier agent that was killed
    const take = (data: unknown): Promise<void> => this.#take(data);
    this.#worker = await this.link.worker(agentQueue(name), take, JOBS_AT_ONCE);
    await this.#presence.begin((responds) => this.#onTouch(responds));
  }

  /** Whether the agent is making a load, or has not yet reported all of it. */
  get isAtWork(): boolean {
    return this.#run !== null && !this.#run.isReported;
  }

  /** Breaks off the agent's run, reports this to the coordinator, and leaves the fleet. */
  async end(): Promise<void> {
    this.#ends.abort();
    await this.#atWork;
    const leaving = async (): Promise<void> => {
      await this.#presence.leave();
      await this.#worker?.close(true);
      await this.link.queue(agentQueue(this.options.name)).obliterate({ force: true });
    };
    await settlesWithin(leaving().catch(() => {}), LEAVE_MS);
    await settlesWithin(this.link.close(), LEAVE_MS);
    await this.#loader.close();
  }

  #describe(): Presence {
    const { name, workers, allow } = this.options;
    const { driver, calibration } = this.calibration;
    return {
      ...{ name, version: VERSION, host: Deno.hostname(), workers, driver, allow: [...allow] },
      cores: navigator.hardwareConcurrency,
      openFiles: openFilesLimit("hard"),
      peakThroughput: calibration?.peakThroughput ?? null,
      clock: this.clock,
      coordinator: this.#coordinator,
      since: this.#sinceMs,
    };
  }

  #onTouch(responds: boolean): void {
    if (responds !== this.#responds) {
      this.options.onNote(responds ? "Redis responds again" : "Redis does not respond");
    }
    this.#responds = responds;
    if (!responds || this.isAtWork || performance.now() - this.#clockReadMs < CLOCK_MS) return;
    this.#clockReadMs = performance.now();
    readClock(this.link.client).then((clock) => this.clock = clock, () => {});
  }

  async #take(data: unknown): Promise<void> {
    using _ = secrets.keepWhile(secretsOfJob(data));
    try {
      const read = await readJob(data, this.#allow);
      if ("problems" in read) await this.#refuse(read.sender, read.problems);
      else await this.#accept(read.job);
    } catch (error) {
      this.options.onNote(withoutSecrets(`a job was dropped: ${messageOf(error)}`));
    }
  }

  async #accept(job: AgentJob): Promise<void> {
    const { coordinator } = job;
    if (this.#coordinator !== null && this.#coordinator !== coordinator) {
      return await this.#refuse(job, [
        `Cannot begin the run: this agent is already working for ${this.#coordinator}`,
      ]);
    }
    const { runState } = await readRunState(this.link.client, coordinator);
    if (runState?.run !== job.run) throw new Error("its run is over");
    this.#hold(coordinator);
    while (this.#atWork !== null) await this.#atWork; // the last run, which is being broken off
    if (this.#ends.signal.aborted) {
      return await this.#refuse(job, ["Cannot begin the run: this agent is shutting down"]);
    }
    this.#hold(coordinator);
    const { name: agent, logFolder, onNote } = this.options;
    const { link } = this;
    const queue = this.#queueTo(coordinator);
    const { signal } = this.#ends;
    const setting = { agent, link, queue, loader: this.#loader, logFolder, signal, onNote };
    const run = this.#run = new AgentRun(job, setting);
    this.#atWork = run.carryOut().catch((error) =>
      onNote(withoutSecrets(`a run failed: ${messageOf(error)}`))
    );
    await this.#atWork;
    this.#atWork = this.#run = null;
    void this.#release(coordinator);
  }

  /** The queue to a coordinator. The most recent queue is kept, because most coordinators make many runs. */
  #queueTo(coordinator: string): Queue {
    const name = messageQueue(coordinator);
    return this.#messages?.name === name ? this.#messages : this.#messages = this.link.queue(name);
  }

  #hold(coordinator: string | null): void {
    if (this.#coordinator === coordinator) return;
    this.#coordinator = coordinator;
    this.#presence.renewNow();
  }

  /** Releases the agent once its coordinator is gone; until then, no other coordinator may take it. */
  async #release(coordinator: string): Promise<void> {
    let repliedMs = performance.now();
    const isGone = async (): Promise<boolean> => {
      try {
        const found = await this.link.client.exists(runStateKey(coordinator));
        repliedMs = performance.now();
        return found === 0;
      } catch {
        return performance.now() - repliedMs > OUT_OF_TOUCH_MS;
      }
    };
    while (!this.#ends.signal.aborted && !this.isAtWork) {
      if (await isGone()) {
        if (!this.isAtWork && this.#coordinator === coordinator) this.#hold(null);
        return;
      }
      await sleep(POLL_MS.loading);
    }
  }

  async #refuse(sender: Sender | null, problems: readonly string[]): Promise<void> {
    const shown = problems.map(withoutSecrets);
    this.options.onNote(`a job was refused: ${shown.join("; ")}`);
    if (sender === null || await this.link.client.exists(runStateKey(sender.coordinator)) === 0) {
      return;
    }
    const message: AgentMessageInput = {
      kind: "refused",
      ...{ run: sender.run, agent: this.options.name, problems: shown },
    };
    const queue = this.#queueTo(sender.coordinator);
    await queue.add(message.kind, message, { ...ONCE, jobId: messageId(message) });
  }
}
