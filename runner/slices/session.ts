/**
 * Loads two targets in turns, a slice at a time. These are two ordinary loads, each by a loader of its own, which start
 * at the same moment and know when it is their turn. What the targets use is read between the slices.
 */
import type { Run } from "../result/result.ts";
import { LocalLoader } from "../measure/local_loader.ts";
import type { Loader } from "../measure/loader.ts";
import { epochNowMs } from "../../base/system/clock.ts";
import { Turns, type TurnsSpec } from "../../scenarios/pace/slices.ts";
import type { SliceTotals } from "../load/recording/slices.ts";
import { encodeHistogram } from "../stats/histogram/hdr.ts";
import { mergeHistograms } from "../stats/histogram/histogram.ts";
import { type Pids, SideCpu, type SlotUse } from "./side_cpu.ts";
import { Rendezvous } from "./rendezvous.ts";

/** A loader for each side, kept from session to session. */
export class SideLoaders {
  readonly #loaders = [new LocalLoader(), new LocalLoader()] as const;

  /** Returns a loader for each side; the next loads of the two start together. */
  together(): {
    readonly loaders: readonly [Loader, Loader];
    readonly cancel: (error: unknown) => void;
  } {
    const rendezvous = new Rendezvous(epochNowMs);
    const loaderOf = (loader: LocalLoader): Loader => ({
      load: (request, hooks) =>
        loader.load(request, hooks, { startMoment: (delayMs) => rendezvous.arrive(delayMs) })
          .catch((error) => {
            rendezvous.cancel(error);
            throw error;
          }),
      inFlight: () => loader.inFlight(),
      incompleteLogReason: () => loader.incompleteLogReason(),
      close: () => Promise.resolve(),
    });
    const [first, second] = this.#loaders;
    return {
      loaders: [loaderOf(first), loaderOf(second)],
      cancel: (error) => rendezvous.cancel(error),
    };
  }

  async close(): Promise<void> {
    for (const loader of this.#loaders) await loader.close();
  }
}

/** Measures the CPU time of both sides from the start of their loads on. */
export function watchSides(
  sides: readonly [Pids, Pids],
  spec: Omit<TurnsSpec, "side">,
  startMs: number,
): SideCpu {
  return new SideCpu(sides, spec, () => 1_000 * (epochNowMs() - startMs));
}

interface SliceContext {
  readonly turns: TurnsSpec;
  readonly partner: string;
  /** CPU time of both sides in each slice of the session, no matter whose slice it is. */
  readonly used: readonly SlotUse[];
}

/** The slices of one side, over all of its workers. */
export function slicesOf(
  workers: readonly SliceTotals[],
  { turns: spec, partner, used }: SliceContext,
): NonNullable<Run["slices"]> {
  const turns = new Turns(spec);
  const pairs = Math.min(...workers.map(({ completed }) => completed.length));
  const pair = Array.from({ length: pairs }, (_, at) => at).slice(spec.warmPairs);
  /** Index of a slice among the slices of both sides. */
  const slotOf = (at: number, isOther = false): number =>
    2 * at + (isOther ? 1 - turns.place(at) : turns.place(at));
  const sumOf = (key: "completed" | "failed" | "served" | "serviceSumUs", at: number): number =>
    workers.reduce((sum, worker) => sum + worker[key][at], 0);
  const cpuAt = (slot: number): number | null => used[slot]?.cpuMs[spec.side] ?? null;
  const censored = mergeHistograms(workers.map((worker) => worker.censored)).toSparse();
  return {
    sliceMs: spec.sliceUs / 1_000,
    cutMs: spec.cutUs / 1_000,
    shiftMs: spec.shiftUs / 1_000,
    pauseMs: spec.pauseUs / 1_000,
    partner,
    histogram: encodeHistogram(mergeHistograms(workers.map(({ latency }) => latency)).toSparse()),
    ...censored.count > 0 && { censoredHistogram: encodeHistogram(censored) },
    items: {
      pair,
      place: pair.map((at) => turns.place(at)),
      startS: pair.map((at) => turns.startUs(at) / 1e6),
      measuredS: pair.map(() => turns.measuredUs / 1e6),
      completed: pair.map((at) => sumOf("completed", at)),
      failed: pair.map((at) => sumOf("failed", at)),
      serviceSumMs: pair.map((at) => sumOf("serviceSumUs", at) / 1_000),
      served: pair.map((at) => sumOf("served", at)),
      cpuMs: pair.map((at) => cpuAt(slotOf(at))),
      restCpuMs: pair.map((at) => cpuAt(slotOf(at, true))),
      othersCpuMs: pair.map((at) => used[slotOf(at)]?.othersMs ?? null),
    },
  };
}
