/**
 * Intervals of an agent's workers, put together as bundles for the coordinator. Each bundle says, too,
 * what the workers' reports would be if the run ended with it. Pure.
 */
import type { Health, SoFarReport, WorkerReport } from "../load/worker/messages.ts";
import type { IntervalPart } from "../load/recording/intervals.ts";
import type { Place } from "../measure/share.ts";
import { EMPTY } from "../stats/histogram.ts";
import { packHealth, packPart, packSoFar } from "./packing.ts";
import type { ToldInput } from "./told.ts";

export type BundleInput = Extract<ToldInput, { kind: "bundle" }>;

export class Bundler {
  #seq = 0;
  #parts: BundleInput["parts"] = [];
  readonly #soFar = new Map<number, SoFarReport>();

  constructor(
    private readonly from: { readonly run: string; readonly agent: string },
    private readonly place: Place,
  ) {}

  /** How many bundles were taken. */
  get count(): number {
    return this.#seq;
  }

  /** @param worker Of the own ones, from 0. */
  addPart(worker: number, part: IntervalPart, health: Health): void {
    const whose = this.place.firstWorker + worker;
    this.#parts.push({ worker: whose, part: packPart(part), health: packHealth(health) });
  }

  /** As if the run ended with the worker's last part. */
  addSoFar(worker: number, report: SoFarReport): void {
    this.#soFar.set(worker, report);
  }

  /** What has not been told; null when there is nothing, or not yet something of every worker. */
  take(): BundleInput | null {
    if (this.#parts.length === 0 || this.#soFar.size < this.place.own) return null;
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

  /** The rest, at the end of the run: nothing is open any more. */
  takeLast(reports: readonly WorkerReport[]): BundleInput | null {
    reports.forEach((report, worker) => this.addSoFar(worker, { ...report, open: EMPTY }));
    return this.take();
  }
}
