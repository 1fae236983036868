/**
 * Claims about what runs do over time: most runs of every cell must have the label, surely, by the interval
 * of their share.
 */
import type { WarmupClaim } from "../../../runner/result/result.ts";
import { shareInterval } from "../../../runner/stats/confidence/proportion_interval.ts";
import { counted } from "../numbers/words.ts";
import { figureRangeText } from "../runs/figure_range.ts";
import { allowedBy, type ClaimFinding, claimOutcome, undecidedClaim } from "./finding.ts";
import { chosenBy, type ClaimContext, type ClaimMember } from "./context.ts";

/** One for each cell; at least one. */
export function warmupFindings(
  { selector, label }: WarmupClaim,
  ground: ClaimContext,
): ClaimFinding[] {
  const chosen = chosenBy(selector, ground);
  if ("none" in chosen) return [undecidedClaim(chosen.none)];
  return chosen.members.map((member) => warmupFinding(member, label));
}

const MOST = allowedBy(">", 0.5);

function warmupFinding(
  { cell, label: name, missingReason: lack }: ClaimMember,
  label: WarmupClaim["label"],
): ClaimFinding {
  if (cell === null) return undecidedClaim(`${name} was not measured: ${lack}`);
  const labels = cell.runs.flatMap(({ warmup }) => warmup?.label ?? []);
  if (labels.length === 0) return undecidedClaim(`${name} has a load that itself changes`);
  const told = labels.filter((one) => one !== "too-short");
  if (told.length === 0) {
    return undecidedClaim(`the runs of ${name} were too short to tell a warm-up`);
  }
  const count = told.filter((one) => one === label).length;
  const share = count / told.length;
  // One run says nothing about the next.
  const interval = told.length === 1 ? null : shareInterval(count, told.length);
  const shareText = figureRangeText({ value: share, interval }, "share");
  const counts = `${count} of ${counted(told.length, "run")}`;
  const outcome = claimOutcome(interval, MOST);
  const why = interval === null ? "one run: no interval" : "too few runs to say that of most";
  const sentence = `${counts} of ${name} ${told.length === 1 ? "is" : "are"} ${label}: ` +
    `${shareText}, claimed of more than half`;
  return {
    outcome,
    found: `${counts}: ${shareText}`,
    sentence: outcome === "inconclusive" ? `${sentence}; ${why}` : sentence,
    margin: share - 0.5,
  };
}
