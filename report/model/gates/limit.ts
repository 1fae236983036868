/** A threshold with a limit, such as `p99 < 50ms`, held against a cell. */
import type { FigureName } from "../runs/figures.ts";
import { unsteadyOf, unsteadyText } from "../runs/unsteady.ts";
import { boundText } from "../numbers/units.ts";
import { percentileIn } from "./beyond.ts";
import { countEvidence, isCounted } from "./counts.ts";
import { type Evidence, fact, undecided } from "./evidence.ts";
import { type LimitThreshold, overRuns } from "./over_runs.ts";
import { percentileEvidence } from "./percentiles.ts";
import { type FigureRange, figureText, type JudgedCell, rangeOf } from "../runs/figure_range.ts";

/** What was not measured fails: a gate that looked at nothing must not open. */
export function limitEvidence(threshold: LimitThreshold, cell: JudgedCell): Evidence {
  const range = rangeOf(threshold.figure, cell);
  if ("none" in range) return fact("fail", `nothing to judge: ${range.none}`);
  return steadily(evidenceOf(threshold, cell, range), threshold.figure, cell);
}

function evidenceOf(threshold: LimitThreshold, cell: JudgedCell, range: FigureRange): Evidence {
  const { figure, unit, relation, limit } = threshold;
  if (isCounted(figure)) return countEvidence({ figure, relation, limit }, cell);
  const found = `${figure} is ${boundText(figureText(range, unit), range.isAtLeast)}`;
  const percentile = percentileIn(figure);
  const measured = { cell, range, found };
  return percentile === null
    ? overRuns(threshold, measured)
    : percentileEvidence(threshold, percentile, measured);
}

/** What lasts as long as the load is no figure of the target where it changes all the while: no gate opens by it. */
export function steadily(evidence: Evidence, figure: FigureName, { runs }: JudgedCell): Evidence {
  const unsteady = LASTING.test(figure) ? unsteadyOf(runs) : null;
  return unsteady === null || evidence.outcome !== "pass"
    ? evidence
    : undecided(evidence.found, unsteadyText(unsteady));
}

/** Counts, extremes, the start, memory at its most and the generator's own figures are not of a steady state. */
const LASTING =
  /^(?:rate|bytes|cpu|perCpu|(?:(?:service|firstByte|rate|bytes)\.)?(?:mean|stdev|p[\d.]+))$/;
