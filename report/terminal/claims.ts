/** Judged claims as lines: ✓ reproduced, ✗ not, ? inconclusive. */
import type { ClaimOutcome } from "../model/claims/finding.ts";
import type { ClaimsModel } from "../model/claims/model.ts";
import { claimLine } from "../model/claims/table.ts";
import type { Line, Style, TerminalOptions } from "../writing/terminal.ts";
import { BLANK, HANGING, lineOf, paragraph } from "./line.ts";

const STYLES: Readonly<Record<ClaimOutcome, Style>> = {
  reproduced: "green",
  "not reproduced": "red",
  inconclusive: "yellow",
};

/** None without claims. */
export function claimLines({ judged, summary }: ClaimsModel, { width }: TerminalOptions): Line[] {
  if (judged.length === 0) return [];
  return [
    BLANK,
    lineOf("Claims", "cyan"),
    ...judged.flatMap((claim) =>
      paragraph(claimLine(claim), width, { ...HANGING, style: STYLES[claim.outcome] })
    ),
    ...paragraph(`${summary}.`, width),
  ];
}
