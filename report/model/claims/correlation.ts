/** Claims about a rank correlation, over the cells of a selector. */
import type { Correlation } from "../../../runner/result/result.ts";
import {
  LEAST_CORRELATED,
  spearmanInterval,
  spearmanRho,
} from "../../../runner/stats/regression/correlation.ts";
import { counted } from "../numbers/words.ts";
import type { FigureName } from "../runs/figures.ts";
import { allowedBy, type ClaimFinding, claimOutcome, undecidedClaim } from "./finding.ts";
import { amountOf } from "./amount.ts";
import { chosenBy, type ClaimContext, type ClaimMember } from "./context.ts";

export function correlationFinding(says: Correlation, ground: ClaimContext): ClaimFinding {
  const chosen = chosenBy(says.selector, ground);
  if ("none" in chosen) return undecidedClaim(chosen.none);
  const both = chosen.members.flatMap((member) => {
    const [first, second] = says.figures.map((figure) => valueOf(figure, member));
    return first === null || second === null ? [] : [[first, second]];
  });
  const left = chosen.members.length - both.length;
  const without = left === 0 ? "" : `; ${counted(left, "cell")} without both figures`;
  const rho = spearmanRho(both.map(([first]) => first), both.map(([, second]) => second));
  const over = `over ${counted(both.length, "cell")}`;
  if (Number.isNaN(rho)) {
    return undecidedClaim(`${says.figures.join(" and ")} have no order ${over}${without}`);
  }
  return judged(says, { rho, over, without, interval: spearmanInterval(rho, both.length) });
}

function valueOf(figure: FigureName, member: ClaimMember): number | null {
  const amount = amountOf(figure, member);
  return "none" in amount ? null : amount.range.value;
}

interface CorrelatedFigures {
  readonly rho: number;
  readonly over: string;
  readonly without: string;
  readonly interval: { readonly low: number; readonly high: number } | null;
}

function judged(
  { figures, relation, limit }: Correlation,
  { rho, over, without, interval }: CorrelatedFigures,
): ClaimFinding {
  const outcome = claimOutcome(interval, allowedBy(relation, limit));
  const found = coefficientText(rho, interval);
  const why = interval === null
    ? `; fewer than ${LEAST_CORRELATED} cells: no interval`
    : outcome === "inconclusive"
    ? "; the interval over the cells lies across the limit, more cells would decide"
    : "";
  const sentence = `Spearman's correlation of ${figures.join(" and ")} is ${found} ${over}, ` +
    `claimed ${WORDS[relation]} ${limit}${why}${without}`;
  const margin = relation.startsWith(">") ? rho - limit : limit - rho;
  return { outcome, found, sentence, margin };
}

const WORDS = { ">": "above", ">=": "at least", "<": "below", "<=": "at most" } as const;

function coefficientText(rho: number, interval: CorrelatedFigures["interval"]): string {
  const text = (value: number): string => value.toFixed(2).replace("-", "−");
  return interval === null
    ? text(rho)
    : `${text(rho)} [${text(interval.low)}, ${text(interval.high)}]`;
}
