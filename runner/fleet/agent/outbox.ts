/**
 * Messages on their way to a coordinator, in order. Each is kept, and sent again and again, until Redis has received
 * it. Waiting messages are sent together, so that a distant Redis does not delay them. Adding a message does not wait.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { settlesWithin } from "../../../targets/launch/settles.ts";
import type { IntervalPart } from "../../load/recording/intervals.ts";
import type { Health, SoFarReport, WorkerReport } from "../../load/worker/messages.ts";
import type { AssignedWorkers } from "../../measure/share.ts";
import { EMPTY } from "../../stats/histogram/histogram.ts";
import type { AgentMessageInput } from "../protocol/agent_message.ts";
import { packHealth, packPart, packSoFar } from "../protocol/packing.ts";

const RETRY_MS = 100;
/** If Redis received a message longer ago than this, the coordinator is assumed to have taken it. */
const TAKEN_MS = 5_000;

export class Outbox<Message> {
  readonly #waiting: Message[] = [];
  /** Messages that Redis received recently, and when. */
  #arrived: { readonly message: Message; readonly atMs: number }[] = [];
  readonly #givenUp = new AbortController();
  #sending: Promise<void> = Promise.resolve();
  #isSending = false;

  /**
   * @param send Resolves when Redis has received the messages. May be called again with messages that Redis already
   * has.
   */
  constructor(private readonly send: (messages: readonly Message[]) => Promise<unknown>) {}

  add(message: Message): void {
    if (this.#givenUp.signal.aborted) return;
    this.#waiting.push(message);
    if (!this.#isSending) this.#sending = this.#sendAll();
  }

  /**
   * Sends the latest messages again after Redis was away, because it may have forgotten those that nobody had taken
   * yet.
   */
  sendAgain(): void {
    if (this.#givenUp.signal.aborted) return;
    const sinceMs = performance.now() - TAKEN_MS;
    const recent = this.#arrived.filter(({ atMs }) => atMs >= sinceMs);
    this.#arrived = [];
    // The first waiting messages may be on their way, so the repeated ones are queued behind all
    // others.
    this.#waiting.push(...recent.map(({ message }) => message));
    if (!this.#isSending) this.#sending = this.#sendAll();
  }

  #keep(messages: readonly Message[]): void {
    const atMs = performance.now();
    this.#arrived = this.#arrived.filter((one) => one.atMs >= atMs - TAKEN_MS);
    this.#arrived.push(...messages.map((message) => ({ message, atMs })));
  }

  /** Number of messages that Redis has not received yet. */
  get size(): number {
    return this.#waiting.length;
  }

  /**
   * Resolves when Redis has received all messages (then to true), or when they are given up or the time limit is
   * reached (then to false).
   */
  async emptied(limitMs: number): Promise<boolean> {
    const { signal } = this.#givenUp;
    const { promise, resolve } = Promise.withResolvers<void>();
    const onAbort = (): void => resolve();
    if (signal.aborted) return false;
    signal.addEventListener("abort", onAbort);
    await settlesWithin(Promise.race([promise, this.#sending]), limitMs);
    signal.removeEventListener("abort", onAbort);
    return this.size === 0 && !signal.aborted;
  }

  /** Discards the messages that Redis has not received yet, and all that are added later. */
  giveUp(): void {
    this.#waiting.length = 0;
    this.#givenUp.abort();
  }

  async #sendAll(): Promise<void> {
    const { signal } = this.#givenUp;
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      const messages = [...this.#waiting];
      try {
        await this.send(messages);
        this.#waiting.splice(0, messages.length);
        this.#keep(messages);
      } catch {
        await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
      }
    }
    this.#isSending = false;
  }
}

export type BundleInput = Extract<AgentMessageInput, { kind: "bundle" }>;

/**
 * Bundles the intervals of an agent's workers for the coordinator. Each bundle also contains the workers' reports as
 * they would be if the run ended with that bundle. Pure.
 */
export class Bundler {
  #seq = 0;
  #parts: BundleInput["parts"] = [];
  readonly #soFar = new Map<number, SoFarReport>();

  constructor(
    private readonly from: { readonly run: string; readonly agent: string },
    private readonly assigned: AssignedWorkers,
  ) {}

  /** Number of bundles taken so far. */
  get count(): number {
    return this.#seq;
  }

  /** @param worker Index among the agent's own workers, from 0. */
  addPart(worker: number, part: IntervalPart, health: Health): void {
    const whose = this.assigned.firstWorker + worker;
    this.#parts.push({ worker: whose, part: packPart(part), health: packHealth(health) });
  }

  /** Stores what a worker would report if the run ended with the last interval that it has reported. */
  addSoFar(worker: number, report: SoFarReport): void {
    this.#soFar.set(worker, report);
  }

  /** The next bundle; null if no interval is left to send, or if some worker has not reported anything yet. */
  take(): BundleInput | null {
    if (this.#parts.length === 0 || this.#soFar.size < this.assigned.own) return null;
    const reports = [...this.#soFar].sort(([a], [b]) => a - b).map(([, report]) => report);
    const parts = this.#parts;
    this.#parts = [];
    return {
      kind: "bundle",
      ...this.from,
      seq: this.#seq++,
      parts,
      soFar: reports.map(packSoFar),
    };
  }

  /** The last bundle, at the end of the run, when no request is open any more; null as for `take`. */
  takeLast(reports: readonly WorkerReport[]): BundleInput | null {
    reports.forEach((report, worker) => this.addSoFar(worker, { ...report, open: EMPTY }));
    return this.take();
  }
}
