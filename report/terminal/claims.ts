/** Judged claims as lines: ✓ reproduced, ✗ not, ? inconclusive. */
import type { ClaimOutcome } from "../claims/finding.ts";
import type { ClaimsModel } from "../claims/model.ts";
import { claimLine } from "../claims/table.ts";
import { harmless, type Style, styled, type TerminalOptions, wrapped } from "./text.ts";

const STYLES: Readonly<Record<ClaimOutcome, Style>> = {
  reproduced: "green",
  "not reproduced": "red",
  inconclusive: "yellow",
};

/** None without claims. */
export function claimLines({ judged, summary }: ClaimsModel, options: TerminalOptions): string[] {
  if (judged.length === 0) return [];
  return [
    "",
    styled("Claims", "cyan", options),
    ...judged.flatMap((claim) =>
      wrapped(harmless(claimLine(claim)), options.width, "  ")
        .map((line) => styled(line, STYLES[claim.outcome], options))
    ),
    ...wrapped(`${summary}.`, options.width),
  ];
}
