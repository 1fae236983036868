/** An experiment's `pin` in force. */
import { coresText, parseCores } from "../../base/system/core_list.ts";
import type { PinSpec } from "../../scenarios/load/pin.ts";
import { applyPin } from "../../targets/launch/pin.ts";
import type { OnProgress } from "../result/progress.ts";

export interface Pinned extends Disposable {
  /** One load worker for each core that is theirs; null: chosen from the machine. */
  readonly workers: number | null;
}

/** Keeps targets and workers to their cores until it is disposed. Throws a TargetError where that can't be had. */
export function pinDown({ targets, workers }: PinSpec = {}, onProgress: OnProgress): Pinned {
  const pin = { targets: coresOf(targets), workers: coresOf(workers) };
  const shared = sharedCores(pin.targets ?? [], pin.workers ?? []);
  const applied = applyPin(pin);
  if (shared.length > 0) {
    const text = `Targets and load workers share core ${coresText(shared)}, as pin says: ` +
      "each takes time from the other";
    onProgress({ kind: "note", text });
  }
  return {
    workers: pin.workers?.length ?? null,
    [Symbol.dispose]: () => applied[Symbol.dispose](),
  };
}

function sharedCores(some: readonly number[], others: readonly number[]): number[] {
  return some.filter((core) => others.includes(core));
}

function coresOf(text: string | undefined): number[] | null {
  return text === undefined ? null : parseCores(text);
}
