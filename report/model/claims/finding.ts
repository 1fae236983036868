/** What was found of a claim, in one cell or over several. */
export const CLAIM_OUTCOMES = ["not reproduced", "inconclusive", "reproduced"] as const;
export type ClaimOutcome = typeof CLAIM_OUTCOMES[number];

/** In one cell, or one pair of cells. */
export interface Finding {
  readonly outcome: ClaimOutcome;
  /** The ratio or figure with its interval: `2.14× [2.01, 2.28]`; "" where there is none. */
  readonly found: string;
  /** The figures with their units, in a sentence without a full stop. */
  readonly sentence: string;
  /** How far inside of what is claimed; below 0 outside. Only its order counts. */
  readonly margin: number;
}

/** Nothing to tell it by. */
export function undecided(sentence: string): Finding {
  return { outcome: "inconclusive", found: "", sentence, margin: -Infinity };
}

/** The worst of at least one: by its outcome first, then by its margin. */
export function worstOf(findings: readonly Finding[]): Finding {
  return findings.reduce((worst, one) => isWorse(one, worst) ? one : worst);
}

function isWorse(one: Finding, other: Finding): boolean {
  const rank = ({ outcome }: Finding): number => CLAIM_OUTCOMES.indexOf(outcome);
  return rank(one) === rank(other) ? one.margin < other.margin : rank(one) < rank(other);
}
