/**
 * A threshold such as `p99 not worse than baseline by 5%`, held against a cell and its counterpart. Where these were
 * measured at different times, more may have changed than the target: unless it is known by how much sessions
 * differ, "worse" then is sure of these two sessions only, and does not fail.
 */
import type { Threshold } from "../../../runner/result/result.ts";
import { twoGroupsOf } from "../../../runner/stats/comparison/two_groups.ts";
import type { Between } from "../comparison/between.ts";
import { formatRatio, percentText } from "../comparison/words.ts";
import { boundText } from "../numbers/units.ts";
import {
  type Ends,
  type FigureRange,
  figureRangeText,
  rangeOf,
  ratioRangeOf,
} from "../runs/figure_range.ts";
import type { GatedCell } from "./cells.ts";
import {
  distanceTo,
  endlessText,
  fact,
  gateGroupsText,
  runsText,
  sideOf,
  tested,
  type ThresholdEvidence,
  undecided,
} from "./evidence.ts";
import { steadily } from "./limit.ts";

type BaselineThreshold = Threshold & { readonly against: "baseline" };

export function baselineEvidence(
  threshold: BaselineThreshold,
  { cell, baseline, between }: GatedCell,
): ThresholdEvidence {
  const { figure } = threshold;
  const range = rangeOf(figure, cell);
  if ("none" in range) return fact("fail", `nothing to judge: ${range.none}`);
  if (baseline === null) {
    return fact("fail", "nothing to judge by: the baseline has no such cell");
  }
  const base = rangeOf(figure, baseline);
  if ("none" in base) return fact("fail", `nothing to judge by: ${base.none}`);
  const sides = { cell, baseline, range, base };
  const evidence = compared(threshold, sides, between(figure));
  return steadily(steadily(evidence, figure, cell), figure, baseline);
}

interface Sides {
  readonly cell: GatedCell["cell"];
  readonly baseline: GatedCell["cell"];
  readonly range: FigureRange;
  readonly base: FigureRange;
}

function compared(threshold: BaselineThreshold, sides: Sides, between: Between): ThresholdEvidence {
  const { figure, unit, marginRatio } = threshold;
  const { cell, baseline, range, base } = sides;
  const [now, before] = [range, base].map(({ value, isAtLeast }) =>
    boundText(figureRangeText({ value, interval: null }, unit), isAtLeast)
  );
  const values = `${figure} is ${now}, in the baseline ${before}`;
  if (runsOf(sides) < 2) return undecided(values, ONE_RUN);
  const open = [cell, baseline].filter((_, side) => [range, base][side].isAtLeast);
  if (open.length > 0) return undecided(values, endlessText(open.flatMap(({ runs }) => runs)));
  const groups = twoGroupsOf(range.byRun) ?? twoGroupsOf(base.byRun);
  if (groups !== null) return undecided(values, gateGroupsText(groups, unit));
  const more = between.kind === "known" ? between.variances : [];
  const ratio = ratioRangeOf(figure, cell, baseline, more);
  const interval = ratio?.interval ?? null;
  if (ratio === null || interval === null) return undecided(values, NO_INTERVAL);
  const found = `${values}: ${formatRatio(ratio.value, interval)}, ${
    percentText(marginRatio)
  } is allowed`;
  return byRatio(threshold, { value: ratio.value, interval, found }, { sides, between });
}

function byRatio(
  { better, marginRatio }: BaselineThreshold,
  { value, interval, found }: { value: number; interval: Ends; found: string },
  { sides, between }: { sides: Sides; between: Between },
): ThresholdEvidence {
  const most = better === "lower" ? 1 + marginRatio : 1 / (1 + marginRatio);
  const outcome = sideOf(interval, (ratio) => better === "lower" ? ratio <= most : ratio >= most);
  const isUnknown = between.kind === "unknown";
  if (isUnknown && outcome === "fail") return undecided(found, OTHER_SESSION);
  const { level } = sides.cell;
  const { p, runsNeeded } = distanceTo(most, { value, interval, runs: runsOf(sides), level });
  const evidence = tested(found, { outcome, p, remedy: runsText(runsNeeded, "a side") });
  return isUnknown && outcome === "pass"
    ? { ...evidence, found: `${found}, in these two sessions` }
    : evidence;
}

function runsOf({ cell, baseline }: Sides): number {
  return Math.min(cell.runs.length, baseline.runs.length);
}

const ONE_RUN = "one run says nothing about the next: measure 5 or more a side";
const NO_INTERVAL = "it has no interval over the runs: compare another figure";
const OTHER_SESSION =
  "worse in these two sessions, and nobody knows by how much sessions differ: measure both in one experiment";
