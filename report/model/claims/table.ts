/** Judged claims as a table, as lines of text, and counted in a sentence. */
import type { JudgedClaim } from "./claims.ts";
import { type Table, tableOf } from "../tables/table.ts";
import { textCell } from "../tables/columns.ts";
import { GLUE } from "../numbers/units.ts";
import { counted } from "../numbers/words.ts";
import { CLAIM_OUTCOMES, type ClaimOutcome } from "./finding.ts";

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
