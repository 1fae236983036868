/**
 * Claims × results → reproduced, not reproduced or inconclusive, with a sentence each. A claim is judged in
 * every cell that its selectors mean, and the worst cell decides: what is said of all must hold for all. By
 * intervals over the runs, as everywhere: one run each decides nothing.
 */
import type { Claim } from "../../../runner/result/result.ts";
import { comparedFindings } from "./compared.ts";
import { correlationFinding } from "./correlation.ts";
import { type ClaimOutcome, type Finding, worstOf } from "./finding.ts";
import type { Ground } from "./context.ts";
import { ratiosFindings } from "./ratios.ts";
import { warmupFindings } from "./warmup.ts";

export interface JudgedClaim {
  /** As it was written. */
  readonly claim: string;
  /** Where it stands, and what a reader should know beside it; "" when the experiment does not say. */
  readonly source: string;
  readonly note: string;
  readonly outcome: ClaimOutcome;
  /** The ratio or figure of the worst cell, with its interval; "" where there is none. */
  readonly found: string;
  /** `7 of 9 cells`; "" for one. */
  readonly held: string;
  /** What was found in the worst cell, with its figures and units; without a full stop. */
  readonly sentence: string;
}

export function judgeClaims(claims: readonly Claim[], ground: Ground): JudgedClaim[] {
  return claims.map((claim) => {
    const findings = findingsOf(claim, ground);
    const { outcome, found, sentence } = worstOf(findings);
    const holding = findings.filter((one) => one.outcome === "reproduced").length;
    const held = findings.length === 1 ? "" : `${holding} of ${findings.length} cells`;
    const { text, source = "", note = "" } = claim;
    const told = sentenceOf(sentence, held, outcome);
    return { claim: text, source, note, outcome, found, held, sentence: told };
  });
}

function findingsOf({ says }: Claim, ground: Ground): Finding[] {
  switch (says.kind) {
    case "compare":
    case "within":
      return comparedFindings(says, ground);
    case "ratios":
      return ratiosFindings(says, ground);
    case "warmup":
      return warmupFindings(says, ground);
    case "correlation":
      return [correlationFinding(says, ground)];
  }
}

function sentenceOf(sentence: string, held: string, outcome: ClaimOutcome): string {
  if (held === "") return sentence;
  return `holds in ${held}; ${outcome === "reproduced" ? "the nearest" : "the worst"}: ${sentence}`;
}
