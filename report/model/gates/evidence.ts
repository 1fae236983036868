/** What the measurements say of one threshold on one cell, before it is judged beside the others. */
import type { Relation } from "../../../runner/result/result.ts";
import type { Ends } from "../runs/figure_range.ts";

export type Outcome = "pass" | "fail" | "inconclusive";

export interface Evidence {
  /** By itself. */
  readonly outcome: Outcome;
  /** What was found, and what would decide it where that is open. */
  readonly found: string;
  /**
   * Two-sided probability of a figure as far on the wrong side, were it at the limit; 1 on the right side. Null
   * where nothing is estimated: a fact of what was measured is as it is, whatever else is judged.
   */
  readonly p: number | null;
  /** What would decide it, if it is not decided: `about 12 runs would decide`; "" where nothing is known to. */
  readonly remedy: string;
}

/** What holds or does not hold of the requests that were measured, whatever others would have done. */
export function fact(outcome: Outcome, found: string): Evidence {
  return { outcome, found, p: null, remedy: "" };
}

/** @param why Verdict first, then what would decide it. */
export function undecided(found: string, why: string): Evidence {
  return { outcome: "inconclusive", found: `${found}: ${why}`, p: null, remedy: "" };
}

export interface Tested {
  readonly outcome: Outcome;
  /** Of the figure being at the limit, in either direction. */
  readonly p: number;
  readonly remedy: string;
}

/** What was estimated, and lies on one side of the limit or across it. */
export function tested(found: string, { outcome, p, remedy }: Tested): Evidence {
  return {
    outcome,
    found: outcome === "inconclusive" && remedy !== "" ? `${found}: ${remedy}` : found,
    p: outcome === "fail" ? p : 1,
    remedy,
  };
}

/** The right side is a half-line, so both ends on it are all of the interval on it. */
export function sideOf({ low, high }: Ends, isRight: (value: number) => boolean): Outcome {
  const [lowIsRight, highIsRight] = [isRight(low), isRight(high)];
  if (lowIsRight !== highIsRight) return "inconclusive";
  return lowIsRight ? "pass" : "fail";
}

export function holds(value: number, relation: Relation, limit: number): boolean {
  switch (relation) {
    case "<":
      return value < limit;
    case "<=":
      return value <= limit;
    case ">":
      return value > limit;
    case ">=":
      return value >= limit;
  }
}
