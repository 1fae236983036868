/** What a comparison of two sides may say at all, whatever its interval. */
import type { TwoGroups } from "../../../runner/stats/comparison/two_groups.ts";
import type { Judgement } from "../../../runner/stats/comparison/verdict.ts";
import type { Unsteady } from "../runs/unsteady.ts";
import type { Between } from "./between.ts";

export interface Reserve {
  readonly between: Between;
  readonly groups: TwoGroups | null;
  readonly unsteady: Unsteady | null;
}

/** What no number of runs can decide comes before what they say. */
export function reserved(judged: Judgement, { between, groups, unsteady }: Reserve): Judgement {
  if (unsteady !== null) return { verdict: "inconclusive", reason: "unsteady" };
  if (groups !== null) return { verdict: "inconclusive", reason: "groups" };
  if (between.kind !== "unknown" || judged.verdict === "inconclusive") return judged;
  return {
    verdict: judged.verdict === "equivalent" ? "equivalent" : "inconclusive",
    reason: "sessions",
  };
}

/** Of sides that have no interval. */
export const UNTESTED = {
  interval: null,
  p: null,
  adjustedP: null,
  exact: null,
  pairs: null,
  pairingGain: null,
  between: null,
  groups: null,
  verdict: "inconclusive",
  smallestChange: null,
  runsNeeded: null,
} as const;
