/**
 * Claims × results → reproduced, not reproduced or inconclusive, with a sentence each. A claim is judged in
 * every cell that its selectors mean, and the worst cell decides: what is said of all must hold for all. By
 * intervals over the runs, as everywhere: one run each decides nothing.
 */
import type { Claim } from "../../../runner/result/result.ts";
import { comparedFindings } from "./compared.ts";
import { correlationFinding, ratiosFindings, warmupFindings } from "./ratios.ts";
import { CLAIM_OUTCOMES, type ClaimFinding, type ClaimOutcome, worstFinding } from "./finding.ts";
import { claimSentence, doubtedSentence, foundText } from "./sentences.ts";
import { type ClaimContext, type Claimed, contextOf } from "./context.ts";
import { type Table, tableOf, textCell } from "../tables/table.ts";
import { GLUE } from "../numbers/units.ts";
import { counted } from "../numbers/words.ts";
import type { Grouped, ScenarioRuns } from "../runs/cells.ts";
import { trustOfRuns } from "../findings/trust.ts";

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

export function judgeClaims(claims: readonly Claim[], ground: ClaimContext): JudgedClaim[] {
  return claims.map((claim) => {
    const findings = findingsOf(claim, ground);
    const worst = worstFinding(findings);
    const { outcome } = worst;
    const holding = findings.filter((one) => one.outcome === "reproduced").length;
    const held = findings.length === 1 ? "" : `${holding} of ${findings.length} cells`;
    const { text, source = "", note = "" } = claim;
    const sentence = sentenceOf(claimSentence(worst), held, outcome);
    return { claim: text, source, note, outcome, found: foundText(worst), held, sentence };
  });
}

function findingsOf({ says }: Claim, ground: ClaimContext): ClaimFinding[] {
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

// Judged claims as a table, as lines of text, and counted in a sentence.

const MARKS: Readonly<Record<ClaimOutcome, string>> = {
  reproduced: "✓",
  "not reproduced": "✗",
  inconclusive: "?",
};

const HOW =
  "Reproduced: the whole 95 % interval over the runs is where the claim says. Not reproduced: all of " +
  "it is elsewhere. Inconclusive: neither, or there is no interval. A claim about several cells must hold in " +
  "all; the figures are those of the worst.";

/**
 * Null without claims.
 * @param doubt What makes all outcomes doubtful; "" for nothing.
 */
export function claimsTable(claims: readonly JudgedClaim[], doubt: string): Table | null {
  if (claims.length === 0) return null;
  const isSourced = claims.some(({ source, note }) => source !== "" || note !== "");
  const notes = doubt === "" ? [HOW] : [HOW, doubt];
  return tableOf({ caption: "Claims", notes }, claims, [
    { label: "Claim", kind: "name", cell: ({ claim }) => textCell(claim) },
    ...(isSourced
      ? [
        {
          label: "Stands in",
          kind: "text",
          cell: ({ source, note }: JudgedClaim) => ({
            text: source || "–",
            ...(note !== "" && { below: note }),
          }),
        } as const,
      ]
      : []),
    {
      label: "Found",
      kind: "text",
      cell: ({ found, held }) => ({ text: found || "–", ...(held !== "" && { below: held }) }),
    },
    {
      label: "Outcome",
      kind: "text",
      cell: ({ outcome }) => ({
        text: `${MARKS[outcome]}${GLUE}${outcome}`,
        ...(outcome === "not reproduced" && { alarming: true }),
      }),
    },
    { label: "In words", kind: "text", cell: ({ sentence }) => textCell(sentence) },
  ]);
}

/** `5 of 9 claims reproduced, 1 not, 3 inconclusive`; "" without claims. */
export function claimsSummary(claims: readonly JudgedClaim[]): string {
  if (claims.length === 0) return "";
  const [not, unsure, reproduced] = CLAIM_OUTCOMES.map((outcome) =>
    claims.filter((claim) => claim.outcome === outcome).length
  );
  return [
    `${reproduced} of ${counted(claims.length, "claim")} reproduced`,
    ...(not > 0 ? [`${not} not`] : []),
    ...(unsure > 0 ? [`${unsure} inconclusive`] : []),
  ].join(", ");
}

/** `✗ rate(a) > 2 × rate(b): not reproduced: rate is …`. */
export function claimLine({ claim, source, outcome, sentence }: JudgedClaim): string {
  const place = source === "" ? "" : ` (${source})`;
  return `${MARKS[outcome]} ${claim}${place}: ${outcome}: ${sentence}`;
}

// The claims of an experiment, judged.

export interface ClaimsModel {
  readonly judged: readonly JudgedClaim[];
  /** `5 of 9 claims reproduced, 1 not, 3 inconclusive`; "" without claims. */
  readonly summary: string;
  /** What makes all outcomes doubtful; "" for nothing. */
  readonly doubt: string;
  /** Null without claims. */
  readonly table: Table | null;
}

/** @param scenarios Those of the results. */
export function claimsModel(
  scenarios: readonly ScenarioRuns[],
  results: Claimed & Grouped,
): ClaimsModel {
  const claims = results.experiment?.claims ?? [];
  const judged = claims.length === 0 ? [] : judgeClaims(claims, contextOf(scenarios, results));
  const doubt = doubtedSentence(trustOfRuns(results.runs));
  return { judged, summary: claimsSummary(judged), doubt, table: claimsTable(judged, doubt) };
}
