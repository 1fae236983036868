/**
 * What to do about a finding. Findings name the kind of remedy; this file alone chooses the advice that fits the load
 * and the machine.
 */
import type { Advice } from "../result/findings.ts";
import type { Case } from "./evidence.ts";

/** Advice that fits only some loads or machines; findings name a `Remedy` instead. */
type Chosen =
  | "lower-rate"
  | "lower-speed"
  | "fewer-arrivals"
  | "fewer-connections"
  | "more-workers"
  | "more-generator-cores"
  | "own-machine"
  | "larger-machine"
  | "separate-cores";

export type Remedy =
  | Exclude<Advice, Chosen>
  /** Give the generator, or the target, less to do. */
  | "less-load"
  /** Let the generator do more. */
  | "more-generator"
  /** Keep target and generator from waiting for each other's cores. */
  | "apart"
  /** Make the generator and the target need no more cores than the machine has. */
  | "fit";

/** The advice for the remedies, the best first, without duplicates. */
export function adviceFor(remedies: readonly Remedy[], given: Case): Advice[] {
  return [...new Set(remedies.flatMap((remedy) => codesOf(remedy, given)))];
}

function codesOf(remedy: Remedy, given: Case): readonly Advice[] {
  switch (remedy) {
    case "less-load":
      return [lessLoad(given.run.load)];
    case "more-generator":
      return moreGenerator(given);
    case "apart":
      return hasSpareCore(given, 1) ? ["separate-cores"] : ["own-machine"];
    case "fit":
      return given.sharesMachine && hasSpareCore(given, 1)
        ? ["separate-cores", ...lighter(given)]
        : lighter(given);
    default:
      return [remedy];
  }
}

/** A closed loop has no rate to lower, because the number of its connections determines how much it sends. */
function lessLoad(load: Case["run"]["load"]): Advice {
  if (load.kind === "closed") return "fewer-connections";
  if (load.arrivals === "recorded") return "lower-speed";
  return load.kind === "phases" ? "fewer-arrivals" : "lower-rate";
}

/**
 * Another worker helps only if there is a core for it. Without one, the advice is a smaller load or another machine.
 */
function moreGenerator(given: Case): readonly Advice[] {
  const others = given.sharesMachine ? 2 : 1;
  return hasSpareCore(given, others) ? ["more-workers", "other-machine"] : lighter(given);
}

/** First the advice that can be followed on this machine, then the advice that needs another machine. */
function lighter({ run: { load }, sharesMachine }: Case): readonly Advice[] {
  return [lessLoad(load), sharesMachine ? "own-machine" : "larger-machine"];
}

/** Whether at least `count` cores remain beside one for each worker. True if the number of cores is unknown. */
function hasSpareCore(
  { evidence: { hostActivity: { cores }, workers } }: Case,
  count: number,
): boolean {
  return cores === null || cores >= workers + count;
}
