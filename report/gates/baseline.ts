/**
 * A threshold such as `p99 not worse than baseline by 5%`, held against a cell and its counterpart. The two were
 * measured at different times, in which more may have changed than the target: so "worse" is never sure of the
 * target, only of these two sessions, and does not fail.
 */
import type { Threshold } from "../../runner/result.ts";
import { runsToDecide } from "../../runner/stats/runs_needed.ts";
import { tQuantile } from "../../runner/stats/student_t.ts";
import { formatRatio, percentText } from "../comparison/words.ts";
import { boundText } from "../units.ts";
import { type Evidence, fact, sideOf, undecided } from "./evidence.ts";
import { steadily } from "./limit.ts";
import {
  type FigureRange,
  figureText,
  type JudgedCell,
  type Range,
  rangeOf,
  ratioRangeOf,
} from "./range.ts";
import { endlessText, runsText } from "./remedies.ts";

type BaselineThreshold = Threshold & { readonly against: "baseline" };

export function baselineEvidence(
  threshold: BaselineThreshold,
  cell: JudgedCell,
  baseline: JudgedCell | null,
): Evidence {
  const { figure } = threshold;
  const range = rangeOf(figure, cell);
  if ("none" in range) return fact("fail", `nothing to judge: ${range.none}`);
  if (baseline === null) {
    return fact("fail", "nothing to judge by: the baseline has no such cell");
  }
  const base = rangeOf(figure, baseline);
  if ("none" in base) return fact("fail", `nothing to judge by: ${base.none}`);
  const sides = { cell, baseline, range, base };
  return steadily(steadily(compared(threshold, sides), figure, cell), figure, baseline);
}

interface Sides {
  readonly cell: JudgedCell;
  readonly baseline: JudgedCell;
  readonly range: FigureRange;
  readonly base: FigureRange;
}

function compared(threshold: BaselineThreshold, sides: Sides): Evidence {
  const { figure, unit, better, marginRatio } = threshold;
  const { cell, baseline, range, base } = sides;
  const [now, before] = [range, base].map(({ value, isAtLeast }) =>
    boundText(figureText({ value, interval: null }, unit), isAtLeast)
  );
  const values = `${figure} is ${now}, in the baseline ${before}`;
  if (Math.min(cell.runs.length, baseline.runs.length) < 2) return undecided(values, ONE_RUN);
  const open = [cell, baseline].filter((_, side) => [range, base][side].isAtLeast);
  if (open.length > 0) return undecided(values, endlessText(open.flatMap(({ runs }) => runs)));
  const ratio = ratioRangeOf(figure, cell, baseline);
  const interval = ratio?.interval ?? null;
  if (ratio === null || interval === null) return undecided(values, NO_INTERVAL);
  const most = better === "lower" ? 1 + marginRatio : 1 / (1 + marginRatio);
  const found = `${values}: ${formatRatio(ratio.value, interval)}, ${
    percentText(marginRatio)
  } is allowed`;
  switch (sideOf(interval, (value) => better === "lower" ? value <= most : value >= most)) {
    case "pass":
      return { outcome: "pass", found: `${found}, in these two sessions`, p: 1, remedy: "" };
    case "fail":
      return undecided(found, OTHER_SESSION);
    default:
      return undecided(found, neededText({ ...ratio, interval }, most, sides));
  }
}

const ONE_RUN = "one run says nothing about the next: measure 5 or more a side";
const NO_INTERVAL = "it has no interval over the runs: compare another figure";
const OTHER_SESSION =
  "worse in these two sessions, of which another may differ as much: measure both in one experiment";

function neededText(
  { value, interval: { low, high } }: Range & { interval: { low: number; high: number } },
  most: number,
  { cell, baseline }: Sides,
): string {
  const runs = Math.min(cell.runs.length, baseline.runs.length);
  const quantile = tQuantile(cell.level, 2 * (runs - 1));
  const end = most < value ? low : high;
  const needed = runsToDecide({
    distance: Math.log(value / most),
    standardError: Math.abs(Math.log(value / end)) / quantile,
    runs,
    sides: 2,
    confidence: cell.level,
  });
  return runsText(needed, "a side");
}
