/**
 * The messages of one agent in one run, as its coordinator receives them. Bundles, each with the results of some
 * intervals, may arrive in any order, and twice. Each bundle is taken once, in order of their numbers, so the bundles
 * taken so far never have a gap. Pure: times are arguments, in milliseconds of any clock that is the same for all
 * calls.
 */
import * as z from "zod";
import { isWithin } from "../../../base/limits.ts";
import type { IntervalPart } from "../../load/recording/intervals.ts";
import type { Health, SoFarReport, WorkerReport } from "../../load/worker/messages.ts";
import { boundsPart, reportOfSilent, type SilentShare } from "../../load/worker/silent_worker.ts";
import type { AssignedWorkers } from "../../measure/share.ts";
import { breachOf, type IntervalCounts } from "../../measure/totals.ts";
import type { SparseHistogram } from "../../stats/histogram/histogram.ts";
import type { AgentMessageOf } from "../protocol/agent_message.ts";
import { packedHistogram } from "../protocol/packed_histogram.ts";
import { packedSoFar } from "../protocol/packing.ts";
import type { FleetMember } from "./roster.ts";
import { implausibleBundle, implausibleOrder } from "./plausibility.ts";

/** One worker's part of one interval. */
export interface ReceivedPart {
  /** Index of the worker in the whole fleet. */
  readonly worker: number;
  readonly part: IntervalPart;
  readonly health: Health;
}

const IDLE: Health = { cpuRatio: 0, lateUs: 0 };

export class AgentStream {
  readonly #early = new Map<number, AgentMessageOf<"bundle">>();
  #next = 0;
  #seconds = 0;
  #values = 0;
  #bounds = 0;
  #doubt: string | null = null;
  #finished: AgentMessageOf<"finished"> | null = null;
  /**
   * For each of the agent's workers, its packed results as they would be if the run had ended with the last interval
   * that the worker reported; empty before the first bundle.
   */
  #soFar: readonly unknown[] = [];
  /** For each of the agent's workers, its part of the last interval that it reported. */
  readonly #last: (ReceivedPart | undefined)[];

  /** @param lastMs When the agent's last message came. */
  constructor(readonly assigned: AssignedWorkers, public lastMs: number) {
    this.#last = Array.from({ length: assigned.own });
  }

  /**
   * Takes a bundle, and returns the parts of all bundles for which no earlier bundle is missing any more.
   * @param most Index of the last interval that can have ended by now.
   */
  bundle(bundle: AgentMessageOf<"bundle">, nowMs: number, most = Infinity): ReceivedPart[] {
    if (!this.#isNew(bundle)) return [];
    const why = implausibleBundle(bundle, this.assigned);
    if (why !== null) return this.doubt(why);
    this.#early.set(bundle.seq, bundle);
    this.lastMs = nowMs;
    const parts: ReceivedPart[] = [];
    for (let turn = this.#take(most); turn !== undefined; turn = this.#take(most)) {
      this.#soFar = turn.soFar;
      for (const part of turn.parts) this.#last[part.worker - this.assigned.firstWorker] = part;
      parts.push(...turn.parts);
      for (const { part } of turn.parts) this.#count(part);
    }
    this.#settle();
    return parts;
  }

  /** True for a bundle that arrives for the first time and not too far ahead of its turn. */
  #isNew({ seq }: AgentMessageOf<"bundle">): boolean {
    const isSoon = isWithin("fleetBundles", seq - this.#next);
    return seq >= this.#next && isSoon && !this.#early.has(seq);
  }

  /** Records why the agent's reports are not believed. */
  doubt(why: string): [] {
    this.#doubt ??= why;
    return [];
  }

  /** What is wrong with the agent's first impossible report; null if there is none. */
  get implausible(): string | null {
    return this.#doubt;
  }

  #count({ secondCompleted, latency, censored }: IntervalPart): void {
    this.#seconds += secondCompleted.reduce((sum, count) => sum + count, 0);
    this.#values += latency.count;
    this.#bounds += censored.count;
  }

  /** Counts over all parts that `bundle` and `abandon` have returned so far. */
  get counts(): IntervalCounts {
    return { seconds: this.#seconds, values: this.#values, bounds: this.#bounds };
  }

  /** Index of the last interval that any of the agent's workers has reported. */
  get lastIndex(): number {
    return Math.max(0, ...this.#last.map((last) => last?.part.index ?? 0));
  }

  #take(most: number): AgentMessageOf<"bundle"> | undefined {
    const turn = this.#early.get(this.#next);
    if (turn === undefined) return undefined;
    this.#early.delete(this.#next);
    const lastOf = (worker: number): number =>
      this.#last[worker - this.assigned.firstWorker]?.part.index ?? -1;
    const why = implausibleOrder(turn, lastOf, most);
    if (why !== null) {
      this.doubt(why);
      return undefined;
    }
    this.#next++;
    return turn;
  }

  finish(finished: AgentMessageOf<"finished">, nowMs: number): void {
    if (this.#finished !== null) return;
    if (finished.reports.length !== this.assigned.own) {
      this.doubt("it reported results for more or fewer workers than it has");
      return;
    }
    this.lastMs = nowMs;
    this.#finished = finished;
    this.#settle();
  }

  /**
   * Once all messages have arrived, checks that the final results are consistent in themselves and with the intervals.
   * If they are not, discards the final message.
   */
  #settle(): void {
    if (this.whole === null) return;
    const totals = this.whole.reports.map(({ totals }) => totals);
    const breach = breachOf(totals, this.counts);
    if (breach === null) return;
    this.doubt(`its results do not add up: ${breach}`);
    this.#finished = null;
  }

  /** The agent's final message; null until everything before it has arrived, too. */
  get whole(): AgentMessageOf<"finished"> | null {
    return this.#finished !== null && this.#next >= this.#finished.bundles ? this.#finished : null;
  }

  /**
   * Throughput over all the agent's workers, and the CPU use of the busiest one, in each worker's last reported
   * interval.
   */
  pace(intervalMs: number): { readonly ratePerSec: number; readonly cpuRatio: number } {
    const last = this.#last.filter((part) => part !== undefined);
    const completed = last.reduce((sum, { part }) => sum + part.completed, 0);
    const cpuRatio = Math.max(0, ...last.map(({ health }) => health.cpuRatio));
    return { ratePerSec: completed / (intervalMs / 1_000), cpuRatio };
  }

  /**
   * The reports of the agent's workers if nothing more comes: their last reports, with all requests that were still to
   * be sent counted as dropped. `parts` has lower bounds of latencies: for requests that were in flight, in the
   * worker's last interval; for dropped requests, in interval `end.index`.
   * @param shares The shares of the agent's workers.
   * @param end `us`: the moment at which the run was ended early; Infinity if it was not. `index`: the last interval
   * that any agent reported.
   */
  abandon(
    shares: readonly SilentShare[],
    end: { readonly us: number; readonly index: number },
  ): {
    readonly reports: WorkerReport[];
    readonly parts: ReceivedPart[];
    readonly afterMs: number;
  } {
    const soFar = this.#readSoFar();
    const lost = shares.map((share, at) => {
      const durationUs = Math.min(share.durationUs, end.us);
      return reportOfSilent({ ...share, durationUs }, soFar[at] ?? null);
    });
    const parts = [
      ...soFar.map(({ open }, at) => this.#boundsOf(at, this.#last[at]?.part.index ?? 0, open)),
      ...lost.map(({ dropped }, at) => this.#boundsOf(at, end.index, dropped)),
    ].filter(({ part }) => part.latency.count > 0);
    for (const { part } of parts) this.#count(part);
    const afterUs = Math.max(0, ...soFar.map(({ elapsedUs }) => elapsedUs));
    return { reports: lost.map(({ report }) => report), parts, afterMs: afterUs / 1_000 };
  }

  /** A part for interval `index` of the agent's worker `at` that contains only lower bounds of latencies. */
  #boundsOf(at: number, index: number, bounds: SparseHistogram): ReceivedPart {
    return {
      worker: this.assigned.firstWorker + at,
      health: IDLE,
      part: boundsPart(index, bounds),
    };
  }

  /**
   * Latencies so far of the requests that each worker had in flight at the last bundle; empty if they are unreadable.
   */
  get inFlight(): readonly SparseHistogram[] {
    return inFlightOnly.safeParse(this.#soFar).data?.map(({ open }) => open) ?? [];
  }

  /** The results so far; empty if they are not what an agent may send. */
  #readSoFar(): readonly SoFarReport[] {
    return z.array(packedSoFar).safeParse(this.#soFar).data ?? [];
  }
}

/** The part of workers' results that is needed while the load goes on. */
const inFlightOnly = z.array(z.object({ open: packedHistogram }));

/** How long an agent may take to prepare, for example to compile its workers' code and to look up names. */
export const READY_MS = 20_000;

export type Ready = AgentMessageOf<"ready">;

/** One agent of a load, as the coordinator sees it. */
export interface FleetAgent {
  readonly member: FleetMember;
  readonly stream: AgentStream;
  ready: Ready | null;
  /** Why the agent refuses the job; empty if it does not. */
  problems: readonly string[];
  lostWhy: string | null;
}

/** Whether the agent's final message is still awaited. */
export function isPending({ stream, lostWhy }: FleetAgent): boolean {
  return stream.whole === null && lostWhy === null;
}

/** Why the agent can't begin; empty if it is ready. */
export function reasonsNotReady(name: string, { ready, problems }: FleetAgent): string[] {
  if (problems.length > 0) return problems.map((problem) => `agent ${name}: ${problem}`);
  return ready === null ? [`agent ${name} was not ready within ${READY_MS / 1_000} s`] : [];
}
