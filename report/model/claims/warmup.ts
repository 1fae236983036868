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
  const labelled = labels.filter((one) => one !== "too-short");
  if (labelled.length === 0) {
    return undecidedClaim(`the runs of ${name} were too short to detect a warm-up`);
  }
  const count = labelled.filter((one) => one === label).length;
  const share = count / labelled.length;
  // One run says nothing about the next.
  const interval = labelled.length === 1 ? null : shareInterval(count, labelled.length);
  const shareText = figureRangeText({ value: share, interval }, "share");
  const counts = `${count} of ${counted(labelled.length, "run")}`;
  const outcome = claimOutcome(interval, MOST);
  const why = interval === null ? "one run: no interval" : "inconclusive: too few runs";
  const sentence = `${counts} of ${name} ${labelled.length === 1 ? "is" : "are"} ${label}: ` +
    `${shareText}, claimed of more than half`;
  return {
    outcome,
    found: `${counts}: ${shareText}`,
    sentence: outcome === "inconclusive" ? `${sentence}; ${why}` : sentence,
    margin: share - 0.5,
  };
}
