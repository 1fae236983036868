/**
 * What a coordinator has heard of one agent in one run. Bundles come in any order and maybe twice: each
 * counts once, and in its turn, so that what was heard is always one stretch from the start. Pure: it is
 * told the time, milliseconds by any one clock.
 */
import { z } from "zod";
import type { Health } from "../load/health.ts";
import type { IntervalPart } from "../load/intervals.ts";
import type { SoFarReport, WorkerReport } from "../load/job.ts";
import { boundsPart, endWithout, type LostShare } from "../load/lost.ts";
import type { Latencies } from "../conservation.ts";
import type { Place } from "../share.ts";
import type { SparseHistogram } from "../stats/histogram.ts";
import { packedSoFar } from "./packing.ts";
import type { ToldOf } from "./told.ts";

/** One interval of one worker. */
export interface HeardPart {
  /** Of the whole fleet. */
  readonly worker: number;
  readonly part: IntervalPart;
  readonly health: Health;
}

const IDLE: Health = { cpuRatio: 0, lateUs: 0 };

export class Hearing {
  readonly #early = new Map<number, ToldOf<"bundle">>();
  #next = 0;
  #values = 0;
  #bounds = 0;
  #finished: ToldOf<"finished"> | null = null;
  /** Of each own worker, packed, as if the run had ended with its last part; empty before the first bundle. */
  #soFar: readonly unknown[] = [];
  /** The last part of each own worker. */
  readonly #last: (HeardPart | undefined)[];

  /** @param lastMs When it was last heard of. */
  constructor(readonly place: Place, public lastMs: number) {
    this.#last = Array.from({ length: place.own });
  }

  /** Gives the parts whose turn it is. */
  bundle(bundle: ToldOf<"bundle">, nowMs: number): HeardPart[] {
    this.lastMs = nowMs;
    const isNew = bundle.seq >= this.#next && !this.#early.has(bundle.seq);
    if (isNew && this.#fits(bundle)) this.#early.set(bundle.seq, bundle);
    const parts: HeardPart[] = [];
    for (let turn = this.#take(); turn !== undefined; turn = this.#take()) {
      if (turn.soFar.length > 0) this.#soFar = turn.soFar;
      for (const part of turn.parts) this.#last[part.worker - this.place.firstWorker] = part;
      parts.push(...turn.parts);
      for (const { part } of turn.parts) this.#count(part);
    }
    return parts;
  }

  #count({ latency, censored }: IntervalPart): void {
    this.#values += latency.count;
    this.#bounds += censored.count;
  }

  /** How many are in the parts that were given. */
  get latencies(): Latencies {
    return { values: this.#values, bounds: this.#bounds };
  }

  /** The last interval that was heard of any of its workers. */
  get lastIndex(): number {
    return Math.max(0, ...this.#last.map((heard) => heard?.part.index ?? 0));
  }

  /** Of its own workers alone, and whole. */
  #fits({ parts, soFar }: ToldOf<"bundle">): boolean {
    const { firstWorker, own } = this.place;
    const isOwn = ({ worker }: HeardPart): boolean =>
      worker >= firstWorker && worker < firstWorker + own;
    return parts.every(isOwn) && (soFar.length === own || parts.length === 0);
  }

  #take(): ToldOf<"bundle"> | undefined {
    const turn = this.#early.get(this.#next);
    if (turn !== undefined) this.#early.delete(this.#next++);
    return turn;
  }

  finish(finished: ToldOf<"finished">, nowMs: number): void {
    this.lastMs = nowMs;
    if (finished.reports.length === this.place.own) this.#finished ??= finished;
  }

  /** Its last word, once everything before it is there, too. */
  get whole(): ToldOf<"finished"> | null {
    return this.#finished !== null && this.#next >= this.#finished.bundles ? this.#finished : null;
  }

  /** Of the last interval heard, over all its workers. */
  pace(intervalMs: number): { readonly ratePerSec: number; readonly cpuRatio: number } {
    const heard = this.#last.filter((part) => part !== undefined);
    const completed = heard.reduce((sum, { part }) => sum + part.completed, 0);
    const cpuRatio = Math.max(0, ...heard.map(({ health }) => health.cpuRatio));
    return { ratePerSec: completed / (intervalMs / 1_000), cpuRatio };
  }

  /**
   * What its workers' reports are when nothing more comes: as it was last heard, and what was still to
   * come as dropped. The latencies of what was in flight then are of the worker's last interval, those of what
   * was dropped of the run's.
   * @param shares Of its own workers.
   * @param end When the run was ended early, Infinity when it was not; and the last interval that was heard of it.
   */
  abandon(
    shares: readonly LostShare[],
    end: { readonly us: number; readonly index: number },
  ): { readonly reports: WorkerReport[]; readonly parts: HeardPart[]; readonly afterMs: number } {
    const soFar = this.#readSoFar();
    const lost = shares.map((share, at) => {
      const durationUs = Math.min(share.durationUs, end.us);
      return endWithout({ ...share, durationUs }, soFar[at] ?? null);
    });
    const parts = [
      ...soFar.map(({ open }, at) => this.#boundsOf(at, this.#last[at]?.part.index ?? 0, open)),
      ...lost.map(({ dropped }, at) => this.#boundsOf(at, end.index, dropped)),
    ].filter(({ part }) => part.latency.count > 0);
    for (const { part } of parts) this.#count(part);
    const afterUs = Math.max(0, ...soFar.map(({ elapsedUs }) => elapsedUs));
    return { reports: lost.map(({ report }) => report), parts, afterMs: afterUs / 1_000 };
  }

  /** A part of an interval of own worker `at` that is nothing but lower bounds. */
  #boundsOf(at: number, index: number, bounds: SparseHistogram): HeardPart {
    return {
      worker: this.place.firstWorker + at,
      health: IDLE,
      part: boundsPart(index, bounds),
    };
  }

  /** None when they are not what an agent tells. */
  #readSoFar(): readonly SoFarReport[] {
    return z.array(packedSoFar).safeParse(this.#soFar).data ?? [];
  }
}
