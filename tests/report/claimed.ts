/** Claims from their texts, and what becomes of them. */
import assert from "node:assert/strict";
import { groupRuns } from "../../report/cells/cells.ts";
import { claimsModel, type JudgedClaim } from "../../report/judge/claims/claims.ts";
import type { Results } from "../../runner/result/result.ts";
import type { Claim } from "../../scenarios/claims/claim.ts";
import { parseClaim } from "../../scenarios/claims/claim_text.ts";
import { around, type Rates } from "./rates.ts";

export function claimOf(text: string, told: { source?: string; note?: string } = {}): Claim {
  const parsed = parseClaim(text);
  assert.ok("claim" in parsed, JSON.stringify(parsed));
  return { ...parsed.claim, ...told };
}

export function judge(results: Results, text: string): JudgedClaim {
  results.experiment.claims = [claimOf(text)];
  const [judged] = claimsModel(groupRuns(results), results).judged;
  return { ...judged, sentence: judged.sentence.replaceAll("\u00a0", " ") };
}

export function assertJudged(
  judged: JudgedClaim,
  outcome: JudgedClaim["outcome"],
  sentence: RegExp = /./,
): void {
  assert.equal(judged.outcome, outcome, judged.sentence);
  assert.match(judged.sentence, sentence);
}

/** Five runs each, within 1 % around their rate: fast does 3 times as much as slow. */
export const RATES: Rates = { slow: around(1_000), fast: around(3_000, 0.0005) };
