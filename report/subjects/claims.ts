/** The judged claims of an experiment: how many hold, and a table of them by outcome. */
import { type Block, type Finding, FORMS, list, table, text } from "../blocks.ts";
import {
  claimFound,
  claimGroupText,
  claimHeld,
  claimLine,
  claimSentence,
  claimsSummary,
} from "../findings/claim_sentences.ts";
import { FINDING_OUTCOMES, MARKS } from "../findings/threshold_sentences.ts";
import type { JudgedClaim } from "../judge/claims.ts";
import { GLUE } from "../writing/units.ts";
import type { ReportContext } from "./subject.ts";
import * as column from "./tables/column.ts";
import { type ColumnOf, NONE, type TableCell, tableOf } from "./tables/table.ts";

export function claims({ claims }: ReportContext): Block[] {
  const groups = claimGroups(claims);
  const outcomes = groups.flatMap((group) =>
    group.map(({ outcome }) => ({ outcome, label: claimGroupText(group) }))
  );
  const lines = claims.map((claim): Finding => ({
    code: `claims.${claim.outcome}`,
    text: claimLine(claim),
    outcome: FINDING_OUTCOMES[claim.outcome],
  }));
  return [
    list(lines, { forms: ["terminal"] }),
    {
      ...text("claims.outcomes", claimsSummary(claims), "verdict"),
      forms: FORMS,
    },
    table(tableOf({ caption: "Claims", notes: [HOW] }, groups.flat(), COLUMNS), { outcomes }),
  ];
}

const HOW =
  "Reproduced: the whole 95 % interval over the runs lies within the claimed range. Not reproduced: the " +
  "whole interval lies outside. Inconclusive: the interval lies partly inside, or there is none; one of the claim's cells was not measured; the " +
  "outcome changes without the runs that the generator or the machine may have limited; or the claim was published " +
  "for another set-up. A claim about several cells must hold in all of them; the figures are those of the worst cell.";

/**
 * Claims in groups by outcome. Within a group, claims that no run could decide, because they were published for another
 * set-up, come last; otherwise, claims keep the order of the file.
 */
function claimGroups(claims: readonly JudgedClaim[]): JudgedClaim[][] {
  return (["reproduced", "not reproduced", "inconclusive"] as const)
    .map((outcome) =>
      claims.filter((claim) => claim.outcome === outcome)
        .sort((a, b) => Number(b.isDecidable) - Number(a.isDecidable))
    )
    .filter(({ length }) => length > 0);
}

const COLUMNS: readonly ColumnOf<JudgedClaim>[] = [
  column.name("Claim", ({ claim: { text } }) => text),
  column.text("Stands in", ({ claim: { source = "", note = "" } }) => cellAbove(source, note)),
  column.text("Found", ({ verdict }) => cellAbove(claimFound(verdict), claimHeld(verdict))),
  column.text("Outcome", ({ outcome }) => ({
    text: `${MARKS[outcome]}${GLUE}${outcome}`,
    ...outcome === "not reproduced" && { alarming: true },
  })),
  column.text("In words", claimSentence),
];

function cellAbove(text: string, below: string): TableCell {
  return { text: text || NONE.text, ...below !== "" && { below } };
}
