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
  | "separate-cores";

export type Remedy =
  | Exclude<Advice, Chosen>
  /** Give the generator, or the target, less to do. */
  | "less-load"
  /** Let the generator do more. */
  | "more-generator"
  /** Keep the target and the generator from competing for cores. */
  | "apart";

/** The best advice first, without duplicates. */
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
      return hasOneCore(given) ? ["own-machine"] : ["separate-cores"];
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
 * Another worker helps only if there is a core for it. If all cores are busy, only a larger or another machine helps.
 */
function moreGenerator({ evidence, sharesMachine }: Case): readonly Advice[] {
  const { hostActivity: { cores }, workers } = evidence;
  const needed = workers + (sharesMachine ? 1 : 0);
  if (cores === null || cores > needed) return ["more-workers", "other-machine"];
  return sharesMachine ? ["own-machine", "larger-machine"] : ["larger-machine"];
}

function hasOneCore({ evidence: { hostActivity: { cores } } }: Case): boolean {
  return cores === 1;
}
