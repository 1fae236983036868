/** Claims that hold no two figures against each other: a rank correlation over cells, and a label of runs over time. */
import type { Correlation, WarmupClaim } from "../../../runner/result/result.ts";
import {
  LEAST_CORRELATED,
  spearmanInterval,
  spearmanRho,
} from "../../../runner/stats/regression/correlation.ts";
import type { ThresholdFigure } from "../runs/figures.ts";
import {
  absentFinding,
  allowedBy,
  type ClaimDoubt,
  type ClaimEvidence,
  type ClaimFinding,
  claimOutcome,
  doubt,
} from "./finding.ts";
import { amountOf } from "./amount.ts";
import { chosenBy, type ClaimContext, type ClaimMember } from "./context.ts";
import { shareInterval } from "../../../runner/stats/confidence/proportion_interval.ts";

export function correlationFinding(says: Correlation, ground: ClaimContext): ClaimFinding {
  const chosen = chosenBy(says.selector, ground);
  if ("none" in chosen) return absentFinding(chosen.none);
  const both = chosen.members.flatMap((member) => {
    const [first, second] = says.figures.map((figure) => valueOf(figure, member));
    return first === null || second === null ? [] : [[first, second]];
  });
  const cells = both.length;
  const without = chosen.members.length - cells;
  const rho = spearmanRho(both.map(([first]) => first), both.map(([, second]) => second));
  const { figures, relation, limit } = says;
  if (Number.isNaN(rho)) {
    return absentFinding({ code: "no-order", evidence: { figures, cells, without } });
  }
  const interval = spearmanInterval(rho, cells);
  return judged({ figures, relation, limit, rho, cells, without, interval });
}

function valueOf(figure: ThresholdFigure, member: ClaimMember): number | null {
  const amount = amountOf(figure, member);
  return "none" in amount ? null : amount.range.value;
}

function judged(evidence: ClaimEvidence["correlation"]): ClaimFinding {
  const { rho, relation, limit, interval } = evidence;
  const outcome = claimOutcome(interval, allowedBy(relation, limit));
  return {
    code: "correlation",
    evidence,
    outcome,
    doubt: outcome === "inconclusive" ? doubtOf(interval) : null,
    margin: relation.startsWith(">") ? rho - limit : limit - rho,
  };
}

function doubtOf(interval: ClaimEvidence["correlation"]["interval"]): ClaimDoubt {
  return interval === null
    ? doubt("few-cells", { least: LEAST_CORRELATED })
    : doubt("across-limit-of-cells", {}, ["more-cells"]);
}

// Claims about what runs do over time: most runs of every cell must have the label, surely, by the interval
// of their share.

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
