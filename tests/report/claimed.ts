/** Claims from their texts, and what becomes of them. */
import assert from "node:assert/strict";
import { groupRuns } from "../../report/cells/cells.ts";
import { judgeClaims, type JudgedClaim } from "../../report/judge/claims.ts";
import type { Found } from "../../report/judge/reasons.ts";
import type { Range } from "../../report/figures/range.ts";
import type { Results } from "../../runner/result/result.ts";
import type { Claim } from "../../scenarios/claims/claim.ts";
import { parseClaim } from "../../scenarios/claims/claim_text.ts";
import { around, type Rates } from "./rates.ts";

export function claimOf(text: string, told: Partial<Claim> = {}): Claim {
  const parsed = parseClaim(text);
  assert.ok("claim" in parsed, JSON.stringify(parsed));
  return { ...parsed.claim, ...told };
}

export function judge(results: Results, text: string, told: Partial<Claim> = {}): JudgedClaim {
  const experiment = { ...results.experiment, claims: [claimOf(text, told)] };
  const [judged] = judgeClaims(groupRuns(results), { ...results, experiment });
  return judged;
}

/** `reproduced`, `not reproduced`, or the code of what leaves it inconclusive. */
export function outcomeOf({ outcome, doubt, verdict: { worst, unmeasured } }: JudgedClaim): string {
  if (outcome !== "inconclusive") return outcome;
  const absences = worst?.found.code === "absent" ? worst.found.absences : [];
  const [why] = [doubt, ...unmeasured, worst?.reason ?? null, ...absences].flatMap((one) =>
    one ?? []
  );
  return why.code;
}

/** @param rows Each claim with its outcome. */
export function assertOutcomes(
  results: Results,
  rows: readonly (readonly [text: string, outcome: string])[],
): void {
  assert.deepEqual(rows.map(([text]) => [text, outcomeOf(judge(results, text))]), rows);
}

export function foundOf<Code extends Found["code"]>(
  { verdict: { worst } }: JudgedClaim,
  code: Code,
): Extract<Found, { readonly code: Code }> {
  const found = worst?.found;
  assert.equal(found?.code, code);
  return found as Extract<Found, { readonly code: Code }>;
}

/** To so many decimals: `[value, low, high]`. */
export function ends(range: Range | null, decimals = 2): (string | undefined)[] {
  const { value, interval } = range ?? { value: NaN, interval: null };
  return [value, interval?.low, interval?.high].map((one) => one?.toFixed(decimals));
}

/** Five runs each, within 1 % around their rate: fast does 3 times as much as slow. */
export const RATES: Rates = { slow: around(1_000), fast: around(3_000, 0.0005) };
