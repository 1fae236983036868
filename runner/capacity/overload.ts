/**
 * Whether a trial that broke on a disturbed machine would have broken on a quiet one as well: what was offered is so far
 * beyond what the target could have served, had it had all the time that the disturbance took, that too many requests
 * remain. Pure.
 *
 * What was full says less: a target beside a neighbour may fill 0.9 of a core and still miss a tenth of its capacity.
 */
import type { Objective } from "../../scenarios/claims/objective.ts";
import type { FindingCode } from "../result/findings.ts";
import type { Measurement } from "../result/result.ts";

/** Disturbances that took time of the target or the generator, and that are seen in the run's evidence. */
const TOOK_TIME: readonly FindingCode[] = [
  ...["neighbour", "low-priority", "steal", "throttled"] as const,
  ...["worker-paused", "worker-late", "sent-late"] as const,
];

/** A neighbour also takes cache, memory bandwidth and clock frequency, which no counter shows. */
const UNSEEN_TIMES = 1.5;
/** Of the run: where more was taken, nothing is concluded from the rest. */
const MOST_TAKEN = 0.5;

export type OverloadRun = Pick<
  Measurement,
  "elapsedS" | "requests" | "checks" | "generator" | "load"
>;

/** @param codes Those that put the trial in doubt. @param servedPerSec The most in any trial of the search so far. */
export function isOverload(
  run: OverloadRun,
  objectives: readonly Pick<Objective, "allowed" | "limitMs">[],
  { codes, servedPerSec }: {
    readonly codes: readonly FindingCode[];
    readonly servedPerSec: number;
  },
): boolean {
  const { requests: { due, completed }, checks, elapsedS, load } = run;
  const taken = takenShare(run);
  const isKnown = taken !== null && taken <= MOST_TAKEN && elapsedS > 0;
  if (!isKnown || !codes.every((code) => TOOK_TIME.includes(code))) return false;
  const served = Math.max(completed - checks.failed, servedPerSec * elapsedS) + load.connections;
  const atMost = served * UNSEEN_TIMES / (1 - taken);
  // Those that come last may take as long as the limit, after the end of the trial.
  return objectives.some(({ allowed, limitMs }) =>
    due - atMost * (1 + limitMs / 1_000 / elapsedS) > allowed * due
  );
}

/**
 * As if one thread, on which all others wait, had met all of it; null where it is unknown: of a target on another machine,
 * too.
 */
function takenShare({ elapsedS, generator }: OverloadRun): number | null {
  const { target, hostActivity: { steal, throttled }, waiting, delay } = generator;
  if (target === undefined || waiting === null) return null;
  const pausedMs = Math.max(delay.max, throttled ?? 0);
  return target.waiting + waiting + (steal ?? 0) + pausedMs / 1_000 / elapsedS;
}
