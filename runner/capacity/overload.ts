/**
 * Decides whether a trial that broke a rule on a disturbed machine would have broken it on a quiet one, too: whether
 * the target would have left too many requests unserved even with all the time that the disturbance took from it.
 * Whether the target kept a core busy is not used as evidence: beside another busy program, it may use 0.9 of a core and
 * still serve a tenth less than on a quiet machine. Pure.
 */
import type { Objective } from "../../scenarios/claims/objective.ts";
import type { FindingCode } from "../result/findings.ts";
import type { Measurement } from "../result/result.ts";

/** Findings about single pauses of a worker, between which the target has its usual CPU time and load. */
const MOMENTARY: readonly FindingCode[] = ["worker-paused"];
/**
 * Findings about disturbances that may last for the whole trial. Other programs slow the target by more than any
 * counter shows, and a worker that is busy or sends late turns an even load into bursts, which a target may refuse.
 */
const LASTING: readonly FindingCode[] = [
  ...["neighbour", "low-priority", "steal", "throttled"] as const,
  ...["worker-late", "sent-late"] as const,
];
/** Findings about CPU time that was taken from the target or the generator. A run records how much was taken. */
const TOOK_TIME: readonly FindingCode[] = [...MOMENTARY, ...LASTING];

/**
 * On a quiet machine, the target might serve up to this many times as many requests, because other programs also take
 * cache, memory bandwidth and clock frequency, which no counter shows.
 */
const UNSEEN_TIMES = 1.5;
/** If more than this share of the run's time was taken, nothing is concluded from the rest. */
const MOST_TAKEN = 0.5;

/** If pauses took no more than this share of the run's time, most intervals were undisturbed. */
const LITTLE_TAKEN = 0.1;
const NEARLY_ALL = 0.9;
const FEWEST_INTERVALS = 8;

export type OverloadRun = Pick<
  Measurement,
  "elapsedS" | "requests" | "checks" | "generator" | "load" | "timeline"
>;

/**
 * @param codes Findings that put the trial in doubt.
 * @param servedPerSec The highest throughput of any trial so far.
 */
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
  const isMomentary = taken <= LITTLE_TAKEN && codes.every((code) => MOMENTARY.includes(code));
  if (isMomentary && objectives.some((rule) => isRefusing(run, rule))) return true;
  const served = Math.max(completed - checks.failed, servedPerSec * elapsedS) + load.connections;
  const atMost = served * UNSEEN_TIMES / (1 - taken);
  // The target may still serve the last requests after the trial, for as long as the limit allows.
  return objectives.some(({ allowed, limitMs }) =>
    due - atMost * (1 + limitMs / 1_000 / elapsedS) > allowed * due
  );
}

/**
 * Whether the target, from the first interval in which it refused more than the rule allows, did so in nearly all
 * intervals. A target that refuses requests keeps no backlog, so a momentary disturbance cannot be the cause. A lasting
 * one can: the target may refuse at a rate that it would serve on a quiet machine.
 */
function isRefusing(
  { timeline: { points } }: Pick<OverloadRun, "timeline">,
  { allowed }: Pick<Objective, "allowed">,
): boolean {
  const isWrong = points.map(({ completed, wrong = 0 }) => wrong > allowed * completed);
  const since = isWrong.slice(isWrong.indexOf(true));
  return isWrong.includes(true) && since.length >= FEWEST_INTERVALS &&
    since.length >= points.length / 2 &&
    since.filter(Boolean).length >= NEARLY_ALL * since.length;
}

/**
 * The share of the run's time that was taken from target and generator. Pauses are assumed to have halted the one
 * thread that all others wait for, which is the worst case. Null if unknown, as for a target on another machine.
 */
function takenShare({ elapsedS, generator }: OverloadRun): number | null {
  const { target, hostActivity: { steal, throttled }, waiting, delay } = generator;
  if (target === undefined || waiting === null) return null;
  const pausedMs = Math.max(delay.max, throttled ?? 0);
  return target.waiting + waiting + (steal ?? 0) + pausedMs / 1_000 / elapsedS;
}
