/** Claims about a rank correlation, over the cells of a selector. */
import type { Correlation } from "../../../runner/result/result.ts";
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
