/**
 * Claims about what runs do over time: most runs of every cell must have the label, surely, by the interval
 * of their share.
 */
import type { WarmupClaim } from "../../../runner/result/result.ts";
import { shareInterval } from "../../../runner/stats/confidence/proportion_interval.ts";
import { absentFinding, allowedBy, type ClaimFinding, claimOutcome, doubt } from "./finding.ts";
import { chosenBy, type ClaimContext, type ClaimMember } from "./context.ts";

/** One for each cell; at least one. */
export function warmupFindings(
  { selector, label }: WarmupClaim,
  ground: ClaimContext,
): ClaimFinding[] {
  const chosen = chosenBy(selector, ground);
  if ("none" in chosen) return [absentFinding(chosen.none)];
  return chosen.members.map((member) => warmupFinding(member, label));
}

const MOST = allowedBy(">", 0.5);

function warmupFinding(
  { cell, label: name, missingReason }: ClaimMember,
  label: WarmupClaim["label"],
): ClaimFinding {
  if (cell === null) {
    return absentFinding({
      code: "cell-not-measured",
      evidence: { cell: name, reason: missingReason },
    });
  }
  const labels = cell.runs.flatMap(({ warmup }) => warmup?.label ?? []);
  if (labels.length === 0) return absentFinding({ code: "load-changes", evidence: { cell: name } });
  const labelled = labels.filter((one) => one !== "too-short");
  if (labelled.length === 0) {
    return absentFinding({ code: "runs-too-short", evidence: { cell: name } });
  }
  const count = labelled.filter((one) => one === label).length;
  const share = count / labelled.length;
  // One run says nothing about the next.
  const interval = labelled.length === 1 ? null : shareInterval(count, labelled.length);
  const outcome = claimOutcome(interval, MOST);
  const why = interval === null ? doubt("one-run", {}) : doubt("few-runs", {});
  return {
    code: "warmup",
    evidence: { cell: name, label, count, of: labelled.length, share: { value: share, interval } },
    outcome,
    doubt: outcome === "inconclusive" ? why : null,
    margin: share - 0.5,
  };
}
